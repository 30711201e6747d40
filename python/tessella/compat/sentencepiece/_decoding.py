"""What decoding is given: ids or pieces, one or many, in any of the shapes that are allowed."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ._errors import PieceIndexError

NOT_IDS = "Input must be an integer buffer, list of integers, or a sequence of integers."


def is_sequence(value: Any) -> bool:
    """Whether a value has a length and is no text."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def is_short(id: int) -> bool:
    """Whether a number has 32 bits, as all ids have."""
    return -(2**31) <= id < 2**31


def ids_of(value: Any, size: int) -> list[int]:
    """A list of ids that the model has."""
    ids: list[int]
    if hasattr(value, "dtype"):
        if value.dtype.kind not in "iu":
            raise TypeError("Buffer must be of integer type")
        if value.ndim != 1:
            raise TypeError("Buffer must be 1-dimensional")
        ids = value.tolist()
    elif isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, AbstractSet)):
        raise TypeError(NOT_IDS)
    else:
        try:
            ids = [operator.index(id) for id in value]
        except TypeError:
            raise TypeError(NOT_IDS) from None
        # Of a buffer all numbers are read, of other sequences those of 32 bits.
        if not isinstance(value, (array, memoryview)) and not all(map(is_short, ids)):
            raise TypeError(NOT_IDS)
    for id in ids:
        if not 0 <= id < size:
            raise PieceIndexError(f"piece id {id} is out of range: the model has {size} pieces")
    return ids


def piece_of(value: object, what: str) -> bytes:
    """A piece as bytes, which need not be UTF-8."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, bytearray):
        return bytes(value)
    try:
        if isinstance(value, str):
            return value.encode()
    except UnicodeEncodeError:
        pass
    raise TypeError(f"{what} must be str or bytes")


def pieces_of(value: Any) -> tuple[list[bytes], bool]:
    """A list of pieces, and whether they are bytes."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise TypeError("Input must be a list or tuple of str or bytes")
    pieces = [piece_of(piece, "List elements") for piece in value]
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
