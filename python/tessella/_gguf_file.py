"""The container of GGUF: keys with values, then tensors.

Little-endian: magic, version, number of tensors, number of pairs, pairs, what the tensors are, and their data
from the next multiple of the alignment. The data is never read: where only keys change, it is copied as it
stands, for its places are counted from its beginning.
"""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Mapping
from typing import IO, NamedTuple

from ._files import _replacing
from .errors import FormatError

_MAGIC = b"GGUF"
_BOOL, _STRING, _ARRAY = 7, 8, 9
_UINT8, _UINT32, _INT32, _FLOAT32 = 0, 4, 5, 6
#: Bytes of each type of number.
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_ALIGNMENT = 32
_ALIGNMENT_KEY = "general.alignment"


class Model(NamedTuple):
    """What is kept of a model's file."""

    path: str
    #: The pairs as they stand in the file, by key.
    pairs: dict[str, bytes]
    tensor_count: int
    #: What the tensors are, as it stands in the file, and their shapes by name.
    tensors: bytes
    shapes: dict[str, tuple[int, ...]]
    data_start: int
    alignment: int

    @classmethod
    def read(cls, path: str) -> Model:
        """The beginning of a file."""
        with open(path, "rb") as file:
            reader = _Reader(file, path)
            if file.read(4) != _MAGIC:
                raise FormatError(f"{path} is no GGUF file: it does not begin with `GGUF`")
            version, tensor_count, pair_count = reader.numbers("<IQQ")
            if version not in (2, 3):
                raise FormatError(f"{path}: the GGUF version is {version}; versions 2 and 3 are known")
            pairs = {}
            for _ in range(pair_count):
                key = reader.string().decode(errors="replace")
                start = file.tell()
                reader.skip_value(*reader.numbers("<I"))
                pairs[key] = reader.between(start)
            start, shapes = file.tell(), {}
            for _ in range(tensor_count):
                name = reader.string().decode(errors="replace")
                (rank,) = reader.numbers("<I")
                if rank > 8:
                    raise FormatError(f"{path}: the tensor {name!r} has {rank} dimensions")
                shapes[name] = reader.numbers(f"<{rank}Q")
                reader.numbers("<IQ")
            tensors = reader.between(start)
            alignment = _ALIGNMENT
            if _ALIGNMENT_KEY in pairs:
                (alignment,) = struct.unpack("<I", pairs[_ALIGNMENT_KEY][4:8])
            if alignment < 1:
                raise FormatError(f"{path}: `{_ALIGNMENT_KEY}` is {alignment}")
            end = file.tell()
            return cls(path, pairs, tensor_count, tensors, shapes, end + -end % alignment, alignment)


class _Reader:
    def __init__(self, file: IO[bytes], path: str) -> None:
        self.file, self.path = file, path
        self.size = os.fstat(file.fileno()).st_size

    def taken(self, length: int) -> bytes:
        if length > self.size - self.file.tell():
            raise FormatError(
                f"{self.path}: the file ends early: {length} more bytes are announced at byte "
                f"{self.file.tell()} of {self.size}"
            )
        return self.file.read(length)

    def numbers(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self.taken(struct.calcsize(form)))

    def string(self) -> bytes:
        return self.taken(*self.numbers("<Q"))

    def between(self, start: int) -> bytes:
        """What was read since then."""
        end = self.file.tell()
        self.file.seek(start)
        return self.file.read(end - start)

    def skip_value(self, kind: int, depth: int = 0) -> None:
        if kind in _SIZES:
            self.taken(_SIZES[kind])
        elif kind == _STRING:
            self.string()
        elif kind == _ARRAY and depth < 4:
            inner, count = self.numbers("<IQ")
            if inner in _SIZES:
                self.taken(_SIZES[inner] * count)
                return
            for _ in range(count):
                self.skip_value(inner, depth + 1)
        else:
            raise FormatError(f"{self.path}: unknown value type {kind} at byte {self.file.tell()}")


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _packed(value: object) -> bytes:
    """The type of a value and the value. Numbers are 32 bits wide, as llama.cpp wants them."""
    if isinstance(value, bool):
        return struct.pack("<I?", _BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", _UINT32, value)
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _text(value)
    if isinstance(value, bytes):
        return struct.pack("<IIQ", _ARRAY, _UINT8, len(value)) + value
    if not isinstance(value, list):
        raise TypeError(f"a GGUF file has no value like {value!r}")
    # Of the lists that are written, merges alone may be empty.
    if not value or isinstance(value[0], str):
        return struct.pack("<IIQ", _ARRAY, _STRING, len(value)) + b"".join(map(_text, value))
    kind, form = (_FLOAT32, "f") if isinstance(value[0], float) else (_INT32, "i")
    return struct.pack(f"<IIQ{len(value)}{form}", _ARRAY, kind, len(value), *value)


def content(keys: Mapping[str, object], model: Model | None = None) -> bytes:
    """What stands in a file before the data of its tensors."""
    pairs = {} if model is None else dict(model.pairs)
    pairs.update((key, _packed(value)) for key, value in keys.items())
    count, tensors = (0, b"") if model is None else (model.tensor_count, model.tensors)
    head = _MAGIC + struct.pack("<IQQ", 3, count, len(pairs))
    return head + b"".join(_text(key) + value for key, value in pairs.items()) + tensors


def write(path: str, keys: Mapping[str, object], model: Model | None = None) -> None:
    """Writes a file of these keys, with the tensors and further keys of a model's file."""
    head = content(keys, model)
    with _replacing(path) as target:
        target.write(head)
        if model is not None:
            target.write(bytes(-len(head) % model.alignment))
            with open(model.path, "rb") as source:
                source.seek(model.data_start)
                shutil.copyfileobj(source, target, 1 << 22)
