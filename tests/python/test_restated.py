"""SentencePiece models as `tokenizer.json`: only where it comes to the same."""

import io
import json

import pytest
import tessella
from sentencepiece_cases import sentences
from tessella.errors import UnsupportedError

sentencepiece = pytest.importorskip("sentencepiece")
TEXTS = [*sentences(7, 200), "", " ", "a  b", "\n\t", "<s>x</s>", "😀\x00", "▁▁", "x" * 500]


def trained(path, **options):
    writer = io.BytesIO()
    usual = {
        "vocab_size": 420,
        "byte_fallback": True,
        "normalization_rule_name": "identity",
        "minloglevel": 9,
    }
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences(3)), model_writer=writer, **{**usual, **options}
    )
    path.write_bytes(writer.getvalue())
    return path


def test_an_equal_model_becomes_json(tmp_path):
    path = trained(tmp_path / "x.model", model_type="bpe", remove_extra_whitespaces=False)
    library = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tokenizer = tessella.load(path)
    tokenizer.save(tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["model"]["type"] == "BPE"
    again = tessella.load(tmp_path / "x.json")
    for text in TEXTS:
        ids = again.encode(text).ids
        assert ids == library.encode(text)
        assert again.decode(ids) == library.decode(ids)
    bos = library.bos_id()
    assert again.decode([bos, *library.encode("a b")], skip_special_tokens=False) == "a b"


@pytest.mark.parametrize(
    "options",
    [
        {"user_defined_symbols": ["<c>"]},
        {"normalization_rule_name": "nmt_nfkc"},
        {"model_type": "word", "vocab_size": 60, "byte_fallback": False},
    ],
    ids=["symbols", "characters", "words"],
)
def test_another_model_is_refused_with_a_text_that_differs(options, tmp_path):
    options = {"model_type": "bpe", "hard_vocab_limit": False, **options}
    tokenizer = tessella.load(trained(tmp_path / "x.model", **options))
    with pytest.raises(
        UnsupportedError, match=r"cannot express this SentencePiece model: the (text|ids) .* not"
    ):
        tokenizer.save(tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


def test_a_map_of_characters_is_tried_with_marks_behind_them(tmp_path):
    """No piece has them, so no text did either: such models were written, and lost the mark."""
    (tmp_path / "rules.tsv").write_text("298\t61\n", encoding="utf-8")
    rules = {"normalization_rule_tsv": str(tmp_path / "rules.tsv"), "normalization_rule_name": ""}
    path = trained(tmp_path / "x.model", model_type="bpe", remove_extra_whitespaces=False, **rules)
    library = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tokenizer = tessella.load(path)
    assert library.encode("\u0298") == library.encode("a") != library.encode("\u0298\u0301")
    for text in ("\u0298", "\u0298\u0301"):
        assert tokenizer.encode(text).ids == library.encode(text)
    with pytest.raises(UnsupportedError, match="the text"):
        tokenizer.save(tmp_path / "x.json")
