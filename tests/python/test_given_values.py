"""Values of the wrong kind, one by one: nothing is made of them, and what is said names the argument and the value.

Many were taken before for something that nobody meant: `None` for the token `"None"`, `"no"` for true.
"""

import io
import subprocess
import sys

import numpy as np
import pytest
import tessella
from tessella import AddedToken, RaggedIds, Tokenizer, data, decoders, models, normalizers, trainers
from tessella import pre_tokenizers as cuts
from tessella import processors as ends
from tessella.tools import Annotation, EncodingVisualizer

VOCAB = {"a": 0}
EMPTY = Tokenizer(models.BPE())
DRAWN = EncodingVisualizer(EMPTY, default_to_notebook=False)
ONE = RaggedIds(np.array([1], np.uint32), np.array([0, 1]))

REFUSED = {
    "an argument too many": (lambda: normalizers.NFC(1), r"NFC\.__init__\(\)"),
    "an unknown option": (lambda: cuts.Whitespace(text=1), r"Whitespace\.__init__\(\).*'text'"),
    "a flag": (lambda: normalizers.Strip("no"), "expected a bool, found str 'no' for `left`"),
    "a flag or none": (
        lambda: normalizers.BertNormalizer(strip_accents="no"),
        "expected a bool or None, found str 'no' for `strip_accents`",
    ),
    "a flag that is set": (
        lambda: setattr(cuts.Metaspace(), "split", "no"),
        "bool, found str 'no' for `split`",
    ),
    "a text that is set": (
        lambda: setattr(cuts.Metaspace(), "prepend_scheme", 3),
        "int 3 for `prepend_scheme`",
    ),
    "a character that is set": (
        lambda: setattr(cuts.Metaspace(), "replacement", 3),
        "int 3 for `replacement`",
    ),
    "two characters": (lambda: cuts.CharDelimiterSplit("ab"), '`delimiter`, one character; found "ab"'),
    "no behaviour": (lambda: cuts.Split("a", "gone"), "contiguous`; found `gone`"),
    "no pattern": (lambda: normalizers.Replace(3, "a"), "tessella.Regex, found int 3 for `pattern`"),
    "no map": (
        lambda: normalizers.Precompiled("a"),
        "expected bytes, found str 'a' for `precompiled_charsmap`",
    ),
    "a map of other numbers": (
        lambda: normalizers.Precompiled([300]),
        "found list .300. for `precompiled_charsmap`",
    ),
    "a share": (lambda: models.BPE({}, [], dropout="0.1"), "a number or None, found str '0.1' for `dropout`"),
    "an id below 0": (lambda: ends.BertProcessing(("a", -1), ("b", 2)), r"tuple \('a', -1\) for `sep`"),
    "a tuple of three": (lambda: ends.BertProcessing(("a", 1, 2), ("b", 2)), r"\('a', 1, 2\) for `sep`"),
    "no special token": (lambda: ends.TemplateProcessing(special_tokens=[3]), "int 3 for `special_tokens`"),
    "a special token's numbers": (
        lambda: ends.TemplateProcessing(special_tokens=[{"id": "x", "ids": [-1], "tokens": ["a"]}]),
        "`ids`, a list of int.* for `special_tokens`",
    ),
    "a text for a character": (
        lambda: tessella.NormalizedString("ab").map(lambda c: "xy"),
        "`map` expect a callable.*; of 'a' it makes str 'xy'",
    ),
    "a number for a character": (
        lambda: tessella.NormalizedString("ab").map(lambda c: 3),
        "`map` expect a callable.*; of 'a' it makes int 3",
    ),
    "no annotation": (
        lambda: DRAWN("low", [(0, 3, "x")]),
        r"`annotations\[0\]` must be an Annotation, found tuple",
    ),
    "an annotation of other text": (
        lambda: DRAWN("low", [Annotation(0, 2, "x"), Annotation(3, 9, "y")]),
        r"`annotations\[1\]` goes from 3 to 9, where the text, which has 3",
    ),
    "an annotation of nothing": (lambda: DRAWN("low", [Annotation(2, 2, "x")]), "goes from 2 to 2"),
    "no such part": (lambda: normalizers.Sequence([normalizers.NFC()])[3], "3 in a sequence of 1"),
    "none as a token": (
        lambda: models.WordPiece(VOCAB, unk_token=None),
        "`unk_token` must be a str .* NoneType None",
    ),
    "a number as a token": (lambda: models.WordLevel(VOCAB, 3), "`unk_token` must be a str .* int 3"),
    "none as a token of old": (
        lambda: tessella.CharBPETokenizer(unk_token=None),
        "`unk_token`.* NoneType None",
    ),
    "none as an end": (lambda: tessella.BertWordPieceTokenizer({"[UNK]": 0}, sep_token=None), "`sep_token`"),
    "a flag of a model": (lambda: models.BPE({}, [], fuse_unk="no"), "`fuse_unk` .* str 'no'"),
    "a flag of Unigram": (lambda: models.Unigram([("a", 0.0)], 0, "no"), "`byte_fallback` .* str 'no'"),
    "a cache below 0": (lambda: models.BPE({}, [], cache_capacity=-1), "`cache_capacity` is -1"),
    "a token of bytes": (
        lambda: models.WordLevel({b"a": 0}),
        "a token must be a str, found bytes b'a' for `vocab`",
    ),
    "an id that is a float": (
        lambda: models.BPE({"a": 0, "b": 1.0}, []),
        "the id of `b` must be an int, found float 1.0",
    ),
    "an id of a token below 0": (lambda: models.WordPiece({"a": -1}), "the id of `a` must be from 0 to"),
    "no piece": (lambda: models.Unigram([("a", 0.0), 3]), r"found 3 for `vocab\[1\]`"),
    "a piece without a score": (lambda: models.Unigram([("a",)]), r"found \('a',\) for `vocab\[0\]`"),
    "a score that is a text": (lambda: models.Unigram([("a", "0.5")]), r"\('a', '0.5'\) for `vocab\[0\]`"),
    "a score that is no number": (
        lambda: models.Unigram([("a", 0.0), ("b", float("nan"))], 0),
        "the score of `b` is NaN",
    ),
    "an id without pieces": (lambda: models.Unigram(unk_id=3), "`vocab` and `unk_id` must be both"),
    "a suffix": (lambda: trainers.BpeTrainer(end_of_word_suffix=3), "`end_of_word_suffix` .* int 3"),
    "a bar": (
        lambda: trainers.BpeTrainer(show_progress="no"),
        "`show_progress` must be a bool, not str 'no'",
    ),
    "an alphabet of numbers": (
        lambda: trainers.BpeTrainer(initial_alphabet=[3]),
        "`initial_alphabet` .* found 3",
    ),
    "an alphabet of bytes": (lambda: trainers.BpeTrainer(initial_alphabet=[b"a"]), "found b'a'"),
    "no alphabet": (lambda: trainers.BpeTrainer(initial_alphabet=None), "`initial_alphabet` .* NoneType"),
    "a content that is set": (
        lambda: setattr(AddedToken("a"), "content", 3),
        "`content` must be a str, not int",
    ),
    "a number to load": (lambda: tessella.load(3), "`source` .* not int"),
    "what is loaded": (lambda: tessella.load(EMPTY), "not Tokenizer: it is loaded already"),
    "the bytes of a file": (lambda: tessella.load(b"{}"), "not bytes.*from_buffer"),
    "an open file": (lambda: tessella.load(io.BytesIO(b"{}")), "not BytesIO.*from_buffer"),
    "the text of a file": (lambda: tessella.load('{"model": ' + "1" * 5000), "from_str"),
    "a place in a batch": (lambda: ONE["ids"], "indexed by an int or a slice, not str 'ids'"),
    "no folder": (lambda: data.tokenize_corpus("-", EMPTY, "", eos=None), "`out` is empty"),
    "a number of inputs": (lambda: data.tokenize_corpus(3, EMPTY, "x", eos=None), "`inputs` .* int 3"),
    "inputs by name": (lambda: data.tokenize_corpus({"a": 1}, EMPTY, "x", eos=None), "`inputs` .* dict"),
    "no token files": (lambda: data.open(""), "`path` is empty"),
    "a number of token files": (lambda: data.verify(3), "`path` must be a folder of token files"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, message = REFUSED[name]
    with pytest.raises((TypeError, ValueError, IndexError), match=message) as raised:
        call()
    assert len(str(raised.value)) < 400
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_a_name():
    for save in (EMPTY.save, tessella.PieceCounts({"low": 1}).save):
        with pytest.raises(OSError, match="its name is empty: give it one"):
            save("")


def test_a_file_in_the_place_of_a_folder(tmp_path):
    (tmp_path / "texts.txt").write_text("a")
    with pytest.raises(FileExistsError, match="name another"):
        data.tokenize_corpus(tmp_path / "texts.txt", EMPTY, tmp_path / "texts.txt", eos=None)


def test_what_is_of_the_kind():
    """Numpy's flags and numbers, tokens with settings, arrays and iterators."""
    assert normalizers.Strip(left=np.bool_(False)).left is False
    assert trainers.WordLevelTrainer(show_progress=np.bool_(False)).show_progress is False
    assert trainers.UnigramTrainer(shrinking_factor=np.float32(0.5)).shrinking_factor == 0.5
    assert models.WordPiece(VOCAB, unk_token=AddedToken("a")).unk_token == "a"
    assert models.BPE(VOCAB, [], fuse_unk=None, cache_capacity=np.int64(3)).fuse_unk is False
    pieces = np.array([["a", -0.5]], dtype=object)
    assert models.Unigram(iter(pieces), 0).tokenize("a")[0].id == 0


@pytest.mark.parametrize(
    "part", [normalizers.Replace("a", "b"), cuts.Split("a", "removed"), decoders.Replace("a", "b")]
)
def test_patterns_are_not_told(part):
    """The reference library raises where a pattern is read or set, and its own tests ask for that."""
    with pytest.raises(AttributeError, match="pattern"):
        part.pattern  # noqa: B018
    with pytest.raises(AttributeError, match="pattern"):
        part.pattern = "c"


@pytest.mark.parametrize("name", ["implementations", "sentencepiece", "tiktoken", "transformers"])
def test_drop_in_modules_come_when_they_are_asked_for(name):
    program = (
        f"import tessella; assert '{name}' in dir(tessella.compat); print(tessella.compat.{name}.__name__)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == f"tessella.compat.{name}"
    with pytest.raises(AttributeError, match="no attribute 'gensim'"):
        tessella.compat.gensim  # noqa: B018


def test_nothing_is_put_in_front():
    """`Prepend` of an empty text leaves each character where it is (82 of the differences)."""
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1}))
    tokenizer.normalizer = normalizers.Prepend("")
    tokenizer.pre_tokenizer = cuts.FixedLength(1)
    assert tokenizer.encode("ab").offsets == [(0, 1), (1, 2)]


def test_the_prefix_is_the_model_s():
    """83 of the differences."""
    vocab = {token: id for id, token in enumerate(["[UNK]", "[SEP]", "[CLS]", "low", "@@er"])}
    tokenizer = tessella.BertWordPieceTokenizer(vocab, wordpieces_prefix="@@")
    encoding = tokenizer.encode("lower")
    assert encoding.tokens == ["[CLS]", "low", "@@er", "[SEP]"]
    assert tokenizer.decode(encoding.ids) == "lower"
