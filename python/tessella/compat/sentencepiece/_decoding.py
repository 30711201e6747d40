"""What decoding is given: ids or pieces, one or many, in any of the shapes that are allowed."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ._errors import PieceIndexError

NOT_IDS = "Input must be an integer buffer, list of integers, or a sequence of integers."
NOT_BATCH = "Batch input must be a sequence of sequences or a 2D integer array."


def is_sequence(value: Any) -> bool:
    """Whether a value has a length and is no text."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def ids_of(value: Any, size: int) -> list[int]:
    """A list of ids that the model has."""
    ids: list[int]
    if hasattr(value, "dtype"):
        if value.dtype.kind not in "iu":
            raise TypeError("Buffer must be of integer type")
        if value.ndim != 1:
            raise TypeError("Buffer must be 1-dimensional")
        ids = value.tolist()
    elif isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise TypeError(NOT_IDS)
    else:
        try:
            ids = [operator.index(id) for id in value]
        except TypeError:
            raise TypeError(NOT_IDS) from None
        if any(not -(2**31) <= id < 2**31 for id in ids):
            raise TypeError(NOT_IDS)
    for id in ids:
        if not 0 <= id < size:
            raise PieceIndexError(f"piece id {id} is out of range: the model has {size} pieces")
    return ids


def pieces_of(value: Any) -> tuple[list[str], bool]:
    """A list of pieces, and whether they are bytes."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise TypeError("Input must be a list or tuple of str or bytes")
    pieces = []
    for piece in value:
        if isinstance(piece, bytes):
            pieces.append(piece.decode("utf-8", "replace"))
        elif isinstance(piece, str):
            pieces.append(piece)
        else:
            raise TypeError("List elements must be str or bytes")
    return pieces, bool(value) and isinstance(value[0], bytes)


def shape(value: Any) -> tuple[Any, bool, bool]:
    """The value as a sequence, whether it holds pieces, and whether it is a batch."""
    if value is None or (isinstance(value, (str, bytes)) and not value):
        value = []
    values: Any = value if is_sequence(value) else [value]
    if hasattr(values, "ndim"):
        return values, False, values.ndim > 1
    is_batch = len(values) > 0 and is_sequence(values[0])
    first = values
    if is_batch:
        first = next((item for item in values if is_sequence(item) and len(item) > 0), [])
    holds_pieces = len(first) > 0 and not hasattr(first, "dtype") and isinstance(first[0], (str, bytes))
    return values, holds_pieces, is_batch
