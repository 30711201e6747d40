"""How much of the vocabulary a text uses, and how deep into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..metric import Distribution

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..facts import Facts


def average_rank(counts: npt.NDArray[np.int64]) -> float:
    """The mean over all tokens of the place that their entry has by frequency, from 1.

    Example:
        >>> average_rank(np.array([1, 0, 3]))
        1.25
    """
    ordered = np.sort(counts[counts > 0])[::-1].astype(np.float64)
    return float((ordered * np.arange(1, len(ordered) + 1)).sum() / ordered.sum())


def utilisation(counts: npt.NDArray[np.int64], facts: Facts) -> float:
    """Entries that occur over all entries."""
    return int(np.count_nonzero(counts)) / facts.vocabulary if facts.vocabulary else float("nan")


METRICS = (
    Distribution(
        "average_rank",
        "average rank",
        "place by frequency",
        (1, None),
        "neither",
        "Σ p · rank(p), the most frequent entry having rank 1.",
        "Large vocabularies have higher ranks by themselves, and so has more text.",
        function=lambda counts, facts: average_rank(counts),
        settles=False,
    ),
    Distribution(
        "utilisation",
        "vocabulary in use",
        "share of the entries",
        (0, 1),
        "more",
        "Entries that occur at least once over all entries.",
        "It grows with the text, so there is no interval and different corpora do not compare; one document "
        "with all words of a dictionary raises it.",
        function=utilisation,
        settles=False,
    ),
)
