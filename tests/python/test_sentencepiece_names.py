"""Where SentencePiece's names refuse, stop or show something, ours do."""

import numpy
import pytest
from sentencepiece_cases import sentences, train
from tessella.compat import sentencepiece as ours
from tessella.compat.sentencepiece import sentencepiece_pb2

library = pytest.importorskip("sentencepiece", reason="the library itself is the oracle")
library.SetMinLogLevel(4)

LINES = sentences(0)


def result(run, package):
    try:
        return run(package)
    except Exception as error:
        builtin = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
        return builtin.__name__


@pytest.mark.parametrize(
    "options",
    [
        {"add_dummy_prefix": False},
        {"add_dummy_prefix": True},
        {"remove_extra_whitespaces": False},
        {"normalization_rule_name": "nfkc"},
        {"normalization_rule_tsv": "rules.tsv"},
        {"escape_whitespaces": True},
    ],
    ids=lambda options: ",".join(options),
)
def test_a_normalizer_and_its_settings_contradict(options):
    def run(package):
        return train(package, LINES, normalizer=package.SentencePieceNormalizer(rule_name="nfkc"), **options)

    assert result(run, library) == "ValueError"
    with pytest.raises(ValueError, match=f"`normalizer` and `{next(iter(options))}`"):
        run(ours)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pretokenization_delimiter": "|"}, "both a pretokenizer and pretokenization_delimiter"),
        ({"model_type": "char"}, "Unigram and BPE models only"),
        ({"model_type": "word"}, "Unigram and BPE models only"),
    ],
)
def test_a_pretokenizer_contradicts(options, message):
    def run(package):
        return train(package, LINES, pretokenizer=lambda text: [text], **{"model_type": "bpe", **options})

    assert result(run, library) == "RuntimeError"
    with pytest.raises(RuntimeError, match=message):
        run(ours)


MAPS = [
    [("a", "a")],
    [("a", "b"), ("a", "b")],
    [("a", "b"), ("a", "c")],
    [("a", "b"), ("b", "b")],
    [("ab", "ab"), ("a", "b")],
    [("a", "b"), ("b", "c"), ("a", "b")],
    [("a", "a"), ("a", "a")],
    [("", "x")],
    [("a", "")],
    [(b"a", b"b")],
    [("a", b"b"), (bytearray(b"c"), "é")],
    [["a", "b"]],
    (("a", "b"),),
    ["ab"],
    {"a": "b"},
    iter([("a", "b")]),
    [("a", "b", "c")],
    [("a",)],
    [("a", 1)],
    [],
]


@pytest.mark.parametrize("rules", MAPS, ids=[f"rules{number}" for number in range(len(MAPS))])
def test_rules_that_are_given(rules):
    def run(package):
        normalizer = package.SentencePieceNormalizer(norm_map=rules, add_dummy_prefix=False)
        return normalizer.decompile(), normalizer.normalize("abc abd ac")

    assert result(run, ours) == result(run, library)


@pytest.mark.parametrize("text", ["61\t61\n", "", "61\t62\n61\t63\n", "0x61\t62\n", "61\n"], ids=repr)
def test_rules_of_a_file(text, tmp_path):
    (tmp_path / "rules.tsv").write_text(text)
    file = str(tmp_path / "rules.tsv")

    def run(package):
        normalizer = package.SentencePieceNormalizer(rule_tsv=file)
        train(package, LINES, model_type="char", vocab_size=90, normalization_rule_tsv=file)
        return normalizer.decompile()

    assert result(run, ours) == result(run, library)


def test_bytes_that_are_no_text():
    with pytest.raises(ValueError, match="not UTF-8"):
        ours.SentencePieceNormalizer(norm_map=[(b"\xff", "b")])


@pytest.fixture(scope="module")
def unigram():
    return train(library, LINES, model_type="unigram", hard_vocab_limit=False)


def test_a_search_has_its_time(unigram):
    text = "lower newest wider the low " * 12
    theirs = library.SentencePieceProcessor(model_proto=unigram)
    mine = ours.SentencePieceProcessor(model_proto=unigram)
    try:
        for package, processor in ((library, theirs), (ours, mine)):
            package.SetNBestTimeout(1)
            assert len(processor.nbest_encode(text, nbest_size=500)) == 1
            package.SetNBestTimeout(0)
        assert mine.nbest_encode(text[:30], nbest_size=200) == theirs.nbest_encode(text[:30], nbest_size=200)
        ours.SetNBestTimeout(1)
        assert mine.nbest_encode(text, nbest_size=500) == [mine.encode(text)]
        assert mine.sample_encode_as_ids(text, 500, 0.1) == mine.encode(text)
    finally:
        for package in (library, ours):
            package.SetNBestTimeout(30_000)


def test_a_search_grows_no_larger_than_theirs(unigram):
    theirs = library.SentencePieceProcessor(model_proto=unigram)
    mine = ours.SentencePieceProcessor(model_proto=unigram)
    for words in (5, 12, 40, 80):
        text = "lower newest wider the low tower " * words
        for size in (2, 20, 60, 300, 512):
            expected = theirs.nbest_encode(text, nbest_size=size)
            assert mine.nbest_encode(text, nbest_size=size) == expected, (words, size)


@pytest.mark.parametrize("name", ["SetNBestTimeout", "SetMinLogLevel", "SetRandomGeneratorSeed"])
@pytest.mark.parametrize("value", [0, 1, True, -1, 2**31, 2**32, 2.5, "x", None], ids=repr)
def test_settings(name, value):
    kinds = []
    for package in (library, ours):
        try:
            getattr(package, name)(value)
            kinds.append(None)
        except TypeError:
            kinds.append(TypeError)
        finally:
            package.SetNBestTimeout(30_000)
            package.SetMinLogLevel(4)
    assert kinds[0] is kinds[1]


def test_arrays_cannot_be_written_to(unigram):
    for package in (library, ours):
        processor = package.SentencePieceProcessor(model_proto=unigram)
        arrays = [
            processor.encode("the low", out_type="numpy"),
            *processor.encode(["the", ""], out_type="numpy"),
            *processor.nbest_encode("the low", nbest_size=3, out_type="numpy"),
            processor.parallel_encode("the low", chunk_len=8, out_type="numpy"),
        ]
        for array in arrays:
            assert array.dtype == numpy.int32 and not array.flags.writeable


def test_the_version_is_that_of_the_library():
    assert ours.__version__ == library.__version__


def test_messages_can_be_made(unigram):
    processor = ours.SentencePieceProcessor(model_proto=unigram)
    message = processor.encode("the low", out_type="proto")
    assert isinstance(message, sentencepiece_pb2.SentencePieceText)
    message.pieces[0].id = 7
    message.score = 0.1
    again = sentencepiece_pb2.SentencePieceText.FromString(message.SerializeToString())
    assert again == message and again.pieces[0].id == 7 and again.HasField("score")
    assert again.score == float(numpy.float32(0.1)) and again.pieces[0].HasField("begin") is not None
    made = sentencepiece_pb2.SentencePieceText(text="é")
    made.pieces.add(piece="é", id=300, surface="é", begin=0, end=2)
    copied = sentencepiece_pb2.SentencePieceText()
    copied.CopyFrom(made)
    assert copied == made and not copied.HasField("score")
    for name, value in (("id", -1), ("id", "x"), ("piece", 1), ("pieces", [1])):
        with pytest.raises(TypeError, match=name):
            setattr(made.pieces[0] if name != "pieces" else made, name, value)
    with pytest.raises(AttributeError, match="nobody"):
        made.nobody = 1
    pb2 = pytest.importorskip("sentencepiece.sentencepiece_pb2", reason="protobuf is not installed")
    theirs = pb2.SentencePieceText.FromString(made.SerializeToString())
    assert theirs.SerializeToString() == made.SerializeToString() and theirs.pieces[0].id == 300


def test_messages_of_a_model(unigram):
    pytest.importorskip("google.protobuf", reason="protobuf is not installed")
    from tessella.compat.sentencepiece import sentencepiece_model_pb2 as model

    file = model.ModelProto.FromString(unigram)
    assert file.SerializeToString() == unigram
    assert file.trainer_spec.model_type == model.TrainerSpec.UNIGRAM
    assert model.TrainerSpec().unk_surface == " \u2047 " and model.NormalizerSpec().add_dummy_prefix
    file.pieces.add(piece="brandnew", score=5, type=model.ModelProto.SentencePiece.NORMAL)
    changed = ours.SentencePieceProcessor(model_proto=file.SerializeToString())
    assert changed.encode("brandnew", out_type=str) == ["▁", "brandnew"]
    pb2 = pytest.importorskip("sentencepiece.sentencepiece_model_pb2")
    for name in ("TrainerSpec", "NormalizerSpec", "ModelProto"):
        mine, theirs = getattr(model, name).DESCRIPTOR, getattr(pb2, name).DESCRIPTOR
        assert {field.name: field.number for field in mine.fields} == {
            field.name: field.number for field in theirs.fields
        }
        for field in mine.fields:
            other = theirs.fields_by_name[field.name]
            assert (field.type, field.default_value) == (
                other.type,
                other.default_value,
            ) or field.message_type


def test_an_unknown_option_names_those_there_are():
    with pytest.raises(RuntimeError, match=r"vocabsize.*\badd_dummy_prefix\b.*\bvocab_size\b") as raised:
        train(ours, LINES, vocabsize=3)
    assert "docs/" not in str(raised.value)


def test_a_broken_model_is_told_by_its_name(tmp_path):
    (tmp_path / "broken.model").write_bytes(b"no model")
    with pytest.raises(RuntimeError, match=r"is broken: .*broken\.model\)"):
        ours.SentencePieceProcessor(model_file=str(tmp_path / "broken.model"))
