"""Megatron-LM and NeMo: ``.bin`` with bare tokens, ``.idx`` with the length and place of each document.

The index is little-endian: the nine bytes ``MMIDIDX\\0\\0``, version 1 (u64), the code of the type of numbers
(u8), the number of sequences and of entries of the document index (u64 each), then lengths in tokens (i32),
byte offsets in the ``.bin`` (i64), and the document index (i64), which begins with 0. Here every document is
one sequence.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from typing import Any

from ...errors import FormatError, UnsupportedError
from ..batches import Batch
from .base import Files, Layout, Part, Shape, View, little
from .side import flat, mapped, write_all

MAGIC = b"MMIDIDX\0\0"
#: The types of numbers by their codes; there is no unsigned one of 32 bits.
CODES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 8: "uint16"}
#: Tokens that a length can tell.
LONGEST = (1 << 31) - 1


def index(lengths: Any, dtype: str) -> bytes:
    """The index of documents of these lengths.

    Example:
        >>> len(index([3, 1], "uint16"))
        82
    """
    import numpy as np

    lengths = np.asarray(lengths, np.int64)
    if lengths.size and lengths.max() > LONGEST:
        raise UnsupportedError(
            f"a document has {lengths.max()} tokens, and Megatron's index can tell {LONGEST}: cut it"
        )
    code = next(code for code, name in CODES.items() if name == dtype)
    offsets = np.zeros(len(lengths), np.int64)
    np.cumsum(lengths[:-1] * np.dtype(dtype).itemsize, out=offsets[1:])
    return b"".join(
        (
            MAGIC,
            struct.pack("<QBQQ", 1, code, len(lengths), len(lengths) + 1),
            lengths.astype("<i4").tobytes(),
            offsets.astype("<i8").tobytes(),
            np.arange(len(lengths) + 1, dtype="<i8").tobytes(),
        )
    )


def write(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    lengths = write_all(files, f"{stem}.bin", f"{stem}.bin.mask", batches, shape)
    files.open(f"{stem}.idx").write(index(lengths, shape.dtype))
    return [{"name": stem, "documents": len(lengths), "tokens": int(lengths.sum())}]


def read_index(path: str) -> tuple[str, Any, Any]:
    """The type of numbers, the lengths of sequences and the document index of an ``.idx`` file."""
    import numpy as np

    with open(path, "rb") as file:
        head = file.read(34)
    if len(head) < 34 or head[:9] != MAGIC:
        raise FormatError(f"{path} is no Megatron index: it begins with {head[:9]!r}, not {MAGIC!r}")
    version, code, sequences, entries = struct.unpack("<QBQQ", head[9:])
    if version != 1 or code not in CODES:
        raise FormatError(f"{path} has version {version} and type {code} of numbers; known are 1 and {CODES}")
    expected = 34 + 12 * sequences + 8 * entries
    if os.path.getsize(path) < expected:
        raise FormatError(f"{path} has {os.path.getsize(path)} bytes, its head promises {expected}")
    lengths = mapped(path, "<i4", 34, sequences)
    documents = mapped(path, "<i8", 34 + 12 * sequences, entries)
    return CODES[code], np.asarray(lengths, np.int64), np.asarray(documents)


def view(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part."""
    path = os.path.join(folder, part["name"])
    dtype, lengths, documents = read_index(f"{path}.idx")
    ends = lengths.cumsum()
    ids = mapped(f"{path}.bin", little(dtype))
    if (len(ends) and ends[-1] != len(ids)) or (len(documents) and documents[-1] != len(lengths)):
        raise FormatError(f"{path}.idx tells of {int(ends[-1])} tokens, {path}.bin has {len(ids)}")
    # A document of several sequences ends with its last one.
    last = documents[1:][documents[1:] > 0] - 1
    return flat(f"{path}.bin", ids, lambda: ends[last], shape)


LAYOUT = Layout("megatron", "Megatron-LM, NeMo: .bin and .idx", ("uint16", "int32"), write, view)
