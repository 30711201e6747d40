"""The metrics, a small file for each family, in the order in which reports show them.

A file has ``METRICS``; what its ratios are made of comes from ``FLAGS`` (columns that count tokens of a kind,
over all text) or from ``of_text`` and ``measure`` (columns of the sample).
"""

from __future__ import annotations

from ..metric import Metric
from . import (
    characters,
    code,
    compression,
    digits,
    entropy,
    leaves,
    length,
    round_trip,
    stability,
    unknown,
    use,
    words,
)

__all__ = ["FLAGGED", "METRICS", "SAMPLED"]

#: Files whose columns come from all text, and from the sample.
FLAGGED = (unknown, characters)
SAMPLED = (words, round_trip, digits, stability, code, leaves)

#: All metrics by name, in the order of reports.
METRICS: dict[str, Metric] = {
    metric.name: metric
    for family in (
        compression,
        length,
        words,
        entropy,
        use,
        unknown,
        characters,
        round_trip,
        stability,
        digits,
        code,
        leaves,
    )
    for metric in family.METRICS
}
