"""How much of an explanation is shown, on every page alike; all of it is in ``Explanation.to_dict``.

What is left out is counted, so that nobody takes a part for the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

#: Pairs that wait while another one is merged.
CANDIDATES = 4
#: Of one piece; the whole text is one at first.
CHARACTERS = 2000
#: Entries that fit into a piece.
EDGES = 40
#: Characters of a page of HTML after which no further piece's story is told.
PAGE = 1_000_000
#: Of one stage, and symbols of one piece.
PIECES = 200
#: Merges, matches or ways of one piece.
STEPS = 40
TOKENS = 1000
#: Entries that were looked up at one place.
TRIED = 8

T = TypeVar("T")


def cut(items: Sequence[T], most: int) -> tuple[Sequence[T], int]:
    """The first ones, and how many are left out.

    Example:
        >>> cut([3, 1, 4], 2)
        ([3, 1], 1)
    """
    return items[:most], max(len(items) - most, 0)


def ends(tried: Sequence[str]) -> list[str]:
    """The first and the last ones, and between them how many are left out.

    Example:
        >>> ends(["a"] * 12)
        ['a', 'a', 'a', 'a', '... 4 more ...', 'a', 'a', 'a', 'a']
    """
    left_out = len(tried) - TRIED
    if left_out <= 0:
        return list(tried)
    half = TRIED // 2
    return [*tried[:half], f"... {left_out} more ...", *tried[-half:]]
