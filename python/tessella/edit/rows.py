"""New rows of a table from old ones: copied, averaged, or drawn at random; in portions, whatever the size.

A *table* has a row for every id: the input embedding, the output head, or its bias. A row of a kept or moved
id is copied bit for bit. The row of a new id is the mean of its constituents' rows (``"fvt"``, as in fast
vocabulary transfer), the mean of all rows that stood for tokens (``"mean"``), or drawn from a normal
distribution with the mean and the spread of each column (``"random"``). Numbers are averaged in 32 bits at
least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import ArgumentError, UnsupportedError

if TYPE_CHECKING:
    import numpy.typing as npt

    from .id_map import IdMap


#: How rows of new ids begin.
Init = Literal["fvt", "mean", "random"]
#: Bytes of a table that are handled at a time.
PORTION = 1 << 24

Array = Any


class Origins:
    """Where every new row comes from.

    Args:
        id_map: what became of ids.
        old_rows: rows of the old table; those beyond the map's old ids are padding.
        init: how rows of new ids begin.
        multiple: of which the number of new rows is a multiple: rows at the end that stand for no token.
        seed: for ``"random"``.
    """

    def __init__(self, id_map: IdMap, old_rows: int, init: Init, multiple: int | None, seed: int) -> None:
        if init not in ("fvt", "mean", "random"):
            raise ArgumentError(f"`init` must be 'fvt', 'mean' or 'random', found {init!r}")
        if multiple is not None and (isinstance(multiple, bool) or multiple < 1):
            raise ArgumentError(f"`pad_to_multiple_of` must be a whole number from 1, found {multiple!r}")
        if old_rows < id_map.old_size:
            raise ArgumentError(
                f"the map has old ids up to {id_map.old_size - 1}, but the model has {old_rows} rows: the "
                "map belongs to another model's tokenizer"
            )
        self.init, self.seed = init, seed
        size = id_map.new_size
        self.rows = size if multiple is None else -(-size // multiple) * multiple
        self.old_rows = old_rows
        #: The old row of each new one, -1 where it is made.
        self.source = np.full(self.rows, -1, np.int64)
        known = np.flatnonzero(id_map.table >= 0)
        self.source[id_map.table[known]] = known
        self.parts = {new: id_map.constituents(new) for new in id_map.new_ids if init == "fvt"}
        gone = [old for old in id_map.removed_ids]
        #: Old rows that stood for tokens.
        self.used = np.union1d(known, np.array(gone, np.int64))
        # Where several ids became one, its row is that of the last of them.
        self.copied = int((self.source >= 0).sum())
        self.made = self.rows - self.copied


def _reader(dtype: str) -> tuple[str, Callable[[Array], Array], Callable[[Array], Array]]:
    """How a type of number is stored, how it becomes numbers to count with, and how these go back."""
    plain = {"F16": ("<f2", np.float32), "F32": ("<f4", np.float32), "F64": ("<f8", np.float64)}
    if dtype in plain:
        stored, counted = plain[dtype]
        return stored, lambda rows: rows.astype(counted), lambda rows: rows.astype(stored)
    if dtype == "BF16":
        return "<u2", _from_bfloat, _to_bfloat
    raise UnsupportedError(
        f"rows of type {dtype} cannot be averaged: only those of F16, BF16, F32 and F64 can"
    )


def _from_bfloat(rows: Array) -> Array:
    return (rows.astype(np.uint32) << 16).view(np.float32)


def _to_bfloat(rows: Array) -> Array:
    """Rounded to the nearest, ties to even; what is no number stays so."""
    bits = np.ascontiguousarray(rows, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(rows), 0x7FC0, rounded).astype("<u2")


def _moments(old: Array, origins: Origins, read: Callable[[Array], Array], step: int) -> tuple[Array, Array]:
    """Mean and spread of the columns over rows of tokens."""
    width = old.shape[1]
    total, squares = np.zeros(width), np.zeros(width)
    for start in range(0, len(origins.used), step):
        rows = read(old[origins.used[start : start + step]]).astype(np.float64)
        total += rows.sum(0)
    mean = total / max(len(origins.used), 1)
    for start in range(0, len(origins.used), step):
        rows = read(old[origins.used[start : start + step]]).astype(np.float64)
        squares += ((rows - mean) ** 2).sum(0)
    return mean, np.sqrt(squares / max(len(origins.used), 1))


def new_rows(old: npt.NDArray[Any], dtype: str, origins: Origins) -> Iterator[npt.NDArray[Any]]:
    """The new table in portions, as it is stored.

    Args:
        old: the old table, rows by columns, as it is stored; it may be mapped from a file.
        dtype: what its numbers are, as safetensors calls it.
        origins: where rows come from.
    """
    step = max(1, PORTION // max(old.shape[1] * old.dtype.itemsize, 1))
    if not origins.made:
        for start in range(0, origins.rows, step):
            yield old[origins.source[start : start + step]]
        return
    _, read, write = _reader(dtype)
    mean, spread = _moments(old, origins, read, step)
    draw = np.random.default_rng(origins.seed)
    for start in range(0, origins.rows, step):
        source = origins.source[start : start + step]
        rows = np.array(old[np.maximum(source, 0)])
        for place in np.flatnonzero(source < 0).tolist():
            parts = origins.parts.get(start + place, ())
            if parts:
                made = read(old[np.array(parts)]).astype(np.float64).mean(0)
            elif origins.init == "random":
                made = mean + spread * draw.standard_normal(len(mean))
            else:
                made = mean
            rows[place] = write(made[None])[0]
        yield rows
