"""How evenly the vocabulary is used: Shannon's and Rényi's entropy over the largest possible one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..metric import Distribution

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..facts import Facts

    Counts = npt.NDArray[np.int64]


#: The power of Rényi's entropy that went best with translation quality where it was proposed.
POWER = 2.5


def shannon(counts: Counts) -> float:
    """Shannon's entropy in nats.

    Example:
        >>> float(np.round(shannon(np.array([1, 1, 0])), 4))
        0.6931
    """
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


def renyi(counts: Counts) -> float:
    """Rényi's entropy in nats: the higher the power, the more the frequent tokens count."""
    share = counts[counts > 0] / counts.sum()
    return float(np.log((share**POWER).sum()) / (1 - POWER))


def _of_largest(entropy: float, facts: Facts) -> float:
    return entropy / float(np.log(facts.vocabulary)) if facts.vocabulary > 1 else float("nan")


_FOOLED = (
    "Vocabularies of different size are measured against different yardsticks. It can be raised without any "
    "good by spelling frequent words in several ways, so it is never a reason by itself."
)

METRICS = (
    Distribution(
        "shannon_efficiency",
        "Shannon efficiency",
        "share of the largest entropy",
        (0, 1),
        "more",
        "-Σ p log p over the logarithm of the size of the vocabulary; p are the shares of the tokens.",
        _FOOLED,
        function=lambda counts, facts: _of_largest(shannon(counts), facts),
    ),
    Distribution(
        "renyi_efficiency",
        "Rényi efficiency (2.5)",
        "share of the largest entropy",
        (0, 1),
        "more",
        "log Σ p^2.5 / (1 - 2.5) over the logarithm of the size of the vocabulary.",
        _FOOLED,
        function=lambda counts, facts: _of_largest(renyi(counts), facts),
    ),
)
