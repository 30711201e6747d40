"""Offsets and words that nobody has read yet are what they would be at once, whatever happens to the encoding before."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tessella import AddedToken, Encoding, Tokenizer, processors
from test_by_the_hundred import columns, gpt2_like, text

TEMPLATES: list[tuple[str | None, str | None]] = [
    (None, None),
    ("<s> $A", "<s> $A $B"),
    ("$A:1 <s> <s>", "$A $B:1 <s>"),
    ("<s> <s> $A <s>", "<s> $A <s> $B:1 <s>"),
]


def tokenizer(template: int) -> Tokenizer:
    made = gpt2_like(trim=False)
    single, pair = TEMPLATES[template]
    if single and pair:
        made.post_processor = processors.TemplateProcessing(
            single=single, pair=pair, special_tokens=[("<s>", 266)]
        )
    if template % 2:
        # Some with blanks around that are theirs, and of many bytes.
        tokens = ["  ", "é,", AddedToken("ab", lstrip=True, rstrip=True), AddedToken("the", single_word=True)]
        made.add_tokens([*tokens, "a" * 300, "<|a|>"])
    return made


def arrays(encoding: Encoding) -> tuple[object, ...]:
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
    lambda one: one.truncate(25, stride=4),
    lambda one: one.truncate(9, direction="left"),
    lambda one: one.set_sequence_id(1),
    lambda one: arrays(Encoding.merge([one, one], growing_offsets=True)),
    lambda one: arrays(Encoding.merge([one, one, Encoding()], growing_offsets=False)),
]


@pytest.mark.parametrize("template", range(len(TEMPLATES)))
def test_columns_are_the_same_whenever_they_are_read(template, monkeypatch):
    monkeypatch.setenv("TESSELLA_LANES", "off")
    plain = tokenizer(template)
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    fast = tokenizer(template)
    chance = random.Random(template)
    for _ in range(400):
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


def test_an_encoding_outlives_its_tokenizer_and_what_becomes_of_it(monkeypatch):
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    changed, kept = tokenizer(0), tokenizer(0)
    body = "the llama the naïve thethe abab" * 20
    encoding = changed.encode(body)
    changed.add_tokens(["llama"])
    changed.encode(body)
    del changed
    assert columns(encoding) == columns(kept.encode(body))
