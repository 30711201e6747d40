"""What no sequences are."""

import numpy as np
import pytest

pytest.importorskip("gensim")

from tessella.embeddings import train_vectors


@pytest.mark.parametrize(
    ("sequences", "message"),
    [
        (3, "`sequences` must be a list of lists of items, not int 3"),
        ("abc", "`sequences` must be a list of lists of items, not one str"),
        (["abc"], "every sequence must be a list of items, found one str"),
        ([["a", ["b"]]], r"an item must be hashable.*found list \['b'\]"),
    ],
)
def test_refused(sequences, message):
    with pytest.raises(TypeError, match=message):
        train_vectors(sequences, epochs=1)


def test_items_of_arrays():
    vectors = train_vectors(np.array([[3, 4, 3]] * 4), epochs=1, dimensions=4)
    assert vectors[3].shape == vectors[np.int64(4)].shape == (4,)
