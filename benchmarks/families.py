"""Other tokenizers' stages around a model that is at hand: how fast a kind of tokenizer is hangs on them as much as on the model.

Most are what `transformers` makes of a SentencePiece model, what the reference library's tutorials train, or a published
tokenizer with a token that somebody added.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Stage = dict[str, Any]


def normalizers(*stages: Stage) -> Stage:
    return {"type": "Sequence", "normalizers": list(stages)}


def cuts(*stages: Stage) -> Stage:
    return {"type": "Sequence", "pretokenizers": list(stages)}


def metaspace(*, split: bool = True, scheme: str = "always") -> Stage:
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}


def replace(pattern: Stage, content: str) -> Stage:
    return {"type": "Replace", "pattern": pattern, "content": content}


BLANKS = {"Regex": " {2,}"}
STRIP = {"type": "Strip", "strip_left": False, "strip_right": True}
#: Stands for the character map that the file has.
MAP: Stage = {"type": "Precompiled"}
MARKS = replace({"String": " "}, "▁")
DIGITS = {"type": "Digits", "individual_digits": True}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def matches(pattern: str) -> Stage:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


#: What takes the place of a file's own stages, and tokens that are added to its own.
FAMILIES: dict[str, Stage] = {
    "as it is": {},
    "with an added token": {"added": ["covidology"]},
    "Metaspace for a normalizer": {
        "normalizer": None,
        "pre_tokenizer": metaspace(split=False, scheme="first"),
    },
    "NFKC first": {
        "normalizer": normalizers({"type": "NFKC"}, {"type": "Prepend", "prepend": "▁"}, MARKS),
        "pre_tokenizer": None,
    },
    "Gemma": {
        "normalizer": MARKS,
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        },
    },
    "converted": {
        "normalizer": normalizers(MAP, STRIP, replace(BLANKS, "▁")),
        "pre_tokenizer": metaspace(),
    },
    "DeBERTa v3": {
        "normalizer": normalizers({**STRIP, "strip_left": True}, MAP, replace(BLANKS, " ")),
        "pre_tokenizer": metaspace(),
    },
    "NLLB": {"normalizer": MAP, "pre_tokenizer": metaspace()},
    "accents stripped": {
        "normalizer": normalizers({"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}),
        "pre_tokenizer": {"type": "BertPreTokenizer"},
    },
    "Whitespace": {"normalizer": None, "pre_tokenizer": {"type": "Whitespace"}},
    "Whitespace and digits": {
        "normalizer": None,
        "pre_tokenizer": cuts({"type": "Whitespace"}, DIGITS),
    },
    "words by a pattern": {
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": r"\w+|[^\w\s]+"},
            "behavior": "Removed",
            "invert": True,
        },
    },
    "digits one by one": {"normalizer": None, "pre_tokenizer": cuts(DIGITS, BYTES)},
    "NFC": {"normalizer": {"type": "NFC"}, "pre_tokenizer": BYTES},
    "Falcon": {
        "normalizer": None,
        "pre_tokenizer": cuts(
            {"type": "Punctuation", "behavior": "Contiguous"},
            BYTES,
            {"type": "Digits", "individual_digits": False},
            matches("[0-9][0-9][0-9]"),
        ),
    },
    # Digits in threes from the right: the end of a number says where it is cut.
    "Command A+": {"normalizer": None, "pre_tokenizer": cuts(matches(r"\d{1,3}(?=(?:\d{3})*\b)"), BYTES)},
    "SuperBPE": {"normalizer": None, "pre_tokenizer": cuts(matches(r"(?=(\d{3})+(?!\d))"), BYTES)},
}


def maps(stage: Stage | None) -> list[Stage]:
    """The character maps among normalizers."""
    if stage is None:
        return []
    if stage["type"] == "Sequence":
        return [found for inner in stage["normalizers"] for found in maps(inner)]
    return [stage] if stage["type"] == "Precompiled" else []


def with_map(stage: Any, character_map: Stage) -> Any:
    """The stages with a character map in its place."""
    if isinstance(stage, list):
        return [with_map(inner, character_map) for inner in stage]
    if not isinstance(stage, dict):
        return stage
    if stage == MAP:
        return character_map
    return {key: with_map(value, character_map) for key, value in stage.items()}


def write(file: Path, name: str, folder: Path, maps_of: Path | None = None) -> Path:
    """The file with the stages of a family, in a folder. A character map is taken from another file where it has none."""
    family = FAMILIES[name]
    description: Stage = json.loads(file.read_text(encoding="utf-8"))
    given = json.loads((maps_of or file).read_text(encoding="utf-8"))
    if "pre_tokenizer" in family:
        found = maps(given["normalizer"])
        description["normalizer"] = (
            with_map(family["normalizer"], found[0]) if found else family["normalizer"]
        )
        description["pre_tokenizer"] = family["pre_tokenizer"]
    free = (
        max([token["id"] for token in description["added_tokens"]] + [len(description["model"]["vocab"]) - 1])
        + 1
    )
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    for number, content in enumerate(family.get("added", [])):
        description["added_tokens"].append({"id": free + number, "content": content, **flags})
    path = folder / f"{file.stem} {name}.json"
    path.write_text(json.dumps(description), encoding="utf-8")
    return path
