"""The curve of frequency by rank, as numbers and as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from .errors import ArgumentError, OutOfRangeError

# Bits of a braille cell: two columns of four dots.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


class Zipf:
    """How frequency falls with rank. Printing it draws it, both axes logarithmic.

    In natural text, frequency is about proportional to 1/rank (Zipf's law): a straight line that falls as
    steeply as it goes right, ``slope`` near -1. A knee or a plateau tells of repeated texts, of generated
    ones, or of a splitter that cuts too much or too little.

    Args:
        frequencies: pairs of a count and the number of pieces that have it, highest count first, as
            ``PieceCounts.frequencies`` gives them.
    """

    def __init__(self, frequencies: Sequence[tuple[int, int]]) -> None:
        self.frequencies: list[tuple[int, int]] = list(frequencies)

    @property
    def distinct(self) -> int:
        """Number of different pieces."""
        return sum(pieces for _, pieces in self.frequencies)

    @property
    def total(self) -> int:
        """Number of occurrences."""
        return sum(count * pieces for count, pieces in self.frequencies)

    @property
    def once(self) -> int:
        """Pieces with the smallest possible count, 1."""
        return next((pieces for count, pieces in reversed(self.frequencies) if count == 1), 0)

    def coverage(self, n: int) -> float:
        """The share of all occurrences that the `n` most frequent pieces have."""
        if n < 0:
            raise OutOfRangeError(f"`n` must be 0 or more, found {n}")
        left, covered = n, 0
        for count, pieces in self.frequencies:
            taken = min(pieces, left)
            covered += count * taken
            left -= taken
            if left == 0:
                break
        return covered / self.total if self.frequencies else 0.0

    def needed(self, share: float) -> int:
        """How many of the most frequent pieces have at least this share of all occurrences, from 0 to 1."""
        if not 0 <= share <= 1:
            raise ArgumentError(f"`share` must be from 0 to 1, found {share}")
        # By its text: 0.55 of a hundred is 55, and not the little more that binary numbers make of it.
        wanted, ranks, covered = Fraction(str(share)) * self.total, 0, 0
        for count, pieces in self.frequencies:
            if covered + count * pieces >= wanted:
                return ranks + max(0, math.ceil((wanted - covered) / count))
            ranks += pieces
            covered += count * pieces
        return ranks

    def points(self, n: int = 200) -> list[tuple[int, int]]:
        """Ranks and counts at up to `n` ranks, evenly spread on the logarithmic axis."""
        distinct = self.distinct
        if distinct == 0:
            return []
        spread = (round(distinct ** (step / max(n - 1, 1))) for step in range(n))
        found, steps = [], iter(self.frequencies)
        end = count = 0
        for rank in dict.fromkeys(spread):
            while rank > end:
                count, pieces = next(steps)
                end += pieces
            found.append((rank, count))
        return found

    @property
    def slope(self) -> float:
        """The steepness of the straight line that fits best on logarithmic axes; 0.0 for fewer than two
        points."""
        logs = [(math.log(rank), math.log(count)) for rank, count in self.points()]
        if len(logs) < 2:
            return 0.0
        mean_x = math.fsum(x for x, _ in logs) / len(logs)
        mean_y = math.fsum(y for _, y in logs) / len(logs)
        spread = math.fsum((x - mean_x) ** 2 for x, _ in logs)
        return math.fsum((x - mean_x) * (y - mean_y) for x, y in logs) / spread

    def draw(self, width: int = 60, height: int = 14) -> str:
        """The picture, `width` by `height` characters and the axes around it."""
        points = self.points(width * 8)
        if not points:
            return "no pieces"
        top = math.log(max(points[0][1], 2))
        right = math.log(max(points[-1][0], 2))
        cells = [[0] * width for _ in range(height)]
        columns, rows = width * 2, height * 4
        at = before = 0
        for x in range(columns):
            # The last point that is not to the right of this column of dots; the line goes on from there.
            while at + 1 < len(points) and math.log(points[at + 1][0]) <= right * (x + 0.5) / columns:
                at += 1
            y = rows - 1 - min(int(math.log(points[at][1]) / top * (rows - 1)), rows - 1)
            for step in range(min(before + 1, y), y + 1):
                cells[step // 4][x // 2] |= _DOTS[step % 4][x % 2]
            before = y
        high = f"{points[0][1]:,}"
        margin = len(high)
        lines = []
        for row, cell in enumerate(cells):
            label = high if row == 0 else "1" if row == height - 1 else ""
            lines.append(
                f"{label:>{margin}} ┤{''.join(chr(0x2800 + dots) for dots in cell).rstrip(chr(0x2800))}"
            )
        last = f"{points[-1][0]:,}"
        lines.append(f"{'':>{margin}} └{'─' * width}")
        lines.append(f"{'':>{margin}}  1{last:>{width - 1}}  rank")
        return "\n".join(lines)

    def __str__(self) -> str:
        if not self.frequencies:
            return "no pieces"
        facts = [
            f"{self.distinct:,} pieces, {self.total:,} occurrences, slope {self.slope:.2f}",
            f"half of all occurrences: the {self.needed(0.5):,} most frequent pieces;"
            f" 95%: {self.needed(0.95):,}; counted once: {self.once:,} ({self.once / self.distinct:.0%})",
        ]
        return "\n".join([self.draw(), *facts])

    def __repr__(self) -> str:
        return f"Zipf(distinct={self.distinct}, total={self.total}, slope={self.slope:.3f})"
