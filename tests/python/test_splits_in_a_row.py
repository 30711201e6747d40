"""Patterns that no family knows, and several Split stages in a row: ids and words as in `tokenizers`."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
import tessella

tokenizers = pytest.importorskip("tokenizers")

LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ]
)
DEEPSEEK = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
GPT2_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def digits(individual: bool) -> dict[str, Any]:
    return {"type": "Digits", "individual_digits": individual}


def split(pattern: str, behavior: str, invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


CODER = [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+"]
BEHAVIORS = ("Isolated", "Contiguous", "MergedWithPrevious", "MergedWithNext")
#: Stages in a row (a text is a pattern that isolates its matches), and how the plan says that they are read.
ROWS: dict[str, tuple[list[str | dict[str, Any]], str]] = {
    "o200k": ([O200K], "masks of 64 bytes"),
    "digits in twos": ([LLAMA3.replace("{1,3}", "{1,2}")], "four places in turn"),
    "digits first": ([r"\p{N}{1,3}", LLAMA3], "four places in turn"),
    "three in a row": ([r"\p{N}{1,3}", r"[一-龥\u3040-ゟ゠-ヿ]+", DEEPSEEK], "four places in turn"),
    "digits last": ([LLAMA3, r"\p{N}"], "all stages at once"),
    "five and digits": ([*CODER, digits(True)], "all stages at once"),
    "blanks at ends": (
        [CODER[0], r"\s?[A-Za-zÀ-ÿ]+", "\\s?[!-/:-~\u3000-。]+", r"\s+$", CODER[3], digits(True)],
        "all stages at once",
    ),
    "digits, then GPT-2's": ([digits(True), GPT2_BYTES], "all stages at once"),
    "marks": (
        [
            "<st:[0-9]+>",
            "(ss)((a|B|c){1,4})t",
            r"([\t\n]|    |  )",
            {"type": "Punctuation", "behavior": "Isolated"},
        ],
        "all stages at once",
    ),
    "kept alone": ([split(LLAMA3, "Removed", invert=True)], "masks of 64 bytes"),
    "some removed": ([r"\p{L}+", split(r"\s", "Removed")], "all stages at once"),
    "removed at some places": ([r"\p{L}+", split(r"\.|Be", "Removed")], "stage by stage"),
    **{
        f"{behavior}, {invert}": (
            [
                split(r"\s?[a-zé]+|\d\d", behavior, invert),
                digits(False),
                {"type": "Punctuation", "behavior": behavior},
            ],
            "all stages at once",
        )
        for behavior in BEHAVIORS
        for invert in (False, True)
    },
}
PARTS = [*"aBe'st12 \n\t.!/é", "É", "日", "か", "\u0301", "٣", "\u00a0", "\u2028", "😀", "  ", "\r\n"]


def description(stages: list[str | dict[str, Any]]) -> str:
    """Byte-level BPE that joins any two of these characters' bytes, so that ids tell where pieces end."""
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    used = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    common = sorted({char for part in PARTS for piece, _ in used.pre_tokenize_str(part) for char in piece})
    pairs = list(itertools.product(common, repeat=2))
    tokens = dict.fromkeys([*sorted(alphabet), *("".join(pair) for pair in pairs)])
    splits = [split(stage, "Isolated") if isinstance(stage, str) else stage for stage in stages]
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": splits if splits[-1]["type"] == "ByteLevel" else [*splits, last],
            },
            "post_processor": None,
            "decoder": {**last, "use_regex": True},
            "model": {
                "type": "BPE",
                "vocab": {token: id for id, token in enumerate(tokens)},
                "merges": [list(pair) for pair in pairs],
            },
        }
    )


@pytest.mark.parametrize("name", ROWS)
def test_ids_and_words_are_those_of_the_library(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages, how = ROWS[name]
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    path = tmp_path / "tokenizer.json"
    path.write_text(description(stages), encoding="utf-8")
    theirs = tokenizers.Tokenizer.from_file(str(path))
    ours = tessella.load(path)
    assert any(how in f"{step}" for step in ours.explain_plan()), ours.explain_plan()
    chance = random.Random(7)
    for size in [0, 1, 5, 30, 60, 64, 100, 300, 1000, 5000] * 3:
        few = chance.sample(PARTS, chance.randint(1, len(PARTS)))
        text = "".join(chance.choices(few, k=size))
        expected = theirs.encode(text)
        assert list(ours.encode_ids(text)) == expected.ids, text
        assert list(ours.encode(text).word_ids) == expected.word_ids, text


def test_no_stage_leaves_the_empty_piece() -> None:
    for text in ("", "a b"):
        for nested in (False, True):
            told = []
            for library in (tessella, tokenizers):
                sequence = library.pre_tokenizers.Sequence
                told.append(sequence([sequence([])] if nested else []).pre_tokenize_str(text))
            assert told[0] == told[1]
