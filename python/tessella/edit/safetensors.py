"""The safetensors format: a header that says where each tensor lies, then the tensors.

Eight bytes hold the length of the header, little-endian. The header is JSON: for each name the type, the
shape and where its bytes begin and end behind the header; ``__metadata__`` holds texts. Nothing is copied
that is not asked for: a tensor is read in parts, and a file is written in a stream.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from .._files import check_fetched
from ..errors import FormatError

if TYPE_CHECKING:
    import numpy.typing as npt


#: Bits of one number of each type.
BITS = {
    "F4": 4,
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"), 8),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 16),
    **dict.fromkeys(("U32", "I32", "F32"), 32),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 64),
}
#: Bytes of one number, of those types that have whole ones.
SIZES = {name: bits // 8 for name, bits in BITS.items() if bits % 8 == 0}
#: The longest header that the format's own library reads.
LONGEST = 100_000_000
_NUMPY = {"I64": "<i8", "I32": "<i4", "U32": "<u4", "U8": "u1", "F64": "<f8", "F32": "<f4", "F16": "<f2"}
_NAMES = {np.dtype(code).str: name for name, code in _NUMPY.items()}


def byte_size(dtype: str, shape: Sequence[int]) -> int:
    """The bytes of a tensor.

    Example:
        >>> byte_size("F32", (3, 2)), byte_size("F4", (3, 2))
        (24, 3)
    """
    return (prod(shape) * BITS[dtype] + 7) // 8


@dataclass(frozen=True)
class Tensor:
    """Where a tensor is, and what it holds."""

    dtype: str
    shape: tuple[int, ...]
    #: Bytes behind the header.
    start: int
    end: int

    @property
    def row(self) -> int:
        """Bytes of one row: all that the first index chooses."""
        return prod(self.shape[1:]) * SIZES[self.dtype]


@dataclass(frozen=True)
class Header:
    """What a file holds, in the order of its bytes."""

    tensors: dict[str, Tensor]
    metadata: dict[str, str]
    #: Where the bytes of tensors begin in the file.
    begin: int


def read_header(path: str) -> Header:
    """The header of a file, checked: every tensor lies in the file and has the bytes of its shape."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, LONGEST):
            file.seek(0)
            check_fetched(path, file.read(1024))
            raise FormatError(
                f"{path} is no safetensors file: its header of {length} bytes does not fit in it"
            )
        try:
            said = json.loads(file.read(length).decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{path} is no safetensors file: its header is no JSON ({error})") from error
    if not isinstance(said, dict):
        raise FormatError(f"{path} is no safetensors file: its header is no JSON object")
    metadata = said.pop("__metadata__", None) or {}
    if not isinstance(metadata, dict) or not all(isinstance(one, str) for one in metadata.values()):
        raise FormatError(f"{path}: `__metadata__` must be an object of texts")
    tensors = {name: _tensor(path, name, one, size - 8 - length) for name, one in said.items()}
    ordered = dict(sorted(tensors.items(), key=lambda item: (item[1].start, item[1].end)))
    return Header(ordered, metadata, 8 + length)


def _tensor(path: str, name: str, said: Any, room: int) -> Tensor:
    try:
        dtype, shape, (start, end) = said["dtype"], tuple(said["shape"]), said["data_offsets"]
    except (TypeError, KeyError, ValueError) as error:
        raise FormatError(f"{path}: the tensor `{name}` needs dtype, shape and data_offsets") from error
    if not all(type(one) is int and one >= 0 for one in (*shape, start, end)):
        raise FormatError(
            f"{path}: the shape {said['shape']} and the data_offsets {said['data_offsets']} of the tensor "
            f"`{name}` must be lists of whole numbers from 0 on"
        )
    if not isinstance(dtype, str) or dtype not in BITS:
        raise FormatError(
            f"{path}: the tensor `{name}` has the unknown type {dtype!r}; known are {', '.join(BITS)}"
        )
    if not start <= end <= room or end - start != byte_size(dtype, shape):
        raise FormatError(
            f"{path}: the tensor `{name}` of shape {list(shape)} and type {dtype} cannot lie in bytes "
            f"{start} to {end} of {room}"
        )
    return Tensor(dtype, shape, start, end)


def header_bytes(
    tensors: Mapping[str, tuple[str, Sequence[int]]], metadata: Mapping[str, str]
) -> tuple[bytes, dict[str, Tensor]]:
    """The beginning of a file with these types and shapes, one after the other, and where each will lie."""
    placed: dict[str, Tensor] = {}
    at = 0
    for name, (dtype, shape) in tensors.items():
        end = at + byte_size(dtype, shape)
        placed[name] = Tensor(dtype, tuple(shape), at, end)
        at = end
    said: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    for name, one in placed.items():
        said[name] = {"dtype": one.dtype, "shape": list(one.shape), "data_offsets": [one.start, one.end]}
    text = json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    # Tensors begin at a multiple of eight, as the format's own library writes them.
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, placed


def save(file: IO[bytes], arrays: Mapping[str, npt.NDArray[Any]], metadata: Mapping[str, str]) -> None:
    """Writes small arrays."""
    kinds = {name: (_NAMES[array.dtype.newbyteorder("<").str], array.shape) for name, array in arrays.items()}
    file.write(header_bytes(kinds, metadata)[0])
    for array in arrays.values():
        file.write(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())


def load(path: str) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
    """Reads small arrays of types that NumPy has."""
    header = read_header(path)
    arrays = {}
    with open(path, "rb") as file:
        for name, tensor in header.tensors.items():
            if tensor.dtype not in _NUMPY:
                raise FormatError(f"{path}: the tensor `{name}` is of type {tensor.dtype}, which no map has")
            file.seek(header.begin + tensor.start)
            found = np.frombuffer(file.read(tensor.end - tensor.start), _NUMPY[tensor.dtype])
            arrays[name] = found.reshape(tensor.shape)
    return arrays, header.metadata
