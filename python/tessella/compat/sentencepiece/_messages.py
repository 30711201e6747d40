"""The messages that describe a segmentation, readable without protobuf.

They have the fields of the original's messages, and the same bytes when written.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

__all__ = ["NBestSentencePieceText", "SentencePieceText", "written"]


def written(message: object) -> object:
    """The bytes of a message, of this module or of a protocol-buffer library; all else as it is."""
    write = getattr(message, "SerializeToString", None)
    return write() if callable(write) else message


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message that the engine wrote: numbers, texts and floats."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
        else:
            if key & 7 == 2:
                size, at = _varint(data, at)
            else:
                size = 4
            yield key >> 3, data[at : at + size]
            at += size


class _Message:
    """Bytes that were parsed once; equal if the bytes are."""

    def __init__(self, serialized: bytes = b"") -> None:
        self._serialized = bytes(serialized)
        self._read()

    def _read(self) -> None:
        raise NotImplementedError

    def ParseFromString(self, serialized: bytes) -> int:
        """Reads the message from its bytes."""
        self._serialized = bytes(serialized)
        self._read()
        return len(serialized)

    def SerializeToString(self) -> bytes:
        """The message's bytes."""
        return self._serialized

    SerializeAsString = SerializeToString

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._serialized == other._serialized

    def __hash__(self) -> int:
        return hash(self._serialized)

    def __reduce__(self) -> tuple[type[_Message], tuple[bytes]]:
        return type(self), (self._serialized,)


class SentencePieceText(_Message):
    """A text in pieces.

    Attributes:
        text: the text.
        pieces: one :class:`SentencePieceText.SentencePiece` per piece.
        score: of n-best lists.
    """

    class SentencePiece(_Message):
        """One piece: its text, id, surface, and where the surface stands, in bytes."""

        piece: str
        id: int
        surface: str
        begin: int
        end: int

        def _read(self) -> None:
            self.piece, self.id, self.surface, self.begin, self.end = "", 0, "", 0, 0
            for number, value in _fields(self._serialized):
                if isinstance(value, bytes):
                    text = value.decode("utf-8", "replace")
                    if number == 1:
                        self.piece = text
                    else:
                        self.surface = text
                elif number == 2:
                    self.id = value
                elif number == 4:
                    self.begin = value
                else:
                    self.end = value

        def __repr__(self) -> str:
            return (
                f"piece: {self.piece!r}\nid: {self.id}\nsurface: {self.surface!r}\n"
                f"begin: {self.begin}\nend: {self.end}\n"
            )

    text: str
    pieces: list[SentencePieceText.SentencePiece]
    score: float

    def _read(self) -> None:
        self.text, self.pieces, self.score = "", [], 0.0
        for number, value in _fields(self._serialized):
            if not isinstance(value, bytes):
                continue
            if number == 1:
                self.text = value.decode("utf-8", "replace")
            elif number == 2:
                self.pieces.append(SentencePieceText.SentencePiece(value))
            else:
                (self.score,) = struct.unpack("<f", value)

    def __repr__(self) -> str:
        pieces = "".join(f"pieces {{\n{piece!r}}}\n" for piece in self.pieces)
        return f"text: {self.text!r}\n{pieces}score: {self.score}\n"


class NBestSentencePieceText(_Message):
    """Several segmentations of one text, the best first, in ``nbests``."""

    nbests: list[SentencePieceText]

    def _read(self) -> None:
        values = [value for _, value in _fields(self._serialized)]
        self.nbests = [SentencePieceText(value) for value in values if isinstance(value, bytes)]

    def __repr__(self) -> str:
        return "".join(f"nbests {{\n{nbest!r}}}\n" for nbest in self.nbests)
