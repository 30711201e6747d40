"""Folders with a SentencePiece model whose class cannot be made of it; and one whose pieces are language codes."""

import io
import json

import pytest
import tessella
from tessella.errors import FormatError, UnsupportedError

sentencepiece = pytest.importorskip("sentencepiece")


def write_folder(folder, kind, **options):
    writer = io.BytesIO()
    usual = {"model_type": "unigram", "vocab_size": 40, "hard_vocab_limit": False, "minloglevel": 9}
    lines = ["hello world foo bar", "the quick brown fox"] * 50
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=writer, **{**usual, **options}
    )
    for name in ("tokenizer.model", "sentencepiece.bpe.model"):
        (folder / name).write_bytes(writer.getvalue())
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))
    return folder


@pytest.mark.parametrize("kind", ["BertTokenizer", "FSMTTokenizer", "XLMTokenizerFast", "LukeTokenizer"])
def test_classes_of_other_files(kind, tmp_path):
    folder = write_folder(tmp_path, kind)
    with pytest.raises(UnsupportedError) as caught:
        tessella.AutoTokenizer.from_pretrained(folder)
    told = str(caught.value)
    assert "is not made of a SentencePiece model" in told and "runs code" not in told


@pytest.mark.parametrize("kind", ["PLBartTokenizer", "UdopTokenizer", "SentencePieceBackend"])
def test_classes_with_code_of_their_own(kind, tmp_path):
    with pytest.raises(UnsupportedError, match="runs code of its own beside its SentencePiece model"):
        tessella.AutoTokenizer.from_pretrained(write_folder(tmp_path, kind))


@pytest.mark.parametrize(
    "roles",
    [
        {"pad_token": "<s>"},
        {"unk_token": "<s>"},
        {"eos_token": "<pad>"},
        {"bos_token": {"__type": "AddedToken", "content": "<unk>", "special": True}},
    ],
)
def test_one_text_at_two_ids(roles, tmp_path):
    folder = write_folder(tmp_path, "NllbTokenizer", model_type="bpe")
    named = {"tokenizer_class": "NllbTokenizer", **roles}
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    with pytest.raises(FormatError, match=r"at the ids 0 to 3, and `<.*>` is two of them"):
        tessella.AutoTokenizer.from_pretrained(folder)


def test_two_texts_at_each_others_ids(tmp_path):
    folder = write_folder(tmp_path, "NllbTokenizer", model_type="bpe")
    named = {"tokenizer_class": "NllbTokenizer", "bos_token": "<pad>", "pad_token": "<s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    loaded = tessella.AutoTokenizer.from_pretrained(folder)
    assert loaded.convert_ids_to_tokens([0, 1, 2, 3]) == ["<pad>", "<s>", "</s>", "<unk>"]


def test_a_model_whose_ids_are_taken(tmp_path):
    ids = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    folder = write_folder(tmp_path, "SeamlessM4TTokenizer", model_type="bpe", **ids)
    with pytest.raises(FormatError, match="has `<s>` at the id 2, where this model puts `</s>`"):
        tessella.AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ([], r"added_tokens_decoder must be an object of ids and tokens, not \[\]"),
        (
            {"one": {"content": "<x>"}},
            r"added_tokens_decoder\['one'\] must have a number as its id, not 'one'",
        ),
    ],
)
def test_listed_tokens_of_another_form(listed, told, tmp_path):
    folder = write_folder(tmp_path, "LlamaTokenizer", model_type="bpe")
    settings = {"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": listed}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(FormatError, match=told):
        tessella.AutoTokenizer.from_pretrained(folder)


def test_a_language_code_that_is_a_piece_stays_special(tmp_path):
    folder = write_folder(tmp_path, "MBartTokenizer", user_defined_symbols=["en_XX"])
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    ids = ours("hello world").input_ids
    assert ours.convert_ids_to_tokens(ids)[-1] == "en_XX"
    assert ours.decode(ids, skip_special_tokens=True) == "hello world"
    ours.save_pretrained(tmp_path / "saved")
    saved = tessella.AutoTokenizer.from_pretrained(tmp_path / "saved")
    assert saved.decode(ids, skip_special_tokens=True) == "hello world"
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("google.protobuf", reason="transformers reads models with it: pip install protobuf")
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    for text in ("hello world", "en_XX hello", "foo<mask>"):
        assert theirs(text).input_ids == ours(text).input_ids
        assert theirs.decode(ids, skip_special_tokens=True) == ours.decode(ids, skip_special_tokens=True)
