"""The strings that users and their components hold, and components written in Python."""

import pickle
import sys
import types

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
