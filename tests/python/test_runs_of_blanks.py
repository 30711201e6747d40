"""Several blanks that a step writes as a character are no blanks where words are cut, though a step before makes blanks of it."""

from __future__ import annotations

import json

import pytest
import tessella

TEXTS = ["a  b", "b  ", "  ", "  b", "a \n b", "a b", "a  \n  b", "a \u200b b  a"]


@pytest.mark.parametrize("cut", ["WhitespaceSplit", "both"])
@pytest.mark.parametrize("written", ["\u200b", " "])
def test_both_ways_agree(monkeypatch: pytest.MonkeyPatch, cut: str, written: str) -> None:
    pieces = [["<unk>", 0.0], ["\u2581", -1.0], ["a", -2.0], ["b", -2.5], ["\u2581a", -3.5], ["\u200b", -3.0]]
    # The first step makes a blank of what has no width, the second one writes that for two blanks.
    steps = [
        {"type": "Nmt"},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": written},
    ]
    cuts = [{"type": "WhitespaceSplit"}]
    if cut == "both":
        mark = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
        cuts.append(mark)
    description = json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": {"type": "Sequence", "normalizers": steps},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts},
            "model": {"type": "Unigram", "unk_id": 0, "vocab": pieces},
        }
    )
    monkeypatch.setenv("TESSELLA_LANES", "off")
    slow = tessella.Tokenizer.from_str(description)
    slow.encode("a")
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    fast = tessella.Tokenizer.from_str(description)
    for text in TEXTS:
        expected, found = slow.encode(text), fast.encode(text)
        assert (found.ids, found.offsets) == (expected.ids, expected.offsets), text
        assert fast.encode_ids(text).tolist() == expected.ids, text
