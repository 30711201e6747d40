"""One process at a time does one thing in one folder. A lock ends with its process, however that ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ..errors import ArgumentError
from .job import WORK
from .places import LocalPlace, Place


@contextlib.contextmanager
def only_one(target: Place, what: str) -> Iterator[None]:
    """Holds a lock in the work folder of a place; object storage knows none, so there nobody is kept out."""
    if not isinstance(target, LocalPlace):
        yield
        return
    os.makedirs(target.of(WORK), exist_ok=True)
    path = target.of(f"{WORK}/{what}.lock")
    with open(path, "ab") as file:
        if not _lock(file.fileno()):
            raise ArgumentError(
                f"another process is at work in {target.path} ({what}): wait for it, or end it"
            )
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.remove(path)
            # What is empty by now was made for the lock alone.
            with contextlib.suppress(OSError):
                os.rmdir(target.of(WORK))


def _lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        return _lock_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks.
        return True
    return True


def _lock_windows(descriptor: int) -> bool:
    import importlib

    msvcrt = importlib.import_module("msvcrt")
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
