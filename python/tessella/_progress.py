"""Progress of long jobs that run from Python, and in notebooks.

A notebook does not see what a process writes to its standard error, so there the engine tells Python how far
it is, and bars of ``tqdm`` show it where that is installed. Elsewhere the engine draws its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._tessella import Meter
from .errors import ArgumentError

if TYPE_CHECKING:
    from ._types import ProgressFormat

__all__ = ["Meter", "form", "listener"]


def form(progress: bool | ProgressFormat) -> ProgressFormat:
    """What the engine shows where a caller says this; ``True`` is what suits the place."""
    if isinstance(progress, str):
        if progress not in ("json", "silent", "indicatif"):
            raise ArgumentError(f"`progress` must be True, False or 'json', found {progress!r}")
        return progress
    return "indicatif" if progress else "silent"


def _in_notebook() -> bool:
    # Asking for IPython where nobody has imported it would import it.
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


def listener() -> Callable[[str, int, int, bool], None] | None:
    """What the engine tells about its progress, in a notebook with ``tqdm``; ``None`` elsewhere."""
    if not _in_notebook():
        return None
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return None
    return Bars(tqdm)


class Bars:
    """A bar for each stage, one after the other."""

    def __init__(self, bar: Callable[..., Any]) -> None:
        self._make = bar
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int, is_bytes: bool) -> None:
        """Shows what is done; an empty stage ends the showing."""
        if stage != self._stage and self._bar is not None:
            self._bar.close()
            self._bar = None
        self._stage = stage
        if not stage:
            return
        if self._bar is None:
            unit = {"unit": "B", "unit_scale": True} if is_bytes else {"unit": ""}
            self._bar = self._make(desc=stage, total=total or None, **unit)
        self._bar.total = total or None
        self._bar.n = done
        self._bar.refresh()
