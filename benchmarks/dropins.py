"""Calls of a library's names beside the library itself: what the `benchmarks.dropins_*` have in common.

A call is two functions of nothing, ours and theirs. Their answers are compared first; then both are called in turns, ours first and
theirs first one after the other, so that a slow minute hits both alike. Processor time, the best of the turns.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.conformance import texts

TURNS = 7
#: A call takes so many seconds at least, or is made again.
LEAST = 2e-3

Call = tuple[str, Callable[[], Any], Callable[[], Any]]


def english(count: int, length: int) -> list[str]:
    """So many texts of about so many characters, no two of them alike. None begins with a blank, which not all that call
    themselves Llama read alike."""
    corpora = texts.needed("TESSELLA_CORPORA")
    source = next(path for path in sorted(corpora.iterdir()) if path.name.startswith("english.txt"))
    text = texts.read(source)[: 4 * count * length].decode("utf-8", "ignore")
    found = dict.fromkeys(text[at : at + length].strip() for at in range(0, len(text), length))
    return list(filter(None, found))[:count]


def alike(ours: Any, theirs: Any) -> bool:
    """Whether two answers say the same: columns and arrays by their values, spans as tuples."""
    if hasattr(theirs, "data") and isinstance(theirs.data, dict):
        return alike(dict(ours), dict(theirs))
    if hasattr(theirs, "tolist"):
        return ours.shape == theirs.shape and ours.dtype == theirs.dtype and bool((ours == theirs).all())
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(alike(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, (list, tuple)) and theirs and not isinstance(theirs[0], (int, str)):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    return bool(ours == theirs)


def taken(call: Callable[[], Any], again: int) -> float:
    """Seconds of one of so many calls."""
    gc.collect()
    gc.disable()
    started = time.process_time()
    for _ in range(again):
        call()
    seconds = (time.process_time() - started) / again
    gc.enable()
    return seconds


def rows(calls: list[Call], turns: int = TURNS) -> Iterator[tuple[str, float, float, bool]]:
    """Of each call its name, milliseconds of ours and of theirs, and whether the answers are the same."""
    for name, ours, theirs in calls:
        same = alike(ours(), theirs())
        again = max(1, int(LEAST / max(taken(ours, 1), 1e-6)))
        times: dict[bool, list[float]] = {True: [], False: []}
        for turn in range(turns):
            for is_ours in (True, False) if turn % 2 else (False, True):
                times[is_ours].append(taken(ours if is_ours else theirs, again))
        yield name, min(times[True]) * 1e3, min(times[False]) * 1e3, same


def show(title: str, library: str, calls: list[Call], turns: int = TURNS) -> int:
    """Prints the table; the exit status is 1 if an answer is another one."""
    print(f"\n{title}\n\n| call | ours, ms | {library}, ms | ratio | answers |\n|---|---:|---:|---:|---|")
    status = 0
    for name, ours, theirs, same in rows(calls, turns):
        status |= not same
        answers = "same" if same else "OTHER"
        print(f"| {name} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.2f} | {answers} |", flush=True)
    return status
