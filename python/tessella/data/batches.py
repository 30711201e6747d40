"""Documents on their way from texts to files: ids in one buffer, with what is known of each.

``framed`` puts the tokens around documents that stand for their beginning and end, leaves documents without
tokens out, and brings ids to the type that the files have, where every id is looked at: none is ever cut off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class Batch:
    """Some documents.

    Attributes:
        ids: the ids of all of them, one document after the other.
        lengths: the number of ids of each.
        paths: the files that they come from.
        files: which of these each comes from; ``None`` where it is the first for all.
        rows: the place of each among the texts of its file's part, from 0.
        mask: for each id whether it counts for the loss, 1 or 0; ``None`` where nobody asked.
        spans: where documents are packed into rows: the lengths of the documents in each row.
    """

    ids: npt.NDArray[Any]
    lengths: npt.NDArray[np.int64]
    paths: tuple[str, ...] = ("",)
    files: npt.NDArray[np.int64] | None = None
    rows: npt.NDArray[np.int64] | None = None
    mask: npt.NDArray[np.uint8] | None = None
    spans: tuple[npt.NDArray[np.int64], ...] | None = None

    @property
    def ends(self) -> npt.NDArray[np.int64]:
        """Where each document ends."""
        return self.lengths.cumsum()

    def documents(self) -> Iterator[npt.NDArray[Any]]:
        """The ids of each document."""
        start = 0
        for end in self.ends.tolist():
            yield self.ids[start:end]
            start = end


def framed(batch: Batch, bos: int | None, eos: int | None, dtype: np.dtype[Any]) -> Batch:
    """The documents that have tokens, each with its first and last one, in another type.

    Args:
        batch: documents.
        bos: the id to put before each, ``None`` for none.
        eos: the id to put behind each, ``None`` for none.
        dtype: the type of numbers in files.

    Example:
        >>> import numpy as np
        >>> batch = Batch(np.array([5, 6, 7], np.uint32), np.array([2, 0, 1]))
        >>> framed(batch, None, 9, np.dtype("<u2")).ids
        array([5, 6, 9, 7, 9], dtype=uint16)
    """
    import numpy as np

    kept = batch.lengths > 0
    if not kept.all():
        rows = None if batch.rows is None else batch.rows[kept]
        files = None if batch.files is None else batch.files[kept]
        batch = replace(batch, lengths=batch.lengths[kept], rows=rows, files=files)
    most = np.iinfo(dtype).max
    if batch.ids.size and (largest := int(batch.ids.max())) > most:
        raise ArgumentError(
            f"the id {largest} does not fit into {dtype.name}: use dtype='auto' or a wider one"
        )
    added = (bos is not None) + (eos is not None)
    if not added:
        return replace(batch, ids=batch.ids.astype(dtype, copy=False))
    lengths = batch.lengths + added
    ends = lengths.cumsum()
    ids = np.empty(batch.ids.size + added * len(lengths), dtype)
    is_own = np.ones(ids.size, bool)
    if bos is not None:
        is_own[ends - lengths] = False
        ids[ends - lengths] = bos
    if eos is not None:
        is_own[ends - 1] = False
        ids[ends - 1] = eos
    ids[is_own] = batch.ids
    mask = None
    if batch.mask is not None:
        # An end is learned, a beginning is given.
        mask = np.ones(ids.size, np.uint8)
        mask[is_own] = batch.mask
        if bos is not None:
            mask[ends - lengths] = 0
    return replace(batch, ids=ids, lengths=lengths, mask=mask)


def taken(batch: Batch, start: int, stop: int) -> Batch:
    """Some documents of a batch, without a copy of their ids."""
    ends = batch.ends
    first = int(ends[start - 1]) if start else 0
    last = int(ends[stop - 1]) if stop else 0
    return replace(
        batch,
        ids=batch.ids[first:last],
        lengths=batch.lengths[start:stop],
        files=None if batch.files is None else batch.files[start:stop],
        rows=None if batch.rows is None else batch.rows[start:stop],
        mask=None if batch.mask is None else batch.mask[first:last],
        spans=None if batch.spans is None else batch.spans[start:stop],
    )


def grouped(batches: Iterable[Batch], most: int) -> Iterator[list[Batch]]:
    """Batches in groups of so many tokens at most, cut between documents; a longer one is one."""
    held: list[Batch] = []
    size = 0
    for whole in batches:
        start = 0
        while start < len(whole.lengths):
            ends = whole.lengths[start:].cumsum()
            count = int((ends <= most - size).sum())
            if not count and held:
                yield held
                held, size = [], 0
                continue
            count = max(1, count)
            held.append(taken(whole, start, start + count))
            size += int(ends[count - 1])
            start += count
    if held:
        yield held
