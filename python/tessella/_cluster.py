"""Tasks on a cluster of Ray: one function, called for many things.

What all calls share travels once, through the object store; after that only the things do, which are small:
names and numbers, never texts. A task whose worker or node is lost is started again by Ray, so what it writes
must be the same bytes however often it is written. No more tasks wait at a time than the cluster has cores,
so that a plan of any size needs no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from ._optional import needed
from .errors import TessellaError

T = TypeVar("T")
R = TypeVar("R")

#: How often Ray starts a task again that was lost with its worker or node.
ATTEMPTS = 8
#: Seconds between two looks at a cluster whose nodes come and go.
PAUSE = 1.0


def called(
    function: Callable[[Any, T], R],
    shared: Any,
    things: Iterable[T],
    workers: int | None,
    purpose: str,
    name: Callable[[T], str],
    started: Callable[[T], None] = lambda thing: None,
) -> Iterator[tuple[T, R]]:
    """Calls ``function(shared, thing)`` for each thing; gives things with their results, as they are done.

    The cluster is the one that this process is connected to; one of this machine is started else.

    Args:
        function: what a task does; it must be importable where tasks run.
        shared: what all calls get.
        things: what each call gets.
        workers: the most tasks at a time, by default as many as the cluster has cores.
        purpose: what needs Ray, for the message where it is missing.
        name: what messages call a thing.
        started: is told when a task is handed to the cluster.
    """
    ray = needed("ray", "ray", purpose)
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    # A task is retried when its worker is lost; what the task itself raises is told, not tried again.
    task = ray.remote(num_cpus=1, max_retries=ATTEMPTS, retry_exceptions=False)(function)
    there = ray.put(shared)
    waiting = list(things)[::-1]
    running: dict[Any, T] = {}
    try:
        while waiting or running:
            room = (workers or max(1, int(ray.cluster_resources().get("CPU", 1)))) - len(running)
            for _ in range(min(room, len(waiting))):
                thing = waiting.pop()
                running[task.remote(there, thing)] = thing
                started(thing)
            done, _ = ray.wait(list(running), timeout=PAUSE)
            for one in done:
                thing = running.pop(one)
                yield thing, _result(ray, one, name(thing))
    finally:
        for one in running:
            ray.cancel(one, force=True)


def _result(ray: Any, one: Any, name: str) -> Any:
    """What a task gave, or what went wrong with it."""
    try:
        return ray.get(one)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise (cause if isinstance(cause, Exception) else TessellaError(str(error))) from None
    except ray.exceptions.RayError as error:
        raise TessellaError(f"{name} was lost {ATTEMPTS + 1} times with its worker: {error}") from error
