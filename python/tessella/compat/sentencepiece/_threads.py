"""Threads for batches."""

from __future__ import annotations

import operator

from ._errors import SentencePieceError


class ThreadPool:
    """A number of threads for batches.

    Example:
        >>> ThreadPool(3).num_threads()
        3
    """

    def __init__(self, num_threads: int) -> None:
        import os

        threads = operator.index(num_threads)
        if threads < 0:
            threads = os.cpu_count() or 1
        self._num_threads = max(1, min(threads, 1024))

    def num_threads(self) -> int:
        """The number that was asked for; for a negative one, of the machine's processors."""
        return self._num_threads


def threads_of(num_threads: int, thread_pool: object) -> int:
    """How many are meant; 0 for as many as there are processors."""
    if thread_pool is None:
        return 0 if num_threads < 0 else max(1, num_threads)
    if not isinstance(thread_pool, ThreadPool):
        raise SentencePieceError(f"thread_pool must be a ThreadPool, found {type(thread_pool).__name__}")
    return thread_pool.num_threads()
