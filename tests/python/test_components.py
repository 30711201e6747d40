"""Components: attributes are live, unknown arguments are refused, and state goes to JSON and back."""

import contextlib
import copy
import json
import pathlib
import pickle
import re

import pytest
import tessella
from tessella import Regex, SplitDelimiterBehavior, Tokenizer, decoders, models, normalizers, processors
from tessella import pre_tokenizers as pre
from tessella._component import Field

# Settings that are worth telling; of what is not here each setting is changed (`changed`).
CHOSEN = [
    normalizers.BertNormalizer(strip_accents=False),
    normalizers.Strip(left=False),
    normalizers.Replace(Regex("a+"), "b"),
    normalizers.Sequence([normalizers.Sequence([normalizers.NFC()]), normalizers.Strip()]),
    pre.CharDelimiterSplit("é"),
    pre.Metaspace("_", "first", False),
    pre.Punctuation("contiguous"),
    pre.Split("x", SplitDelimiterBehavior.MERGED_WITH_NEXT, invert=True),
    # With blanks no file can have it.
    pre.UnicodeScripts(),
    pre.Sequence([pre.Whitespace(), pre.Digits()]),
    processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0)),
    processors.RobertaProcessing(("</s>", 1), ("<s>", 0), add_prefix_space=False),
    processors.TemplateProcessing("[CLS] $A:3", special_tokens=[("[CLS]", 0)]),
    processors.Sequence([processors.ByteLevel()]),
    decoders.Metaspace("_", "never"),
    decoders.Replace("a", "b"),
    decoders.Strip("_", 1, 2),
    decoders.Sequence([decoders.Fuse(), decoders.ByteFallback()]),
    models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], unk_token="a"),
    models.WordPiece({"a": 0}),
    models.WordLevel({"a": 0}, unk_token="a"),
    models.Unigram([("<unk>", 0.0), ("a", -1.5)], 0),
]


STAGES = [
    (normalizers, normalizers.Normalizer),
    (pre, pre.PreTokenizer),
    (models, models.Model),
    (processors, processors.PostProcessor),
    (decoders, decoders.Decoder),
]


def changed(shown):
    """A component with another value for each setting that takes one, so that none passes because it is the usual one."""
    component = shown()
    for name in [name for name, field in vars(shown).items() if isinstance(field, Field)]:
        value = getattr(component, name)
        others = {bool: not value, int: 7, str: "_"}
        # Names of choices and the like take no other text.
        with contextlib.suppress(ValueError):
            setattr(component, name, others.get(type(value), value))
    return component


def all_components():
    """What is chosen, and every other kind that the engine's tables have and that can be made of nothing."""
    known = [stage._kinds.get(kind) for _, stage in STAGES for kind, _ in stage._handles.kinds()]
    made = []
    for shown in dict.fromkeys(known):
        if shown is not None and shown not in map(type, CHOSEN):
            with contextlib.suppress(TypeError):
                made.append(changed(shown))
    return CHOSEN + made


COMPONENTS = all_components()
# Fields that are given and not shown again: a table, and what a `Regex` was made of.
HIDDEN = {"precompiled_charsmap", "pattern"}


def kinds():
    """Every kind that the engine's tables have, with the names of its fields."""
    return [
        pytest.param(module, stage, kind, fields, id=f"{stage.__name__}-{kind}")
        for module, stage in STAGES
        for kind, fields in stage._handles.kinds()
    ]


@pytest.mark.parametrize(("module", "stage", "kind", "fields"), kinds())
def test_the_face_shows_what_the_engine_has(module, stage, kind, fields):
    shown = stage._kinds.get(kind)
    assert shown is not None, f"{module.__name__} has no class for the engine's {kind}"
    assert shown.__name__ in module.__all__
    # The one comes with a model, and files carry fields along that the other does not go by.
    if kind == "SentencePiece" or shown is decoders.ByteLevel:
        return
    assert shown.__doc__
    for field in fields:
        if field not in HIDDEN:
            assert hasattr(shown, field), f"{shown.__name__} lacks a Field for `{field}`"
    tried = {type(component) for component in COMPONENTS}
    # A character map comes with a model.
    assert shown in tried or kind == "Precompiled", f"CHOSEN has no {shown.__name__}, which needs arguments"


@pytest.mark.parametrize(("module", "stage"), STAGES, ids=lambda one: one.__name__)
def test_the_engine_has_what_the_face_shows(module, stage):
    known = {kind for kind, _ in stage._handles.kinds()}
    # Sequences have no row, and SentencePiece models come from files of their own.
    assert set(stage._kinds) - {"Sequence", "SentencePiece"} <= known


def test_every_model_has_a_fingerprint_of_its_own():
    prints = [Tokenizer(model).fingerprint() for model in COMPONENTS if isinstance(model, models.Model)]
    assert len(set(prints)) == len(prints) >= 4


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda one: f"{type(one).__module__}.{one}"[9:60])
def test_state_goes_there_and_back(component):
    for copied in (pickle.loads(pickle.dumps(component)), copy.deepcopy(component)):
        assert type(copied) is type(component)
        assert copied.__getstate__() == component.__getstate__()
        assert repr(copied) == repr(component)
    assert json.loads(component.__getstate__())["type"]


def test_attributes_change_the_tokenizer():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.add_tokens(["a"])
    split = pre.Metaspace()
    tokenizer.pre_tokenizer = pre.Sequence([pre.Whitespace(), split])
    before = tokenizer.to_str()
    split.replacement = "_"
    assert tokenizer.pre_tokenizer[1].replacement == "_"
    tokenizer.pre_tokenizer[1].prepend_scheme = "never"
    assert split.prepend_scheme == "never"
    assert tokenizer.to_str() != before


def test_a_change_reaches_encoding():
    tokenizer = Tokenizer(models.WordLevel({"ab": 0, "AB": 1, "<unk>": 2}))
    tokenizer.normalizer = normalizers.Sequence([normalizers.BertNormalizer(lowercase=True)])
    assert tokenizer.encode_ids("AB").tolist() == [0]
    tokenizer.normalizer[0].lowercase = False
    assert tokenizer.encode_ids("AB").tolist() == [1]
    tokenizer.normalizer[0] = normalizers.Replace("AB", "nothing")
    assert tokenizer.encode_ids("AB").tolist() == [2]
    tokenizer.model.unk_token = "ab"
    assert tokenizer.encode_ids("AB").tolist() == [0]


def test_who_holds_a_component_sees_its_changes():
    tokenizer = Tokenizer(models.WordPiece({"a": 0, "##a": 1, "?": 2}, unk_token="?"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase()])
    model, normalizer = tokenizer.model, tokenizer.normalizer
    for most, ids in ((100, [0, 1, 1]), (2, [2]), (3, [0, 1, 1])):
        tokenizer.model.max_input_chars_per_word = most
        assert [token.id for token in model.tokenize("aaa")] == ids
        assert [token.id for token in tokenizer.model.tokenize("aaa")] == ids
        assert tokenizer.encode("AAA").ids == ids
    for replaced, text in ((normalizers.Replace("b", "c"), "aBC"), (normalizers.Lowercase(), "abc")):
        tokenizer.normalizer[0] = replaced
        assert normalizer.normalize_str("aBC") == tokenizer.normalizer.normalize_str("aBC") == text
    # What a tokenizer left behind goes on by itself.
    tokenizer.model = models.WordPiece({"b": 0, "?": 1}, unk_token="?")
    assert [token.id for token in model.tokenize("aaa")] == [0, 1, 1]
    assert [token.id for token in tokenizer.model.tokenize("b")] == [0]


def test_a_sequence_cannot_hold_itself():
    sequence = normalizers.Sequence([normalizers.NFC()])
    outer = normalizers.Sequence([sequence])
    with pytest.raises(ValueError, match="cannot contain itself"):
        sequence[0] = outer


def test_sequences_are_lists_of_their_parts():
    sequence = pre.Sequence([pre.Whitespace(), pre.Digits()])
    assert [type(one).__name__ for one in sequence] == ["Whitespace", "Digits"]
    assert len(sequence) == 2
    assert isinstance(sequence[-1], pre.Digits)
    with pytest.raises(IndexError):
        sequence[2]
    with pytest.raises(TypeError, match="is not an instance of 'PreTokenizer'"):
        sequence[0] = normalizers.NFC


@pytest.mark.parametrize(
    "make",
    [
        lambda: normalizers.NFC(x=1),
        lambda: models.BPE(x=1),
        lambda: pre.ByteLevel(x=1),
        lambda: decoders.ByteLevel(x=1),
        lambda: Tokenizer(models.BPE()).enable_padding(x=1),
        lambda: Tokenizer(models.BPE()).enable_truncation(4, x=1),
    ],
)
def test_unknown_arguments_are_refused(make):
    with pytest.raises(TypeError):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pre.CharDelimiterSplit("ab"), "expected a string of length 1"),
        (lambda: pre.Metaspace(prepend_scheme="x"), "should be one of"),
        (lambda: pre.Punctuation("x"), "Wrong value for SplitDelimiterBehavior"),
        (lambda: pre.FixedLength(0), "at least 1"),
        (lambda: models.BPE({"a": 0}), "must be both specified"),
        (lambda: models.BPE({"a": 0}, [("a", "b")]), "Token `b` out of vocabulary"),
        (lambda: models.BPE(dropout=2.0), "between 0 and 1"),
        (lambda: models.Unigram([("a", 1.0)], 5), "larger than vocabulary size"),
        (lambda: normalizers.Precompiled(b"abc"), "charsmap|character map"),
        (lambda: normalizers.unicode_normalizer_from_str("x"), "is not a known unicode normalizer"),
        (lambda: processors.TemplateProcessing("[X] $A"), r"Missing SpecialToken\(s\)"),
    ],
)
def test_wrong_values_say_what_is_right(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_components_of_other_libraries_are_read():
    class Theirs:
        def __getstate__(self):
            return b'{"type":"Lowercase"}'

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = Theirs()
    assert type(tokenizer.normalizer) is normalizers.Lowercase
    with pytest.raises(TypeError, match="'int' object is not an instance of 'Normalizer'"):
        tokenizer.normalizer = 1


def test_unicode_scripts_can_keep_spaces():
    assert pre.UnicodeScripts().pre_tokenize_str(" a") == [("a", (1, 2))]
    assert "".join(piece for piece, _ in pre.UnicodeScripts(True).pre_tokenize_str(" a")) == " a"


def test_nesting_has_a_limit_however_it_is_built():
    sequence = normalizers.Sequence([normalizers.NFC()])
    levels = 2
    with pytest.raises(ValueError, match="nested too deep"):
        while levels < 1000:
            sequence = normalizers.Sequence([sequence])
            levels += 1
    assert levels < 100
    # From inside: every step is shallow, the whole would not be.
    outer = inner = normalizers.Sequence([normalizers.NFC()])
    with pytest.raises(ValueError, match="nested too deep"):
        for _ in range(1000):
            deeper = normalizers.Sequence([normalizers.NFD()])
            inner[0] = deeper
            inner = deeper
    assert isinstance(inner[0], normalizers.NFD)
    assert outer.normalize_str("\u00e9") == "e\u0301"


def test_a_model_of_files_is_that_of_its_tables(tmp_path):
    tables = ({"a": 0, "b": 1, "é": 2, "ab": 3, "?": 7}, [("a", "b")])
    vocab, merges = models.BPE(*tables).save(tmp_path)
    for options in (
        {},
        {"unk_token": "?", "fuse_unk": True, "cache_capacity": 3},
        {"dropout": 0.5},
        {"fuse_unk": None},
    ):
        assert repr(models.BPE.from_file(vocab, merges, **options)) == repr(models.BPE(*tables, **options))
    for wrong in ({"dropout": 2.0}, {"unk": "?"}, {"unk_token": 3}, {"byte_fallback": "no"}):
        with pytest.raises((ValueError, TypeError)) as by_tables:
            models.BPE(*tables, **wrong)
        with pytest.raises(by_tables.type, match=re.escape(str(by_tables.value))):
            models.BPE.from_file(vocab, merges, **wrong)
    for text, said in (
        ('{"a": 0, "a": 1}', "comes twice"),
        ('{"a": 0', "is not JSON"),
        ("[]", "must hold an object"),
    ):
        pathlib.Path(vocab).write_text(text)
        pathlib.Path(merges).write_text("#version: 0.2\n")
        with (
            pytest.warns(UserWarning, match=said)
            if said == "comes twice"
            else pytest.raises(ValueError, match=said)
        ):
            assert models.BPE.from_file(vocab, merges).token_to_id("a") == 1


def test_long_descriptions_are_cut_as_the_library_cuts_them():
    reference = pytest.importorskip("tokenizers")

    def shown(library):
        level = library.models.WordLevel({f"{place}": place for place in range(300)}, unk_token="1")
        scores = [(f"{place}" * 30, -float(place)) for place in range(100)]
        tokenizer = library.Tokenizer(library.models.Unigram(scores, 0, False))
        tokenizer.add_tokens([f"t{place}" for place in range(130)])
        normalizers = [library.normalizers.Replace("x" * 101, "é" * place) for place in (50, 51, 400)]
        tokenizer.normalizer = library.normalizers.Sequence(normalizers * 40)
        both = [level, tokenizer, tokenizer.normalizer, library.normalizers.Replace("_" * 100, "")]
        return [(repr(one), str(one)) for one in both]

    assert shown(tessella) == shown(reference)
    # Behind a whole character.
    assert '"' + "日" * 33 + '..."' in str(normalizers.Replace("日" * 34, ""))


def test_the_prefix_of_a_models_files_has_an_old_name(tmp_path):
    model = models.WordLevel({"a": 0}, "a")
    with pytest.warns(DeprecationWarning, match="called `prefix`"):
        assert model.save(tmp_path, name="old") == [str(tmp_path / "old-vocab.json")]
    assert model.save(tmp_path, "new") == [str(tmp_path / "new-vocab.json")]
