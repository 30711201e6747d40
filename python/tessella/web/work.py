"""Threads that do the work of requests, with an end to waiting.

A thread cannot be stopped from outside. So work that may be long asks a ``Deadline`` between its parts, and
the request is answered when its time is over, whether the thread has noticed or not; until it has, it keeps
its place, so that there is never more going on than the bounds allow.
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from .answers import Refused
from .bounds import Bounds
from .patience import Within

#: Bytes of a body from which on its work is large: half of the threads are kept free of such.
LARGE = 1 << 18

T = TypeVar("T")


class Deadline:
    """When the work on a request ends.

    Example:
        >>> Deadline(0).check()
        Traceback (most recent call last):
            ...
        tessella.web.answers.Refused: the work took longer than the 0 seconds that a request has
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(self._until - time.monotonic(), 0.0)

    def end(self) -> None:
        """Nobody waits any longer."""
        self._until = 0.0

    def check(self) -> None:
        """Raises when the time is over."""
        if not self.left:
            raise self.over()

    def over(self) -> Refused:
        """What is told when the time is over."""
        return Refused(503, f"the work took longer than the {self.seconds:g} seconds that a request has")


class Work:
    """The threads of an application."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._pool = ThreadPoolExecutor(bounds.threads, thread_name_prefix="tessella-web")
        self._large = asyncio.Semaphore(max(bounds.threads // 2, 1))
        #: Calls that wait for a thread or run on one.
        self.pending = 0

    def deadline(self) -> Deadline:
        """The time that a request has from now on."""
        return Deadline(self._bounds.seconds)

    async def call(self, deadline: Deadline, function: Callable[[], T], size: int = 0) -> T:
        """What the function gives, which runs on a thread.

        Args:
            deadline: when nobody waits any longer.
            function: the work.
            size: bytes of the request. Small ones do not wait until all large ones are done.
        """
        if self.pending >= self._bounds.concurrency:
            raise Refused(429, f"{self.pending} requests are being worked on", headers={"Retry-After": "1"})
        self.pending += 1
        large = size >= LARGE
        if large:
            await self._turn(deadline)
        running = self._pool.submit(contextvars.copy_context().run, function)
        future = asyncio.wrap_future(running)
        future.add_done_callback(partial(self._done, large))
        try:
            return await asyncio.wait_for(asyncio.shield(future), deadline.left)
        except asyncio.TimeoutError:
            raise deadline.over() from None
        except asyncio.CancelledError:
            deadline.end()
            raise
        finally:
            # What no thread has begun is done by none; what one has begun keeps its place.
            running.cancel()

    async def _turn(self, deadline: Deadline) -> None:
        try:
            with Within(deadline.left):
                await self._large.acquire()
        except asyncio.TimeoutError:
            self.pending -= 1
            raise deadline.over() from None
        except asyncio.CancelledError:
            self.pending -= 1
            raise

    def _done(self, large: bool, future: asyncio.Future[T]) -> None:
        self.pending -= 1
        if large:
            self._large.release()
        if not future.cancelled():
            # Looked at, so that nobody complains of one that nobody waits for any longer.
            future.exception()

    def close(self) -> None:
        """Takes no more work, and drops what no thread has begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)
