"""The strings that users and their components hold, and components written in Python."""

import json
import os
import pickle
import sys
import types
import zlib
from pathlib import Path

import pytest
from tessella import (
    NormalizedString,
    OffsetReferential,
    OffsetType,
    PreTokenizedString,
    Regex,
    Token,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
)
from tessella.errors import CustomComponentError, TessellaError

CASES = Path(__file__).parents[1] / "conformance" / "normalize"


def cases(path):
    """What the reference library gave; the first line is the recipe."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()[1:]]


def carry_out(text, name, *arguments):
    if name == "append" and not text.normalized:
        return
    if name == "remove":
        text.filter(lambda char: char not in arguments[0])
    elif name == "map":
        table = dict(zip(*arguments, strict=True))
        text.map(lambda char: table.get(char, char))
    else:
        getattr(text, name)(*arguments)


def both(text):
    return text and [text.normalized, text.original]


def test_chains_of_operations_are_the_librarys():
    """`TESSELLA_STRING_CASES` names a further file, made with `tools/gen_unicode_cases.py --strings`."""
    chains = cases(CASES / "string_ops.jsonl")
    assert len(chains) > 100
    for case in chains + cases(os.environ.get("TESSELLA_STRING_CASES", os.devnull)):
        text = NormalizedString(case["text"])
        for operation in case["operations"]:
            carry_out(text, *operation)
        assert text.normalized == case["out"], case
        source = case["text"].encode()
        parts = [text[index].original for index in range(len(case["out"]))]
        assert parts == [source[start:end].decode() for start, end in case["spans"]], case
        for start, end, part in case["slices"]:
            assert both(text.slice((start, end))) == part, case
        (kind, source), behavior, parts = next(iter(case["split"][0].items())), *case["split"][1:]
        pattern = Regex(source) if kind == "Regex" else source
        assert [both(part) for part in text.split(pattern, behavior)] == parts, case


def test_the_empty_text_matches_nowhere_in_a_string():
    text = NormalizedString("ab")
    assert [part.normalized for part in text.split("", "isolated")] == ["ab"]
    text.replace("", "-")
    assert text.normalized == "ab"


def test_upper_case_of_every_character_is_the_librarys():
    (case,) = (case for case in cases(CASES / "code_points.jsonl") if case["operation"] == "uppercase")
    sums = case["crc32"].split()
    assert len(sums) == 0x110
    for block, expected in zip(range(0, 0x110000, 4096), sums, strict=True):
        characters = (chr(c) + "\n" for c in range(block, block + 4096) if not 0xD800 <= c < 0xE000)
        text = NormalizedString("".join(characters))
        text.uppercase()
        assert f"{zlib.crc32(text.normalized.encode()):08x}" == expected, hex(block)


def test_changes_keep_the_original():
    text = NormalizedString("Héllo ﬁ")
    text.nfkd()
    text.filter(lambda char: char != "\u0301")
    text.map(str.upper)
    text.prepend("<")
    text.append(">")
    assert (text.normalized, text.original) == ("<HELLO FI>", "Héllo ﬁ")
    assert text[1:3].original == "Hé"
    assert text[7:9].original == "ﬁ"
    text.clear()
    assert str(text) == ""


def test_slices():
    text = NormalizedString("añb")
    assert [text[index].normalized for index in (0, 1, -1)] == ["a", "ñ", "b"]
    assert text.slice((1, 3)).original == "ñb"
    assert text[5] is None
    assert [text[1, end].normalized for end in (1, 2, 3, 4, 99)] == ["", "ñ", "ñb", "ñb", "ñb"]
    assert text[3, 9] is None and text[3, 3] is None and NormalizedString("")[0, 1] is None
    assert NormalizedString("")[0, 0].normalized == ""
    with pytest.raises(ValueError):
        text[-9]


@pytest.mark.parametrize(
    ("behavior", "pieces"),
    [
        ("removed", ["the", "final", "countdown"]),
        ("isolated", ["the", "-", "final", "-", "-", "countdown", "-"]),
        ("merged_with_previous", ["the-", "final-", "-", "countdown-"]),
        ("merged_with_next", ["the", "-final", "-", "-countdown", "-"]),
        ("contiguous", ["the", "-", "final", "--", "countdown", "-"]),
    ],
)
@pytest.mark.parametrize("pattern", ["-", Regex("-")])
def test_splits(pattern, behavior, pieces):
    parts = NormalizedString("the-final--countdown-").split(pattern, behavior)
    assert [part.normalized for part in parts] == pieces
    assert [part.original for part in parts] == pieces


def test_pre_tokenized_offsets():
    text = PreTokenizedString("Ⓐé b")
    text.normalize(lambda piece: piece.nfkd())
    text.split(lambda index, piece: piece.split(" ", "removed"))
    assert text.get_splits() == [("Ae\u0301", (0, 2), None), ("b", (3, 4), None)]
    assert text.get_splits("original", OffsetType.BYTE)[1][1] == (6, 7)
    assert text.get_splits(OffsetReferential.NORMALIZED)[1][1] == (3, 4)
    text.tokenize(lambda piece: [Token(len(piece), piece, (0, len(piece.encode())))])
    encoding = text.to_encoding(type_id=2)
    assert (encoding.ids, encoding.offsets, encoding.word_ids) == ([3, 1], [(0, 2), (3, 4)], [0, 1])
    assert encoding.type_ids == [2, 2]


def test_objects_die_after_the_call():
    kept = []
    normalizer = normalizers.Normalizer.custom(types.SimpleNamespace(normalize=kept.append))
    assert normalizer.normalize_str("a") == "a"
    with pytest.raises(Exception, match="outside `normalize`"):
        _ = kept[0].normalized
    cutter = pre_tokenizers.PreTokenizer.custom(types.SimpleNamespace(pre_tokenize=kept.append))
    assert cutter.pre_tokenize_str("a") == [("a", (0, 1))]
    with pytest.raises(Exception, match="outside `pre_tokenize`"):
        kept[1].get_splits()


def test_what_a_component_raises_is_the_cause():
    def fail(text):
        raise KeyError("mine")

    normalizer = normalizers.Normalizer.custom(types.SimpleNamespace(normalize=fail))
    with pytest.raises(CustomComponentError, match="KeyError") as caught:
        normalizer.normalize_str("a")
    assert isinstance(caught.value, TessellaError)
    assert isinstance(caught.value.__cause__, KeyError)

    def interrupt(text):
        raise KeyboardInterrupt

    stopped = normalizers.Normalizer.custom(types.SimpleNamespace(normalize=interrupt))
    with pytest.raises(KeyboardInterrupt):
        stopped.normalize_str("a")


def test_custom_components_in_a_tokenizer():
    class Dashes:
        def pre_tokenize(self, text):
            text.split(lambda index, piece: piece.split("-", "removed"))

    class Shout:
        def normalize(self, text):
            text.uppercase()

    class Joined:
        def decode_chain(self, tokens):
            return ["+".join(tokens)]

    tokenizer = Tokenizer(models.WordLevel({"A": 0, "B": 1, "<unk>": 2}))
    tokenizer.normalizer = normalizers.Normalizer.custom(Shout())
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Dashes())
    tokenizer.decoder = decoders.Decoder.custom(Joined())
    assert tokenizer.encode("a-b").offsets == [(0, 1), (2, 3)]
    assert tokenizer.encode_ids("a-b").tolist() == [0, 1]
    assert [one.ids for one in tokenizer.encode_batch(["a-b", "b"] * 50, num_threads=4)][:2] == [[0, 1], [1]]
    assert tokenizer.decode([0, 1]) == "A+B"
    # Classes inside a function cannot be found again.
    with pytest.raises(TessellaError, match=r"[Cc]ustom"):
        tokenizer.to_str()


def test_saving_by_import_path_needs_permission():
    module = types.ModuleType("a_users_module")
    exec("class Shout:\n    def normalize(self, text):\n        text.uppercase()\n", module.__dict__)
    sys.modules["a_users_module"] = module
    try:
        tokenizer = Tokenizer(models.WordLevel({"A": 0, "<unk>": 1}))
        tokenizer.normalizer = normalizers.Normalizer.custom(module.Shout())
        saved = tokenizer.to_str()
        assert "a_users_module:Shout" in saved
        with pytest.raises(TessellaError, match=r"a_users_module:Shout"):
            Tokenizer.from_str(saved)
        loaded = Tokenizer.from_str(saved, allow_custom=["a_users_module:Shout"])
        assert loaded.encode_ids("a").tolist() == [0]
        # A pickle names its own code, and unpickling runs it anyway.
        assert pickle.loads(pickle.dumps(tokenizer)).encode_ids("a").tolist() == [0]
    finally:
        del sys.modules["a_users_module"]


def test_what_a_component_holds_outside_of_its_attributes_is_not_lost():
    """Slots, named tuples and numbers keep what they hold without a `__dict__`: by the path it would be gone."""
    module = types.ModuleType("a_users_module")
    code = """
from typing import NamedTuple

class Cuts:
    def pre_tokenize(self, pieces):
        pieces.split(lambda number, text: text.split(self.mark, "removed"))

class Slots(Cuts):
    __slots__ = ("mark",)
    def __init__(self, mark="-"):
        self.mark = mark

class Tuple(NamedTuple):
    mark: str = "-"
    pre_tokenize = Cuts.pre_tokenize

class Text(str):
    __slots__ = ()
    mark = property(str)
    pre_tokenize = Cuts.pre_tokenize

class Bare:
    __slots__ = ()
    mark = "+"
    pre_tokenize = Cuts.pre_tokenize
"""
    sys.modules["a_users_module"] = module
    try:
        exec(code.replace("class Cuts:", "class Cuts:\n    __slots__ = ()"), module.__dict__)
        tokenizer = Tokenizer(models.BPE({token: id for id, token in enumerate("ab+-")}, []))
        for one in (module.Slots("+"), module.Tuple("+"), module.Text("+")):
            tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(one)
            for save in (tokenizer.to_str, tokenizer.fingerprint, lambda: pickle.dumps(tokenizer)):
                with pytest.raises(TessellaError, match=r"[Cc]ustom"):
                    save()
        tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(module.Bare())
        assert pickle.loads(pickle.dumps(tokenizer)).encode("a+b-").tokens == ["a", "b", "-"]
    finally:
        del sys.modules["a_users_module"]
