"""Standard output that goes to a file is written in large pieces.

Python writes a block of the disk at a time, mostly 4 kB. To a terminal or a pipe it still does, and to a
terminal line by line: there somebody waits for what is written.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Iterator

from .. import _start

#: Bytes that are written at a time.
ROOM = 1 << 16


@contextlib.contextmanager
def roomy_output() -> Iterator[None]:
    """Gives standard output more room, if it is a file and this process is the command line."""
    before = sys.stdout
    if not (_start.IS_COMMAND and isinstance(before, io.TextIOWrapper) and _buffers_for_a_file(before)):
        yield
        return
    before.flush()
    newline = None if os.name == "nt" else "\n"
    roomy = io.TextIOWrapper(
        io.BufferedWriter(before.buffer.raw, ROOM),
        before.encoding,
        before.errors,
        newline,
    )
    sys.stdout = roomy
    try:
        yield
    finally:
        # Where there is no room for the rest that has been told; it must not be tried again.
        with contextlib.suppress(OSError, ValueError):
            roomy.flush()
            # The two share what is below, which is closed by who has it last.
            roomy.detach().detach()
            sys.stdout = before


def _buffers_for_a_file(stream: io.TextIOWrapper) -> bool:
    try:
        # With `python -u` there is no buffer.
        is_buffered = not stream.write_through and hasattr(stream.buffer, "raw")
        return is_buffered and stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False
