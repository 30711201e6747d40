"""Much text goes by the hundred: whole encodings are those of the plain way, and arrays hold what lists hold."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tessella
from tessella import Encoding, Tokenizer, models, normalizers, pre_tokenizers, processors

MODELS = os.environ.get("TESSELLA_MODELS")
LETTERS = "abcdefghij      .,'é漢Ж"
RARE = "\u0301\u0600\u093f\u094d\u1100\u1161\u200c\uff9e\U0001f3fd\u00a8\u00a0\u200d\u0000\u0011\t\nÅﬁ½①🙂ßÉ한ก़▁▂\u3000�"
WORDS = [
    "the",
    " the",
    "hello",
    "<s>",
    "[SEP]",
    "\r\n",
    "don't",
    "12345",
    "naïve",
    "▁a▁",
    "\U0001f469\u200d\U0001f680",
    "a" * 70,
]


def text(chance: random.Random, most: int = 200) -> str:
    kinds = [
        lambda: "".join(chance.choices(LETTERS, k=chance.randrange(most))),
        lambda: "".join(chance.choices(LETTERS + RARE, k=chance.randrange(most))),
        lambda: "".join(chance.choices([*WORDS, " ", "a"], k=chance.randrange(most // 4))),
        lambda: chr(chance.randrange(0x20, 0xD000)) * chance.randrange(40),
    ]
    return chance.choice(kinds)()


def columns(encoding: Encoding) -> tuple[object, ...]:
    return (
        encoding.ids,
        encoding.offsets,
        encoding.word_ids,
        encoding.tokens,
        encoding.type_ids,
        encoding.special_tokens_mask,
        [columns(window) for window in encoding.overflowing],
    )


def both(make: Callable[[], Tokenizer], monkeypatch: pytest.MonkeyPatch) -> tuple[Tokenizer, Tokenizer]:
    """The same tokenizer, always on the plain way and always by the hundred."""
    found = []
    for way in ("off", "at-once"):
        monkeypatch.setenv("TESSELLA_LANES", way)
        found.append(make())
    return found[0], found[1]


def calls(first: str, second: str, special: bool) -> list[Callable[[Tokenizer], Encoding]]:
    return [
        lambda one: one.encode(first, add_special_tokens=special),
        lambda one: one.encode(first, second),
        lambda one: one.encode([second, first[:9], "", second], is_pretokenized=True),
        lambda one: one.encode(first, truncation={"max_length": 8, "stride": 2}, padding=12),
        lambda one: one.encode(first, encode_special_tokens=True),
    ]


def compare(plain: Tokenizer, fast: Tokenizer, seed: int, rounds: int, most: int = 200) -> None:
    chance = random.Random(seed)
    for _ in range(rounds):
        first, second = text(chance, most), text(chance, 40)
        special = chance.random() < 0.5
        for call in calls(first, second, special):
            assert columns(call(fast)) == columns(call(plain)), (first, second)
        assert fast.encode_ids(first, special).tolist() == fast.encode(first, add_special_tokens=special).ids


def pieces_of(merges: list[tuple[str, str]]) -> models.BPE:
    vocab = {char: id for id, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    for left, right in merges:
        vocab[left + right] = len(vocab)
    return models.BPE(vocab, merges)


MERGES = [
    ("t", "h"),
    ("th", "e"),
    ("Ġ", "the"),
    ("Ġ", "a"),
    ("l", "l"),
    ("Ã", "©"),
    ("æ", "¼"),
    ("a", "b"),
    ("a", "a"),
    ("aa", "aa"),
]


def gpt2_like(prefix: bool = False, trim: bool = True) -> Tokenizer:
    tokenizer = Tokenizer(pieces_of(MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim)
    tokenizer.add_special_tokens(["<s>"])
    return tokenizer


def normalized() -> Tokenizer:
    tokenizer = gpt2_like()
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    return tokenizer


def with_gaps() -> Tokenizer:
    tokenizer = Tokenizer(pieces_of(MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    return tokenizer


@pytest.mark.parametrize(
    "make",
    [gpt2_like, lambda: gpt2_like(True, False), normalized, with_gaps],
    ids=["gpt2", "prefix", "normalized", "gaps"],
)
def test_offsets_of_raw_bytes_follow_from_the_lengths_of_ids(make, monkeypatch):
    compare(*both(make, monkeypatch), seed=1, rounds=120)


def test_a_token_that_is_not_the_sum_of_its_parts_keeps_the_plain_way(monkeypatch):
    """Two texts of one id: how long it is, the id does not tell."""

    def make() -> Tokenizer:
        vocab = {char: id for id, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
        vocab |= {"ab": 256, "abc": 256, "Ġa": 257}
        tokenizer = Tokenizer(models.BPE(vocab, [("a", "b"), ("Ġ", "a")]))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        return tokenizer

    compare(*both(make, monkeypatch), seed=2, rounds=40)


def bert_like(lower: bool) -> Tokenizer:
    parts = [
        "a",
        "b",
        "c",
        "d",
        "e",
        "ab",
        "the",
        "hello",
        ".",
        ",",
        "漢",
        "ж",
        "ss",
        "å",
        "한",
        "ᄒ",
        "1",
        "2",
    ]
    vocab = {
        token: id
        for id, token in enumerate(["[UNK]", "[CLS]", "[SEP]", *parts, *(f"##{part}" for part in parts)])
    }
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.add_special_tokens(["[SEP]", "[CLS]"])
    return tokenizer


def xlnet_like(unknown: bool, strips: bool = False) -> Tokenizer:
    scores = {
        "<unk>": 0.0,
        "▁": -2.0,
        "▁the": -3.0,
        "a": -4.0,
        "b": -4.5,
        "ab": -4.2,
        "▁a": -3.5,
        "hello": -5.0,
        "é": -6.0,
        "1": -5.0,
        "⁄2": -7.0,
    }
    tokenizer = Tokenizer(models.Unigram(list(scores.items()), 0 if unknown else None, False))
    forms = [normalizers.NFKD(), normalizers.StripAccents()] if strips else [normalizers.NFKC()]
    tokenizer.normalizer = normalizers.Sequence([*forms, normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.add_special_tokens(["<s>"])
    return tokenizer


@pytest.mark.parametrize(
    "make",
    [
        lambda: bert_like(True),
        lambda: bert_like(False),
        lambda: xlnet_like(True),
        lambda: xlnet_like(True, strips=True),
    ],
    ids=["uncased", "cased", "unigram", "unigram without marks"],
)
def test_offsets_of_words_are_remembered_with_them(make, monkeypatch):
    compare(*both(make, monkeypatch), seed=3, rounds=150)


def test_what_a_model_refuses_is_refused_on_both_ways(monkeypatch):
    for tokenizer in both(lambda: xlnet_like(False), monkeypatch):
        with pytest.raises(tessella.errors.TessellaError):
            tokenizer.encode("ж the")


@pytest.mark.skipif(MODELS is None, reason="TESSELLA_MODELS names no folder of real models")
@pytest.mark.parametrize(
    "name",
    ["gpt2.json", "cl100k_base.tiktoken", "bert-uncased.json", "xlnet_base_cased.json", "clip_base.json"],
)
def test_real_models_give_the_same_both_ways(name, monkeypatch):
    path = Path(str(MODELS)) / name
    if not path.exists():
        pytest.skip(f"no {name}")
    plain, fast = both(lambda: tessella.load(path), monkeypatch)
    compare(plain, fast, seed=4, rounds=40, most=1500)
    # A character that the normalizer takes away at a word's start: where the mark in front of the word stands.
    for words in ("a \x11(b", "\x11(b", "a \x11\x11b (", "(\x11 a"):
        assert columns(fast.encode(words)) == columns(plain.encode(words)), words


def test_arrays_hold_what_lists_hold(words):
    encoding = words.encode("the quick é", "nothing", padding=12)
    assert encoding.ids_array.tolist() == encoding.ids
    assert encoding.ids_array.dtype == np.uint32
    assert [tuple(row) for row in encoding.offsets_array.tolist()] == encoding.offsets
    assert [None if word < 0 else word for word in encoding.word_ids_array.tolist()] == encoding.word_ids
    assert encoding.type_ids_array.tolist() == encoding.type_ids
    assert encoding.special_tokens_mask_array.tolist() == encoding.special_tokens_mask
    assert encoding.attention_mask_array.tolist() == encoding.attention_mask
    encoding.ids_array[0] = 99
    assert encoding.ids[0] == 0
    empty = words.encode("", add_special_tokens=False)
    assert (empty.ids_array.shape, empty.offsets_array.shape, empty.word_ids_array.shape) == (
        (0,),
        (0, 2),
        (0,),
    )


def test_the_plan_tells_who_takes_words_whose_tokens_have_a_suffix(monkeypatch):
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    vocab = {token: at for at, token in enumerate([*alphabet, *(f"{letter}</w>" for letter in alphabet)])}
    cut = pre_tokenizers.Split(tessella.Regex(r"\p{L}+|[^\s\p{L}]+"), "removed", invert=True)
    made = {}
    for way in ("off", "at-once"):
        monkeypatch.setenv("TESSELLA_LANES", way)
        made[way] = Tokenizer(models.BPE(vocab, [], end_of_word_suffix="</w>"))
        made[way].pre_tokenizer = pre_tokenizers.Sequence(
            [cut, pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    much = next(step for step in made["at-once"].explain_plan() if step.stage == "much text")
    assert much.engine == "words" and "tokens differ by their places in words" in much.reason, much
    chance = random.Random(3)
    for _ in range(200):
        body = text(chance)
        expected = made["off"].encode(body)
        assert made["at-once"].encode_ids(body).tolist() == expected.ids, body
        assert columns(made["at-once"].encode(body)) == columns(expected), body
