"""A process that makes shards for its parent: ``python -m tessella.data.engines.worker``.

It reads the job and then shards from its standard input, each behind its length, and answers in lines of JSON
on what was its standard output; whatever else prints goes to standard error. When the parent ends, however,
so does this.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import pickle
import struct
import sys
import threading
import time
import traceback
from functools import partial
from typing import IO, Any

from ..job import Job, make
from . import events

#: Seconds between two lines that tell how far a shard is.
PAUSE = 0.5


def _received(file: IO[bytes]) -> bytes | None:
    head = file.read(8)
    if len(head) < 8:
        return None
    (size,) = struct.unpack("<Q", head)
    content = file.read(size)
    return content if len(content) == size else None


class _Told:
    """Lines to the parent."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._next = 0.0

    def say(self, said: dict[str, Any]) -> None:
        self._file.write(json.dumps(said).encode() + b"\n")
        self._file.flush()

    def progress(self, shard: int, done: int, tokens: int) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + PAUSE
            self.say(events.progress(shard, done, tokens))


def main() -> None:
    """Works until there is no more."""
    # Ctrl-C reaches the whole group; the parent says what becomes of us.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # How the parent ends us. It raises where we are, so that what is half made is taken away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    told = _Told(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    commands = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    content = _received(commands)
    if content is None:
        return
    job: Job = pickle.loads(content)
    waiting: list[bytes] = []
    ready = threading.Semaphore(0)
    idle = threading.Event()
    idle.set()

    def listen() -> None:
        while (found := _received(commands)) is not None:
            waiting.append(found)
            ready.release()
        # No parent, or no more work: with a shard half made it is the first.
        if not idle.is_set() or waiting:
            os._exit(1)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        ready.acquire()
        idle.clear()
        shard = pickle.loads(waiting.pop(0))
        try:
            entry = make(job, shard, partial(told.progress, shard.index))
        except BaseException as error:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            message = f"{type(error).__name__}: {error}"
            said = {"event": "failed", "message": message, "error": _packed(error)}
            _let_go(error)
            told.say(said)
            os._exit(0)
        # Before the parent knows, or it could take us for one that dies at work.
        idle.set()
        told.say({"event": "entry", "entry": entry})


def _let_go(error: BaseException) -> None:
    """Drops what the frames of an error hold. The parent may end us while half-made files are taken away
    for an error of our own: they are still in these frames then, and vanish with them.
    """
    waiting, seen = [error], set()
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            traceback.clear_frames(one.__traceback__)
            waiting += [other for other in (one.__cause__, one.__context__) if other is not None]
    gc.collect()


def _packed(error: BaseException) -> str:
    """An exception as text; what cannot be packed is told by its message."""
    try:
        pickle.loads(pickle.dumps(error))
        return base64.b64encode(pickle.dumps(error)).decode()
    except Exception:
        return ""


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(1)
