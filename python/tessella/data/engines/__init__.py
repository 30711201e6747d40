"""Who makes the shards of a run. An engine only places work: what a shard is, ``job.make`` knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...errors import ArgumentError
from ..job import Job
from ..plan import Shard

__all__ = ["check", "run_shards"]


def check(engine: str, workers: int | None) -> None:
    """Refuses what no engine can do, before anything is written."""
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ArgumentError(f"`workers` must be 1 or more, or None for all cores, found {workers!r}")
    if engine not in ("local", "ray"):
        raise ArgumentError(f"`engine` must be 'local' or 'ray', found {engine!r}")


def run_shards(
    engine: str,
    job: Job,
    shards: Sequence[Shard],
    workers: int | None,
    tell: Callable[[dict[str, Any]], None],
) -> Iterator[dict[str, Any]]:
    """Makes shards; gives the entry of each as it is done.

    Args:
        engine: ``"local"`` or ``"ray"``.
        job: the run.
        shards: what is to be made.
        workers: how many cores work.
        tell: is called with what happens.
    """
    if engine == "local":
        from .local import run_local

        return run_local(job, shards, workers, tell)
    from .ray import run_ray

    return run_ray(job, shards, workers, tell)
