"""What every engine program does: read the task, time two passes, tell ids and times as JSON."""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from typing import Any

#: Documents per call of a batch interface.
BATCH = 64


def task() -> dict[str, Any]:
    """The task from the command line: `file`, `text`, `pattern`, `specials`, `offsets`."""
    value: dict[str, Any] = json.loads(sys.argv[1])
    return value


def documents(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="") as file:
        return [part for part in file.read().split("\n\n") if part]


def digest(rows: Sequence[Any]) -> str:
    """One hash over all ids, whatever the type of a row."""
    state = hashlib.sha256()
    for row in rows:
        state.update(array("I", row).tobytes())
        state.update(b"|")
    return state.hexdigest()[:16]


def run(load: Callable[[dict[str, Any]], Callable[[list[str]], Sequence[Any]]]) -> None:
    """Loads, encodes all documents twice, prints one JSON object."""
    job = task()
    texts = documents(job["text"])
    size = sum(len(text.encode()) for text in texts)
    started = time.perf_counter()
    encode = load(job)
    loaded = time.perf_counter() - started
    passes = []
    rows: list[Any] = []
    for _ in range(2):
        rows = []
        started = time.perf_counter()
        for start in range(0, len(texts), BATCH):
            rows.extend(encode(texts[start : start + BATCH]))
        passes.append(size / 1e6 / (time.perf_counter() - started))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = {
        "first": passes[0],
        "warm": passes[1],
        "load_ms": loaded * 1e3,
        "peak_mb": peak,
        "ids": digest(rows),
    }
    print(json.dumps(result))
