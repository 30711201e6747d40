"""How much text a token would hold had the vocabulary been smaller.

BPE merges by rank, and a merge never makes a pair of a lower rank than its own. So the tokens of a vocabulary
that was cut off at some rank are what the text is when the merges below that rank are done: each use of an
entry above it is one token more. No text is read again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .merges import merges_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import Tokenizer
    from .merges import Merge

    Whole = npt.NDArray[np.int64]


#: Points of the curve.
POINTS = 40


def steps(merges: Sequence[Merge], counts: Whole) -> Whole:
    """How often each entry was a step on the way to what came out.

    Every entry is made by one last merge, so its uses are passed on to the two parts of that merge, from what
    is made last to what is made first.

    Args:
        merges: for each entry the merge that makes it, parts before what is made of them.
        counts: how often merges gave each id: added tokens are not made by any.
    """
    # Lists: single numbers of an array are slow to come by.
    given, used = counts.tolist(), [0] * len(counts)
    for left, right, joined, _ in reversed(merges):
        if uses := given[joined] + used[joined]:
            used[left] += uses
            used[right] += uses
    return np.array(used, dtype=np.int64)


def merged(tokenizer: Tokenizer, counts: Whole) -> Whole:
    """Counts of ids without those of added tokens, which no merge has made, whatever they are called."""
    counts = counts.copy()
    counts[[id for id in tokenizer.get_added_tokens_decoder() if id < len(counts)]] = 0
    return counts


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
    if not counts.any() or not (merges := merges_of(tokenizer, ordered=True)):
        return None
    learned = merged(tokenizer, counts)
    uses = (learned + steps(merges, learned))[[one.joined for one in merges]]
    # Tokens when the merges from a place on are not done.
    more = np.concatenate([np.cumsum(uses[::-1])[::-1], [0]])
    tokens = int(counts.sum()) + more
    base = tokenizer.get_vocab_size() - len(merges)
    sizes = np.unique(np.geomspace(max(base, 1), base + len(merges), POINTS).round().astype(np.int64))
    points = [
        [int(size), float(bytes / tokens[min(max(int(size) - base, 0), len(merges))])] for size in sizes
    ]
    return {"points": points, "knee": knee(points)}
