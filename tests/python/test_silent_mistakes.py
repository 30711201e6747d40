"""Edited descriptions that a fast engine easily gets wrong without an error.

Each case takes an ordinary byte-level BPE tokenizer, changes one field of its description, and says what must come out. The
reference library is asked too where it is installed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import tessella
from tessella import decoders, models, pre_tokenizers, trainers
from tessella.errors import ArgumentError

CL100K = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
TEXTS = [
    "hello world hello world, 12345 and 1234567",
    "concatenate a cat: cat",
    "Cafe\u0301 cafe\u0301 café",
    "  two  spaces\n\nand lines ",
]


@pytest.fixture(scope="module")
def base() -> dict[str, Any]:
    """A small byte-level BPE tokenizer's description."""
    tokenizer = tessella.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 5 + ["o w ow low lower 12 123 1234 12345"] * 5, trainer)
    description: dict[str, Any] = json.loads(tokenizer.to_str())
    return description


def split(pattern: str, behavior: str = "Isolated") -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


def byte_level() -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def sequence(*stages: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(stages)}


def added(content: str, **flags: bool) -> dict[str, Any]:
    defaults = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return {"id": 400, "content": content, **defaults, **flags}


def no_split(d: dict[str, Any]) -> None:
    d["pre_tokenizer"] = None
    # Raw blanks are not in the alphabet; without an unknown token they would vanish, with other offsets on purpose.
    d["model"]["unk_token"] = d["model"]["merges"][0][0]


def then_digits(d: dict[str, Any]) -> None:
    d["pre_tokenizer"] = sequence(split(CL100K), {"type": "Digits", "individual_digits": True}, byte_level())


def removed(d: dict[str, Any]) -> None:
    d["pre_tokenizer"] = sequence(split(r"\s+", "Removed"), byte_level())


def digit_runs(d: dict[str, Any]) -> None:
    d["pre_tokenizer"] = sequence(split(r"\p{N}{1,3}+"), byte_level())


def single_word(d: dict[str, Any]) -> None:
    d["added_tokens"].append(added("cat", single_word=True))


def normalized(d: dict[str, Any]) -> None:
    d["normalizer"] = {"type": "NFC"}
    d["added_tokens"].append(added("café", normalized=True))


def duplicate_merge(d: dict[str, Any]) -> None:
    # "he" before "el" gives h-e first; repeating it behind "el" lets e-l go first.
    letters = {"h", "e", "l"}
    vocab, merges = d["model"]["vocab"], d["model"]["merges"]
    d["model"]["merges"] = [["h", "e"], ["e", "l"], ["h", "e"]]
    d["model"]["vocab"] = {t: i for t, i in vocab.items() if len(t) == 1} | {"he": 301, "el": 302}
    assert letters <= set(vocab) and merges


def dropout(d: dict[str, Any]) -> None:
    d["model"]["dropout"] = 1.0


def suffix(d: dict[str, Any]) -> None:
    d["model"]["end_of_word_suffix"] = "</w>"
    d["model"]["unk_token"] = d["model"]["merges"][0][0]


CASES: dict[str, Callable[[dict[str, Any]], None]] = {
    "no pre-tokenizer": no_split,
    "digits after a split": then_digits,
    "removed matches": removed,
    "a repeated group, not possessive": digit_runs,
    "single word": single_word,
    "added token after NFC": normalized,
    "duplicate merge": duplicate_merge,
    "dropout of 1": dropout,
    "end of word suffix": suffix,
}


def edited(base: dict[str, Any], edit: Callable[[dict[str, Any]], None]) -> str:
    description = json.loads(json.dumps(base))
    edit(description)
    return json.dumps(description)


@pytest.mark.parametrize("name", CASES)
def test_as_the_reference(base: dict[str, Any], name: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    source = edited(base, CASES[name])
    ours, theirs = tessella.Tokenizer.from_str(source), tokenizers.Tokenizer.from_str(source)
    for text in TEXTS:
        want = theirs.encode(text)
        got = ours.encode(text)
        assert (got.ids, got.tokens, got.offsets) == (want.ids, want.tokens, want.offsets)
        assert ours.encode_ids(text).tolist() == want.ids


@pytest.mark.parametrize("name", CASES)
def test_the_edit_matters(base: dict[str, Any], name: str) -> None:
    """A case that changes nothing would prove nothing."""
    plain, changed = (
        tessella.Tokenizer.from_str(json.dumps(base)),
        tessella.Tokenizer.from_str(edited(base, CASES[name])),
    )
    texts = [*TEXTS, "hello world"]
    assert any(plain.encode(text).tokens != changed.encode(text).tokens for text in texts)


def tokens(base: dict[str, Any], name: str, text: str) -> list[str]:
    encoded: list[str] = tessella.Tokenizer.from_str(edited(base, CASES[name])).encode(text).tokens
    return encoded


def test_what_must_come_out(base: dict[str, Any]) -> None:
    assert tokens(base, "digits after a split", "12345") == ["1", "2", "3", "4", "5"]
    assert "Ġ" not in "".join(tokens(base, "removed matches", "hello world"))
    assert tokens(base, "dropout of 1", "hello") == list("hello")
    assert tokens(base, "duplicate merge", "hel") == ["h", "el"]
    assert tokens(base, "single word", "cat")[-1:] == ["cat"]
    assert "cat" not in tokens(base, "single word", "concatenate")
    assert "café" in tokens(base, "added token after NFC", "a cafe\u0301")
    # The run of digits is one piece, so merges may cross what a group of three would cut.
    assert len(tokens(base, "a repeated group, not possessive", "12345")) < 5


def test_added_tokens_that_are_nothing_once_normalized(base: dict[str, Any]) -> None:
    """The reference library finds them between all characters of a text, and dies of some texts."""
    tokenizer = tessella.Tokenizer.from_str(json.dumps(base))
    tokenizer.normalizer = tessella.normalizers.Strip()
    before = tokenizer.to_str()
    with pytest.raises(ArgumentError, match=r"nothing once it is normalized.*normalized=false"):
        tokenizer.add_tokens([tessella.AddedToken(" ", normalized=True)])
    assert tokenizer.to_str() == before
    assert tokenizer.add_tokens([tessella.AddedToken(" ", normalized=False)]) == 1
    assert tokenizer.encode("low low").tokens.count(" ") == 1

    one = tessella.Tokenizer.from_str(json.dumps(base))
    one.add_tokens([tessella.AddedToken(" ", normalized=True)])
    with pytest.raises(ArgumentError, match="nothing once it is normalized"):
        one.normalizer = tessella.normalizers.Strip()
    assert one.normalizer is None
    assert one.encode("low low").tokens.count(" ") == 1

    read = {
        **base,
        "normalizer": {"type": "Strip", "strip_left": True, "strip_right": True},
        "added_tokens": [added("\t", normalized=True)],
    }
    with pytest.raises(ArgumentError, match="nothing once it is normalized"):
        tessella.Tokenizer.from_str(json.dumps(read))
