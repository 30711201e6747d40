"""Offsets in other units than characters: bytes of UTF-8, and the units of JavaScript's strings.

Example:
    >>> into = converter("a😀b", "utf16")
    >>> [into(place) for place in range(4)]
    [0, 1, 3, 4]
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Literal

Unit = Literal["char", "byte", "utf16"]


def _bytes(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _units(character: str) -> int:
    return 1 if ord(character) < 0x10000 else 2


def converter(text: str, unit: Unit) -> Callable[[int], int]:
    """What turns a place in characters of a text into the same place in another unit."""
    if unit == "char" or text.isascii() or (unit == "utf16" and max(text) < "\U00010000"):
        return int
    places = list(accumulate(map(_bytes if unit == "byte" else _units, text), initial=0))
    return places.__getitem__
