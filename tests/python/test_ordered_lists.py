"""Lists whose order is the id, the rank or the stage: a set, a dict or a text is none of them."""

import io
import json

import numpy as np
import pytest
import tessella
from tessella import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from tessella.batch import PretrainedTokenizer
from tessella.cli import main
from tessella.compat import sentencepiece
from tessella.compat.transformers import PreTrainedTokenizerFast


def words():
    return Tokenizer(models.WordLevel({"a": 0, "b": 1, "[PAD]": 2}, "a"))


def batch():
    return PretrainedTokenizer(words(), pad_token="[PAD]", unk_token="a")


VOCAB = {"a": 0, "b": 1, "ab": 2, "c": 3, "bc": 4}
# What takes such a list: the call with it, and what the list may be.
TAKERS = {
    "add_tokens": (lambda x: words().add_tokens(x), ["x", "y"]),
    "add_special_tokens": (lambda x: words().add_special_tokens(x), ["x", "y"]),
    "special_tokens": (lambda x: trainers.BpeTrainer(special_tokens=x), ["x", "y"]),
    "unigram special_tokens": (lambda x: trainers.UnigramTrainer(special_tokens=x), ["x", "y"]),
    "forced_tokens": (lambda x: trainers.BpeTrainer(forced_tokens=x), ["x", "y"]),
    "initial tokens": (lambda x: trainers.BpeTrainer(initial_vocab=(x, [])), ["x", "y"]),
    "initial merges": (lambda x: trainers.BpeTrainer(initial_vocab=(VOCAB, x)), [("a", "b")]),
    "Unigram": (lambda x: models.Unigram(x, 0), [("a", 0.0), ("b", -1.0)]),
    "merges": (lambda x: models.BPE(VOCAB, x), [("a", "b"), ("b", "c")]),
    "normalizers": (normalizers.Sequence, [normalizers.NFC(), normalizers.Lowercase()]),
    "pre_tokenizers": (pre_tokenizers.Sequence, [pre_tokenizers.Digits(), pre_tokenizers.Whitespace()]),
    "processors": (processors.Sequence, [processors.ByteLevel(), processors.ByteLevel()]),
    "decoders": (decoders.Sequence, [decoders.Fuse(), decoders.ByteFallback()]),
    "template": (lambda x: processors.TemplateProcessing(x), ["$A"]),
    "template tokens": (lambda x: processors.TemplateProcessing("$A x", "$A $B", x), [("x", 1)]),
    "convert": (lambda x: batch().convert_tokens_to_ids(x), ["a", "b"]),
    "extra": (lambda x: PretrainedTokenizer(words(), extra_special_tokens=x), ["a", "b"]),
}


@pytest.mark.parametrize("name", TAKERS)
def test_what_has_no_order_is_refused(name):
    take, entries = TAKERS[name]
    take(list(entries))
    take(tuple(entries))
    for kind in (set, frozenset):
        with pytest.raises(TypeError, match="set"):
            take(kind(entries))
    if name not in ("extra", "initial tokens"):  # where a dict gives roles and ids
        with pytest.raises(TypeError, match="dict"):
            take(dict.fromkeys(entries, 1))
    # The keys of a dict are in its order.
    take(dict.fromkeys(entries).keys())


def test_a_set_for_a_field_of_a_template():
    template = processors.TemplateProcessing("$A x", "$A $B", [("x", 1)])
    with pytest.raises(TypeError, match="set"):
        template.special_tokens = {("x", 1)}


@pytest.mark.parametrize("flag", ["single_word", "lstrip", "rstrip", "normalized", "special"])
def test_flags_of_added_tokens_are_flags(flag):
    token = AddedToken("x", **{flag: True})
    assert getattr(token, flag) is True
    setattr(token, flag, np.bool_(False))
    assert not getattr(token, flag)
    for value in ("no", 1, None) if flag != "normalized" else ("no", 1):
        with pytest.raises(TypeError, match=f"`{flag}` of an AddedToken must be a bool"):
            AddedToken("x", **{flag: value})
        with pytest.raises(TypeError, match=f"`{flag}`"):
            setattr(token, flag, value)


def test_bytes_and_arrays_of_no_dimension_are_no_ids():
    for tokenizer in (words(), batch()):
        for value in (b"ab", bytearray(b"ab"), memoryview(b"ab")):
            with pytest.raises(TypeError, match=r"ids|bytes"):
                tokenizer.decode(value)
    with pytest.raises(TypeError, match=r"array without a dimension is one id: put it into a list"):
        words().decode(np.array(1))
    assert words().decode(memoryview(np.array([0, 1], np.int64))) == "a b"
    assert batch().decode(np.array(1)) == "b"


def test_rows_to_pad_are_lists_of_ids():
    for rows in ([{1, 2}], [[1], {2}], [b"ab"], [1, [2]], ["ab"], [True]):
        with pytest.raises(TypeError, match=r"`input_ids\[\d\]` must be "):
            batch().pad({"input_ids": rows})
    assert batch().pad({"input_ids": [[1], [1, 0]]})["input_ids"] == [[1, 2], [1, 0]]
    assert batch().pad({"input_ids": [np.int64(1)]})["input_ids"] == [1]


def test_an_error_of_a_call_speaks_of_calls():
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words(), unk_token="a")
    with pytest.raises(TypeError) as caught:
        tokenizer([["a"]])
    told = str(caught.value)
    assert told == (
        "row 0 of the batch, of type list: a row must be a str, or a pair of two, found list ['a'] for "
        "`text[0]`; for words, pass is_split_into_words=True"
    )
    with pytest.raises(TypeError, match=r"a row must be a list of str.* found list \[5\] for `text\[1\]`$"):
        tokenizer([["a"], [5]], is_split_into_words=True)
    with pytest.raises(TypeError, match="U\\+D800 at character 1"):
        tokenizer(["a", "b\ud800"])


@pytest.mark.parametrize("ids", ["1_000", "１２", "0x1", "+1", "1.0", "٣"])
def test_ids_of_the_command_line_are_ascii_digits(ids, tmp_path, capsys):
    path = tmp_path / "tokenizer.json"
    words().save(path)
    assert main(["decode", str(path), "--ids", ids]) != 0
    assert "expected ids such as" in capsys.readouterr().err


def test_options_of_sentencepiece_are_no_texts():
    file = io.BytesIO()
    texts = iter(["abra", "bar"])
    options = {"model_type": "char", "vocab_size": 8}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=texts, model_writer=file, **options)
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    for name in ("add_bos", "add_eos", "reverse", "emit_unk_piece", "enable_sampling"):
        for text in ("bra", ["bra"]):
            with pytest.raises(TypeError, match=f"`{name}` must be a bool, found str 'no'"):
                processor.encode(text, **{name: "no"})
    assert processor.encode("bra", add_bos=1) == processor.encode("bra", add_bos=True)


def test_files_are_encoded_with_special_tokens_as_text(tmp_path):
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "<": 1, "s": 2, ">": 3}, "a"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["<s>"])
    path = tmp_path / "x.txt"
    path.write_text("a <s>")
    rows = tmp_path / "x.jsonl"
    rows.write_text(json.dumps({"text": "a <s>"}))
    for file in (path, rows):
        assert tokenizer.encode_files(file).to_list() == [[0, 4]]
        expected = tokenizer.encode_ids_batch(["a <s>"], encode_special_tokens=True).to_list()
        assert tokenizer.encode_files(file, encode_special_tokens=True).to_list() == expected != [[0, 4]]
    with pytest.raises(TypeError, match="`paths` must be a path or a list of paths, not set"):
        tokenizer.encode_files({path})


@pytest.mark.parametrize("name", ["x.gz", "x.jsonl.gz", "x.zst", "x.ZSTD"])
def test_a_text_that_is_named_like_a_packed_file_is_told(name, tmp_path):
    path = tmp_path / name
    path.write_text('{"text": "a"}\n')
    kind = "gzip" if name.endswith("gz") else "zstd"
    with pytest.raises(tessella.errors.FormatError, match=f"named like a {kind} file"):
        tessella.count_pieces([path])
    with pytest.raises(tessella.errors.FormatError, match=f"named like a {kind} file"):
        words().encode_files(path)
    path.write_bytes(b"")
    with pytest.raises(tessella.errors.ArgumentError, match="0 texts were read"):
        tessella.count_pieces([path])
