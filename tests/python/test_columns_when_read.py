"""Offsets and words that nobody has read yet are what they would be at once, whatever happens to the encoding before."""

from __future__ import annotations

import copy
import faulthandler
import gc
import pickle
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tessella import AddedToken, Encoding, Regex, Tokenizer, normalizers, pre_tokenizers, processors
from test_by_the_hundred import columns, gpt2_like, text

TEMPLATES: list[tuple[str | None, str | None]] = [
    (None, None),
    ("<s> $A", "<s> $A $B"),
    ("$A:1 <s> <s>", "$A $B:1 <s>"),
    ("<s> <s> $A <s>", "<s> $A <s> $B:1 <s>"),
]


def around(template: int) -> processors.TemplateProcessing | None:
    single, pair = TEMPLATES[template]
    if not single or not pair:
        return None
    return processors.TemplateProcessing(single=single, pair=pair, special_tokens=[("<s>", 266)])


# Processors that take blanks out of offsets: before special tokens, behind them, with them, and twice.
TRIMMING: list[Callable[[], processors.PostProcessor]] = [
    lambda: processors.ByteLevel(trim_offsets=True),
    lambda: processors.Sequence([processors.ByteLevel(trim_offsets=True), around(1)]),
    lambda: processors.Sequence([around(2), processors.ByteLevel(trim_offsets=True)]),
    lambda: processors.RobertaProcessing(
        ("<s>", 266), ("<s>", 266), trim_offsets=True, add_prefix_space=False
    ),
    lambda: processors.RobertaProcessing(
        ("<s>", 266), ("<s>", 266), trim_offsets=True, add_prefix_space=True
    ),
    lambda: processors.Sequence([processors.ByteLevel(trim_offsets=True)] * 2),
]


def tokenizer(template: int) -> Tokenizer:
    """With one of the templates, or behind them one of the processors that trim."""
    made = gpt2_like(trim=False)
    if template >= len(TEMPLATES):
        made.post_processor = TRIMMING[template - len(TEMPLATES)]()
    elif (processor := around(template)) is not None:
        made.post_processor = processor
    if template % 2:
        # Some with blanks around that are theirs, and of many bytes.
        tokens = ["  ", "é,", AddedToken("ab", lstrip=True, rstrip=True), AddedToken("the", single_word=True)]
        made.add_tokens([*tokens, "a" * 300, "<|a|>"])
    return made


def arrays(encoding: Encoding) -> tuple[list[tuple[int, int]], list[int | None], list[int]]:
    words = [None if word < 0 else word for word in encoding.word_ids_array.tolist()]
    return [tuple(row) for row in encoding.offsets_array.tolist()], words, encoding.ids_array.tolist()


def look_up(encoding: Encoding) -> list[object]:
    return [
        [encoding.char_to_token(place) for place in range(0, 60, 7)],
        [encoding.token_to_chars(token) for token in range(0, 40, 3)],
        [encoding.token_to_word(token) for token in range(0, 40, 3)],
        [encoding.word_to_tokens(word) for word in range(6)],
        [encoding.word_to_chars(word) for word in range(6)],
    ]


def padded(length: int, direction: str) -> Callable[[Encoding], object]:
    return lambda one: one.pad(length, direction=direction, pad_id=3, pad_type_id=2, pad_token="<pad>")


# Each reads something, or changes something, or both.
STEPS: list[Callable[[Encoding], object]] = [
    lambda one: one.offsets,
    lambda one: one.word_ids,
    lambda one: one.offsets_array.tolist(),
    lambda one: one.word_ids_array.tolist(),
    arrays,
    look_up,
    lambda one: len(one.tokens),
    lambda one: columns(copy.copy(one)),
    lambda one: columns(copy.deepcopy(one)),
    lambda one: columns(pickle.loads(pickle.dumps(one))),
    padded(30, "right"),
    padded(50, "left"),
    padded(900, "right"),
    padded(1000, "left"),
    lambda one: one.truncate(25, stride=4),
    lambda one: one.truncate(9, direction="left"),
    lambda one: one.set_sequence_id(1),
    lambda one: arrays(Encoding.merge([one, one], growing_offsets=True)),
    lambda one: arrays(Encoding.merge([one, one, Encoding()], growing_offsets=False)),
]


@pytest.mark.parametrize("template", range(len(TEMPLATES) + len(TRIMMING)))
def test_columns_are_the_same_whenever_they_are_read(template, monkeypatch):
    monkeypatch.setenv("TESSELLA_LANES", "off")
    plain = tokenizer(template)
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    fast = tokenizer(template)
    chance = random.Random(template)
    for _ in range(300):
        # Columns of short texts are there at once.
        parts = [text(chance, 200) for _ in range(chance.randrange(1, 9))]
        # Pieces whose lengths take several bytes.
        long = "a" * chance.choice([253, 254, 255, 256, 509, 510, 511, 2000])
        first = " ".join([*parts, long] if chance.random() < 0.3 else parts)
        second = text(chance, 20) if chance.random() < 0.2 else None
        special = chance.random() < 0.7
        found = [one.encode(first, second, add_special_tokens=special) for one in (fast, plain)]
        for step in chance.choices(STEPS, k=chance.randrange(5)):
            assert step(found[0]) == step(found[1]), (first, second)
        assert arrays(found[0]) == arrays(found[1]), (first, second)
        assert columns(found[0]) == columns(found[1]), (first, second)
        assert look_up(found[0]) == look_up(found[1]), (first, second)


def test_a_batch_is_padded_before_anybody_reads_it(monkeypatch):
    monkeypatch.setenv("TESSELLA_LANES", "off")
    plain = tokenizer(3)
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    fast = tokenizer(3)
    chance = random.Random(1)
    texts = [text(chance, 90) * chance.randrange(1, 12) for _ in range(200)]
    for padding in (True, {"direction": "left", "pad_to_multiple_of": 8}):
        found = [one.encode_batch(texts, padding=padding) for one in (fast, plain)]
        assert [arrays(one) for one in found[0]] == [arrays(one) for one in found[1]]
        assert [columns(one) for one in found[0]] == [columns(one) for one in found[1]]


@pytest.mark.parametrize("direction", ["left", "right"])
def test_very_long_padding_has_its_columns_at_once(direction, monkeypatch):
    monkeypatch.setenv("TESSELLA_LANES", "off")
    plain = tokenizer(1)
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    fast = tokenizer(1)
    found = [one.encode("the naïve llama " * 60) for one in (fast, plain)]
    for one in found:
        one.pad(70_000, direction=direction)
    assert arrays(found[0]) == arrays(found[1])


def test_many_threads_read_one_encoding(monkeypatch):
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    fast = tokenizer(1)
    body = " the naïve 漢字 llama's 12345 " * 50
    expected = columns(fast.encode(body))
    for _ in range(20):
        encoding = fast.encode(body)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _, one=encoding: columns(one), range(8)))
        assert found == [expected] * 8


def test_arrays_are_read_while_somebody_changes_the_encoding(monkeypatch):
    # NumPy lets others run while it makes an array. Who holds a lock meanwhile stops all threads, and this test ends the process.
    faulthandler.dump_traceback_later(120, exit=True)
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    encoding = tokenizer(0).encode("the naïve llama " * 60)
    expected, stop = arrays(encoding), time.monotonic() + 0.5

    def read(_: int) -> bool:
        same = True
        while time.monotonic() < stop:
            same &= encoding.offsets_array.tolist() == [list(pair) for pair in expected[0]]
            same &= len(encoding.word_ids_array) == len(encoding.ids_array) == len(expected[1])
        return same

    def write(_: int) -> bool:
        while time.monotonic() < stop:
            encoding.set_sequence_id(0)
        return True

    with ThreadPoolExecutor(3) as pool:
        assert all(pool.map(lambda job: job(0), (read, read, write)))

    # One that grows: columns are of one length, whichever that is.
    def grow() -> None:
        for count in range(300):
            encoding.pad(2000 + count)
            # Who reads has a look in between: one thread alone would be done before the other has its turn.
            time.sleep(1e-5)

    looks = 0
    with ThreadPoolExecutor(2) as pool:
        grown = pool.submit(grow)
        while not grown.done():
            assert encoding.offsets_array.shape[1] == 2
            looks += 1
        assert looks > 0 and len(encoding.offsets_array) == len(encoding.word_ids_array) == 2299
    faulthandler.cancel_dump_traceback_later()


INSERTS = [
    ("^(?!<s>)", "<s>", True),
    ("^(?!<s>)", "<s>", False),
    ("^(?!<s>)", "<s>" * 9, False),
    ("(?<=[^>l])$", "</s>tail", True),
    ("(?<=[^>l])$", "</s>", False),
]


@pytest.mark.parametrize(("pattern", "content", "prefix"), INSERTS)
def test_a_normalizer_writes_added_tokens_around_a_text_that_it_keeps(pattern, content, prefix, monkeypatch):
    def make(lanes: str) -> Tokenizer:
        monkeypatch.setenv("TESSELLA_LANES", lanes)
        made = gpt2_like(trim=False)
        made.normalizer = normalizers.Replace(Regex(pattern), content)
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
        made.add_tokens([AddedToken(token, normalized=True) for token in ("<s>", "</s>")])
        return made

    plain, fast = make("off"), make("at-once")
    for count in (1, 3, 40):
        for part in (" hello world", "the naïve 漢字 ab"):
            body = part * count
            found = [one.encode(body) for one in (fast, plain)]
            assert arrays(found[0]) == arrays(found[1]), body
            assert columns(found[0]) == columns(found[1]), body
            assert look_up(found[0]) == look_up(found[1]), body


def test_an_encoding_outlives_its_tokenizer_and_what_becomes_of_it(monkeypatch):
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    changed, kept = tokenizer(0), tokenizer(0)
    body = "the llama the naïve thethe abab" * 20
    encoding = changed.encode(body)
    changed.add_tokens(["llama"])
    changed.encode(body)
    del changed
    assert columns(encoding) == columns(kept.encode(body))


def test_places_are_pairs_of_numbers_alone():
    """Numbers are shared between pairs, and the collector of circles is told that none can lead through them."""
    encoding = tokenizer(0).encode("tile by tile, the mosaic\ngrows " * 200)
    pairs, places = encoding.offsets, encoding.offsets_array.tolist()
    assert pairs == [tuple(place) for place in places]
    assert len(pairs) > 1000
    assert {type(pair) for pair in pairs} == {tuple}
    assert {type(number) for pair in pairs for number in pair} == {int}
    assert not any(gc.is_tracked(pair) for pair in pairs)
    before = sys.getrefcount(pairs[-1])
    again = encoding.offsets
    after = sys.getrefcount(pairs[-1])
    assert again == pairs
    assert after == before
    del again
    gc.collect()
    assert pairs == [tuple(place) for place in places]
