"""What every engine program does: read the task, time its slices and small calls, tell ids and times as JSON.

Engines import their libraries before they are asked for anything, NumPy among them where results are arrays: what is called loading is
reading a file. Times are the processor's, of the whole process: on a busy machine they say what the work costs, and a library that
works on more threads than one gains nothing by it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import resource
import statistics
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

#: Documents per call of a batch interface, and where several threads share them.
BATCH = 64
BATCH_OF_THREADS = 1024
#: The text is encoded in so many parts, each of which is new to the process.
SLICES = 4
#: Times that the last slice is encoded again; the best counts as warm.
AGAIN = 3


class Calls(NamedTuple):
    """How a library is asked: for many texts, and for one, each in the way that its users would."""

    many: Callable[[list[str]], Sequence[Any]]
    one: Callable[[str], Any]


def each(one: Callable[[str], Any]) -> Calls:
    """For libraries that take one text after the other, or do so at least as fast."""
    return Calls(lambda texts: [one(text) for text in texts], one)


def task() -> dict[str, Any]:
    """The task from the command line: `file`, `text`, `document`, `pattern`, `specials`, `kind` (`ids`, `offsets`,
    `offset arrays`), `threads`."""
    value: dict[str, Any] = json.loads(sys.argv[1])
    return value


def documents(path: str, size: int) -> list[str]:
    """The text as documents of whole lines, of about `size` bytes each; 0, or more than a slice: one document for each slice."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().splitlines(keepends=True)
    slice_bytes = os.path.getsize(path) // SLICES + 1
    size = min(size or slice_bytes, slice_bytes)
    found: list[str] = []
    waiting: list[str] = []
    length = 0
    for line in lines:
        waiting.append(line)
        length += len(line.encode())
        if length >= size:
            found.append("".join(waiting))
            waiting, length = [], 0
    return [*found, "".join(waiting)] if waiting else found


def digest(rows: Sequence[Any]) -> str:
    """One hash over all ids, whatever the type of a row."""
    state = hashlib.sha256()
    for row in rows:
        state.update(array("I", row).tobytes())
        state.update(b"|")
    return state.hexdigest()[:16]


def run(load: Callable[[dict[str, Any]], Calls]) -> None:
    """Loads, encodes the slices one after the other and the last one again, and prints one JSON object."""
    job = task()
    threads = job.get("threads", 1)
    # Of several threads the time that goes by is what they save.
    clock, batch = (time.process_time, BATCH) if threads == 1 else (time.perf_counter, BATCH_OF_THREADS)
    texts = documents(job["text"], job.get("document", 5500))
    started = time.process_time()
    calls = load(job)
    loaded = time.process_time() - started
    bounds = [len(texts) * part // SLICES for part in range(SLICES + 1)]
    slices = [texts[start:end] for start, end in itertools.pairwise(bounds)]
    sizes = [sum(len(text.encode()) for text in part) / 1e6 for part in slices]
    rows: list[Any] = []

    def speed(part: list[str], size: float) -> float:
        started = clock()
        for start in range(0, len(part), batch):
            rows.extend(calls.many(part[start : start + batch]))
        return size / (clock() - started)

    first, *fresh = [speed(part, size) for part, size in zip(slices, sizes, strict=True)]
    ids = digest(rows)
    warm = []
    for _ in range(AGAIN):
        rows.clear()
        warm.append(speed(slices[-1], sizes[-1]))
    result = {
        "first": first,
        "fresh": statistics.median(fresh),
        "warm": max(warm),
        "calls": small_calls(calls.one, "".join(texts[:50])),
        "load_ms": loaded * 1e3,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "ids": ids,
    }
    print(json.dumps(result))


def small_calls(encode: Callable[[str], Any], text: str) -> dict[str, float]:
    """Microseconds of a call with one short text, the best of many turns."""
    times = {}
    for name, one, turns in [
        ("hello", "hello", 2000),
        ("100 characters", text[:100], 1000),
        ("4 kB", text[:4000], 100),
    ]:
        best = float("inf")
        for _ in range(7):
            started = time.process_time()
            for _ in range(turns):
                encode(one)
            best = min(best, (time.process_time() - started) / turns)
        times[name] = best * 1e6
    return times
