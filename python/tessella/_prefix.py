"""Prefixes of names of files: a prefix must not lead out of the folder that was named."""

from __future__ import annotations

import os

from .errors import ArgumentError


def check_prefix(prefix: str | None, name: str = "prefix") -> str:
    """The beginning of the files' names, with its hyphen; empty without a prefix.

    Example:
        >>> check_prefix("mine"), check_prefix(None)
        ('mine-', '')
    """
    if prefix is None or prefix == "":
        return ""
    if not isinstance(prefix, str):
        raise TypeError(f"`{name}` must be a str or None, not {type(prefix).__name__}")
    separators = {"/", "\\", "\0", os.sep, os.altsep}
    if any(one in prefix for one in separators if one):
        raise ArgumentError(
            f"`{name}` must be the beginning of a file's name, without separators of folders, found "
            f"{prefix!r}; name the folder instead"
        )
    return f"{prefix}-"
