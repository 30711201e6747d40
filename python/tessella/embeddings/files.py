"""Vectors in files: word2vec's text and binary formats, and safetensors.

The word2vec formats are understood by most programs; their keys are text without white space. Safetensors
keeps numbers apart from text and the counts along with the vectors. A file appears under its name only when
it is complete.

Example:
    >>> import os, tempfile
    >>> from tessella.embeddings import Vectors, load_vectors
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "small.vec")
    ...     Vectors(["a", "b"], [[0.5, 1.0], [0.25, 0.0]]).save(path)
    ...     with open(path) as file:
    ...         print(file.read().strip())
    ...     load_vectors(path)
    2 2
    a 0.5 1.0
    b 0.25 0.0
    Vectors(2 keys, 2 dimensions)
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from .._files import _replacing
from ..errors import ArgumentError, FormatError
from .vectors import VectorFormat, Vectors

_FORMATS = ("text", "binary", "safetensors")
_Path = str | os.PathLike[str]


def _format(path: _Path, format: VectorFormat | None) -> str:
    if format is None:
        suffix = os.path.splitext(os.fspath(path))[1]
        return {".bin": "binary", ".safetensors": "safetensors"}.get(suffix, "text")
    if format not in _FORMATS:
        raise ArgumentError(f"`format` is {format!r}; it must be one of {', '.join(_FORMATS)}")
    return format


def save_vectors(vectors: Vectors, path: _Path, format: VectorFormat | None = None) -> None:
    """See ``Vectors.save``."""
    writer = {"text": _text, "binary": _binary, "safetensors": _safetensors}[_format(path, format)]
    with _replacing(os.fsdecode(path)) as file:
        for part in writer(vectors):
            file.write(part)


def load_vectors(path: _Path, format: VectorFormat | None = None) -> Vectors:
    """Vectors from a file.

    Args:
        path: the file.
        format: as for ``Vectors.save``.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "vectors.vec")
        ...     Vectors(["up"], [[0.0, 1.0]]).save(path)
        ...     load_vectors(path)["up"].tolist()
        [0.0, 1.0]
    """
    kind = _format(path, format)
    with open(os.fspath(path), "rb") as file:
        try:
            return {"text": _read_text, "binary": _read_binary, "safetensors": _read_safetensors}[kind](file)
        except (ValueError, KeyError, TypeError, RecursionError, struct.error) as error:
            raise FormatError(
                f"{os.fspath(path)} is not a {kind} file of vectors: {error}", filename=os.fspath(path)
            ) from error


def _plain(key: object) -> str:
    if not isinstance(key, str) or not key or any(map(str.isspace, key)):
        raise ArgumentError(
            f"the key {key!r} cannot be in a word2vec file, where keys are text without white space: save as "
            "safetensors"
        )
    return key


def _text(vectors: Vectors) -> Iterator[bytes]:
    yield f"{len(vectors)} {vectors.dimensions}\n".encode()
    for key, row in zip(vectors.keys, vectors.vectors, strict=True):
        # The shortest text that gives the same number of 32 bits.
        yield f"{_plain(key)} {' '.join(map(str, row))}\n".encode()


def _binary(vectors: Vectors) -> Iterator[bytes]:
    yield f"{len(vectors)} {vectors.dimensions}\n".encode()
    for key, row in zip(vectors.keys, vectors.vectors, strict=True):
        yield _plain(key).encode() + b" " + row.astype("<f4").tobytes()


def _safetensors(vectors: Vectors) -> Iterator[bytes]:
    for key in vectors.keys:
        if isinstance(key, bool) or not isinstance(key, (str, int)):
            raise ArgumentError(f"the key {key!r} is a {type(key).__name__}; files hold str and int")
    body = vectors.vectors.astype("<f4").tobytes()
    about = {"keys": json.dumps(vectors.keys, ensure_ascii=False)}
    if vectors.counts is not None:
        about["counts"] = json.dumps(vectors.counts)
    shape = {"dtype": "F32", "shape": list(vectors.vectors.shape), "data_offsets": [0, len(body)]}
    header = json.dumps({"__metadata__": about, "vectors": shape}, ensure_ascii=False).encode()
    header += b" " * (-len(header) % 8)
    yield struct.pack("<Q", len(header))
    yield header
    yield body


def _size(line: bytes) -> tuple[int, int]:
    parts = line.split()
    if len(parts) != 2:
        raise ValueError(f"the first line must be two numbers, found {line[:40]!r}")
    number, dimensions = int(parts[0]), int(parts[1])
    if number < 0 or dimensions < 0:
        raise ValueError(f"the first line must be two numbers, found {line[:40]!r}")
    return number, dimensions


def _read_text(file: BinaryIO) -> Vectors:
    number, dimensions = _size(file.readline())
    keys: list[str] = []
    rows: list[np.ndarray] = []
    for place, line in enumerate(file, 2):
        key, *values = line.decode("utf-8").rstrip(" \r\n").split(" ")
        if len(values) != dimensions:
            raise ValueError(f"line {place} has {len(values)} numbers instead of {dimensions}")
        keys.append(key)
        rows.append(np.array(values, dtype=np.float32))
    if len(keys) != number:
        raise ValueError(f"there are {len(keys)} vectors instead of {number}")
    return Vectors(keys, np.array(rows, dtype=np.float32).reshape(number, dimensions))


def _read_binary(file: BinaryIO) -> Vectors:
    number, dimensions = _size(file.readline())
    content = file.read()
    width = dimensions * 4
    keys: list[str] = []
    rows: list[np.ndarray] = []
    at = 0
    for place in range(number):
        # Some programs end every vector with a new line.
        while content[at : at + 1] == b"\n":
            at += 1
        space = content.find(b" ", at)
        if space < 0 or space + 1 + width > len(content):
            raise ValueError(f"it ends within vector {place + 1} of {number}")
        keys.append(content[at:space].decode("utf-8"))
        rows.append(np.frombuffer(content, "<f4", dimensions, space + 1))
        at = space + 1 + width
    return Vectors(keys, np.array(rows, dtype=np.float32).reshape(number, dimensions))


def _read_safetensors(file: BinaryIO) -> Vectors:
    content = file.read()
    (length,) = struct.unpack_from("<Q", content)
    if length > len(content) - 8:
        raise ValueError(f"the header would have {length} bytes, but the file has {len(content)}")
    header = json.loads(content[8 : 8 + length])
    about, tensor = header["__metadata__"], header["vectors"]
    if tensor["dtype"] != "F32":
        raise ValueError(f"the vectors are {tensor['dtype']}, not F32")
    start, end = tensor["data_offsets"]
    number, dimensions = tensor["shape"]
    if not 0 <= start <= end <= len(content) - 8 - length or end - start != number * dimensions * 4:
        raise ValueError(f"{number} x {dimensions} numbers do not fit the bytes {start} to {end}")
    values = np.frombuffer(content, "<f4", number * dimensions, 8 + length + start)
    counts = json.loads(about["counts"]) if "counts" in about else None
    return Vectors(json.loads(about["keys"]), values.reshape(number, dimensions), counts)
