"""Byte pairs in plain Python, for pieces that are no text and so cannot go through the engine."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

__all__ = ["merge"]


def merge(piece: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """The ranks that a piece becomes: the pair of the lowest rank is joined first, the leftmost of equals.

    Example:
        >>> from tessella.compat.tiktoken.merging import merge
        >>> merge(b"abab", {b"a": 0, b"b": 1, b"ab": 2})
        [2, 2]
    """
    whole = ranks.get(piece)
    if whole is not None:
        return [whole]
    end = len(piece)
    # The part that begins at a byte ends where `after` says; `before` is where the part to its left begins.
    after = list(range(1, end + 1))
    before = list(range(-1, end - 1))
    alive = [True] * end

    def pair(start: int) -> tuple[int, int, int] | None:
        middle = after[start]
        if middle >= end:
            return None
        rank = ranks.get(piece[start : after[middle]])
        return None if rank is None else (rank, start, after[middle])

    waiting = [found for found in map(pair, range(end)) if found is not None]
    heapq.heapify(waiting)
    while waiting:
        _, start, stop = heapq.heappop(waiting)
        # A part on either side may have grown since this was put in.
        if not alive[start] or after[start] >= end or after[after[start]] != stop:
            continue
        alive[after[start]] = False
        after[start] = stop
        if stop < end:
            before[stop] = start
        for place in (start, before[start]):
            found = pair(place) if place >= 0 else None
            if found is not None:
                heapq.heappush(waiting, found)
    return [ranks[piece[start : after[start]]] for start in range(end) if alive[start]]
