"""Ends to waiting: for a time, and for somebody who has gone.

Both cancel the task that waits, by a timer, and cost next to nothing where all goes well:
``asyncio.wait_for`` makes a task of its own for each thing that is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from types import TracebackType
from typing import Any

#: Seconds after which somebody listens whether a client is still there.
SOON = 0.05


def _not_cancelled(task: asyncio.Task[Any]) -> None:
    """Tells a task that its being cancelled has been dealt with, where Python keeps count (3.11)."""
    getattr(task, "uncancel", lambda: None)()


class Within:
    """A ``with`` that what stands in it has some seconds for; then it raises ``asyncio.TimeoutError``."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._over = seconds, False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._timer = task.get_loop().call_later(self._seconds, self._end)

    def _end(self) -> None:
        self._over = True
        self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._over and kind is not None and issubclass(kind, asyncio.CancelledError):
            _not_cancelled(self._task)
            raise asyncio.TimeoutError from error


class Gone:
    """A ``with`` that ends when the client has gone, so that no work goes on for nobody.

    Args:
        receive: the rest of an ASGI request whose body has been read.
    """

    def __init__(self, receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> None:
        self._receive, self._gone = receive, False
        self._listening: asyncio.Task[None] | None = None

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._timer = task.get_loop().call_later(SOON, self._begin)

    def _begin(self) -> None:
        self._listening = self._task.get_loop().create_task(self._listen())

    async def _listen(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._timer.cancel()
        if self._listening is not None:
            self._listening.cancel()
        if self._gone and kind is not None and issubclass(kind, asyncio.CancelledError):
            _not_cancelled(self._task)
            return True
        return False
