"""Numbers of protocol buffers, for the files and messages of SentencePiece that Python looks into.

The engine reads and writes model files by itself; this is for edits, which keep every field that they do not
know, and for messages that programs build in Python.
"""

from __future__ import annotations

from .errors import FormatError


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """The number that stands at a place, and where what follows it begins.

    Example:
        >>> read_number(write_number(300), 0)
        (300, 2)
    """
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise FormatError(f"the SentencePiece data ends in the middle of a number (byte {at})")


def write_number(value: int) -> bytes:
    """A number as it is written; negative ones have 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
