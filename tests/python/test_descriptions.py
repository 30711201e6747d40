"""Random tokenizers: the same ids, tokens, offsets, words and decoded text as the reference library gives.

300 descriptions by default; `TESSELLA_DESCRIPTIONS` sets another number and `TESSELLA_DESCRIPTIONS_SEED` the first seed. Every other
25 of them are read as much text is.
"""

from __future__ import annotations

import itertools
import json
import os

import pytest
import tessella

tokenizers = pytest.importorskip("tokenizers")
from tests.conformance.descriptions import describe  # noqa: E402

COUNT = int(os.environ.get("TESSELLA_DESCRIPTIONS", "300"))
FIRST = int(os.environ.get("TESSELLA_DESCRIPTIONS_SEED", "1"))
#: Descriptions per test case: failures are told one by one anyway.
CHUNK = 25

COLUMNS = ("ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask", "attention_mask")


def differences(seed: int) -> list[str]:
    """What differs for one description."""
    description, texts = describe(seed)
    source = json.dumps(description)
    theirs = tokenizers.Tokenizer.from_str(source)
    added = {token["content"] for token in description["added_tokens"]}
    if len({theirs.token_to_id(content) for content in added}) < len(added):
        # Two tokens with one id: docs/differences.md, 39.
        return []
    normalized = [token["content"] for token in description["added_tokens"] if token["normalized"]]
    if theirs.normalizer is not None:
        normalized = [theirs.normalizer.normalize_str(content) for content in normalized]
    if len(set(normalized)) < len(normalized):
        # Chance decides there which of two that become the same is found: docs/differences.md, 36.
        return []
    ours = tessella.Tokenizer.from_str(source)
    again = tessella.Tokenizer.from_str(ours.to_str())
    found: list[str] = []

    def compare(what: str, text: object, a: object, b: object) -> None:
        if a != b:
            found.append(f"seed {seed} {what} on {text!r}\n  ours   {a}\n  theirs {b}")

    inputs: list[object] = [*texts, *zip(texts[::2], texts[1::2], strict=False)]
    plain = description["truncation"] is None and description["padding"] is None
    for text in inputs:
        for special in (True, False):
            pair = text if isinstance(text, tuple) else (text,)
            try:
                want = theirs.encode(*pair, add_special_tokens=special)
            except Exception:
                with pytest.raises(tessella.errors.TessellaError):
                    ours.encode(*pair, add_special_tokens=special)
                continue
            except BaseException as panic:
                # A panic of the reference says nothing of what is right.
                if isinstance(panic, KeyboardInterrupt):
                    raise
                continue
            got = ours.encode(*pair, add_special_tokens=special)
            for column in COLUMNS:
                compare(column, text, getattr(got, column), getattr(want, column))
            # Padding belongs to no sequence here, to the first one there.
            real = [index for index, mask in enumerate(want.attention_mask) if mask]
            compare("sequence_ids", text, *([e.sequence_ids[i] for i in real] for e in (got, want)))
            compare("reloaded", text, again.encode(*pair, add_special_tokens=special).ids, want.ids)
            windows = [window.ids for window in want.overflowing]
            compare("overflow", text, [window.ids for window in got.overflowing], windows)
            if len(pair) == 1 and plain:
                compare(
                    "ids only", text, ours.encode_ids(text, add_special_tokens=special).tolist(), want.ids
                )
            for skip in (True, False):
                compare(
                    "decode",
                    text,
                    ours.decode(got.ids, skip_special_tokens=skip),
                    theirs.decode(want.ids, skip_special_tokens=skip),
                )
    words = [word for text in texts for word in text.split()][:12]
    if words:
        try:
            want = theirs.encode(words, is_pretokenized=True)
        except BaseException as panic:
            if isinstance(panic, KeyboardInterrupt):
                raise
            return found
        got = ours.encode(words, is_pretokenized=True)
        for column in COLUMNS:
            compare(f"words.{column}", words, getattr(got, column), getattr(want, column))
    if plain:
        # What much text is read with has thresholds of its own.
        long = "\n".join(texts * 3)
        try:
            want = theirs.encode(long)
        except BaseException as panic:
            if isinstance(panic, KeyboardInterrupt):
                raise
            return found
        for turn in range(2):
            compare(f"long, ids only, {turn}", long, ours.encode_ids(long).tolist(), want.ids)
            got = ours.encode(long)
            compare(f"long, {turn}", long, (got.ids, got.offsets), (want.ids, want.offsets))
        batch = ours.encode_ids_batch(texts, num_threads=2)
        compare("batch", "all", [row.tolist() for row in batch], [theirs.encode(text).ids for text in texts])
    return found


@pytest.mark.parametrize("start", range(FIRST, FIRST + COUNT, CHUNK))
def test_random_descriptions(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if start // CHUNK % 2:
        monkeypatch.setenv("TESSELLA_LANES", "at-once")
    found = [line for seed in range(start, min(start + CHUNK, FIRST + COUNT)) for line in differences(seed)]
    assert not found, f"{len(found)} differences\n" + "\n".join(found[:5])


#: What a replacement puts in place of several characters has other offsets here (docs/differences.md, 1), and the same ids.
WIDE = [
    ({"String": "``"}, '"'),
    ({"Regex": " {2,}"}, "_"),
    ({"Regex": "[^a]+"}, "xy"),
    ({"String": "½"}, "z"),
    ({"Regex": "(?i)ab?"}, "  "),
]
BEFORE = [
    [],
    [{"type": "NFKD"}],
    [{"type": "Prepend", "prepend": "`"}],
    [{"type": "Strip", "strip_left": True}],
]
BEHIND = [
    [],
    [{"type": "Lowercase"}],
    [{"type": "Prepend", "prepend": "x"}],
    [{"type": "Replace", "pattern": {"String": "xy"}, "content": "b"}],
]
PLAIN = [
    "``a b``",
    "  a",
    "   ",
    "a  b",
    "½``",
    "ab``",
    "`",
    "\u0301\u0301 a",
    "日本",
    " ab  AB",
    "``",
    "xy``",
]


@pytest.mark.parametrize("scheme", ["first", "always", "never"])
@pytest.mark.parametrize(
    "first", [None, {"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated"}]
)
def test_ids_behind_wide_replacements(scheme: str, first: dict[str, object] | None) -> None:
    characters = sorted({*"".join(PLAIN), *'abxyz_`"▁⁄12 \u0301'})
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0.0], *([c, -1.0] for c in characters)]}
    stages: list[dict[str, object]] = [] if first is None else [{**first, "invert": False}]
    stages.append({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": True})
    for (pattern, content), before, behind in itertools.product(WIDE, BEFORE, BEHIND):
        replace = {"type": "Replace", "pattern": pattern, "content": content}
        steps = [{**step, "strip_right": False} if step["type"] == "Strip" else step for step in before]
        source = json.dumps(
            {
                "added_tokens": [],
                "normalizer": {"type": "Sequence", "normalizers": [*steps, replace, *behind]},
                "pre_tokenizer": {"type": "Sequence", "pretokenizers": stages},
                "model": model,
            }
        )
        ours, theirs = (library.Tokenizer.from_str(source) for library in (tessella, tokenizers))
        for text in PLAIN:
            got, want = ours.encode(text), theirs.encode(text)
            assert (got.ids, got.tokens) == (want.ids, want.tokens), (text, source)
            assert ours.encode_ids(text).tolist() == want.ids, (text, source)


def template(*pieces: str) -> dict[str, object]:
    """A template of `A`, `B` and `<s>`, for one text and for two."""
    made = [
        {"SpecialToken": {"id": piece, "type_id": 0}}
        if piece == "<s>"
        else {"Sequence": {"id": piece, "type_id": 0}}
        for piece in pieces
    ]
    special = {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}
    pair = [{"Sequence": {"id": name, "type_id": 0}} for name in "AB"]
    return {"type": "TemplateProcessing", "single": made, "pair": pair, "special_tokens": special}


@pytest.mark.parametrize(
    "processors",
    [
        [template("A")],
        [template("A", "A")],
        [template("<s>")],
        [template("<s>", "A", "<s>")],
        [template("A"), template("A", "A")],
        [template("A", "<s>"), template("A", "A")],
        [template("A", "<s>"), template("A", "B")],
        [template("<s>", "A"), template("<s>", "A", "A")],
        [template("<s>", "A"), template("A", "<s>")],
    ],
)
@pytest.mark.parametrize("special", [True, False])
def test_ids_alone_behind_templates_in_a_row(processors: list[dict[str, object]], special: bool) -> None:
    source = json.dumps(
        {
            "added_tokens": [],
            "post_processor": {"type": "Sequence", "processors": processors},
            "model": {"type": "WordLevel", "vocab": {"a": 0, "<s>": 1, "?": 2}, "unk_token": "?"},
        }
    )
    ours, theirs = (library.Tokenizer.from_str(source) for library in (tessella, tokenizers))
    if processors[-1] == template("A", "B") and not special:
        # Without the first one's token there is no second sequence; a panic there.
        with pytest.raises(tessella.errors.ArgumentError, match="no second sequence"):
            ours.encode_ids("a", add_special_tokens=special)
        return
    want = theirs.encode("a", add_special_tokens=special).ids
    assert ours.encode("a", add_special_tokens=special).ids == want
    for _ in range(2):
        assert ours.encode_ids("a", add_special_tokens=special).tolist() == want
    assert ours.encode_ids_batch(["a"], add_special_tokens=special)[0].tolist() == want
    assert ours.count("a", add_special_tokens=special) == len(want)
