"""Patterns that ask for the end of a number where it begins: ids, offsets and words are the reference library's, by every way."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tessella

from benchmarks.families import BYTES, cuts, matches

tokenizers = pytest.importorskip("tokenizers")

WHOLE = {**BYTES, "use_regex": False}
ROWS = {
    "digits from the right": cuts(matches(r"\d{1,3}(?=(?:\d{3})*\b)"), BYTES),
    "places between digits": cuts(matches(r"(?=(\d{3})+(?!\d))"), BYTES),
    "places in numbers": cuts(matches(r"\p{N}+"), matches(r"(?=(\d{3})+(?!\d))"), WHOLE),
    "one pattern": cuts(matches(r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|\s+|\w+"), WHOLE),
    "line ends": cuts(matches(r"(?:\r?\n)+(?!\r?\n)"), BYTES),
}
PARTS = [
    " ",
    "  ",
    "a",
    "The",
    "_",
    "e\u0301",
    "é",
    "日本",
    ".",
    ",",
    "\n",
    "\r\n",
    "\r",
    "²",
    "½",
    "Ⅳ",
    "'s",
    "\0",
    "😀",
    "\u200d",
]


def description(stage: dict[str, Any]) -> dict[str, Any]:
    merges = [
        ("1", "2"),
        ("12", "3"),
        ("0", "0"),
        ("Ġ", "1"),
        ("Ġ", "a"),
        ("T", "h"),
        ("Th", "e"),
        ("Ċ", "Ċ"),
        ("č", "Ċ"),
    ]
    vocabulary = {token: number for number, token in enumerate([*alphabet(), *map("".join, merges)])}
    model = {"type": "BPE", "dropout": None, "unk_token": None, "fuse_unk": False, "byte_fallback": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": stage,
        "post_processor": None,
        "decoder": {**BYTES},
        "model": {**model, "vocab": vocabulary, "merges": [" ".join(merge) for merge in merges]},
    }


def alphabet() -> list[str]:
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = iter(range(256, 512))
    return [chr(byte) if byte in seen else chr(next(other)) for byte in range(256)]


def texts(seed: int) -> list[str]:
    chance = random.Random(seed)

    def part() -> str:
        longest = chance.choice([3, 4, 9, 40, 400])
        match chance.randrange(4):
            case 0:
                return "".join(chance.choices("٣7१𝟗", k=chance.randrange(5)))
            case 1 | 2:
                return "".join(chance.choices("0123", k=chance.randrange(longest)))
            case _:
                return "".join(chance.choices(PARTS, k=chance.randrange(4)))

    return ["", *("".join(part() for _ in range(chance.randrange(30))) for _ in range(150))]


def columns(encoding: Any) -> list[Any]:
    return [list(encoding.ids), [list(pair) for pair in encoding.offsets], list(encoding.word_ids)]


#: The same texts by the ways that the environment asks for.
PROGRAM = """
import json, sys, tessella
from tests.python.test_far_look_ahead import columns, texts
tokenizer = tessella.Tokenizer.from_file(sys.argv[1])
given = texts(7)
print(json.dumps([[tokenizer.encode_ids(text).tolist() for text in given], [columns(tokenizer.encode(text)) for text in given]]))
"""


@pytest.mark.parametrize("name", ROWS)
def test_all_ways_give_what_the_library_gives(name: str, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(description(ROWS[name])), encoding="utf-8")
    theirs = tokenizers.Tokenizer.from_file(str(file))
    expected = [columns(theirs.encode(text)) for text in texts(7)]
    for lanes in ("at-once", "off"):
        root = str(Path(__file__).parents[2])
        environment = {**os.environ, "TESSELLA_LANES": lanes, "PYTHONIOENCODING": "utf-8"}
        environment["PYTHONPATH"] = os.pathsep.join([*sys.path, root])
        outcome = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(file)],
            capture_output=True,
            env=environment,
            cwd=root,
            check=False,
        )
        assert outcome.returncode == 0, outcome.stderr.decode()
        ids, encodings = json.loads(outcome.stdout)
        assert ids == [one[0] for one in expected]
        assert encodings == expected


@pytest.mark.parametrize("name", ["digits from the right", "places between digits", "places in numbers"])
def test_the_plan_tells_of_it(name: str, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(description(ROWS[name])), encoding="utf-8")
    plan = "\n".join(map(str, tessella.Tokenizer.from_file(file).explain_plan()))
    assert "all stages at once" in plan
