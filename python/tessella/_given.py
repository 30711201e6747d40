"""What callers gave, looked at before it is used: whole numbers, and lists that are not one text.

A text is a sequence of texts too, its letters, and NumPy makes numbers of almost anything: without a look,
the mistake would be an answer.
"""

from __future__ import annotations

import reprlib
from typing import Any

from . import _tessella
from .errors import ArgumentError


# `Any`: what is no number is told.
def whole(name: str, value: Any, least: int | None = None) -> int:
    """A whole number of any type, from ``least`` on.

    Example:
        >>> whole("n", 3, least=1)
        3
        >>> whole("pad_id", None)
        Traceback (most recent call last):
        TypeError: `pad_id` must be an int, not NoneType
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"`{name}` must be an int, not {type(value).__name__}")
    number: int = value.__index__()
    if least is not None and number < least:
        raise ArgumentError(f"`{name}` is {number}; it must be {least} or more")
    return number


# `Any`: a text where a list is expected.
def check_list(name: str, value: Any, what: str) -> None:
    """Refuses one text, of which each letter would count.

    Example:
        >>> check_list("ignore", "PER", "labels")
        Traceback (most recent call last):
        TypeError: `ignore` must be a list of labels, not one str: ['PER']
    """
    if isinstance(value, (str, bytes)):
        raise TypeError(f"`{name}` must be a list of {what}, not one {type(value).__name__}: [{value!r:.60}]")
    walks = value is None or hasattr(value, "__iter__") or hasattr(value, "__getitem__")
    if not walks or getattr(value, "ndim", None) == 0:
        raise TypeError(
            f"`{name}` must be a list of {what}, not {type(value).__name__} {reprlib.repr(value)}"
        )


def check_tokenizer(name: str, value: Any) -> None:
    """Refuses what is no tokenizer; of what holds one it says so.

    Example:
        >>> check_tokenizer("tokenizer", "gpt2")
        Traceback (most recent call last):
        TypeError: `tokenizer` must be a tessella.Tokenizer, not str
    """
    if isinstance(value, _tessella.Tokenizer):
        return
    held = isinstance(getattr(value, "backend_tokenizer", None), _tessella.Tokenizer)
    advice = ": pass its `backend_tokenizer`" if held else ""
    raise TypeError(f"`{name}` must be a tessella.Tokenizer, not {type(value).__name__}{advice}")
