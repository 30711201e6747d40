"""What training promises, seen from Python: the reference library's results, resuming after a kill, memory."""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import tessella
from tessella import PieceCounts, models, pre_tokenizers, trainers

from tests.conformance import texts as corpora

#: Bytes of each real text; the reference library takes about half a second per megabyte.
SLICE = int(os.environ.get("TESSELLA_TRAIN_BYTES", "150000"))


def made_up_counts(words: int) -> PieceCounts:
    chance = random.Random(words)
    syllables = ["ka", "to", "mi", "ra", "shi", "ing", "er", "est", "pre", "un", "lo", "é", "日本", "aaa"]
    counts = PieceCounts()
    for number in range(words):
        counts.add("".join(chance.choices(syllables, k=chance.randint(1, 7))), 1 + 90_000 // (number + 1))
    return counts


def real_texts(size: int = SLICE) -> dict[str, list[str]]:
    folder = corpora.folder("TESSELLA_CORPORA")
    if folder is None:
        pytest.skip("set TESSELLA_CORPORA to compare on real texts")
    found = {}
    for name in ("english", "code", "multilingual"):
        path = next((path for path in folder.iterdir() if path.name.startswith(f"{name}.txt")), None)
        if path is not None:
            found[name] = corpora.read(path)[:size].decode("utf-8", "ignore").splitlines(keepends=True)
    return found


def byte_level(library: Any, lines: list[str], **options: Any) -> Any:
    tokenizer = library.Tokenizer(library.models.BPE())
    tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = library.trainers.BpeTrainer(show_progress=False, **options)
    tokenizer.train_from_iterator(lines, trainer)
    return json.loads(tokenizer.to_str())["model"]


VARIANTS: list[dict[str, Any]] = [
    {"vocab_size": 1000, "special_tokens": ["<s>", "the"]},
    {"vocab_size": 8000},
    {"vocab_size": 32000, "min_frequency": 3},
    {"vocab_size": 3000, "max_token_length": 5},
    {"vocab_size": 3000, "initial_alphabet": pre_tokenizers.ByteLevel.alphabet()},
]


@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: "-".join(map(str, options)))
def test_bpe_learns_what_the_reference_learns(options: dict[str, Any]) -> None:
    reference = pytest.importorskip("tokenizers")
    for name, lines in real_texts().items():
        ours, theirs = (byte_level(library, lines, **options) for library in (tessella, reference))
        assert ours["merges"] == theirs["merges"], name
        assert ours["vocab"] == theirs["vocab"], name


def test_every_wordpiece_choice_is_valid() -> None:
    """No more frequent pair is passed over, and the vocabulary is that of the pairs."""
    counts = made_up_counts(400)
    options = {"vocab_size": 250, "show_progress": False}
    pairs = trainers.BpeTrainer(continuing_subword_prefix="##", **options).train_from_counts(counts)
    merges = json.loads(pairs.__getstate__())["merges"]
    words = {piece: ([piece[0], *(f"##{c}" for c in piece[1:])], count) for piece, count in counts.items()}
    for left, right in merges:
        seen: Counter[tuple[str, str]] = Counter()
        for symbols, count in words.values():
            for pair in itertools.pairwise(symbols):
                seen[pair] += count
        assert seen[left, right] == max(seen.values())
        for symbols, _ in words.values():
            at = 0
            while at + 1 < len(symbols):
                if symbols[at] == left and symbols[at + 1] == right:
                    symbols[at : at + 2] = [left + right.removeprefix("##")]
                at += 1
    wordpiece = trainers.WordPieceTrainer(**options).train_from_counts(counts)
    tokenizers = [tessella.Tokenizer(model) for model in (pairs, wordpiece)]
    assert tokenizers[0].get_vocab() == tokenizers[1].get_vocab()
    assert len(merges) > 100


RUN = """
import signal, sys, tessella
# A parent that runs in the background has signals ignored, and its children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
from tessella import PieceCounts, trainers
kind, counts, checkpoint, size = sys.argv[1:]
trainer = getattr(trainers, kind)(vocab_size=int(size))
if kind == "BpeTrainer":
    trainer.progress_format = "json"
trainer.train_from_counts(PieceCounts.open(counts), checkpoint)
"""


def stopped(command: list[str], checkpoint: Path, how: str) -> bool:
    """Whether a training that gets a signal leaves its checkpoint, which one that is over takes away."""
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        if how == "interrupt":
            # The keyboard interrupt comes while pairs are merged, and leaves a checkpoint.
            assert process.stderr is not None
            assert any(b'"merge"' in line for line in process.stderr)
            process.send_signal(signal.SIGINT)
        else:
            while not checkpoint.exists() and process.poll() is None:
                time.sleep(0.001)
            process.kill()
        process.communicate()
    return checkpoint.exists()


@pytest.mark.parametrize(
    ("kind", "size", "how"),
    [("BpeTrainer", 60_000, "kill"), ("BpeTrainer", 60_000, "interrupt"), ("UnigramTrainer", 200, "kill")],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to a process")
def test_a_stopped_run_goes_on(kind: str, size: int, how: str, tmp_path: Path) -> None:
    counts = made_up_counts(60_000 if kind == "BpeTrainer" else 20_000)
    counts.save(tmp_path / "counts")
    checkpoint = tmp_path / "checkpoint"
    command = [sys.executable, "-c", RUN, kind, str(tmp_path / "counts"), str(checkpoint), str(size)]
    # A signal may come too late where the processor is busy with others: five times in a row it does not.
    assert any(stopped(command, checkpoint, how) for _ in range(5)), (
        "no interrupted training left a checkpoint"
    )
    trainer = getattr(trainers, kind)(vocab_size=size, show_progress=False)
    resumed = trainer.train_from_counts(counts, checkpoint)
    assert not checkpoint.exists()
    assert resumed.__getstate__() == trainer.train_from_counts(counts).__getstate__()


STOPS = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from tessella import PieceCounts, trainers
counts, checkpoint = sys.argv[1:]
trainer = trainers.UnigramTrainer(vocab_size=200, show_progress=False)
try:
    trainer.train_from_counts(PieceCounts.open(counts), checkpoint)
except KeyboardInterrupt as error:
    print(time.monotonic(), error)
"""


class Wish(KeyboardInterrupt):
    """What a program makes of its own signals."""


def test_what_asked_a_training_to_end_stays_known(tmp_path: Path) -> None:
    """The command line ends by the signal that came, which the error knows."""

    def ended(*_: object) -> bool:
        raise Wish

    checkpoint = tmp_path / "checkpoint"
    checkpoint.touch()
    trainer = trainers.BpeTrainer(vocab_size=300, show_progress=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tessella._tessella.learn", ended)
        with pytest.raises(Wish, match=r"the training is kept in .*checkpoint"):
            trainer.train_from_counts(made_up_counts(10), checkpoint)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to a process")
def test_an_interrupt_of_unigram_training_comes_soon_and_names_the_checkpoint(tmp_path: Path) -> None:
    made_up_counts(20_000).save(tmp_path / "counts")
    checkpoint = tmp_path / "checkpoint"
    chance = random.Random(0)
    took = []
    for _ in range(8):
        command = [sys.executable, "-c", STOPS, str(tmp_path / "counts"), str(checkpoint)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            while not checkpoint.exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.05))
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            told, _ = process.communicate()
        if not checkpoint.exists():
            continue  # The training was over before the signal came.
        seconds, message = told.split(" ", 1)
        assert f"interrupted; the training is kept in {checkpoint}:" in message
        checkpoint.unlink()
        took.append(float(seconds) - sent)
        # A busy machine may delay one, not several.
        if took[-1] < 2:
            return
    assert took, "no interrupt came in time"
    pytest.fail(f"seconds from the signal to the interrupt: {took}")


def test_a_folder_holds_the_checkpoint(tmp_path: Path) -> None:
    state = tmp_path / "training.checkpoint"
    stops = [True]

    def allow(left: str, right: str, merged: str, count: int) -> bool:
        if len(merged) > 3 and stops:
            stops.clear()
            raise KeyboardInterrupt
        return True

    def trained(**how: Any) -> str:
        tokenizer = tessella.Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        options = {"vocab_size": 40, "merge_filter": allow, "show_progress": False}
        tokenizer.train_from_iterator(TEXTS, trainers.BpeTrainer(**options), **how)
        return tokenizer.to_str()

    with pytest.raises(KeyboardInterrupt):
        trained(checkpoint=tmp_path)
    assert trained(checkpoint=tmp_path) == trained()
    assert not state.exists()
    state.write_bytes(b"something else")
    texts = tmp_path / "texts.txt"
    texts.write_text("low lower lowest", encoding="utf-8")
    with pytest.raises(tessella.errors.TessellaError, match="Remove it to begin anew"):
        trainer = trainers.BpeTrainer(show_progress=False)
        tessella.Tokenizer(models.BPE()).train([texts], trainer, checkpoint=tmp_path)


TEXTS = ["low lower lowest newer newest wide wider widest"] * 5


def test_checkpoints_belong_to_their_training(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_bytes(b"something else")
    with pytest.raises(tessella.errors.TessellaError, match="Remove it to begin anew"):
        trainers.BpeTrainer(show_progress=False).train_from_counts(made_up_counts(9), tmp_path / "checkpoint")
    # Told before anything is learned, and not at the first saving.
    for trainer in (trainers.BpeTrainer(show_progress=False), trainers.UnigramTrainer(show_progress=False)):
        with pytest.raises(FileNotFoundError, match="no such folder for the checkpoint"):
            trainer.train_from_counts(made_up_counts(9), tmp_path / "no" / "state")
    with pytest.raises(ValueError, match="no checkpoints"):
        trainers.WordLevelTrainer().train_from_counts(made_up_counts(9), tmp_path / "other")


MEASURE = """
import sys
from pathlib import Path
from tessella import PieceCounts, trainers
def kilobytes(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
counts = PieceCounts.open(sys.argv[2])
trainer = getattr(trainers, sys.argv[1])(vocab_size=32000, show_progress=False)
estimate, before = trainer.estimate_memory(counts), kilobytes("VmRSS")
trainer.train_from_counts(counts)
print(estimate / ((kilobytes("VmHWM") - before) * 1024))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("kind", ["BpeTrainer", "UnigramTrainer"])
def test_the_memory_estimate_holds(kind: str, tmp_path: Path) -> None:
    lines = real_texts(4_000_000)["english"]
    tokenizer = tessella.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tessella.count_pieces(lines, tokenizer).save(tmp_path / "counts")
    command = [sys.executable, "-c", MEASURE, kind, str(tmp_path / "counts")]
    ratio = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert 0.75 < ratio < 1.3, ratio


def test_the_unigram_corpus_of_the_textbook() -> None:
    """hug 10, pug 5, pun 12, bun 4, hugs 5: every substring is an entry, with its count."""
    corpus = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    entries = {"h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20, "p": 17, "pu": 17, "n": 16, "un": 16}
    entries |= {"b": 4, "bu": 4, "s": 5, "hug": 15, "gs": 5, "ugs": 5}

    def probability(word: str, kept: dict[str, int]) -> float:
        """Of the best reading."""
        best = [1.0] + [0.0] * len(word)
        for end in range(1, len(word) + 1):
            for start in range(end):
                best[end] = max(best[end], best[start] * kept.get(word[start:end], 0) / 210)
        return best[-1]

    def loss(kept: dict[str, int]) -> float:
        scores = [(piece, math.log(count / 210)) for piece, count in kept.items()]
        tokenizer = tessella.Tokenizer(models.Unigram([("<unk>", 0.0), *scores], 0))
        known = dict(scores)
        total = 0.0
        for word, count in corpus.items():
            score = sum(known[token] for token in tokenizer.encode(word).tokens)
            assert score == pytest.approx(math.log(probability(word, kept)))
            total -= count * score
        return total

    assert sum(entries.values()) == 210
    expected = {"hug": 0.0714286, "pug": 0.0077098, "pun": 0.0061678, "bun": 0.0014513, "hugs": 0.0017007}
    for word, value in {**expected, "unhug": 0.0054422}.items():
        assert probability(word, entries) == pytest.approx(value, rel=1e-4)
    assert loss(entries) == pytest.approx(169.803, abs=1e-3)
    assert loss({piece: n for piece, n in entries.items() if piece != "pu"}) == pytest.approx(
        169.803, abs=1e-3
    )
    assert loss({piece: n for piece, n in entries.items() if piece != "hug"}) == pytest.approx(
        193.317, abs=1e-3
    )


@pytest.mark.parametrize(
    ("model", "mark"),
    [
        (models.WordPiece(unk_token="[UNK]", continuing_subword_prefix=""), "continuing_subword_prefix"),
        (models.WordPiece(unk_token="[UNK]", continuing_subword_prefix="@@"), "continuing_subword_prefix"),
        (models.BPE(end_of_word_suffix="</w>"), "end_of_word_suffix"),
        (models.BPE(continuing_subword_prefix="@@"), "continuing_subword_prefix"),
    ],
)
def test_what_is_trained_like_another_marks_words_like_it(model: models.Model, mark: str) -> None:
    from tessella.training.anew import Anew

    old = tessella.Tokenizer(model)
    old.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    anew, texts = Anew(old), ["low lower lowest", "newer wider tiles"] * 20
    said = getattr(model, mark)
    made = anew.learned(anew.count(texts, progress=False), anew.trainer(60, show_progress=False))
    assert getattr(made.model, mark) == said
    marked = [token for token in made.get_vocab() if said and said in token]
    assert bool(marked) == bool(said) and made.encode("lower").tokens
