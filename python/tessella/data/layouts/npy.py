"""NumPy: ``.npy`` with all tokens, ``.offsets.npy`` with where documents begin and the last one ends.

Packed documents are a table: rows of one length; ``.spans.npy`` has the lengths of the documents in all rows,
one after the other, and ``.rows.npy`` where those of a row begin in it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from typing import Any

from ..batches import Batch
from .base import Files, Layout, Part, Shape, View
from .side import Masks, flat, mapped

#: Bytes of a head, whatever numbers are in it: what comes behind is aligned.
HEAD = 128


def head(dtype: str, shape: tuple[int, ...]) -> bytes:
    """The head of a ``.npy`` file of version 1.0.

    Example:
        >>> head("<u2", (5,))[:10].hex(), len(head("<u2", (5,)))
        ('934e554d505901007600', 128)
    """
    told = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", HEAD - 10) + told.ljust(HEAD - 11).encode() + b"\n"


def _array(files: Files, name: str, array: Any) -> None:
    output = files.open(name)
    output.write(head(array.dtype.str, array.shape))
    output.write(array)


def _from_zero(lengths: list[Any]) -> Any:
    import numpy as np

    offsets = np.zeros(sum(map(len, lengths)) + 1, "<i8")
    if len(offsets) > 1:
        np.cumsum(np.concatenate(lengths), out=offsets[1:])
    return offsets


def write(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    import numpy as np

    dtype = shape.numbers
    tokens = files.open(f"{stem}.npy")
    tokens.write(head(dtype.str, (0,)))
    masks = Masks(files, f"{stem}.npy.mask", shape)
    lengths: list[Any] = []
    spans: list[Any] = []
    for batch in batches:
        tokens.write(batch.ids)
        masks.write(batch)
        lengths.append(batch.lengths)
        spans += batch.spans or ()
    count = (tokens.size - HEAD) // dtype.itemsize
    rows = sum(map(len, lengths))
    table = (count,) if shape.length is None else (rows, shape.length)
    tokens.patch(0, head(dtype.str, table))
    if shape.length is None:
        _array(files, f"{stem}.offsets.npy", _from_zero(lengths))
    else:
        _array(files, f"{stem}.spans.npy", np.concatenate([*spans, np.empty(0, np.int64)]).astype("<i4"))
        _array(files, f"{stem}.rows.npy", _from_zero([np.array([len(one) for one in spans], np.int64)]))
    return [{"name": stem, "documents": rows, "tokens": count}]


def view(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part."""
    import numpy as np

    path = os.path.join(folder, part["name"])
    ids = mapped(f"{path}.npy", shape.numbers, HEAD)
    if shape.length is None:
        offsets = f"{path}.offsets.npy"
        return flat(f"{path}.npy", ids, lambda: np.asarray(np.load(offsets, "r"))[1:], shape)
    length = shape.length
    spans, rows = np.load(f"{path}.spans.npy"), np.load(f"{path}.rows.npy")
    return flat(
        f"{path}.npy",
        ids,
        lambda: np.arange(length, len(ids) + 1, length, dtype=np.int64),
        shape,
        spans=lambda row: spans[rows[row] : rows[row + 1]].astype(np.int64),
    )


LAYOUT = Layout("numpy", "NumPy: .npy with offsets", ("uint16", "uint32"), write, view, holds_rows=True)
