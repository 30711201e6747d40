"""Bare rows of numbers, and loss masks beside files that have no place for them.

A mask has one byte for each token, 1 where it counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..batches import Batch
from .base import Files, Flat, Shape

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..outputs import Output


ENDING = ".mask"


class Masks:
    """The loss masks of a part, where there are any."""

    def __init__(self, files: Files, name: str, shape: Shape) -> None:
        self._file: Output | None = files.open(name) if shape.has_mask else None

    def write(self, batch: Batch) -> None:
        """The marks of some documents; all count where a batch has none."""
        import numpy as np

        if self._file is not None:
            self._file.write(np.ones(batch.ids.size, np.uint8) if batch.mask is None else batch.mask)


def write_all(
    files: Files, name: str, mask: str, batches: Iterable[Batch], shape: Shape
) -> npt.NDArray[np.int64]:
    """Writes tokens one after the other, and their marks; gives the lengths of the documents."""
    import numpy as np

    tokens, masks = files.open(name), Masks(files, mask, shape)
    lengths = [np.empty(0, np.int64)]
    for batch in batches:
        tokens.write(batch.ids)
        masks.write(batch)
        lengths.append(batch.lengths)
    return np.concatenate(lengths)


def mapped(path: str, dtype: Any, offset: int = 0, count: int | None = None) -> npt.NDArray[Any]:
    """Numbers of a file, mapped; a file without any cannot be mapped."""
    import numpy as np

    size = (os.path.getsize(path) - offset) // np.dtype(dtype).itemsize if count is None else count
    # As plain arrays: each slice of a `memmap` would cost microseconds.
    return np.asarray(np.memmap(path, dtype, "r", offset, (size,))) if size else np.empty(0, dtype)


def flat(
    path: str, ids: npt.NDArray[Any], ends: Any, shape: Shape, mask: str = ENDING, spans: Any = None
) -> Flat:
    """A view of tokens that lie in one piece, with the mask beside them."""
    import numpy as np

    marks = mapped(path + mask, np.uint8) if shape.has_mask else None
    return Flat(ids, ends, marks, spans)
