"""How signals end a command: what is half made is taken away first, and then the process ends by the signal.

Ctrl-C is an exception in Python by itself. ``SIGTERM`` (``kill``, ``timeout``, a job that is stopped) and
``SIGHUP`` (a terminal that is closed) would end the process where it stands, and leave its temporary files
beside its outputs; here they are exceptions too, so that a training also saves its checkpoint.

Whoever started the command learns that a signal ended it. A shell that sees an ordinary status instead takes
the signal for handled, and a loop in a script would go on with the next file after Ctrl-C.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from types import FrameType, TracebackType

from .. import _start

#: Shells tell of a process that a signal ended this and the signal's number.
BEFORE_SIGNALS = 128


class Ended(KeyboardInterrupt):
    """The wish of a signal other than Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__("ended")
        self.number = number


def heed() -> None:
    """Makes exceptions of the signals that ask a command to end.

    What is ignored (``nohup``) or someone else's stays so.
    """
    if not _start.IS_COMMAND:
        return
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with contextlib.suppress(ValueError):  # not the main thread
                signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    # A second one does not wait.
    signal.signal(number, signal.SIG_DFL)
    raise Ended(number)


def end_by(error: KeyboardInterrupt) -> int:
    """Ends the process by the signal behind this error.

    Where a program called, it gets the status that stands for the signal.
    """
    if not _start.IS_COMMAND or os.name == "nt":
        return BEFORE_SIGNALS + (error.number if isinstance(error, Ended) else signal.SIGINT)
    if isinstance(error, Ended):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        _let_go(error)
        os.kill(os.getpid(), error.number)
    # Python ends so by itself, when all is put away; only its traceback is of no use.
    sys.excepthook = _silent
    raise KeyboardInterrupt


def _let_go(error: BaseException | None) -> None:
    """Lets go of what the calls held that an error went through: counts, say, whose folder goes with them.

    Nothing runs any more once the signal has come, so what an error still holds would stay on the disk.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def _silent(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    pass
