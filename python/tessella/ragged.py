"""Many id sequences in one buffer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, overload

from .errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["RaggedIds"]


class RaggedIds:
    """The ids of a batch: sequence ``i`` is ``ids[offsets[i]:offsets[i + 1]]``.

    Nothing is copied: sequences are views of one buffer, and the buffer can be handed to Arrow as it is.

    Args:
        ids: all ids, one sequence after the other.
        offsets: where each sequence starts, and one more entry where the last one ends.

    Example:
        >>> from tessella import Tokenizer, models
        >>> tokenizer = Tokenizer(models.BPE())
        >>> _ = tokenizer.add_tokens(["my", "name"])
        >>> batch = tokenizer.encode_ids_batch(["my name", "my"])
        >>> batch.to_list()
        [[0, 1], [0]]
        >>> batch[0]
        array([0, 1], dtype=uint32)
    """

    __slots__ = ("ids", "offsets")

    ids: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.int64]

    def __init__(self, ids: npt.NDArray[np.uint32], offsets: npt.NDArray[np.int64]) -> None:
        self.ids = ids
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> npt.NDArray[np.uint32]: ...

    @overload
    def __getitem__(self, index: slice) -> RaggedIds: ...

    def __getitem__(self, index: int | slice) -> npt.NDArray[np.uint32] | RaggedIds:
        """One sequence, or the batch of a slice with step 1."""
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ArgumentError("a batch of ids is sliced with step 1 only")
            offsets = self.offsets[start : max(start, stop) + 1]
            return RaggedIds(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])
        if not hasattr(index, "__index__"):
            kind = type(index).__name__
            raise TypeError(f"a batch of ids is indexed by an int or a slice, not {kind} {index!r:.60}")
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"sequence {index} of a batch of {len(self)}")
        return self.ids[self.offsets[position] : self.offsets[position + 1]]

    def __iter__(self) -> Iterator[npt.NDArray[np.uint32]]:
        bounds = self.offsets.tolist()
        return map(self.ids.__getitem__, map(slice, bounds, bounds[1:]))

    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of ids of each sequence."""
        return self.offsets[1:] - self.offsets[:-1]

    def tolist(self) -> list[list[int]]:
        """Plain lists; the name is that of NumPy's arrays."""
        return [one.tolist() for one in self]

    to_list = tolist

    # `Any`: pyarrow's types are not known where it is not installed.
    def to_arrow(self) -> Any:
        """The batch as a ``pyarrow.LargeListArray``, without a copy. Needs ``pyarrow``.

        Other libraries read a batch themselves: ``polars.Series(batch)``.

        Example:
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE())
            >>> _ = tokenizer.add_tokens(["my", "name"])
            >>> tokenizer.encode_ids_batch(["my name", "my"]).to_arrow().to_pylist()
            [[0, 1], [0]]
        """
        from ._optional import needed

        return needed("pyarrow", "arrow", "RaggedIds.to_arrow").array(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RaggedIds):
            return NotImplemented
        import numpy as np

        return bool(np.array_equal(self.ids, other.ids) and np.array_equal(self.offsets, other.offsets))

    # Arrays can be changed, so it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"RaggedIds({len(self)} sequences, {len(self.ids)} ids)"

    # `Any`: capsules, which have no type in Python.
    def __arrow_c_schema__(self) -> Any:
        """The Arrow type: a large list of unsigned 32-bit integers."""
        from . import _arrow

        return _arrow.schema()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        """The batch through Arrow's C data interface, without a copy.

        ``pyarrow.array(batch)`` or ``polars.Series(batch)`` read it.
        """
        from . import _arrow

        del requested_schema
        return _arrow.schema(), _arrow.array(self.ids, self.offsets)
