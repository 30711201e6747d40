"""Documents in rows of one length.

- ``"concat"``: one document after the other, cut where a row ends. Nothing but the last row has padding.
- ``"best-fit"``: a document is cut only if it is longer than a row. The longest comes first, and each goes
  into the row with the least room that it fits into (best-fit decreasing). What does not fit well waits for
  the next documents.

Every token is in exactly one row, once. The result depends on the documents and their order alone. What is
held is bounded, whatever the corpus: documents are packed some at a time.

Example:
    >>> from tessella.data.packing import best_fit
    >>> best_fit([3, 2, 2, 1], 4)
    [[0, 3], [1, 2]]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .batches import Batch
from .shuffling import gather

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .settings import Settings


#: Tokens that are packed at a time; with their places, about a quarter of a gigabyte.
WINDOW = 1 << 24
#: A row with less than this share of room is not worth waiting for.
ROOM = 0.01
#: The share of a window that may wait for the next one.
WAITING = 0.25


def packed_rows(batches: Iterable[Batch], settings: Settings, told: dict[str, Any]) -> Iterator[Batch]:
    """Documents as rows.

    Args:
        batches: documents.
        settings: how they are packed, into rows of what length, and what fills them up.
        told: gets ``rows``, their number, and ``slots``, the tokens that they have room for.
    """
    assert settings.length is not None and settings.pad is not None
    rows = concat_rows if settings.pack == "concat" else best_fit_rows
    told["rows"] = told["slots"] = 0
    for batch in rows(batches, settings.length, settings.pad):
        told["rows"] += len(batch.lengths)
        told["slots"] += batch.ids.size
        yield batch


def concat_rows(batches: Iterable[Batch], length: int, pad: int) -> Iterator[Batch]:
    """Documents one after the other, in rows of one length; the last row is filled up."""
    import numpy as np

    # Joined where they fill a row, not with each batch: those of small files are far shorter than a row.
    waiting: list[Batch] = []
    size = 0
    for batch in batches:
        waiting.append(batch)
        size += batch.ids.size
        if size < length:
            continue
        ids, mask, held = _joined(waiting)
        full = ids.size // length * length
        row, held = _cut(held, full, length)
        yield Batch(ids[:full], _all(length, full), mask=None if mask is None else mask[:full], spans=row)
        waiting = [Batch(ids[full:], held, mask=None if mask is None else mask[full:])]
        size -= full
    if size:
        ids, mask, held = _joined(waiting)
        row, _ = _cut(held, ids.size, length)
        filled = np.full(length, pad, ids.dtype)
        filled[: ids.size] = ids
        marks = None
        if mask is not None:
            marks = np.zeros(length, np.uint8)
            marks[: mask.size] = mask
        yield Batch(filled, _all(length, length), mask=marks, spans=row)


def _joined(
    batches: list[Batch],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8] | None, npt.NDArray[np.int64]]:
    """The ids of several batches, their marks where there are any, and their lengths."""
    import numpy as np

    marks = [one.mask for one in batches if one.mask is not None]
    return (
        np.concatenate([one.ids for one in batches]),
        np.concatenate(marks) if marks else None,
        np.concatenate([one.lengths for one in batches]),
    )


def _all(length: int, size: int) -> npt.NDArray[np.int64]:
    import numpy as np

    return np.full(size // length, length, np.int64)


def _cut(
    lengths: npt.NDArray[np.int64], size: int, length: int
) -> tuple[tuple[npt.NDArray[np.int64], ...], npt.NDArray[np.int64]]:
    """The lengths of the parts of documents in each row of the first ``size`` tokens, and what is left."""
    import numpy as np

    ends = lengths.cumsum()
    inner = ends[ends < size]
    cuts = np.union1d(inner, np.append(np.arange(length, size, length), size))
    parts = np.diff(cuts, prepend=0)
    rows = (cuts - parts) // length
    spans = tuple(np.split(parts, np.flatnonzero(np.diff(rows)) + 1))
    # The document that is cut where the rows end, then those behind it.
    rest = ends[ends > size] - size
    return spans, np.diff(rest, prepend=0)


def best_fit(lengths: Sequence[int], length: int) -> list[list[int]]:
    """Rows of documents by best-fit decreasing: the numbers of the documents in each.

    Args:
        lengths: tokens of each document, none above ``length``.
        length: tokens of a row.
    """
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    rows: list[list[int]] = []
    # For each amount of room the rows that have it, and a number whose bits say where there are any: the row
    # with the least room that is enough is then found at once, however many rows are open.
    by_room: dict[int, list[int]] = defaultdict(list)
    bits = 0
    for number in order:
        size = lengths[number]
        enough = bits >> size
        if enough:
            room = size + (enough & -enough).bit_length() - 1
            row = by_room[room].pop()
            if not by_room[room]:
                del by_room[room]
                bits ^= 1 << room
            rows[row].append(number)
        else:
            room, row = length, len(rows)
            rows.append([number])
        left = room - size
        if left:
            if not by_room[left]:
                bits |= 1 << left
            by_room[left].append(row)
    return rows


def best_fit_rows(batches: Iterable[Batch], length: int, pad: int, window: int = WINDOW) -> Iterator[Batch]:
    """Documents in rows of one length, none cut that fits into one."""
    pieces = _Pieces(length)
    for batch in batches:
        pieces.add(batch)
        if pieces.size >= window:
            yield from pieces.packed(pad, int(window * WAITING))
    if pieces.size:
        yield from pieces.packed(pad, 0)


class _Pieces:
    """Documents that wait for their rows; what is longer than a row is cut into rows and a rest."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._ids: list[npt.NDArray[Any]] = []
        self._mask: list[npt.NDArray[np.uint8]] = []
        self._lengths: list[npt.NDArray[np.int64]] = []
        self.size = 0

    def add(self, batch: Batch) -> None:
        import numpy as np

        lengths, length = batch.lengths, self._length
        if len(lengths) and lengths.max() > length:
            counts = -(-lengths // length)
            cut = np.full(int(counts.sum()), length, np.int64)
            cut[counts.cumsum() - 1] = lengths - (counts - 1) * length
            lengths = cut
        self._ids.append(batch.ids)
        self._lengths.append(lengths)
        if batch.mask is not None:
            self._mask.append(batch.mask)
        self.size += batch.ids.size

    def packed(self, pad: int, waiting: int) -> Iterator[Batch]:
        """Rows of what is there; up to so many tokens of rows with much room wait."""
        import numpy as np

        ids, lengths = np.concatenate(self._ids), np.concatenate(self._lengths)
        mask = np.concatenate(self._mask) if self._mask else None
        starts = lengths.cumsum() - lengths
        sizes = lengths.tolist()
        rows = best_fit(sizes, self._length)
        later, kept = self._later(rows, sizes, waiting)
        self._ids, self._lengths, self._mask, self.size = [], [], [], 0
        if later:
            chosen = np.array(sorted(number for row in later for number in row))
            places = gather(starts[chosen], lengths[chosen])
            marks = None if mask is None else mask[places]
            self.add(Batch(ids[places], lengths[chosen], mask=marks))
        # As near to the order of the corpus as rows allow.
        kept.sort(key=min)
        if kept:
            yield self._filled(kept, ids, mask, starts, lengths, pad)

    def _later(
        self, rows: list[list[int]], sizes: list[int], waiting: int
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Rows that wait for documents that fit better, the emptiest first, and those that do not."""
        least = self._length * (1 - ROOM)
        filled = [sum(sizes[number] for number in row) for row in rows]
        later, kept = [], []
        for place in sorted(range(len(rows)), key=lambda place: (filled[place], place)):
            if filled[place] < least and filled[place] <= waiting:
                waiting -= filled[place]
                later.append(rows[place])
            else:
                kept.append(rows[place])
        return later, kept

    def _filled(
        self, rows: list[list[int]], ids: Any, mask: Any, starts: Any, lengths: Any, pad: int
    ) -> Batch:
        import numpy as np

        numbers = np.array([number for row in rows for number in row])
        counts = np.array([len(row) for row in rows])
        spans = tuple(np.split(lengths[numbers], counts.cumsum()[:-1]))
        # Where each document goes: behind those before it in its row.
        sizes = lengths[numbers]
        ends = sizes.cumsum()
        first = np.repeat(counts.cumsum() - counts, counts)
        row = np.repeat(np.arange(len(rows)), counts)
        at = row * self._length + (ends - sizes) - (ends - sizes)[first]
        places, sources = gather(at, sizes), gather(starts[numbers], sizes)
        filled = np.full(len(rows) * self._length, pad, ids.dtype)
        filled[places] = ids[sources]
        marks = None
        if mask is not None:
            marks = np.zeros(len(filled), np.uint8)
            marks[places] = mask[sources]
        return Batch(filled, _all(self._length, len(filled)), mask=marks, spans=spans)
