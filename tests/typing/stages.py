"""Only the type checker reads this: a call of every block that a tokenizer is built from."""

import numpy as np
from tessella import (
    AddedToken,
    NormalizedString,
    PreTokenizedString,
    Regex,
    SplitDelimiterBehavior,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)
from typing_extensions import assert_type


class Shout:
    def normalize(self, text: NormalizedString) -> None:
        text.map(str.upper)


class Dashes:
    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda index, piece: piece.split("-", "removed"))


class Spaced:
    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [f" {token}" for token in tokens]


def all_normalizers(charsmap: bytes) -> None:
    every: list[normalizers.Normalizer] = [
        normalizers.NFC(),
        normalizers.NFD(),
        normalizers.NFKC(),
        normalizers.NFKD(),
        normalizers.Nmt(),
        normalizers.Lowercase(),
        normalizers.StripAccents(),
        normalizers.ByteLevel(),
        normalizers.BertNormalizer(strip_accents=None, lowercase=False),
        normalizers.Strip(left=True, right=False),
        normalizers.Prepend("▁"),
        normalizers.Replace(Regex(" {2,}"), " "),
        normalizers.Precompiled(charsmap, matching="longest_match"),
        normalizers.Normalizer.custom(Shout()),
        normalizers.unicode_normalizer_from_str("nfkc"),
    ]
    joined = normalizers.Sequence(every)
    assert_type(joined[0], normalizers.Normalizer)
    assert_type(joined.normalize_str("a"), str)
    joined[0] = normalizers.NFC()
    joined[0] = pre_tokenizers.Whitespace()  # type: ignore[assignment]
    normalizers.Normalizer.custom(Dashes())  # type: ignore[arg-type]
    normalizers.Sequence([pre_tokenizers.Whitespace()])  # type: ignore[list-item]
    normalizers.Replace(1, " ")  # type: ignore[arg-type]
    normalizers.Strip(rigth=True)  # type: ignore[call-arg]
    normalizers.Precompiled(charsmap, matching="longest")  # type: ignore[arg-type]


def all_pre_tokenizers() -> None:
    every: list[pre_tokenizers.PreTokenizer] = [
        pre_tokenizers.BertPreTokenizer(),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        pre_tokenizers.CharDelimiterSplit("|"),
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.FixedLength(length=5),
        pre_tokenizers.Metaspace("▁", "first", split=False),
        pre_tokenizers.Punctuation("isolated"),
        pre_tokenizers.Punctuation(SplitDelimiterBehavior.REMOVED),
        pre_tokenizers.Split("-", "merged_with_previous", invert=True),
        pre_tokenizers.Split(Regex(r"\d+"), SplitDelimiterBehavior.ISOLATED),
        pre_tokenizers.UnicodeScripts(),
        pre_tokenizers.Whitespace(),
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.PreTokenizer.custom(Dashes()),
    ]
    joined = pre_tokenizers.Sequence(every)
    assert_type(joined[0], pre_tokenizers.PreTokenizer)
    assert_type(joined.pre_tokenize_str("a"), list[tuple[str, tuple[int, int]]])
    assert_type(pre_tokenizers.ByteLevel.alphabet(), list[str])
    pre_tokenizers.Metaspace(prepend_scheme="sometimes")  # type: ignore[arg-type]
    pre_tokenizers.Split("-", "merged")  # type: ignore[arg-type]
    pre_tokenizers.PreTokenizer.custom(Shout())  # type: ignore[arg-type]


def all_models() -> None:
    every: list[models.Model] = [
        models.BPE({"a": 0}, [], dropout=0.1, unk_token="a", byte_fallback=True, ignore_merges=True),
        models.BPE.from_file("vocab.json", "merges.txt", dropout=0.1),
        models.WordPiece({"[UNK]": 0}, unk_token="[UNK]", max_input_chars_per_word=100),
        models.WordPiece.from_file("vocab.txt", continuing_subword_prefix="@@"),
        models.WordLevel({"a": 0}, "a"),
        models.WordLevel.from_file("vocab.json", unk_token="a"),
        models.Unigram([("a", -1.0)], 0, byte_fallback=True, alpha=0.1, nbest_size=8),
    ]
    assert_type(every[0].token_to_id("a"), int | None)
    assert_type(every[0].tokenize("a")[0].offsets, tuple[int, int])
    assert_type(models.BPE().dropout, float | None)
    assert_type(every[0].save("folder"), list[str])
    models.BPE({"a": 0}, ["a b"])  # type: ignore[list-item]
    models.BPE.from_file("vocab.json", "merges.txt", drop_out=0.1)  # type: ignore[call-arg]
    models.WordLevel(["a"])  # type: ignore[arg-type]
    models.Unigram({"a": -1.0})  # type: ignore[dict-item]
    models.BPE().dropout = "0.1"  # type: ignore[assignment]


def all_processors() -> None:
    every: list[processors.PostProcessor] = [
        processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0)),
        processors.RobertaProcessing(("</s>", 1), ("<s>", 0), trim_offsets=False),
        processors.ByteLevel(trim_offsets=True),
        processors.TemplateProcessing("[CLS] $A", ["$A", "$B:1"], [("[CLS]", 0), (1, "[SEP]")]),
        processors.TemplateProcessing("<a> $0", None, [{"id": "<a>", "ids": [0], "tokens": ["<a>"]}]),
    ]
    joined = processors.Sequence(every)
    assert_type(joined[0], processors.PostProcessor)
    assert_type(joined.num_special_tokens_to_add(True), int)
    processors.BertProcessing("[SEP]", "[CLS]")  # type: ignore[arg-type]
    processors.TemplateProcessing("[CLS] $A", special_tokens={"[CLS]": 0})  # type: ignore[dict-item]


def all_decoders() -> None:
    every: list[decoders.Decoder] = [
        decoders.BPEDecoder(suffix="</w>"),
        decoders.ByteFallback(),
        decoders.ByteLevel(),
        decoders.CTC(pad_token="<pad>", cleanup=False),
        decoders.Fuse(),
        decoders.Metaspace(prepend_scheme="never"),
        decoders.Replace("▁", " "),
        decoders.Strip(" ", left=1, right=0),
        decoders.WordPiece(prefix="##"),
        decoders.Decoder.custom(Spaced()),
    ]
    joined = decoders.Sequence(every)
    assert_type(joined[0], decoders.Decoder)
    assert_type(joined.decode(["a"]), str)
    assert_type(joined.decode_chain(["a"]), list[str])
    decoders.Strip(start=1)  # type: ignore[call-arg]
    decoders.Decoder.custom(Shout())  # type: ignore[arg-type]


def the_tokenizer(tokenizer: Tokenizer) -> None:
    assert_type(tokenizer.model, models.Model)
    assert_type(tokenizer.normalizer, normalizers.Normalizer | None)
    assert_type(tokenizer.pre_tokenizer, pre_tokenizers.PreTokenizer | None)
    assert_type(tokenizer.post_processor, processors.PostProcessor | None)
    assert_type(tokenizer.decoder, decoders.Decoder | None)
    model = tokenizer.model
    if isinstance(model, models.BPE):
        model.dropout = 0.1
        model.droput = 0.1  # type: ignore[attr-defined]
    tokenizer.model = models.BPE()
    tokenizer.add_tokens(["a", AddedToken("b", lstrip=True)])
    tokenizer.decoder = normalizers.NFC()  # type: ignore[assignment]
    tokenizer.model = None  # type: ignore[assignment]
    tokenizer.decoder.decode(["a"])  # type: ignore[union-attr]
    tokenizer.normalizer.normalize_str("a")  # type: ignore[union-attr]
    tokenizer.normalizer = None
    Tokenizer(pre_tokenizers.Whitespace())  # type: ignore[arg-type]
    Tokenizer(models.BPE(), 1)  # type: ignore[call-arg]
    Tokenizer()  # type: ignore[call-arg]


def texts(
    tokenizer: Tokenizer, words: list[str], rows: list[list[str]], pairs: list[tuple[str, str]]
) -> None:
    tokenizer.encode("a", pair="b")
    tokenizer.encode(words, is_pretokenized=True)
    tokenizer.encode(("a", "b"), ["c"], is_pretokenized=True)
    tokenizer.encode(np.array(["a", "b"]), is_pretokenized=True)
    tokenizer.encode_batch(words)
    tokenizer.encode_batch(pairs)
    tokenizer.encode_batch(rows, is_pretokenized=True)
    tokenizer.encode_batch([(rows[0], rows[1])], is_pretokenized=True)
    tokenizer.encode_batch([rows], is_pretokenized=True)
    tokenizer.encode_batch(text for text in words)
    tokenizer.encode("a", truncation={"max_length": 5, "direction": "left"}, padding=True)
    tokenizer.encode("a", truncation=tokenizer.truncation, padding=tokenizer.padding)
    tokenizer.enable_truncation(5, strategy="only_first", direction="left")
    if (padding := tokenizer.padding) is not None:
        assert_type(padding["pad_id"], int)
        tokenizer.enable_padding(**padding)
        padding["pad"]  # type: ignore[typeddict-item]
    tokenizer.encode(None)  # type: ignore[arg-type]
    tokenizer.encode(b"a")  # type: ignore[arg-type]
    tokenizer.encode({"a": 1})  # type: ignore[arg-type]
    tokenizer.encode_batch([1])  # type: ignore[list-item]
    tokenizer.encode("a", truncation={"length": 5})  # type: ignore[arg-type]
    tokenizer.encode("a", padding={"direction": "up"})  # type: ignore[arg-type]
    tokenizer.enable_padding(direction="up")  # type: ignore[arg-type]
    tokenizer.enable_truncation(5, strategy="longest")  # type: ignore[arg-type]
    tokenizer.decode("a")  # type: ignore[arg-type]
    tokenizer.decode([[1]])  # type: ignore[list-item]
    tokenizer.save("a", format="yaml")  # type: ignore[arg-type]
