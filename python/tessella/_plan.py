"""Which engine runs each stage, as ``Tokenizer.explain_plan`` tells it."""

from __future__ import annotations

from typing import NamedTuple


class PlanStep(NamedTuple):
    """Which engine runs a stage, and why."""

    stage: str
    engine: str
    reason: str

    def __str__(self) -> str:
        return f"{self.stage}: {self.engine} ({self.reason})"


class Plan(list[PlanStep]):
    """What ``Tokenizer.explain_plan`` gives: steps that print as a table and show themselves in notebooks.

    Example:
        >>> print(Plan([PlanStep("model BPE", "scan", "pieces are short")]))
        stage      engine  why
        model BPE  scan    pieces are short
    """

    def __str__(self) -> str:
        from ._shown import visible

        rows = [("stage", "engine", "why"), *(tuple(map(visible, step)) for step in self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        from ._html import plan

        return plan(self)
