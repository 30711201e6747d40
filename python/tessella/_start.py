"""What comes before all else: Ctrl-C during the import, and a compiled module that is not there.

Ctrl-C ends the command line quietly: there is no ``main`` yet to heed it. Only a process that was started as
``tessella`` or ``python -m tessella`` is touched, and only until ``main``.

A package without its compiled half is a source tree that was not built, one that was built for another
Python, or one in a zip file; Python would speak of a circular import.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import Any

_before: Any = None
#: Whether this process is the command line. It is asked once: under ``-m`` its name changes before ``main``.
IS_COMMAND = False


def _is_command() -> bool:
    """Whether this process is the command line; under ``-m`` its name is not there yet."""
    started: list[str] = getattr(sys, "argv", None) or [""]
    name = os.path.basename(started[0]).lower().removesuffix(".exe")
    if name == "-m":
        typed = sys.orig_argv
        return "-m" in typed and typed[typed.index("-m") + 1 :][:1] == ["tessella"]
    return name == "tessella"


def _quiet() -> None:
    global _before, IS_COMMAND
    IS_COMMAND = _is_command()
    # Where interrupts are ignored (nohup) or someone else's, they stay so.
    if IS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        try:
            _before = signal.signal(signal.SIGINT, signal.SIG_DFL)
        except ValueError:  # not the main thread
            return


def heeded() -> None:
    """Interrupts are exceptions again."""
    global _before
    if _before is not None:
        signal.signal(signal.SIGINT, _before)
        _before = None


def _with_engine() -> None:
    name = f"{__package__}._tessella"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ImportError(_no_engine(os.path.dirname(__file__)), name=name) from None


def _no_engine(folder: str) -> str:
    """What to do about a compiled module that is not found."""
    if not os.path.isdir(folder):
        return (
            f"{folder} is in a zip file, out of which Python loads no compiled module: install tessella "
            f"into a folder, with `pip install --target FOLDER`"
        )
    built = sorted(one for one in os.listdir(folder) if one.startswith("_tessella.") and one[-4:] != ".pyi")
    there = f"{folder} has {', '.join(built)}" if built else f"there is none in {folder}"
    return (
        f"the compiled module of tessella is missing for {sys.implementation.cache_tag}: {there}; with this "
        f"Python, install the package (`pip install .`) or build it (`make build`)"
    )


_quiet()
_with_engine()
