"""Ctrl-C while the command line is still being imported ends it quietly: there is no ``main`` yet to heed it.

Only a process that was started as ``tessella`` or ``python -m tessella`` is touched, and only until ``main``.
"""

from __future__ import annotations

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


_quiet()
