"""Sums over documents, in a bounded number of blocks of neighbours.

Intervals need to know how documents differ, and a corpus may have more documents than memory. So neighbouring
documents share a block: there are never more than ``most`` blocks, and when they are full, each two
neighbours become one. With ``most`` documents or fewer every document is a block of its own.

Blocks of neighbours have a second good side. Lines of one file are alike, and intervals that take them for
independent are too narrow; what neighbours have in common stays within their block.

Example:
    >>> import numpy as np
    >>> from tessella.evaluate.blocks import Blocks
    >>> blocks = Blocks(1, most=2)
    >>> for size in (3, 4, 5):
    ...     blocks.add(np.array([[size]]))
    >>> blocks.sums().tolist(), blocks.documents
    ([[7], [5]], 3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Whole = npt.NDArray[np.int64]
    Packed = tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]


class Blocks:
    """Rows of numbers, one for each document, added up in blocks.

    Args:
        columns: numbers of a row.
        most: the most blocks there may be, an even number: two neighbours become one.
    """

    def __init__(self, columns: int, most: int) -> None:
        self._sums: Whole = np.zeros((most, columns), dtype=np.int64)
        #: Documents so far, and documents of a full block.
        self.documents, self.each = 0, 1

    def add(self, rows: Whole) -> None:
        """Adds documents, in their order."""
        if not len(rows):
            return
        most, end = len(self._sums), self.documents + len(rows)
        while -(-end // self.each) > most:
            halves = self._sums.reshape(most // 2, 2, -1).sum(axis=1)
            self._sums[:] = 0
            self._sums[: most // 2] = halves
            self.each *= 2
        block = np.arange(self.documents, end) // self.each
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        self._sums[block[starts]] += np.add.reduceat(rows, starts, axis=0)
        self.documents = end

    def sums(self) -> Whole:
        """The blocks that hold documents; all but the last hold the same number."""
        return self._sums[: -(-self.documents // self.each)]


class Histogram:
    """How often each id occurs, in a bounded number of groups of neighbouring documents.

    Args:
        size: one more than the largest id.
        most: the most groups there may be, an even number, or 1.
    """

    def __init__(self, size: int, most: int) -> None:
        self._most, self._each = most, 1
        self._open: Whole = np.zeros(size, dtype=np.int64)
        self._inside = 0
        self._closed: list[Packed] = []

    def add(self, ids: npt.NDArray[np.uint32], offsets: Whole) -> None:
        """Adds documents, each from one offset to the next."""
        at, end = 0, len(offsets) - 1
        while at < end:
            take = end - at if self._most == 1 else min(self._each - self._inside, end - at)
            some = ids[offsets[at] : offsets[at + take]]
            if len(some) * 8 > len(self._open):
                self._open += np.bincount(some, minlength=len(self._open))
            else:
                np.add.at(self._open, some, 1)
            self._inside += take
            at += take
            if self._most > 1 and self._inside == self._each:
                self._close()

    def _close(self) -> None:
        self._closed.append(_packed(self._open))
        self._open[:] = 0
        self._inside = 0
        if len(self._closed) == self._most:
            self._closed = [
                self._joined(*pair) for pair in zip(self._closed[::2], self._closed[1::2], strict=True)
            ]
            self._each *= 2

    def _joined(self, one: Packed, other: Packed) -> Packed:
        both = np.zeros(len(self._open), dtype=np.int64)
        both[one[0]] = one[1]
        both[other[0]] += other[1]
        return _packed(both)

    def total(self) -> Whole:
        """The count of each id."""
        total = self._open.copy()
        for used, counts in self._closed:
            total[used] += counts
        return total

    def groups(self) -> list[Packed]:
        """Ids and counts of each group."""
        return [*self._closed, _packed(self._open)] if self._inside else list(self._closed)


def _packed(counts: Whole) -> Packed:
    """The ids that occur and their counts, in half the memory where numbers are small enough."""
    used = np.flatnonzero(counts)
    some = counts[used]
    if len(some) and some.max() < 1 << 32:
        return used.astype(np.uint32), some.astype(np.uint32)
    return used, some
