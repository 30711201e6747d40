"""Look-ups in a batch: rows and places counted from either end, and arrays made of columns afterwards."""

import numpy as np
import pytest
from tessella.batch import BatchEncoding, PretrainedTokenizer


@pytest.fixture(params=[True, False], ids=["special tokens", "none"])
def batch(words, request):
    # The second row has other numbers of tokens and words.
    pairs = [("the quick fox", "jumps"), ("fox", "the quick jumps fox")]
    return PretrainedTokenizer(words)(pairs, add_special_tokens=request.param)


def test_tokens_are_counted_from_the_end_as_in_lists(batch):
    for row in (0, 1):
        size = len(batch["input_ids"][row])
        assert {batch.token_to_sequence(row, token) for token in range(size)} >= {0, 1}
        for look_up in (batch.token_to_word, batch.token_to_sequence, batch.token_to_chars):
            found = [look_up(row, token) for token in range(size)]
            assert [look_up(row, token - size) for token in range(size)] == found
            assert look_up(row - 2, 1) == found[1]
            assert look_up(row, -size - 1) is None and look_up(row, size) is None


def test_words_are_counted_from_the_end_of_their_sequence(batch):
    for row, counts in enumerate([(3, 1), (1, 4)]):
        for sequence, count in enumerate(counts):
            for look_up in (batch.word_to_tokens, batch.word_to_chars):
                found = [look_up(row, word, sequence) for word in range(count)]
                assert None not in found
                assert [look_up(row, word - count, sequence) for word in range(count)] == found
                assert look_up(row, -count - 1, sequence) is None and look_up(row, count, sequence) is None


def test_columns_become_arrays_where_they_are():
    rows = BatchEncoding({"input_ids": [[1, 2], [3, 4]]})
    assert rows.convert_to_tensors() is rows and rows["input_ids"] == [[1, 2], [3, 4]]
    assert rows.convert_to_tensors("np")["input_ids"].tolist() == [[1, 2], [3, 4]]
    one = BatchEncoding({"input_ids": [1, 2]}).convert_to_tensors("np", prepend_batch_axis=True)
    assert isinstance(one["input_ids"], np.ndarray) and one["input_ids"].shape == (1, 2)
