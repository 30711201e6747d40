"""A cluster of Ray: each shard is a task, placed wherever there is a core.

The job travels once, through the object store; after that only numbers of shards and entries do, never texts.
Inputs and results lie where every node reaches them: a shared file system, or object storage. A task whose
worker or node is lost is started again by Ray; what it left behind was never under its name. No more tasks
wait at a time than the cluster has cores, so that a plan of any size needs no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..._optional import needed
from ...errors import ArgumentError, TessellaError
from ..found import STDIN
from ..job import Job, make
from ..plan import Shard
from . import events

__all__ = ["run_ray"]

#: How often Ray starts a task again that was lost with its worker or node.
ATTEMPTS = 8
#: Seconds between two looks at a cluster whose nodes come and go.
PAUSE = 1.0


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
    ray = needed("ray", "ray", "engine='ray'")
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    # A task is retried when its worker is lost; what the task itself raises is told, not tried again.
    task = ray.remote(num_cpus=1, max_retries=ATTEMPTS, retry_exceptions=False)(_made)
    shared = ray.put(replace(job, threads=1))
    waiting = list(reversed(shards))
    running: dict[Any, Shard] = {}
    try:
        while waiting or running:
            room = (workers or max(1, int(ray.cluster_resources().get("CPU", 1)))) - len(running)
            for _ in range(min(room, len(waiting))):
                shard = waiting.pop()
                running[task.remote(shared, shard)] = shard
                tell(events.started(shard))
            done, _ = ray.wait(list(running), timeout=PAUSE)
            for one in done:
                yield _entry(ray, one, running.pop(one), tell)
    finally:
        for one in running:
            ray.cancel(one, force=True)


def _made(job: Job, shard: Shard) -> dict[str, Any]:
    """What a worker does."""
    return make(job, shard)


def _entry(ray: Any, one: Any, shard: Shard, tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The entry of a task that has ended, or what went wrong with it."""
    try:
        entry: dict[str, Any] = ray.get(one)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise (cause if isinstance(cause, Exception) else TessellaError(str(error))) from None
    except ray.exceptions.RayError as error:
        files = ", ".join(part.path for part in shard.slices[:3])
        raise TessellaError(
            f"shard {shard.index} ({files}) was lost {ATTEMPTS + 1} times with its worker: {error}"
        ) from error
    tell(events.done(shard, entry))
    return entry
