"""The documents of a shard in an order drawn from a seed.

They are written to a file that nobody else sees, since a shard may be larger than memory, and read from it in
the new order. Only lengths are held. The order across shards is drawn where a corpus is read
(``tessella.data.open``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any

from .._given import whole
from ..errors import ArgumentError
from .batches import Batch

#: Tokens that are handed on at a time.
PORTION = 1 << 22


def order(count: int, seed: int, shard: int) -> Any:
    """The numbers below ``count`` in an order that depends on seed and shard alone.

    Example:
        >>> sorted(order(5, 1, 0).tolist())
        [0, 1, 2, 3, 4]
    """
    import numpy as np

    # PCG64 and its sorting of random keys give the same on every machine and in every version of NumPy.
    keys = np.random.PCG64([seed, shard]).random_raw(count)
    return np.argsort(keys, kind="stable")


def drawn(count: int, number: int, seed: int) -> list[int]:
    """Some of the numbers below ``count``, drawn from a seed, in their order.

    Example:
        >>> drawn(2, 5, 0)
        [0, 1]
    """
    import random

    count, seed = whole("count", count, 0), whole("seed", seed)
    if (number := whole("number", number)) < 0:
        raise ArgumentError(f"`number` must be 0 or more, found {number}")
    return sorted(random.Random(seed).sample(range(count), min(number, count)))


def shuffled(batches: Iterator[Batch], seed: int, shard: int) -> Iterator[Batch]:
    """The same documents in another order."""
    import numpy as np

    with (
        tempfile.TemporaryFile(prefix="tessella-") as ids,
        tempfile.TemporaryFile(prefix="tessella-") as marks,
    ):
        held: list[Batch] = []
        dtype, has_mask = np.dtype("<u4"), False
        for batch in batches:
            dtype, has_mask = batch.ids.dtype, batch.mask is not None
            _append(ids, batch.ids)
            if batch.mask is not None:
                _append(marks, batch.mask)
            held.append(replace(batch, ids=batch.ids[:0], mask=None))
        lengths = np.concatenate([np.empty(0, np.int64), *(one.lengths for one in held)])
        if not lengths.sum():
            return
        all_ids = np.memmap(ids, dtype, "r")
        all_marks = np.memmap(marks, np.uint8, "r") if has_mask else None
        yield from _gathered(held, lengths, order(len(lengths), seed, shard), all_ids, all_marks)


def _append(file: IO[bytes], values: Any) -> None:
    if values.size:
        file.write(memoryview(values).cast("B"))
        file.flush()


def _gathered(held: list[Batch], lengths: Any, new: Any, ids: Any, marks: Any) -> Iterator[Batch]:
    """The documents in their new order, some at a time."""
    import numpy as np

    # Each with its number: a shard may be of very many small files.
    numbers: dict[str, int] = {}
    for one in held:
        for path in one.paths:
            numbers.setdefault(path, len(numbers))
    paths = tuple(numbers)
    files = np.concatenate(
        [np.array([numbers[path] for path in one.paths])[_or_zeros(one.files, one)] for one in held]
    )
    rows = np.concatenate([_or_zeros(one.rows, one) for one in held])
    starts, ends = lengths.cumsum() - lengths, lengths[new].cumsum()
    first = 0
    while first < len(new):
        begin = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, begin + PORTION, "right")))
        some = new[first:last]
        places = gather(starts[some], lengths[some])
        mask = None if marks is None else np.asarray(marks[places])
        yield Batch(np.asarray(ids[places]), lengths[some], paths, files[some], rows[some], mask)
        first = last


def _or_zeros(values: Any, batch: Batch) -> Any:
    import numpy as np

    return np.zeros(len(batch.lengths), np.int64) if values is None else values


def gather(starts: Any, lengths: Any) -> Any:
    """The places of spans, one after the other: from ``starts[i]``, ``lengths[i]`` of them.

    Example:
        >>> import numpy as np
        >>> gather(np.array([5, 0]), np.array([2, 3])).tolist()
        [5, 6, 0, 1, 2]
    """
    import numpy as np

    ends = lengths.cumsum()
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(int(ends[-1]) if len(ends) else 0)
