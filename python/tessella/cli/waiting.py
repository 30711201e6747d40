"""Standard streams that another program has set to not wait are made to wait while a command runs.

Node, ssh and terminal multiplexers leave such pipes and terminals to their children. Python's text streams
then drop what the reader has no room for yet, without an error, and take a pause in the input for its end.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from .. import _start


@contextlib.contextmanager
def streams_that_wait() -> Iterator[None]:
    """Lets the standard streams wait, if this process is the command line.

    Afterwards they are as they were: other processes may share them.
    """
    changed = [number for number in (0, 1, 2) if _start.IS_COMMAND and _does_not_wait(number)]
    for number in changed:
        os.set_blocking(number, True)
    try:
        yield
    finally:
        if changed:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, ValueError, AttributeError):
                    stream.flush()
        for number in changed:
            with contextlib.suppress(OSError):
                os.set_blocking(number, False)


def _does_not_wait(number: int) -> bool:
    # Windows has no such streams, and no such question before Python 3.12.
    if os.name == "nt":
        return False
    try:
        return not os.get_blocking(number)
    except OSError:  # closed
        return False
