"""A cluster of Ray: each shard is a task, placed wherever there is a core.

The job travels once; after that only plans of shards and entries do. Inputs and results lie where every node
reaches them: a shared file system, or object storage. What a lost task left behind was never under its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..._cluster import called
from ...errors import ArgumentError
from ..found import STDIN
from ..job import Job, make
from ..plan import Shard
from . import events


def run_ray(
    job: Job, shards: Sequence[Shard], workers: int | None, tell: Callable[[dict[str, Any]], None]
) -> Iterator[dict[str, Any]]:
    """Makes shards on the cluster that this process is connected to; one of this machine is started else.

    Args:
        job: the run.
        shards: what is to be made.
        workers: the most tasks at a time, by default as many as the cluster has cores.
        tell: is called with what happens.
    """
    if not shards:
        return
    if any(part.path == STDIN for shard in shards for part in shard.slices):
        raise ArgumentError("standard input cannot be read by a cluster: use engine='local'")
    made = called(
        _made,
        replace(job, threads=1),
        shards,
        workers,
        "engine='ray'",
        _name,
        lambda shard: tell(events.started(shard)),
    )
    for shard, entry in made:
        tell(events.done(shard, entry))
        yield entry


def _made(job: Job, shard: Shard) -> dict[str, Any]:
    """What a worker does."""
    return make(job, shard)


def _name(shard: Shard) -> str:
    return f"shard {shard.index} ({', '.join(part.path for part in shard.slices[:3])})"
