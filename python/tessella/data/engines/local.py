"""Processes of this machine.

Workers are started as programs of their own (``engines.worker``), which needs neither a fork nor a guard in
the caller's script. Each gets the job once and then the numbers of shards; what it says comes back as lines.
A worker ends when its parent does. One that dies is replaced and its shard made again, three times at most:
then it is the shard that kills it.

Where there are fewer shards than cores, each worker uses several threads; with one core, or one shard, the
work is done in this process.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...errors import TessellaError
from ..found import STDIN
from ..job import Job, make
from ..plan import Shard
from . import events

Tell = Callable[[dict[str, Any]], None]

#: How often a shard is given to a worker before it is taken for what kills workers.
ATTEMPTS = 3


#: Seconds that a worker has to end by itself.
GRACE = 5.0


class _WorkerError(TessellaError):
    """What a worker raised that cannot be raised here as it was."""


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_local(job: Job, shards: Sequence[Shard], workers: int | None, tell: Tell) -> Iterator[dict[str, Any]]:
    """Makes shards in processes of this machine."""
    workers = cores() if workers is None else workers
    reads_input = any(part.path == STDIN for shard in shards for part in shard.slices)
    processes = 1 if reads_input else max(1, min(workers, len(shards)))
    job = replace(job, threads=max(1, workers // processes))
    if processes > 1:
        yield from _Pool(job, shards, processes, tell).run()
        return
    for shard in shards:
        tell(events.started(shard))
        entry = make(job, shard, partial(_progress, tell, shard.index))
        tell(events.done(shard, entry))
        yield entry


def _progress(tell: Tell, shard: int, done: int, tokens: int) -> None:
    tell(events.progress(shard, done, tokens))


class _Pool:
    """Workers and the shards that they have."""

    def __init__(self, job: Job, shards: Sequence[Shard], processes: int, tell: Tell) -> None:
        self._job = pickle.dumps(job)
        self._by_index = {shard.index: shard for shard in shards}
        # Large ones first, so that no worker has one left when the others are through.
        self._waiting = deque(sorted(shards, key=lambda shard: (-shard.size, shard.index)))
        self._attempts: dict[int, int] = {}
        self._number = processes
        self._said: queue.Queue[tuple[_Worker, dict[str, Any] | None]] = queue.Queue()
        self._workers: list[_Worker] = []
        self._tell = tell

    def run(self) -> Iterator[dict[str, Any]]:
        """Makes all shards."""
        try:
            for _ in range(self._number):
                self._give(self._start())
            while any(worker.shard is not None for worker in self._workers):
                worker, said = self._said.get()
                if said is None:
                    self._died(worker)
                elif said["event"] == "failed":
                    raise _raised(said)
                elif said["event"] == "entry":
                    worker.shard = None
                    entry = said["entry"]
                    self._tell(events.done(self._by_index[entry["shard"]], entry))
                    self._give(worker)
                    yield entry
                else:
                    self._tell(said)
        finally:
            for worker in self._workers:
                worker.end()

    def _start(self) -> _Worker:
        worker = _Worker(self._job, self._said)
        self._workers.append(worker)
        return worker

    def _give(self, worker: _Worker) -> None:
        if not self._waiting:
            worker.finish()
            return
        shard = self._waiting.popleft()
        self._attempts[shard.index] = self._attempts.get(shard.index, 0) + 1
        worker.shard = shard.index
        self._tell(events.started(shard))
        worker.send(pickle.dumps(shard))

    def _died(self, worker: _Worker) -> None:
        """Gives the shard of a worker that is gone to a new one."""
        self._workers.remove(worker)
        status = worker.wait()
        if worker.shard is None:
            return
        shard = self._by_index[worker.shard]
        if self._attempts[shard.index] >= ATTEMPTS:
            files = ", ".join(part.path for part in shard.slices[:3])
            reason = f"signal {-status}" if status < 0 else f"status {status}"
            raise _WorkerError(
                f"shard {shard.index} ({files}) ended {ATTEMPTS} workers, the last one with {reason}"
                + (
                    "; 9 is often the system's when memory runs out: use fewer workers"
                    if status == -9
                    else ""
                )
                + ". Finished shards stay"
            )
        self._tell({"event": "retry", "shard": shard.index, "status": status})
        self._waiting.appendleft(shard)
        self._give(self._start())


class _Worker:
    """A process that makes one shard after the other."""

    def __init__(self, job: bytes, said: queue.Queue[tuple[_Worker, dict[str, Any] | None]]) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tessella.data.engines.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self.shard: int | None = None
        self._said = said
        threading.Thread(target=self._listen, daemon=True).start()
        self.send(job)

    def send(self, content: bytes) -> None:
        """Something of whatever size. A worker that is gone is noticed by who listens."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(struct.pack("<Q", len(content)) + content)
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                # A line without its end is of one that was killed.
                if line.endswith(b"\n"):
                    self._said.put((self, json.loads(line)))
        self._said.put((self, None))

    def finish(self) -> None:
        """No more work: the process ends by itself."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def wait(self) -> int:
        """How the process ended."""
        return self._process.wait()

    def end(self) -> None:
        """Ends the process if it is still there. One that is at work takes its half-made files away first."""
        if self.shard is not None:
            # Its input stays open meanwhile: a worker at work whose input ends is gone at once.
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
            self._process.kill()
        self.finish()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _raised(said: dict[str, Any]) -> BaseException:
    """What a worker raised."""
    with contextlib.suppress(Exception):
        error = pickle.loads(base64.b64decode(said["error"]))
        if isinstance(error, BaseException):
            return error
    return _WorkerError(said["message"])
