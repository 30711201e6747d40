"""Entries that a model has hardly been trained on, by its embedding matrix.

What is never trained stays where it began and is only pulled in by weight decay. So rows of entries that
cannot come out (unreachable, reserved) show what untrained rows look like, and rows that look like them are
candidates: by the cosine with their mean, after the mean of all rows is taken off, or by a small norm. This
says where to look, not what is true: whether a model knows a token is seen by asking it to repeat the token.

The matrix is read where it lies, some rows at a time: a ``.npy`` file, or a tensor of a safetensors file.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ArgumentError, FormatError

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..._types import Path
    from ..._vocabulary import Entries

    Floats = npt.NDArray[np.float64]


#: Rows that are read at a time, candidates that are told, references that are enough.
ROWS, MOST, ENOUGH = 4096, 100, 3
_KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


class Matrix:
    """Rows of numbers in a file."""

    def __init__(self, name: str, rows: Any, is_bfloat: bool = False) -> None:
        self.name, self._rows, self._is_bfloat = name, rows, is_bfloat
        self.shape: tuple[int, int] = rows.shape

    def parts(self) -> Iterator[tuple[int, Floats]]:
        """Rows, some at a time, and the number of the first."""
        for start in range(0, self.shape[0], ROWS):
            some = np.asarray(self._rows[start : start + ROWS])
            if self._is_bfloat:
                # The upper half of a 32-bit number.
                some = (some.astype(np.uint32) << np.uint32(16)).view(np.float32)
            yield start, some.astype(np.float64)


def open_matrix(path: Path, tensor: str | None = None) -> Matrix:
    """A matrix in a ``.npy`` or safetensors file, which is mapped, not read."""
    name = os.fsdecode(path)
    with open(name, "rb") as file:
        begin = file.read(8)
    if begin[:6] == b"\x93NUMPY":
        try:
            rows = np.load(name, mmap_mode="r", allow_pickle=False)
        except ValueError as error:
            raise _refused(name, f"{name} is no usable .npy file: {error}") from error
        return _checked(name, rows, False)
    return _safetensors(name, begin, tensor)


def _refused(name: str, message: str) -> FormatError:
    return FormatError(message, filename=name)


def _checked(name: str, rows: Any, is_bfloat: bool) -> Matrix:
    if rows.ndim != 2 or not (is_bfloat or np.issubdtype(rows.dtype, np.floating)):
        raise _refused(name, f"{name} holds {rows.dtype} of shape {rows.shape}, expected rows of floats")
    return Matrix(name, rows, is_bfloat)


def _safetensors(name: str, begin: bytes, tensor: str | None) -> Matrix:
    size = os.path.getsize(name)
    try:
        (length,) = struct.unpack("<Q", begin)
        if length > size - 8:
            raise ValueError(f"its header would have {length:,} bytes")
        with open(name, "rb") as file:
            file.seek(8)
            header: dict[str, Any] = json.loads(file.read(length))
        known = {key: one for key, one in header.items() if key != "__metadata__" and len(one["shape"]) == 2}
    except (ValueError, KeyError, TypeError, AttributeError, struct.error, RecursionError) as error:
        raise _refused(name, f"{name} is neither a .npy nor a safetensors file: {error}") from error
    likely = [key for key in known if "embed" in key or "wte" in key or "lm_head" in key]
    if tensor is None and len(likely or known) != 1:
        shown = ", ".join(sorted(likely or known)[:20]) or "none"
        raise ArgumentError(f"{name} holds several matrices, name one: {shown}")
    key = tensor if tensor is not None else (likely or list(known))[0]
    if key not in known:
        raise ArgumentError(f"{name} has no matrix `{key}`; it has {', '.join(sorted(known)[:20]) or 'none'}")
    kind, shape = known[key]["dtype"], tuple(known[key]["shape"])
    if kind not in _KINDS:
        raise _refused(name, f"`{key}` of {name} holds {kind}, expected one of {', '.join(_KINDS)}")
    start, end = known[key]["data_offsets"]
    number = np.dtype(_KINDS[kind])
    if end - start != number.itemsize * shape[0] * shape[1] or not 0 <= start <= end <= size - 8 - length:
        raise _refused(name, f"`{key}` of {name} does not fit its shape {shape}: bytes {start} to {end}")
    rows = np.memmap(name, dtype=number, mode="r", offset=8 + length + start, shape=shape)
    return _checked(name, rows, kind == "BF16")


def undertrained(matrix: Matrix, entries: Entries, references: Sequence[int]) -> dict[str, Any]:
    """Rows that look like those of entries that cannot come out.

    Args:
        matrix: the embedding.
        entries: the vocabulary.
        references: ids that are known not to be trained.
    """
    number = min(matrix.shape[0], len(entries))
    if matrix.shape[0] < len(entries):
        raise ArgumentError(
            f"{matrix.name} has {matrix.shape[0]:,} rows, the vocabulary {len(entries):,} ids: it is another "
            f"model's"
        )
    known = [id for id in references if id < number]
    # Rows beyond the vocabulary are there to fill up, and are never trained.
    spare = range(len(entries), matrix.shape[0])
    mean = np.zeros(matrix.shape[1])
    untrained = np.zeros(matrix.shape[1])
    count = 0
    is_known = np.zeros(matrix.shape[0], dtype=np.bool_)
    is_known[known] = True
    is_known[spare.start :] = True
    for start, rows in matrix.parts():
        if not np.isfinite(rows).all():
            raise ArgumentError(
                f"{matrix.name} holds numbers that are not finite, among rows {start:,} and following"
            )
        mean += rows.sum(axis=0)
        own = rows[is_known[start : start + len(rows)]]
        untrained += own.sum(axis=0)
        count += len(own)
    mean /= matrix.shape[0]
    by_cosine = count >= ENOUGH
    towards = untrained / max(count, 1) - mean
    norms, cosines = np.zeros(matrix.shape[0]), np.zeros(matrix.shape[0])
    for start, rows in matrix.parts():
        place = slice(start, start + len(rows))
        norms[place] = np.linalg.norm(rows, axis=1)
        off = rows - mean
        length = np.linalg.norm(off, axis=1) * np.linalg.norm(towards)
        cosines[place] = np.divide(off @ towards, length, out=np.zeros(len(rows)), where=length > 0)
    learned = np.array([kind == "text" for kind in entries.kinds]) & ~is_known[: len(entries)]
    measure = -cosines if by_cosine else norms
    order = np.argsort(measure[: len(entries)], kind="stable")
    rows_of = [
        {"id": int(id), "token": entries.tokens[id], "cosine": float(cosines[id]), "norm": float(norms[id])}
        for id in order[learned[order]][:MOST].tolist()
    ]
    usual = norms[: len(entries)][learned]
    return {
        "rows": matrix.shape[0],
        "columns": matrix.shape[1],
        "references": count,
        "by": "cosine" if by_cosine else "norm",
        "reference_cosine": float(np.median(cosines[is_known])) if by_cosine else None,
        "median_norm": float(np.median(usual)) if len(usual) else None,
        "candidates": rows_of,
    }
