"""Keys that come twice in a tokenizer.json and fields that nobody reads are told; what the library refuses is refused."""

import os
import warnings
from pathlib import Path

import pytest
from tessella import Tokenizer
from tessella.errors import FormatError

library = pytest.importorskip("tokenizers", reason="the library itself is the oracle")

TEXT = "ABAB ab ba z"
BASE = (
    '{"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":0,"content":"<u>",'
    '"single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],'
    '"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,'
    '"decoder":{"type":"WordPiece","prefix":"##","cleanup":true},"model":{"type":"BPE","dropout":null,'
    '"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,'
    '"byte_fallback":false,"ignore_merges":false,"vocab":{"<u>":0,"a":1,"b":2,"ab":3,"ba":4},"merges":[["a","b"]]}}'
)
TRUNCATION = '{"max_length":3,"strategy":"LongestFirst","stride":0,"direction":"Right"}'
PADDING = (
    '{"strategy":{"Fixed":9},"direction":"Right","pad_to_multiple_of":null,"pad_id":0,"pad_type_id":0,'
    '"pad_token":"x"}'
)
TEMPLATE = (
    '{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"type_id","type_id":0}},'
    '{"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},'
    '{"Sequence":{"id":"B","type_id":0}}],'
    '"special_tokens":{"type_id":{"id":"type_id","ids":[2],"tokens":["b"]}}}'
)

# What is replaced by what, and the path that the warning names.
TWICE = [
    ('"normalizer":', '"normalizer":null,"normalizer":', "$.normalizer"),
    ('"version":"1.0"', '"version":"1.0","version":"1.0"', "$.version"),
    ('"model":{', '"model":{"type":"WordLevel","vocab":{},"unk_token":"x"},"model":{', "$.model"),
    ('"dropout":null', '"dropout":1.0,"dropout":null', "$.model.dropout"),
    ('"vocab":{', '"vocab":{"z":9},"vocab":{', "$.model.vocab"),
    ('"merges":[', '"merges":[["b","a"]],"merges":[', "$.model.merges"),
    # The merges are those of the vocabulary that counts, wherever it stands.
    (
        '"merges":[["a","b"]]',
        '"merges":[["a","b"]],"vocab":{"<u>":0,"b":1,"a":2,"ab":3}',
        "$.model.vocab",
    ),
    ('"ab":3', '"ab":3,"ab":5', "$.model.vocab.ab"),
    ('"prefix":"##"', '"prefix":"##","prefix":"@@"', "$.decoder.prefix"),
    ('"type":"Lowercase"', '"type":"NFC","type":"Lowercase"', "$.normalizer.type"),
]
UNKNOWN = [
    ('"dropout":null', '"dropuot":0.5', "$.model.dropuot", "dropout"),
    ('"dropout":null', '"dropout":null,"zzz":0.5', "$.model.zzz", None),
    ('"lstrip":false', '"lstripp":false,"lstrip":false', "$.added_tokens[0].lstripp", "lstrip"),
    ('"type":"Lowercase"', '"type":"Lowercase","lowercse":1', "$.normalizer.lowercse", "lowercase"),
    ('"type":"Whitespace"', '"type":"Whitespace","foo bar":1', '$.pre_tokenizer["foo bar"]', None),
    ('"cleanup":true', '"cleanup":true,"cleanupp":true', "$.decoder.cleanupp", "cleanup"),
    (
        '"truncation":null',
        f'"truncation":{TRUNCATION[:-1]},"directon":1}}',
        "$.truncation.directon",
        "direction",
    ),
    ('"padding":null', f'"padding":{PADDING[:-1]},"pad_tokenn":1}}', "$.padding.pad_tokenn", "pad_token"),
    (
        '"post_processor":null',
        f'"post_processor":{TEMPLATE[:-1]},"singel":1}}',
        "$.post_processor.singel",
        "single",
    ),
    ('"merges":', '"mergse":[],"merges":', "$.model.mergse", "merges"),
]
REFUSED = [
    ('"type":"BPE"', '"type":"BPE","type":"BPE"', r"\$\.model\.type"),
    ('"content":"<u>"', '"content":"<u>","content":"<v>"', r"\$\.added_tokens\[0\]\.content"),
    ('"truncation":null', f'"truncation":{{"max_length":4,{TRUNCATION[1:]}', r"\$\.truncation\.max_length"),
    ('"padding":null', f'"padding":{{"pad_id":0,{PADDING[1:]}', r"\$\.padding\.pad_id"),
    ('"version"', '"normaliser":null,"version"', r"did you mean `normalizer`\?.*\$\.normaliser"),
    ('"version"', '"qqq":null,"version"', r"`qqq` is unknown; a document has version, truncation"),
]


def changed(before, after):
    assert BASE.count(before) == 1
    return BASE.replace(before, after)


def told(text):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tokenizer = Tokenizer.from_str(text)
    return tokenizer, [str(one.message) for one in caught]


def same_as_the_library(tokenizer, text):
    theirs = library.Tokenizer.from_str(text)
    assert tokenizer.encode(TEXT).ids == theirs.encode(TEXT).ids
    assert tokenizer.decode([1, 3, 4]) == theirs.decode([1, 3, 4])


@pytest.mark.parametrize(("before", "after", "path"), TWICE, ids=lambda value: value[:30])
def test_the_last_of_two_counts_and_that_is_told(before, after, path):
    text = changed(before, after)
    tokenizer, warned = told(text)
    assert warned == [f"the key {path} comes twice in the file: the last value counts"]
    same_as_the_library(tokenizer, text)


@pytest.mark.parametrize(("before", "after", "path", "meant"), UNKNOWN, ids=lambda value: str(value)[:30])
def test_an_unknown_field_is_told_with_the_near_name(before, after, path, meant):
    text = changed(before, after)
    tokenizer, warned = told(text)
    end = "" if meant is None else f"; did you mean `{meant}`?"
    assert warned == [f"the field {path} is unknown and passed over{end}"]
    same_as_the_library(tokenizer, text)


@pytest.mark.parametrize(("before", "after", "message"), REFUSED, ids=lambda value: value[:30])
def test_what_the_library_refuses_is_refused(before, after, message):
    text = changed(before, after)
    with pytest.raises(Exception, match=r"line 1 column \d+"):
        library.Tokenizer.from_str(text)
    with pytest.raises(FormatError, match=message):
        Tokenizer.from_str(text)


def test_the_warning_stands_where_the_caller_is():
    with pytest.warns(UserWarning, match="dropuot") as caught:
        Tokenizer.from_str(changed('"dropout":null', '"dropuot":0.5'))
    assert [one.filename for one in caught] == [__file__]


def test_many_slips_are_few_lines():
    many = ",".join(f'"a":{number}' for number in range(1, 40))
    _, warned = told(changed('"a":1', many))
    assert len(warned) == 9
    assert warned[-1] == "30 more keys come twice or are unknown"


def test_texts_that_are_keys_are_no_fields():
    text = changed('"post_processor":null', f'"post_processor":{TEMPLATE}')
    tokenizer, warned = told(text)
    assert warned == []
    same_as_the_library(tokenizer, text)
    assert told(tokenizer.to_str())[1] == []


def test_real_files_are_clean():
    folder = os.environ.get("TESSELLA_MODELS")
    if folder is None:
        pytest.skip("TESSELLA_MODELS is not set")
    files = sorted(Path(folder).rglob("tokenizer.json")) + sorted(Path(folder).glob("*.json"))
    seen = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        if '"model"' not in text or '"added_tokens"' not in text:
            continue
        _, warned = told(text)
        assert [line for line in warned if "twice" in line or "unknown" in line] == [], path
        seen += 1
    assert seen
