"""Tokenizers measured, with intervals, differences, and what fools each number; and one of them looked
through.

``evaluate`` reads corpora once and gives a ``Report``; ``audit`` looks through the vocabulary of one
tokenizer and gives an ``Audit``. Both are plain data that become JSON, Markdown or one HTML page. ``metrics``
holds the metrics, a small file for each family; ``tessella.reference.metrics`` says the same in plain Python.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.evaluate import evaluate
    >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    >>> report = evaluate(tokenizer, ["ab" * (1 + n % 3) for n in range(50)])
    >>> found = report.value("tokenizer", "bytes_per_token")
    >>> found.value, found.note
    (2.0, 'the same in every document')
"""

from __future__ import annotations

from ._schema import schema
from ._syntax import syntax
from .auditing import Audit, audit
from .intervals import Interval
from .metric import Distribution, Metric, Ratio, Total
from .metrics import METRICS
from .report import Report
from .run import evaluate

__all__ = [
    "METRICS",
    "Audit",
    "Distribution",
    "Interval",
    "Metric",
    "Ratio",
    "Report",
    "Total",
    "audit",
    "evaluate",
    "schema",
    "syntax",
]
