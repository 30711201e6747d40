"""The messages that describe a segmentation, readable without protobuf.

They have the fields of the original's messages, and the same bytes when written.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from ... import _tessella
from ..._wire import read_number, write_number
from ...errors import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NBestSentencePieceText", "SentencePieceText", "written"]


def written(message: object) -> object:
    """The bytes of a message, of this module or of a protocol-buffer library; all else as it is."""
    write = getattr(message, "SerializeToString", None)
    return write() if callable(write) else message


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message that the engine wrote: numbers, texts and floats."""
    at = 0
    while at < len(data):
        key, at = read_number(data, at)
        if key & 7 == 0:
            value, at = read_number(data, at)
            yield key >> 3, value
        else:
            if key & 7 == 2:
                size, at = read_number(data, at)
            else:
                size = 4
            yield key >> 3, data[at : at + size]
            at += size


def _number(key: int, value: int) -> bytes:
    return write_number(key) + write_number(value)


class _List(list[Any]):
    """The messages of a repeated field."""

    def __init__(self, kind: type[_Message]) -> None:
        super().__init__()
        self._kind = kind

    def add(self, **fields: object) -> Any:
        """Appends a new message and gives it."""
        self.append(self._kind(**fields))
        return self[-1]


def _field(name: str, kind: type) -> property:
    """A field that has its default where it was never set."""
    default = kind()

    def read(message: _Message) -> object:
        return message._set.get(name, default)

    return property(read, doc=f"The field ``{name}``.")


class _Message:
    """Fields by name. One that was never set has its default and is not written; equal if the bytes are.

    What the engine wrote is read when somebody looks at it: many only write it again.
    """

    #: Name, number, and what it holds: a text, a number, a float, or messages of a class.
    _fields: ClassVar[tuple[tuple[str, int, type], ...]] = ()

    def __init__(self, **fields: object) -> None:
        self._set: dict[str, Any] = {}
        self._read(b"")
        for name, value in fields.items():
            setattr(self, name, value)

    def __init_subclass__(cls) -> None:
        for name, _, kind in cls._fields:
            # The messages of a repeated field are always there.
            setattr(cls, name, _field(name, list if issubclass(kind, _Message) else kind))

    @classmethod
    def _written(cls, serialized: bytes) -> Self:
        """A message of bytes that the engine wrote."""
        message = cls.__new__(cls)
        message.__dict__["_serialized"] = serialized
        return message

    @classmethod
    def _fields_of(cls, serialized: bytes) -> dict[str, Any]:
        """What is set in a message of bytes that the engine wrote."""
        raise NotImplementedError(cls.__name__)

    def __getattr__(self, name: str) -> Any:
        # Fields are found before this is asked. Of threads that look at once each reads, and the first one
        # counts: what one of them changes then is seen by all.
        if name == "_set" and (serialized := self.__dict__.get("_serialized")) is not None:
            return self.__dict__.setdefault("_set", self._fields_of(serialized))
        raise AttributeError(f"{type(self).__name__} has no field {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        if name == "_set":
            object.__setattr__(self, name, value)
            return
        kinds = {field: kind for field, _, kind in type(self)._fields}
        if name not in kinds:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        kind = kinds[name]
        if issubclass(kind, _Message):
            if not isinstance(value, (list, tuple)) or not all(isinstance(one, kind) for one in value):
                raise TypeError(f"{name} must be a list of {kind.__name__}")
            self._set[name][:] = value
            return
        if kind is int and not (isinstance(value, int) and 0 <= value < 2**32):
            raise TypeError(f"{name} must be an int of 32 bits that is not negative, found {value!r}")
        if kind is float and isinstance(value, (int, float)):
            (value,) = struct.unpack("<f", struct.pack("<f", value))
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be {kind.__name__}, found {type(value).__name__}")
        self._set[name] = value

    def _read(self, serialized: bytes) -> None:
        known = {number: (name, kind) for name, number, kind in type(self)._fields}
        self._set = {name: _List(kind) for name, _, kind in type(self)._fields if issubclass(kind, _Message)}
        for number, value in _fields(serialized):
            if number not in known:
                continue
            name, kind = known[number]
            if not isinstance(value, bytes):
                self._set[name] = value
            elif issubclass(kind, _Message):
                self._set[name].append(kind.FromString(value))
            elif kind is float:
                (self._set[name],) = struct.unpack("<f", value)
            else:
                self._set[name] = value.decode("utf-8", "replace")

    @classmethod
    def FromString(cls, serialized: bytes) -> Self:
        """A message from its bytes."""
        message = cls()
        message._read(bytes(serialized))
        return message

    def ParseFromString(self, serialized: bytes) -> int:
        """Reads the message from its bytes."""
        self._read(bytes(serialized))
        return len(serialized)

    def SerializeToString(self) -> bytes:
        """The message's bytes."""
        if "_set" not in self.__dict__:
            # Nobody has looked at it, so nobody has changed it.
            serialized: bytes = self._serialized
            return serialized
        parts = []
        for name, number, kind in type(self)._fields:
            if issubclass(kind, _Message):
                written = [message.SerializeToString() for message in self._set[name]]
                parts += [_number(number << 3 | 2, len(one)) + one for one in written]
            elif name not in self._set:
                continue
            elif kind is int:
                parts.append(_number(number << 3, self._set[name]))
            elif kind is float:
                parts.append(bytes([number << 3 | 5]) + struct.pack("<f", self._set[name]))
            else:
                text = self._set[name].encode()
                parts.append(_number(number << 3 | 2, len(text)) + text)
        return b"".join(parts)

    SerializeAsString = SerializeToString

    def HasField(self, name: str) -> bool:
        """Whether a field that is not repeated was set."""
        if not any(field == name and not issubclass(kind, _Message) for field, _, kind in type(self)._fields):
            raise ArgumentError(f"{type(self).__name__} has no field {name!r} that can be unset")
        return name in self._set

    def CopyFrom(self, other: Self) -> None:
        """Makes this message equal to another one."""
        self._read(other.SerializeToString())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.SerializeToString() == other.SerializeToString()

    # Messages can be changed: they are no keys.
    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).FromString, (self.SerializeToString(),)

    def __repr__(self) -> str:
        return "".join(self._lines(""))

    def _lines(self, indent: str) -> Iterator[str]:
        """The message as protocol buffers are written for people to read."""
        for name, _, kind in type(self)._fields:
            if issubclass(kind, _Message):
                for message in self._set[name]:
                    yield f"{indent}{name} {{\n"
                    yield from message._lines(indent + "  ")
                    yield f"{indent}}}\n"
            elif name in self._set:
                value = self._set[name]
                yield f"{indent}{name}: {_quoted(value) if kind is str else _plain(value)}\n"


_ESCAPES = {
    **{code: f"\\{code:03o}" for code in (*range(32), 127)},
    **{ord(letter): f"\\{name}" for letter, name in zip("\n\r\t\"'\\", "nrt\"'\\", strict=True)},
}


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _plain(value: float) -> str:
    """A number; nine digits tell a float of 32 bits from all others."""
    return str(value) if isinstance(value, int) else f"{value:.9g}"


class _Piece(_Message):
    """One piece: its text, id, surface, and where the surface stands, in bytes."""

    _fields = (("piece", 1, str), ("id", 2, int), ("surface", 3, str), ("begin", 4, int), ("end", 5, int))

    piece: str
    id: int
    surface: str
    begin: int
    end: int


class SentencePieceText(_Message):
    """A text in pieces.

    Attributes:
        text: the text.
        pieces: one :class:`SentencePieceText.SentencePiece` per piece.
        score: of n-best lists.

    Example:
        >>> message = SentencePieceText(text="ab")
        >>> message.pieces.add(piece="ab", id=7, surface="ab", begin=0, end=2).id
        7
        >>> SentencePieceText.FromString(message.SerializeToString()).pieces[0].piece
        'ab'
    """

    SentencePiece = _Piece
    _fields = (("text", 1, str), ("pieces", 2, _Piece), ("score", 3, float))

    text: str
    pieces: _List
    score: float

    @classmethod
    def _fields_of(cls, serialized: bytes) -> dict[str, Any]:
        fields, pieces = _tessella.read_segmentation(serialized)
        fields["pieces"] = listed = _List(_Piece)
        for one in pieces:
            piece = _Piece.__new__(_Piece)
            piece.__dict__["_set"] = one
            listed.append(piece)
        return fields


class NBestSentencePieceText(_Message):
    """Several segmentations of one text, the best first, in ``nbests``."""

    _fields = (("nbests", 1, SentencePieceText),)

    nbests: _List

    @classmethod
    def _fields_of(cls, serialized: bytes) -> dict[str, Any]:
        listed = _List(SentencePieceText)
        listed.extend(
            SentencePieceText._written(one) for _, one in _fields(serialized) if isinstance(one, bytes)
        )
        return {"nbests": listed}
