"""The search for repeated documents, placed: who hashes which shard, and looks at which range of hashes.

Jobs of an array do not wait for each other: each begins with what is its own and goes on with whatever the
others have not done yet. What two of them do at the same time is the same file twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .engines import run_shards
from .job import FIND, HASH, WORK, Job
from .places import Place
from .plan import Shard
from .repeats import hash_name, range_name, ranges

Tell = Callable[[dict[str, Any]], None]

#: Shards of other jobs that are taken at a time, before the folder is looked at again.
MANY = 8


def find_repeats(
    job: Job,
    shards: Sequence[Shard],
    target: Place,
    engine: str,
    workers: int | None,
    task: tuple[int, int],
    tell: Tell,
) -> None:
    """Finds what is repeated in all shards of a run.

    Args:
        job: the run.
        shards: its plan.
        target: the folder of the results.
        engine: who works.
        workers: how many cores work.
        task: which of how many independent jobs this is.
        tell: is called with what happens.
    """
    missing = _missing(target, shards, hash_name)
    plan = {"event": "plan", "stage": HASH, "shards": len(shards), "done": len(shards) - len(missing)}
    if missing:
        tell({**plan, "missing": len(missing), "bytes": sum(shard.size for shard in missing)})
    _all(replace(job, stage=HASH), shards, target, hash_name, engine, workers, task, tell)
    parts = ranges(target, shards)
    _all(replace(job, stage=FIND), parts, target, range_name, engine, workers, task, lambda event: None)


def _missing(target: Place, things: Sequence[Shard], name: Callable[[int], str]) -> list[Shard]:
    there = target.sizes(WORK)
    return [one for one in things if name(one.index).rpartition("/")[2] not in there]


def _all(
    job: Job,
    things: Sequence[Shard],
    target: Place,
    name: Callable[[int], str],
    engine: str,
    workers: int | None,
    task: tuple[int, int],
    tell: Tell,
) -> None:
    """Does what is not done: all at once, or what belongs to this job first and then some at a time."""
    number, tasks = task

    def after(one: Shard) -> tuple[int, int]:
        return (one.index - number) % tasks, one.index

    while missing := sorted(_missing(target, things, name), key=after):
        own = [one for one in missing if after(one)[0] == 0]
        for _ in run_shards(engine, job, own or missing[:MANY], workers, tell):
            pass
