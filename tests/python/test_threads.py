"""Many threads, forks and interrupts."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tessella
from tessella import Tokenizer, models, normalizers, pre_tokenizers, processors, recipes

SECONDS = 0.4


def test_setters_while_eight_threads_encode(words):
    expected = {(3, 5), (2, 2), (0, 3, 5, 1), (0, 2, 2, 1), (0, 3), (0, 3, 1), (0, 2, 1), (0, 2), (3,), (2,)}
    stop = threading.Event()
    bert = normalizers.BertNormalizer(lowercase=False)
    sequence = normalizers.Sequence([bert, bert])
    words.normalizer = sequence
    template = words.post_processor

    def encode():
        count = 0
        while not stop.is_set():
            ids = tuple(words.encode("the fox").ids)
            assert ids in expected, ids
            assert tuple(words.encode_ids("the fox", False).tolist()) in expected
            count += 1
        return count

    def change():
        index = 0
        while not stop.is_set():
            index += 1
            bert.lowercase = bool(index % 2)
            sequence[0] = normalizers.Replace("the fox", "THE FOX") if index % 3 else normalizers.NFC()
            sequence[0] = bert
            words.post_processor = None if index % 5 else template
            if index % 4:
                words.enable_truncation(3)
            else:
                words.no_truncation()

    with ThreadPoolExecutor(8) as pool:
        encoders = [pool.submit(encode) for _ in range(6)]
        changers = [pool.submit(change) for _ in range(2)]
        time.sleep(SECONDS)
        stop.set()
        assert all(one.result() > 0 for one in encoders)
        for one in changers:
            one.result()


def test_adding_tokens_from_threads_loses_none():
    tokenizer = Tokenizer(models.BPE())
    with ThreadPoolExecutor(8) as pool:
        counts = pool.map(lambda index: tokenizer.add_tokens([f"<{index}>"]), range(200))
        assert sum(counts) == 200
    decoder = tokenizer.get_added_tokens_decoder()
    assert sorted(decoder) == list(range(200))


def test_number_of_threads_does_not_matter(bpe):
    texts = [f"the thing {index} in the air — é" * (index % 7) for index in range(3000)]
    one = bpe.encode_ids_batch(texts, num_threads=1)
    assert all(bpe.encode_ids_batch(texts, num_threads=count) == one for count in (2, 5))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forks_while_threads_start(bpe):
    """No thread is in the middle of being started when the process forks, and threads start again after it."""
    texts = ["the thing in the air"] * 1000
    expected = bpe.encode_ids_batch(texts, num_threads=1)
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            assert bpe.encode_ids_batch(texts, num_threads=4) == expected

    with ThreadPoolExecutor(3) as pool:
        workers = [pool.submit(busy) for _ in range(3)]
        try:
            for _ in range(8):
                child = os.fork()
                if child == 0:
                    signal.alarm(60)
                    code = 1
                    try:
                        counts = tessella.count_pieces(iter(texts), bpe, num_threads=3)
                        same = bpe.encode_ids_batch(texts, num_threads=3) == expected
                        code = 0 if same and counts.get("Ġthe") == len(texts) else 2
                    finally:
                        os._exit(code)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        finally:
            stop.set()
        for worker in workers:
            worker.result()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_after_threads(bpe):
    texts = ["the thing"] * 5000
    expected = len(bpe.encode_batch(texts, num_threads=4))
    child = os.fork()
    if child == 0:
        os._exit(0 if len(bpe.encode_batch(texts, num_threads=4)) == expected else 1)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child did not end")


@pytest.mark.parametrize("num_threads", [None, 1, 2, 5])
@pytest.mark.parametrize(
    "model",
    [
        models.BPE({"a": 0, "aa": 1}, [("a", "a")], dropout=0.5),
        models.Unigram([("<unk>", 0.0), ("a", -1.0), ("aa", -1.5)], 0, alpha=0.5),
    ],
)
def test_a_seed_is_repeated_by_batches(model, num_threads):
    """Which thread takes which text is chance as well."""
    tokenizer = Tokenizer(model)
    texts = ["a" * (50 + index % 7) for index in range(3000)]

    def drawn():
        tokenizer.seed(5)
        ids = tokenizer.encode_ids_batch(texts, num_threads=num_threads)
        return ids, [one.ids for one in tokenizer.encode_batch(texts, num_threads=num_threads)]

    first = drawn()
    assert all(drawn() == first for _ in range(3))
    tokenizer.seed(5)
    assert tokenizer.encode_ids_batch(texts, num_threads=1) == first[0]
    assert tokenizer.encode_ids_batch(texts, num_threads=1) != first[0]


CHANGES = {
    "dropout": lambda tokenizer: setattr(tokenizer.model, "dropout", 0.4),
    "model": lambda tokenizer: setattr(
        tokenizer, "model", models.Unigram([("<unk>", 0.0), ("a", -1.0), ("aa", -1.5)], 0, alpha=0.5)
    ),
    "pre-tokenizer": lambda tokenizer: setattr(tokenizer, "pre_tokenizer", pre_tokenizers.ByteLevel()),
    "normalizer": lambda tokenizer: setattr(tokenizer, "normalizer", normalizers.Lowercase()),
    "cache": lambda tokenizer: tokenizer.set_cache_size(1 << 20),
    "tokens": lambda tokenizer: tokenizer.add_tokens(["b"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_seed_outlives_changes(change):
    """Dropout that is switched on after the seed was set, for example."""

    def drawn():
        tokenizer = Tokenizer(models.BPE({"a": 0, "aa": 1}, [("a", "a")], dropout=0.5))
        tokenizer.seed(5)
        tokenizer.encode_ids("a" * 100)
        CHANGES[change](tokenizer)
        return tokenizer.encode_ids("a" * 200).tolist()

    first = drawn()
    assert all(drawn() == first for _ in range(3))


def in_children(draw):
    """What two processes that were forked one after the other draw."""
    drawn = []
    for _ in range(2):
        inward, outward = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(outward, repr(draw()).encode())
            finally:
                os._exit(0)
        os.close(outward)
        with open(inward) as pipe:
            drawn.append(pipe.read())
        os.waitpid(child, 0)
    return drawn


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("num_threads", [1, 2])
def test_forked_processes_drop_other_merges(num_threads):
    """Else all workers of a data loader, and all epochs, would drop the same ones."""
    tokenizer = Tokenizer(models.BPE({"a": 0, "aa": 1}, [("a", "a")], dropout=0.5))
    texts = ["a" * 2000] * 64

    def draw():
        return zlib.crc32(bytes(tokenizer.encode_ids_batch(texts, num_threads=num_threads).to_list()[0]))

    draw()
    one, other = in_children(draw)
    assert one and other and one != other
    tokenizer.seed(5)
    one, other = in_children(draw)
    assert one == other == repr(draw()), "a seed is repeated"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forked_processes_sample_other_seeds(monkeypatch):
    from tessella.compat.sentencepiece import _settings, set_random_generator_seed

    monkeypatch.setattr(_settings, "_is_seeded", False)
    one, other = in_children(_settings.next_seed)
    assert one and other and one != other
    set_random_generator_seed(5)
    one, other = in_children(_settings.next_seed)
    assert one == other == repr(_settings.next_seed())


INTERRUPTED = """
import sys, threading, time, os, signal
# A parent that runs in the background has signals ignored, and its children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
from tessella import Tokenizer, models, pre_tokenizers
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
text = "the quick brown fox " * (1 << 18)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        tokenizer.encode_batch([text] * 8)
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently")
def test_interrupts_stop_long_calls():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "stopped", done.stderr


ONE_LONG_WORD = """
import signal, threading, time, os
signal.signal(signal.SIGINT, signal.default_int_handler)
from tessella import Tokenizer, models, pre_tokenizers
tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("aa", -1.5), ("aaaa", -1.9)], unk_id=0))
text = "a" * {letters}
work = {work}
def took():
    began = time.process_time()
    try:
        work(text)
    except KeyboardInterrupt:
        print("stopped", end=" ")
    return time.process_time() - began
whole = took()
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
part = took()
print(part < whole * 0.7, part, whole)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently")
@pytest.mark.parametrize(
    ("work", "letters"),
    [
        ("tokenizer.encode_ids", 6_000_000),
        ("pre_tokenizers.Split('a', 'isolated').pre_tokenize_str", 1_000_000),
    ],
)
def test_interrupts_stop_within_a_word(work, letters):
    code = ONE_LONG_WORD.format(work=work, letters=letters)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.startswith("stopped True"), done.stdout + done.stderr


def test_processors_are_shared_safely():
    processor = processors.TemplateProcessing("[A] $A", special_tokens=[("[A]", 0)])
    tokenizers = []
    for _ in range(2):
        tokenizer = Tokenizer(models.WordLevel({"[A]": 0, "x": 1, "<unk>": 2}))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.post_processor = processor
        tokenizers.append(tokenizer)
    processor.single = "$A [A]"
    assert [one.encode("x").ids for one in tokenizers] == [[1, 0], [1, 0]]


@pytest.mark.parametrize("recipe", ["gpt2", "llama3", "roberta", "o200k"])
def test_threads_share_a_large_text(recipe: str) -> None:
    choose = random.Random(17)
    words = [
        "tile",
        "tiles",
        "mosaic",
        "Gap",
        "é日本",
        "ß",
        "12",
        "345",
        "!?",
        "don't",
        "I'LL",
        "\n",
        "  ",
        "\r\n\t",
        "🙂",
    ]
    some = " ".join(choose.choices(words, k=20_000))
    tokenizer = recipes.get(recipe).train([some], vocab_size=700)
    tokenizer.add_tokens(["<tile>"])
    new = "".join(choose.choices("abcdefgh é日", k=700_000))
    texts = {
        "mixed": some * 12 + new,
        "one letter": "a" * 1_500_000,
        "blanks": " " * 1_500_000,
        "with added tokens": (some * 12 + "<tile>") * 2 + some,
        "just large enough": (some * 20)[: (1 << 20) + 7],
    }
    for name, text in texts.items():
        alone = tokenizer.encode_ids(text)
        for threads in (2, 5):
            for batch in ([text], ["", text, "tile", text])[: 2 if name == "mixed" else 1]:
                found = tokenizer.encode_ids_batch(batch, num_threads=threads)
                wanted = [alone if one is text else tokenizer.encode_ids(one) for one in batch]
                assert all(map(np.array_equal, found, wanted)), (name, threads, len(batch))
                assert len(found) == len(batch)
    assert tokenizer.decode(tokenizer.encode_ids(texts["mixed"])) == texts["mixed"]
