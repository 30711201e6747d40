"""Plots as SVG: bars with intervals, a heat map, lines. Small, since a report needs four kinds of them.

A page must open from a file and ask nobody for anything. Libraries for plots either bring megabytes of script
into each page or make pictures that know neither dark pages nor screen readers. These are plain marks:
colours are classes of the page's style (so that they follow light and dark, and print), every mark has its
numbers as a title that a pointer shows, and every plot a description. Texts come from strangers and are
escaped.

Example:
    >>> drawn = bars("Bytes per token", [("<a>", 3.0, 2.9, 3.1), ("b", 2.0, None, None)])
    >>> drawn.startswith("<svg") and "&lt;a&gt;" in drawn and "<a>" not in drawn
    True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from .shown import number, text

#: Colours of series; classes ``s0`` to ``s7`` of the page.
COLOURS = 8
#: Characters of a label, and units that a character takes.
LABEL, LETTER = 22, 6.6


def _label(shown: str, long: int = LABEL) -> str:
    return escape(text(shown, long))


def _svg(title: str, width: float, height: float, parts: Sequence[str], description: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" preserveAspectRatio="xMinYMin meet" '
        f'style="max-width:{width:.0f}px"><title>{escape(title)}</title><desc>{escape(description)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def bars(
    title: str, rows: Sequence[tuple[str, float | None, float | None, float | None]], is_share: bool = False
) -> str:
    """A bar for each row: name, value, and where the value lies.

    Args:
        title: what is drawn.
        rows: the rows; a value of ``None`` has no bar.
        is_share: write values in percent.
    """
    left = min(max((len(text(name, LABEL)) for name, *_ in rows), default=0), LABEL + 1) * LETTER + 12
    wide, each = 300.0, 24
    most = max([max(value or 0, high or 0) for _, value, _, high in rows], default=0) or 1.0
    parts, told = [], []
    for place, (name, value, low, high) in enumerate(rows):
        y = place * each
        shown = "–" if value is None else f"{value:.1%}" if is_share else number(value)
        reach = "" if low is None or high is None else f" ({number(low)} to {number(high)})"
        told.append(f"{text(name)}: {shown}{reach}")
        parts.append(f'<text x="{left - 8:.1f}" y="{y + 16}" class="l e">{_label(name)}</text>')
        if value is None:
            parts.append(f'<text x="{left:.1f}" y="{y + 16}" class="l">–</text>')
            continue
        end = left + wide * max(value, 0) / most
        size = f'width="{end - left:.2f}" height="15" class="s{place % COLOURS}"'
        mark = f'<rect x="{left:.1f}" y="{y + 4}" {size}/>'
        if low is not None and high is not None:
            a, b = (left + wide * max(one, 0) / most for one in (low, high))
            mark += f'<path d="M{a:.2f} {y + 11.5}H{b:.2f}M{a:.2f} {y + 7}v9M{b:.2f} {y + 7}v9" class="i"/>'
            end = max(end, b)
        parts.append(f"<g><title>{escape(told[-1])}</title>{mark}</g>")
        parts.append(f'<text x="{end + 6:.1f}" y="{y + 16}" class="n">{shown}</text>')
    return _svg(title, left + wide + 70, max(len(rows), 1) * each, parts, "; ".join(told))


def heat(title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[float | None]]]) -> str:
    """A table whose cells are the darker the higher their value; values are written into them."""
    left = min(max((len(text(name, LABEL)) for name, _ in rows), default=0), LABEL + 1) * LETTER + 12
    wide, each = 92, 26
    known = [value for _, values in rows for value in values if value is not None]
    least, most = (min(known), max(known)) if known else (0.0, 1.0)
    parts = [
        f'<text x="{left + place * wide + wide / 2:.1f}" y="16" class="l m">{_label(name, 13)}</text>'
        for place, name in enumerate(columns)
    ]
    told = []
    for line, (name, values) in enumerate(rows, 1):
        y = line * each
        parts.append(f'<text x="{left - 8:.1f}" y="{y + 17}" class="l e">{_label(name)}</text>')
        for place, value in enumerate(values):
            x = left + place * wide
            step = 0 if value is None or most <= least else 1 + round((value - least) / (most - least) * 8)
            told.append(f"{text(name)}, {text(columns[place])}: {number(value)}")
            parts.append(
                f'<g><title>{escape(told[-1])}</title><rect x="{x:.1f}" y="{y}" width="{wide - 2}" '
                f'height="{each - 2}" class="h h{step}"/>'
                f'<text x="{x + wide / 2:.1f}" y="{y + 17}" class="m v{step}">{number(value)}</text></g>'
            )
    return _svg(title, left + len(columns) * wide, (len(rows) + 1) * each, parts, "; ".join(told))


def _ticks(least: float, most: float, is_log: bool) -> list[float]:
    if is_log:
        found = [
            10.0**power for power in range(math.ceil(math.log10(least)), math.floor(math.log10(most)) + 1)
        ]
        return found if len(found) >= 2 else [least, most]
    span = (most - least) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 5)
    first = math.ceil(least / step)
    return [step * place for place in range(first, math.floor(most / step) + 1)]


def lines(
    title: str,
    series: Sequence[tuple[str, Sequence[Sequence[float]]]],
    across: str,
    up: str,
    *,
    log: tuple[bool, bool] = (False, False),
    marks: Sequence[tuple[int, float]] = (),
) -> str:
    """A line for each series of points, which differ in colour and in dashes.

    Args:
        title: what is drawn.
        series: names and points.
        across: what the axis from left to right is.
        up: what the other is.
        log: whether the axes are logarithmic.
        marks: series and place of points that are marked.
    """
    points = [point for _, own in series for point in own]
    if not points:
        return ""
    left, top, wide, high = 62.0, 12.0, 470.0, 230.0
    ends = [(min(point[axis] for point in points), max(point[axis] for point in points)) for axis in (0, 1)]

    def at(axis: int, value: float) -> float:
        least, most = ends[axis]
        if log[axis]:
            least, most, value = math.log(least), math.log(most), math.log(value)
        share = (value - least) / (most - least) if most > least else 0.5
        return left + wide * share if axis == 0 else top + high * (1 - share)

    parts = [f'<path d="M{left} {top}V{top + high}H{left + wide}" class="a"/>']
    for value in _ticks(*ends[0], log[0]):
        x = at(0, value)
        parts.append(f'<path d="M{x:.1f} {top}v{high}" class="g"/>')
        parts.append(f'<text x="{x:.1f}" y="{top + high + 16}" class="l m">{number(value)}</text>')
    for value in _ticks(*ends[1], log[1]):
        y = at(1, value)
        parts.append(f'<path d="M{left} {y:.1f}h{wide}" class="g"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" class="l e">{number(value)}</text>')
    for place, (name, own) in enumerate(series):
        path = "L".join(f"{at(0, x):.1f} {at(1, y):.1f}" for x, y in own)
        if not path:
            continue
        parts.append(
            f'<path d="M{path}" class="c c{place % COLOURS}"><title>{escape(text(name))}</title></path>'
        )
        y = top + high + 52 + place * 18
        parts.append(f'<path d="M{left} {y - 4}h26" class="c c{place % COLOURS}"/>')
        parts.append(f'<text x="{left + 32}" y="{y}" class="l">{_label(name, 60)}</text>')
    for place, x in marks:
        found = next((value for size, value in series[place][1] if size == x), None)
        if found is not None:
            told = escape(f"{text(series[place][0])}: {number(x)}, {number(found)}")
            where = f'cx="{at(0, x):.1f}" cy="{at(1, found):.1f}" r="5"'
            parts.append(f'<circle {where} class="k c{place % COLOURS}"><title>{told}</title></circle>')
    parts.append(f'<text x="{left + wide / 2}" y="{top + high + 34}" class="l m">{escape(across)}</text>')
    parts.append(f'<text x="{left}" y="9" class="l">{escape(up)}</text>')
    ends_of = ((text(name), (*own[0], *own[-1])) for name, own in series if own)
    ways = [(name, list(map(number, ends))) for name, ends in ends_of]
    described = "; ".join(f"{name}: from {a}, {b} to {c}, {d}" for name, (a, b, c, d) in ways)
    return _svg(title, left + wide + 20, top + high + 52 + len(series) * 18, parts, described)
