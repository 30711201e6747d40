"""Warnings, as whoever calls the package sees them."""

from __future__ import annotations

import sys
import warnings


def warn(*notices: str) -> None:
    """Warns where the caller of this package is."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tessella":
        level, frame = level + 1, frame.f_back
    for notice in notices:
        warnings.warn(notice, UserWarning, stacklevel=level)
