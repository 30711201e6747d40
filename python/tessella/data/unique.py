"""The documents of a part of a file without those that are repeated, as ids.

What is left out was found before (``repeats``), as numbers of documents among those that can be read. Texts
are read as they were read then, so that the numbers mean the same, and only those that stay are encoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import TessellaError
from .batches import Batch
from .documents import Source, documents
from .plan import Slice
from .skipping import Skipped
from .texts import Group, texts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Unique:
    """The documents of the parts of a shard, one part after the other.

    Args:
        source: how documents are read.
        skipped: gets the documents that are passed over, where that is asked for.
        left_out: the numbers, in the shard, of documents that are repeated, in their order.
    """

    def __init__(self, source: Source, skipped: Skipped, left_out: npt.NDArray[np.uint64]) -> None:
        self._source, self._skipped, self._left_out = source, skipped, left_out
        self._read = 0
        #: Documents that were left out so far.
        self.duplicates = 0

    def batches(
        self, part: Slice, told: Callable[[str], None], step: Callable[[int], None]
    ) -> Iterator[Batch]:
        """The documents of a part that stay; the arguments are those of ``documents``."""
        before, first, refused, noted = len(self._skipped.listed), self._read, 0, 0
        is_placed = True
        for group in texts(self._source, part, self._skipped, told, step):
            kept = self._kept(len(group.documents))
            batch, which = self._encoded(part, group, kept)
            is_placed = is_placed and group.skip is not None
            refused += len(kept) - len(which)
            rows = self._numbers(which, self._read - first)
            self._read += len(group.documents)
            self.duplicates += len(group.documents) - len(kept)
            yield replace(batch, rows=rows)
        if refused and not is_placed:
            # Where lines are that the tokenizer refuses, the engine tells when it encodes all of them.
            noted = len(self._skipped.listed) - before
            del self._skipped.listed[before:]
            for _ in documents(self._source, part, self._skipped, lambda digest: None, lambda read: None):
                pass
            # Repeated ones are listed there, too.
            self.duplicates -= len(self._skipped.listed) - before - noted - refused
        self._skipped.sort(before)

    def _kept(self, count: int) -> list[int]:
        """Which of the next documents stay."""
        import numpy as np

        low, high = np.searchsorted(self._left_out, np.array([self._read, self._read + count], np.uint64))
        out = set((self._left_out[low:high] - np.uint64(self._read)).tolist())
        return [number for number in range(count) if number not in out] if out else list(range(count))

    def _numbers(self, which: list[int], before: int) -> npt.NDArray[np.int64]:
        import numpy as np

        return np.array(which, np.int64) + before

    def _encoded(self, part: Slice, group: Group, kept: list[int]) -> tuple[Batch, list[int]]:
        """Some documents of a group, and which of them the tokenizer took."""
        try:
            return self._encode(part, [group.documents[number] for number in kept]), kept
        except Exception as error:
            # A template may raise whatever its writer wants; a tokenizer says what it refuses.
            if self._source.chat is None and not isinstance(error, TessellaError):
                raise
            if not self._skipped.left:
                self._tell_place(part, group)
                raise
            whole = error
        made, which = [], []
        for number in kept:
            try:
                made.append(self._encode(part, [group.documents[number]]))
            except Exception as wrong:
                if not self._skipped.left:
                    raise
                if group.skip is not None:
                    group.skip(number, wrong)
                continue
            which.append(number)
        if len(which) == len(kept):
            # No document is to blame alone.
            raise whole
        return _joined(self._encode(part, []), made), which

    def _tell_place(self, part: Slice, group: Group) -> None:
        """Raises what the engine says of a text that is refused, with its place."""
        if group.skip is None:
            for _ in documents(self._source, part, self._skipped, lambda digest: None, lambda read: None):
                pass

    def _encode(self, part: Slice, some: list[Any]) -> Batch:
        source = self._source
        if source.chat is None:
            found = source.tokenizer.encode_ids_batch(some, source.special, source.threads)
            return Batch(found.ids, found.lengths(), (part.path,))
        from .conversations import as_batch, ids_and_marks

        return as_batch(part, *(ids_and_marks(source, some) if some else ([], [])))


def _joined(empty: Batch, made: list[Batch]) -> Batch:
    """Batches of one part as one."""
    import numpy as np

    every = [empty, *made]
    mask = None if empty.mask is None else np.concatenate([one.mask for one in every if one.mask is not None])
    return replace(
        empty,
        ids=np.concatenate([one.ids for one in every]),
        lengths=np.concatenate([one.lengths for one in every]),
        mask=mask,
    )
