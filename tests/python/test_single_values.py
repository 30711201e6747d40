"""Arrays and tensors without a dimension: they look like lists, and cannot be walked."""

import numpy as np
import pytest
from tessella import PieceCounts, Tokenizer, decoders, models
from tessella.batch import PretrainedTokenizer

TEXT, ID = np.array("low"), np.array(1)
NO_LIST = "; an array without a dimension is no list: put `[value.item()]` in its place"
TAKE = "; take what is in the array, `value.item()`"
ONE_ID = "; an array without a dimension is one id: put it into a list"
CALLS = {
    "encode": (lambda t: t.encode(TEXT), f"for `sequence`{TAKE}"),
    "encode a pair": (lambda t: t.encode("low", TEXT), f"for `pair`{TAKE}"),
    "encode words": (lambda t: t.encode(TEXT, is_pretokenized=True), f"for `sequence`{NO_LIST}"),
    "encode_batch": (lambda t: t.encode_batch(TEXT), f"for `input`{NO_LIST}"),
    "encode_batch of some": (lambda t: t.encode_batch(["low", TEXT]), f"for `input[1]`{TAKE}"),
    "encode_ids": (lambda t: t.encode_ids(TEXT), f"for `text`{TAKE}"),
    "encode_ids_batch": (lambda t: t.encode_ids_batch(TEXT), f"for `texts`{NO_LIST}"),
    "decode": (lambda t: t.decode(ID), f"for `ids`{ONE_ID}"),
    "decode_batch": (lambda t: t.decode_batch(ID), f"for `sequences`{NO_LIST}"),
    "decode_batch of some": (lambda t: t.decode_batch([[1], ID]), f"for `sequences[1]`{ONE_ID}"),
    "add_tokens": (lambda t: t.add_tokens(TEXT), f"found ndarray array('low', dtype='<U3'){NO_LIST}"),
    "token_to_id": (lambda t: t.token_to_id(TEXT), f"for `token`{TAKE}"),
    "counts": (lambda t: PieceCounts().add(TEXT), f"for `piece`{TAKE}"),
    "tokens of a decoder": (lambda t: decoders.Fuse().decode(TEXT), "must be a list of tokens, not ndarray"),
    "tokens": (
        lambda t: PretrainedTokenizer(t).convert_tokens_to_ids(TEXT),
        "an array without a dimension holds one value; put it into a list, `[value.item()]`",
    ),
}


@pytest.fixture(scope="module")
def words():
    return Tokenizer(models.WordLevel({"low": 0, "lower": 1, "<unk>": 2}, "<unk>"))


@pytest.mark.parametrize("name", CALLS)
def test_what_is_to_be_done_is_told(words, name):
    call, told = CALLS[name]
    with pytest.raises(TypeError) as caught:
        call(words)
    assert told in str(caught.value)


def test_tensors_are_told_as_arrays_are(words):
    torch = pytest.importorskip("torch")
    for call, told in (
        (words.decode, ONE_ID),
        (words.decode_batch, NO_LIST),
        (words.encode_batch, NO_LIST),
    ):
        with pytest.raises(TypeError) as caught:
            call(torch.tensor(1))
        assert str(caught.value).endswith(told)


def test_a_number_is_an_id_whatever_holds_it(words):
    assert words.id_to_token(ID) == words.id_to_token(np.int16(1)) == "lower"
    assert words.decode([ID, np.uint8(0)]) == "lower low"
