"""The same text in several languages: what each pays for it.

Line by line the files say the same, so tokens compare where bytes and characters do not. The premium of a
language is its tokens over those of the base language; Gini's coefficient says how unequally all languages
pay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError
from .blocks import Blocks
from .intervals import Interval, Stratum, of_ratio, student
from .record import plain

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import Tokenizer
    from .corpora import Corpus

    Floats = npt.NDArray[np.float64]


#: Lines that are looked at in one go, and blocks of neighbouring lines.
LINES, BLOCKS = 2048, 256
#: Languages that are told to pay most.
WORST = 5


def gini(costs: Floats) -> float:
    """How unequal costs are: 0 if all are alike, near 1 if one pays for all.

    Example:
        >>> gini(np.array([1.0, 1.0, 1.0])), round(gini(np.array([0.0, 0.0, 3.0])), 3)
        (0.0, 0.667)
    """
    total = costs.sum()
    if not total:
        return float("nan")
    return float(np.abs(costs[:, None] - costs[None, :]).sum() / (2 * len(costs) * total))


def _aligned(found: Sequence[Corpus]) -> Iterator[list[tuple[str, ...]]]:
    """Lines that say the same, some at a time."""
    some: list[tuple[str, ...]] = []
    for number, line in enumerate(zip_longest(*(corpus.texts.each() for corpus in found))):
        if any(one is None for one in line):
            ended = next(corpus.name for corpus, one in zip(found, line, strict=True) if one is None)
            raise ArgumentError(
                f"parallel texts must have the same lines: `{ended}` ends after {number:,}, others go on"
            )
        some.append(line)
        if len(some) >= LINES:
            yield some
            some = []
    if some:
        yield some


def premiums(
    tokenizers: Mapping[str, Tokenizer],
    found: Sequence[Corpus],
    *,
    draws: int,
    seed: int,
    confidence: float,
    num_threads: int | None = None,
) -> dict[str, Any]:
    """What each language pays.

    Args:
        tokenizers: by name.
        found: a corpus for each of two languages or more; the first is the base, unless one is called ``en``.
        draws: draws of lines for intervals.
        seed: what they follow from.
        confidence: how often an interval shall hold the truth.
        num_threads: how many threads work.
    """
    names = [corpus.name for corpus in found]
    base = names.index("en") if "en" in names else 0
    blocks = {name: Blocks(len(names), BLOCKS) for name in tokenizers}
    lines = 0
    for some in _aligned(found):
        lines += len(some)
        for name, tokenizer in tokenizers.items():
            columns = [
                tokenizer.count_batch([line[place] for line in some], False, num_threads)
                for place in range(len(names))
            ]
            blocks[name].add(np.stack(columns, axis=1).astype(np.int64))
    rows: list[dict[str, Any]] = []
    summed: list[dict[str, Any]] = []
    for name, own in blocks.items():
        stratum = Stratum.of(own.sums(), draws, seed, 0)
        costs = stratum.blocks.sum(axis=0)
        of_each: dict[str, float] = {}
        for place, language in enumerate(names):
            if place == base or not draws:
                value = costs[place] / costs[base] if costs[base] else float("nan")
                interval = Interval(float(value))
            else:
                interval = of_ratio([stratum], place, base, confidence)
            of_each[language] = interval.value
            told = {"tokenizer": name, "language": language, "tokens": int(costs[place])}
            rows.append({**told, **plain(interval)})
        # Without a token in the base there is no premium to tell.
        others = {
            language: value
            for language, value in of_each.items()
            if language != names[base] and not np.isnan(value)
        }
        worst = sorted(others, key=lambda language: -others[language])[:WORST]
        mean = float(np.mean(list(others.values()))) if others else None
        unequal = _jackknifed(stratum.blocks, confidence) if draws else Interval(gini(costs))
        summed.append({"tokenizer": name, "mean": mean, "worst": worst, "gini": plain(unequal)})
    return {"base": names[base], "languages": names, "lines": lines, "premiums": rows, "summary": summed}


def _jackknifed(rows: Floats, confidence: float) -> Interval:
    """Gini's coefficient with blocks of lines left out in turn."""
    total = rows.sum(axis=0)
    if not total.any():
        return Interval(float("nan"), note="there are no tokens")
    value, number = gini(total), len(rows)
    if number < 30:
        return Interval(value, note=f"no interval from fewer than 30 lines: {number}")
    others = np.array([gini(total - row) for row in rows])
    if np.isnan(others).any():
        return Interval(value, note="one line holds all tokens")
    error = ((number - 1) / number * float(((others - others.mean()) ** 2).sum())) ** 0.5
    reach = student(1 - (1 - confidence) / 2, number - 1) * error
    return Interval(value, max(value - reach, 0.0), min(value + reach, 1.0))
