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

from ..errors import FormatError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["SIZES", "Header", "Tensor", "header_bytes", "load", "read_header", "save"]

#: Bytes of one number of each type.
SIZES = {
    "BOOL": 1,
    **dict.fromkeys(("U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"), 1),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 2),
    **dict.fromkeys(("U32", "I32", "F32"), 4),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 8),
}
#: The longest header that the format's own library reads.
LONGEST = 100_000_000
_NUMPY = {"I64": "<i8", "I32": "<i4", "U32": "<u4", "U8": "u1", "F64": "<f8", "F32": "<f4", "F16": "<f2"}
_NAMES = {np.dtype(code).str: name for name, code in _NUMPY.items()}


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
            raise FormatError(
                f"{path} is no safetensors file: its header of {length} bytes does not fit in it"
            )
        try:
            said = json.loads(file.read(length).decode("utf-8"))
        except ValueError as error:
            raise FormatError(f"{path} is no safetensors file: its header is no JSON ({error})") from error
    if not isinstance(said, dict):
        raise FormatError(f"{path} is no safetensors file: its header is no JSON object")
    metadata = said.pop("__metadata__", None) or {}
    tensors = {name: _tensor(path, name, one, size - 8 - length) for name, one in said.items()}
    ordered = dict(sorted(tensors.items(), key=lambda item: (item[1].start, item[1].end)))
    return Header(ordered, metadata, 8 + length)


def _tensor(path: str, name: str, said: Any, room: int) -> Tensor:
    try:
        dtype, shape = said["dtype"], tuple(int(one) for one in said["shape"])
        start, end = said["data_offsets"]
    except (TypeError, KeyError, ValueError) as error:
        raise FormatError(f"{path}: the tensor `{name}` needs dtype, shape and data_offsets") from error
    if dtype not in SIZES:
        raise FormatError(
            f"{path}: the tensor `{name}` has the unknown type {dtype!r}; known are {', '.join(SIZES)}"
        )
    if not 0 <= start <= end <= room or end - start != prod(shape) * SIZES[dtype]:
        raise FormatError(
            f"{path}: the tensor `{name}` of shape {list(shape)} and type {dtype} cannot lie in bytes "
            f"{start} to "
            f"{end} of {room}"
        )
    return Tensor(dtype, shape, start, end)


def header_bytes(
    tensors: Mapping[str, tuple[str, Sequence[int]]], metadata: Mapping[str, str]
) -> tuple[bytes, dict[str, Tensor]]:
    """The beginning of a file with these types and shapes, one after the other, and where each will lie."""
    placed: dict[str, Tensor] = {}
    at = 0
    for name, (dtype, shape) in tensors.items():
        end = at + prod(shape) * SIZES[dtype]
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
