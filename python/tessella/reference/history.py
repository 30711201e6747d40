"""What a training did, step by step.

Every trainer of this room keeps a list of steps. A step tells which two symbols were joined, why, and what
the corpus looked like afterwards, so that a training can be read like a worked example.

Example:
    >>> from tessella.reference import WordBpe, show_history
    >>> bpe = WordBpe.train({"cat": 5, "cats": 2}, merges=2)
    >>> print(show_history(bpe.history))
    step  joined   makes  count  symbols
       1  c + a    ca         7        3
       2  ca + t   cat        7        2
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """One join.

    ``score`` is what the pair was chosen by: its count, or WordPiece's ratio. ``symbols`` is the number of
    different symbols that the corpus consists of after the step, and ``corpus`` its words as they are then
    spelled.
    """

    number: int
    left: str
    right: str
    made: str
    count: int
    score: float
    symbols: int
    corpus: tuple[tuple[tuple[str, ...], int], ...] = field(repr=False)

    @property
    def pair(self) -> tuple[str, str]:
        """The two symbols that were joined."""
        return self.left, self.right


def show_history(history: Iterable[Step], corpus: bool = False) -> str:
    """The steps as a table; with ``corpus``, each is followed by the words as they are spelled after it."""
    steps = list(history)
    pairs = [f"{step.left} + {step.right}" for step in steps]
    wide = max([6, *map(len, pairs)]) + 2
    made = max([5, *(len(step.made) for step in steps)]) + 1
    ratio = any(step.score != step.count for step in steps)
    head = f"step  {'joined':<{wide}} {'makes':<{made}} count"
    lines = [head + ("     score" if ratio else "") + "  symbols"]
    for step, pair in zip(steps, pairs, strict=True):
        line = f"{step.number:>4}  {pair:<{wide}} {step.made:<{made}} {step.count:>5}"
        line += f"  {step.score:>8.5f}" if ratio else ""
        lines.append(f"{line}  {step.symbols:>7}")
        if corpus:
            lines += [f"      {' '.join(symbols)}  x{count}" for symbols, count in step.corpus]
    return "\n".join(lines)
