"""How much text a token would hold had the vocabulary been smaller.

BPE merges by rank, and a merge never makes a pair of a lower rank than its own. So the tokens of a vocabulary
that was cut off at some rank are what the text is when the merges below that rank are done: each use of an
entry above it is one token more. No text is read again.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .._vocabulary import merges_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import Tokenizer

    Whole = npt.NDArray[np.int64]


#: Points of the curve.
POINTS = 40


def steps(merges: list[tuple[int, int, int]], counts: Whole) -> Whole:
    """How often each entry was a step on the way to what came out.

    Every entry is made by one last merge, so its uses are passed on to the two parts of that merge, from the
    last merge to the first.

    Args:
        merges: ids of left part, right part and what they make, by rank; of several that make the same, the
            first.
        counts: how often each id came out.
    """
    # Lists: single numbers of an array are slow to come by.
    given, used = counts.tolist(), [0] * len(counts)
    for left, right, joined in reversed(merges):
        if uses := given[joined] + used[joined]:
            used[left] += uses
            used[right] += uses
    return np.array(used, dtype=np.int64)


def knee(points: list[list[float]]) -> int | None:
    """The size from which more entries give little: where the curve is farthest above the line from its
    beginning to its end, sizes by their logarithm.

    Example:
        >>> knee([[1, 1.0], [10, 2.0], [100, 2.2], [1000, 2.3]])
        10
    """
    if len(points) < 3:
        return None
    first, last = points[0], points[-1]
    wide, high = math.log(last[0] / first[0]), last[1] - first[1]
    if wide <= 0 or high <= 0:
        return None
    above = [(value - first[1]) / high - math.log(size / first[0]) / wide for size, value in points]
    return int(points[int(np.argmax(above))][0])


def growth(tokenizer: Tokenizer, counts: Whole, bytes: int) -> dict[str, Any] | None:
    """Bytes for each token by the size of the vocabulary; ``None`` where merges do not make it in order."""
    merges = merges_of(tokenizer)
    if not merges or not counts.any():
        return None
    rank = {joined: place for place, (_, _, joined) in enumerate(merges)}
    if any(max(rank.get(left, -1), rank.get(right, -1)) >= rank[joined] for left, right, joined in merges):
        return None
    uses = (counts + steps(merges, counts))[[joined for _, _, joined in merges]]
    # Tokens when the merges from a place on are not done.
    more = np.concatenate([np.cumsum(uses[::-1])[::-1], [0]])
    tokens = int(counts.sum()) + more
    base = tokenizer.get_vocab_size() - len(merges)
    sizes = np.unique(np.geomspace(max(base, 1), base + len(merges), POINTS).round().astype(np.int64))
    points = [
        [int(size), float(bytes / tokens[min(max(int(size) - base, 0), len(merges))])] for size in sizes
    ]
    return {"points": points, "knee": knee(points)}
