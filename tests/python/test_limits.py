"""Hostile descriptions end in an error, in little time and memory, and heed Ctrl-C; honest ones never meet a limit."""

from __future__ import annotations

import dataclasses
import gzip
import json
import math
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import tessella
from hostile_cases import A, letters, normalizing
from tessella import Regex, Tokenizer, decoders, errors, models, normalizers, pre_tokenizers

CASES = Path(__file__).with_name("hostile_cases.py")

# All cases in one process, with less time for each than by default: what is looked at is that each ends.
TOGETHER = """
import json, time
import hostile_cases, tessella
tessella.set_limits(pattern_seconds=0.05)
found = {}
for name in hostile_cases.CASES:
    used = time.process_time()
    came = hostile_cases.outcome(name)
    found[name] = came, time.process_time() - used, hostile_cases.peak() // 1024
print(json.dumps(found))
"""

# These are heavy, and end.
END = {
    "atomic_loop",
    "back_reference",
    "counted_options",
    "counted_repeats",
    "empty_matches",
    "one_endless_word",
    "truncation_without_end",
    "unigram_of_runs",
}


def run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=CASES.parent,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_hostile_descriptions_end() -> None:
    found = json.loads(run(TOGETHER))
    assert len(found) >= 50
    for name, (came, processor, peak) in found.items():
        # The limit for a case alone is 5 s on an idle machine.
        assert processor < 10, (name, came, processor)
        assert peak < 500, (name, came, peak)
    refused = {name for name, (came, _, _) in found.items() if came != "ended"}
    assert len(refused) > 40, sorted(set(found) - refused)


def test_a_pattern_has_a_time_for_each_text() -> None:
    split = pre_tokenizers.Split(Regex("(?=a*a*a*b)a"), "isolated")
    before = tessella.set_limits(pattern_seconds=0.01, pattern_seconds_per_megabyte=0)
    try:
        with pytest.raises(errors.RegexError, match=r"pattern_seconds.*of the limits"):
            split.pre_tokenize_str(A)
        # Each text has its own time, and all pieces of a text have it together.
        assert split.pre_tokenize_str("b") == [("b", (0, 1))]
        tokenizer = letters()
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(" ", "removed"), split])
        with pytest.raises(errors.RegexError, match=r"ran for more than 0\.0 s"):
            tokenizer.encode_ids(("a" * 60 + " ") * 2000)
    finally:
        tessella.set_limits(**dataclasses.asdict(before))


@pytest.mark.parametrize("encode", ["encode", "encode_ids"])
def test_growth_names_the_stage(encode: str) -> None:
    tokenizer = normalizing(*[normalizers.Replace("a", "aa")] * 40)
    with pytest.raises(errors.ArgumentError, match=r"text_growth.*normalizer 16 of 40 \(Replace\)"):
        getattr(tokenizer, encode)("a" * 100)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("a", "aa")] * 40)
    for decode in (tokenizer.decode, tokenizer.decode_bytes):
        with pytest.raises(errors.ArgumentError, match="decoder 16 of 40"):
            decode([0] * 100)
    with pytest.raises(errors.ArgumentError, match="decoder 16 of 40"):
        decoders.Sequence([decoders.Replace("a", "aa")] * 40).decode(["a" * 100])
    stages = [pre_tokenizers.ByteLevel(False, use_regex=False)] * 40
    with pytest.raises(errors.ArgumentError, match=r"pre-tokenizer \d+ of 40 \(ByteLevel\)"):
        pre_tokenizers.Sequence(stages).pre_tokenize_str("é" * 100)


def test_limits_can_be_changed() -> None:
    grows = normalizers.Sequence([normalizers.Replace("a", "aa")] * 18)
    with pytest.raises(errors.ArgumentError):
        grows.normalize_str("a" * 100)
    before = tessella.set_limits(text_growth_free=1 << 30)
    try:
        assert len(grows.normalize_str("a" * 100)) == 100 << 18
        assert tessella.get_limits() == tessella.Limits(text_growth_free=1 << 30)
        tessella.set_limits(text_growth_free=10, text_growth=2)
        assert len(normalizers.Replace("a", "aa").normalize_str("a" * 100)) == 200
        with pytest.raises(errors.ArgumentError, match="the limit for it is 200"):
            normalizers.Replace("a", "aab").normalize_str("a" * 100)
        tessella.set_limits(pattern_seconds=math.inf)
        assert tessella.get_limits().pattern_seconds == math.inf
        for wrong in ({"pattern_seconds": -1.0}, {"pattern_seconds": math.nan}, {"text_growth": -1}):
            with pytest.raises(errors.ArgumentError, match=next(iter(wrong))):
                tessella.set_limits(**wrong)  # type: ignore[arg-type]
    finally:
        tessella.set_limits(**dataclasses.asdict(before))
    assert tessella.get_limits() == before == tessella.Limits()


def test_honest_texts_grow() -> None:
    long = "x" * 100_000
    assert normalizers.Replace("!", long).normalize_str("a!b!") == f"a{long}b{long}"
    ligature = "\ufdfa"
    for text in (ligature, ligature * 1000, ligature * 100_000):
        both = normalizers.Sequence([normalizers.NFKD(), normalizers.ByteLevel(), normalizers.Prepend("▁")])
        assert len(both.normalize_str(text)) == 33 * len(text) + 1
    blanks = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    assert len(blanks.normalize_str(" " * 3_000_000)) == 3_000_001
    assert decoders.Replace("a", long).decode(["a", "b", "a"]) == f"{long}b{long}"


def test_a_text_does_not_pay_for_the_one_before() -> None:
    """Nor for one that another thread, or a component of its own, is busy with."""
    before = tessella.set_limits(text_growth_free=3000)
    tokenizer = normalizing(*[normalizers.Replace("a", "aa")] * 8)
    expected = tokenizer.encode_ids("a" * 10).tolist()

    class Nested:
        def normalize(self, normalized: tessella.NormalizedString) -> None:
            assert tokenizer.encode_ids("a" * 10).tolist() == expected
            with pytest.raises(errors.ArgumentError):
                normalizers.Sequence([normalizers.Replace("a", "aa")] * 40).normalize_str("a")

    outer = letters()
    outer.normalizer = normalizers.Sequence(
        [normalizers.Normalizer.custom(Nested()), *[normalizers.Replace("a", "aa")] * 8]
    )
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(3):
                assert outer.encode_ids("a" * 10).tolist() == expected
                assert tokenizer.encode_ids_batch(["a" * 10] * 3)[2].tolist() == expected
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        tessella.set_limits(**dataclasses.asdict(before))
    assert not failed


INTERRUPTED = """
import sys, time, hostile_cases, tessella
from tessella import Regex, pre_tokenizers
import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
tessella.set_limits(pattern_seconds=1000)
tokenizer = hostile_cases.letters()
tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("(?=a*a*a*b)a"), "isolated")
text = "a" * 700
works = {
    "split": lambda: tokenizer.pre_tokenizer.pre_tokenize_str(text),
    "encode": lambda: tokenizer.encode(text),
    "ids": lambda: tokenizer.encode_ids(text),
    "batch": lambda: tokenizer.encode_batch([text] * 500, num_threads=3),
    "alone": lambda: tokenizer.encode_ids_batch([text] * 500, num_threads=1),
    "count": lambda: tessella.count_pieces(iter([text] * 50), tokenizer, num_threads=2),
}
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        works[sys.argv[1]]()
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals work differently")
@pytest.mark.parametrize("work", ["split", "encode", "ids", "batch", "alone", "count"])
def test_small_texts_can_be_interrupted(work: str) -> None:
    assert run(INTERRUPTED, work).strip() == "stopped"


def test_what_a_signal_handler_raises_comes_out_as_it_was() -> None:
    code = INTERRUPTED.replace(
        "signal.signal(signal.SIGINT, signal.default_int_handler)",
        "def late(*_): raise TimeoutError('late')\nsignal.signal(signal.SIGINT, late)",
    ).replace("except KeyboardInterrupt:", "except TimeoutError:")
    assert run(code, "ids").strip() == "stopped"


def test_texts_of_files_have_a_longest_length(tmp_path: Path) -> None:
    words = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    for ending, head, tail in ((".txt.gz", b"", b""), (".jsonl.gz", b'{"text": "', b'"}\n')):
        path = tmp_path / f"packed{ending}"
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(b'{"text": "short"}\n' + head)
            for _ in range(20):
                file.write(b"a" * 1_000_000)
            file.write(tail)
        with pytest.raises(errors.FormatError, match=r"more than 16000000 bytes, unpacked.*line 2"):
            tessella.count_pieces(path, words, memory="16MB", num_threads=1)
        assert tessella.count_pieces(path, words, memory="64MB", num_threads=1).total == 2


def test_a_packed_line_has_a_longest_length_without_a_budget(tmp_path: Path) -> None:
    words = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    path = tmp_path / "packed.txt.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(70):
            file.write(b"a" * 1_000_000)
    for read in (words.encode_files, lambda name: tessella.count_pieces(name, words)):
        with pytest.raises(errors.FormatError, match=r"more than 67108864 bytes, unpacked.*line 1"):
            list(read(path))


def test_parts_with_many_windows_are_not_multiplied_without_end():
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1}, unk_token="a"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    some, many = tokenizer.encode("a b " * 30), tokenizer.encode("a b " * 20_000)
    some.truncate(4, 1)
    many.truncate(2)
    joined = tessella.Encoding.merge([some, some])
    assert len(joined.overflowing) == (len(some.overflowing) + 1) ** 2 - 1
    with pytest.raises(errors.TessellaError, match="joining 3 parts in 8000000000000 rows"):
        tessella.Encoding.merge([many, many, many])
    assert len(many.overflowing) == 19_999
