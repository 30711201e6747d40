"""How often intervals of `tessella.evaluate` hold the truth, on corpora drawn from a known one.

Documents are drawn from populations with a known ratio, difference and entropy, a number of corpora of each. The share of
95 % intervals that hold the truth is known to 0.7 points for 1,000 corpora, which is how many are drawn if no number is
given. Run from the root of the clone:

    python -m benchmarks.interval_coverage [CORPORA]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from tessella.evaluate.blocks import Blocks
from tessella.evaluate.intervals import Counted, Interval, Stratum, jackknife, of_difference, of_ratio
from tessella.evaluate.run import MOST_BLOCKS

Rows = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Rows]


def skewed(rng: np.random.Generator, number: int) -> Rows:
    """Bytes and tokens, 4 to 1, of documents from a line to a book; and a second tokenizer that takes a tenth more."""
    tokens = np.exp(rng.normal(3, 1, number))
    first = tokens * rng.gamma(20, 4 / 20, number)
    return np.column_stack([first, tokens, tokens * rng.gamma(100, 1.1 / 100, number)])


def even(rng: np.random.Generator, number: int) -> Rows:
    """The same with documents of like length."""
    tokens = rng.integers(80, 120, number).astype(float)
    return np.column_stack(
        [tokens * rng.normal(4, 0.3, number), tokens, tokens * rng.normal(1.1, 0.05, number)]
    )


def rare(rng: np.random.Generator, number: int) -> Rows:
    """Unknown tokens, one in fifty, that come in few documents; the second tokenizer knows half of them."""
    tokens = np.ceil(np.exp(rng.normal(3, 1, number)))
    unknown = rng.binomial(tokens.astype(int), rng.beta(0.2, 9.8, number))
    return np.column_stack([unknown, tokens, rng.binomial(unknown, 0.5)]).astype(float)


def alike(rng: np.random.Generator, number: int) -> Rows:
    """Documents that resemble their neighbours: runs of about twenty share what they are about."""
    theme = np.repeat(rng.normal(0, 1, number // 20 + 1), 20)[:number]
    tokens = rng.integers(20, 60, number).astype(float)
    bytes = tokens * (4 + 0.5 * theme + rng.normal(0, 0.3, number))
    return np.column_stack([bytes, tokens, tokens * (1.1 + 0.05 * theme)])


def held(draw: Draw, truth: float, number: int, corpora: int, second: float | None) -> Iterator[bool | None]:
    """Whether each interval holds the truth; `None` where there is none."""
    rng = np.random.default_rng(number)
    for corpus in range(corpora):
        rows = np.round(draw(rng, number) * 1000).astype(np.int64)
        blocks = Blocks(3, MOST_BLOCKS)
        blocks.add(rows)
        strata = [Stratum.of(blocks.sums(), 1000, corpus)]
        if second is None:
            found: Interval = of_ratio(strata, 0, 1)
            yield None if found.low is None or found.high is None else found.low <= truth <= found.high
        else:
            found = of_difference(strata, (0, 1), (0, 2) if draw is not rare else (2, 1))
            yield (
                None if found.low is None or found.high is None else found.low <= truth - second <= found.high
            )


def entropies(corpora: int) -> Iterator[bool]:
    """The same of the entropy of what tokens are drawn from."""
    share = 1 / np.arange(1, 2001)
    share /= share.sum()
    truth = -(share * np.log(share)).sum()

    def entropy(counts: npt.NDArray[np.int64]) -> float:
        own = counts[counts > 0] / counts.sum()
        return float(-(own * np.log(own)).sum())

    rng = np.random.default_rng(0)
    for _ in range(corpora):
        groups = []
        for _ in range(24):
            counts = rng.multinomial(4000, share)
            used = np.flatnonzero(counts)
            groups.append((used, counts[used]))
        found = jackknife(Counted([groups], len(share), entropy))
        yield found.low is not None and found.high is not None and found.low <= truth <= found.high


def main() -> None:
    corpora = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{'documents':<34} {'number':>7} {'ratio':>8} {'pair':>8} {'without':>8}")
    cases: list[tuple[str, Draw, float, float, tuple[int, ...]]] = [
        ("of like length", even, 4.0, 4 / 1.1, (30, 100, 1000, 5000)),
        ("from a line to a book", skewed, 4.0, 4 / 1.1, (30, 50, 200, 1000, 5000)),
        ("with rare unknown tokens", rare, 0.02, 0.01, (50, 200, 1000)),
        ("alike in runs of twenty", alike, 4.0, 4 / 1.1, (40_000,)),
    ]
    for name, draw, truth, second, numbers in cases:
        for number in numbers:
            ratios = list(held(draw, truth, number, corpora, None))
            pairs = list(held(draw, truth, number, corpora, second))
            without = ratios.count(None) + pairs.count(None)
            shares = [own.count(True) / max(corpora - own.count(None), 1) for own in (ratios, pairs)]
            print(f"{name:<34} {number:>7,} {shares[0]:>8.1%} {shares[1]:>8.1%} {without:>8}", flush=True)
    print(f"{'entropy, 96,000 tokens of 2,000':<34} {'':>7} {np.mean(list(entropies(corpora))):>8.1%}")


if __name__ == "__main__":
    main()
