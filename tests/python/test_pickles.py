"""Every protocol of pickles takes what this package pickles; the reference library's objects know the newer ones alone."""

import copy
import pickle

import pytest
import tessella
from tessella import Regex, Token, models, pre_tokenizers, processors

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def encoding():
    tokenizer = tessella.Tokenizer(models.WordLevel({"a": 0, "b": 1, "[S]": 2, "ü": 3}, unk_token="b"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing("[S] $A", "[S] $A $B:1", [("[S]", 2)])
    tokenizer.enable_truncation(4, stride=1)
    tokenizer.enable_padding()
    return tokenizer.encode("a ü x a b", "b")


def columns(encoding):
    names = ("ids", "tokens", "offsets", "word_ids", "type_ids", "sequence_ids", "attention_mask")
    return [[getattr(one, name) for name in names] for one in (encoding, *encoding.overflowing)]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_encodings(protocol):
    here = encoding()
    assert len(here.overflowing) > 0
    again = pickle.loads(pickle.dumps(here, protocol))
    assert type(again) is tessella.Encoding and columns(again) == columns(here)
    batch = tessella.batch.BatchEncoding({"input_ids": [here.ids]}, [here])
    assert columns(pickle.loads(pickle.dumps(batch, protocol))[0]) == columns(here)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_small_values(protocol):
    token = pickle.loads(pickle.dumps(Token(3, "ü", (0, 2)), protocol))
    assert token.as_tuple() == (3, "ü", (0, 2))
    assert pickle.loads(pickle.dumps(Regex(r"\s+ü"), protocol)).pattern == r"\s+ü"


def test_pickles_of_before():
    """The state that older releases stored."""
    here = encoding()
    old = tessella.Encoding.__new__(tessella.Encoding)
    old.__setstate__(here.__getstate__())
    assert columns(old) == columns(here) == columns(copy.deepcopy(here)) == columns(copy.copy(here))
