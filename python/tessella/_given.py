"""What callers gave, looked at before it is used: whole numbers, and lists that are not one text.

A text is a sequence of texts too, its letters, and NumPy makes numbers of almost anything: without a look,
the mistake would be an answer.
"""

from __future__ import annotations

import os
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


# `Any`: what is no path is told.
def path_name(name: str, value: Any, what: str = "a path") -> str:
    """The name of a file or a folder, or its ``Path``, as a text that is not empty.

    Example:
        >>> path_name("out", "tokens")
        'tokens'
        >>> path_name("out", 3)
        Traceback (most recent call last):
        TypeError: `out` must be a path, a str or os.PathLike, not int 3
    """
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(
            f"`{name}` must be {what}, a str or os.PathLike, not {type(value).__name__} {reprlib.repr(value)}"
        )
    path = os.fsdecode(value)
    if not path:
        raise ArgumentError(f"`{name}` is empty: give {what}; `.` is the folder that you are in")
    return path


# `Any`: what is no token is told.
def token_text(name: str, value: Any) -> str:
    """The text of a token that is a text or an ``AddedToken``.

    Example:
        >>> token_text("unk_token", "[UNK]")
        '[UNK]'
        >>> token_text("unk_token", None)
        Traceback (most recent call last):
        TypeError: `unk_token` must be a str or an AddedToken, not NoneType None
    """
    if isinstance(value, str):
        return value
    # Those of other libraries have the name and the field too.
    if type(value).__name__ == "AddedToken" and isinstance(getattr(value, "content", None), str):
        text: str = value.content
        return text
    raise TypeError(
        f"`{name}` must be a str or an AddedToken, not {type(value).__name__} {reprlib.repr(value)}"
    )


# `Any`: what is no flag is told. A text such as "no" is true to Python.
def flag(name: str, value: Any) -> bool:
    """A ``bool``, NumPy's too; ``None`` is false.

    Example:
        >>> flag("fuse_unk", None)
        False
        >>> flag("fuse_unk", "no")
        Traceback (most recent call last):
        TypeError: `fuse_unk` must be a bool or None, not str 'no'
    """
    if value is not None and type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"`{name}` must be a bool or None, not {type(value).__name__} {reprlib.repr(value)}")
    return bool(value)


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
