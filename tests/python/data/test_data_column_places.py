"""Where the texts of a column begin is read wherever Arrow keeps it."""

from __future__ import annotations

import numpy as np
import pytest
import tessella
from tessella._files import encode_column
from tessella.data.tables import bytes_of

pyarrow = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("shift", range(8))
def test_places_that_are_not_aligned_are_read(shift: int) -> None:
    tokenizer = tessella.Tokenizer(tessella.models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    places = pyarrow.py_buffer(bytes(shift) + np.array([0, 2, 2, 5], np.int64).tobytes())
    content = pyarrow.py_buffer(b"ab" + b"bab")
    column = pyarrow.Array.from_buffers(pyarrow.large_string(), 3, [None, places.slice(shift), content])
    assert column.to_pylist() == ["ab", "", "bab"]
    for begin in range(3):
        found = encode_column(tokenizer, *bytes_of(column.slice(begin)), special=False, threads=1)
        assert found is not None
        assert [list(ids) for ids in found] == [[2], [], [1, 2]][begin:]
