"""How numbers are cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..metric import Ratio

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..coded import Coded
    from ..sample import Sample

    Whole = npt.NDArray[np.int64]


#: Digits of the longest number that the table tells apart.
LONGEST = 12


def of_text(sample: Sample) -> dict[str, Whole]:
    """Columns of the text alone."""
    starts, ends = sample.numbers.T
    return {"digits": sample.per_text(sample.number_text, weights=ends - starts)}


def gold_cuts(numbers: Whole) -> tuple[Whole, Whole]:
    """Places of groups of three digits from the right, and the number that each is of.

    Example:
        >>> gold_cuts(np.array([[0, 7]]))[0].tolist()
        [1, 4]
    """
    starts, ends = numbers.T
    each = (ends - starts - 1) // 3
    owner = np.repeat(np.arange(len(numbers)), each)
    before = np.arange(len(owner)) - np.repeat(np.cumsum(each) - each, each)
    places = ends[owner] - 3 * (each[owner] - before)
    return places, owner


def _among(places: Whole, known: Whole) -> npt.NDArray[np.bool_]:
    """Which places are among others, which ascend."""
    if not len(known):
        return np.zeros(len(places), dtype=np.bool_)
    found = np.minimum(np.searchsorted(known, places), len(known) - 1)
    among: npt.NDArray[np.bool_] = known[found] == places
    return among


def measure(sample: Sample, coded: Coded) -> dict[str, Whole]:
    """Columns of what a tokenizer made of them."""
    numbers, owner = sample.numbers, sample.number_text
    touching = coded.touching(numbers)
    # Borders strictly inside of a number, each place once.
    places = coded.borders
    inside = np.searchsorted(numbers[:, 0], places, side="left") - 1
    is_inside = (inside >= 0) & (places < numbers[np.maximum(inside, 0), 1]) if len(numbers) else inside >= 0
    cuts, cut_of = places[is_inside], inside[is_inside]
    gold, gold_of = gold_cuts(numbers)
    hits = _among(cuts, gold)
    return {
        "digit_tokens": sample.per_text(owner, weights=touching),
        "digit_hits": 2 * sample.per_text(owner[cut_of[hits]]),
        "digit_cuts": sample.per_text(owner[cut_of]) + sample.per_text(owner[gold_of]),
    }


def by_length(sample: Sample, coded: Coded) -> list[dict[str, float | int]]:
    """For each length of a number: how many, tokens for each, and how undecided the cutting is (bits)."""
    numbers = sample.numbers
    if not len(numbers):
        return []
    lengths = np.minimum(numbers[:, 1] - numbers[:, 0], LONGEST)
    touching = coded.touching(numbers)
    places = coded.borders
    inside = np.searchsorted(numbers[:, 0], places, side="left") - 1
    fits = (inside >= 0) & (places < numbers[np.maximum(inside, 0), 1])
    pattern = np.zeros(len(numbers), dtype=np.int64)
    offset = np.minimum(places[fits] - numbers[inside[fits], 0], 62)
    np.bitwise_or.at(pattern, inside[fits], np.left_shift(1, offset))
    rows: list[dict[str, float | int]] = []
    for length in range(1, LONGEST + 1):
        here = lengths == length
        if here.any():
            share = np.unique(pattern[here], return_counts=True)[1] / here.sum()
            rows.append(
                {
                    "digits": length,
                    "numbers": int(here.sum()),
                    "tokens": float(touching[here].mean()),
                    "entropy": float(abs((share * np.log2(share)).sum())),
                }
            )
    return rows


METRICS = (
    Ratio(
        "digit_tokens",
        "tokens per digit",
        "tokens",
        (0, None),
        "neither",
        "Tokens that touch a run of the digits 0 to 9 over digits.",
        "Years and small numbers are most of the numbers in a text; arithmetic may want more tokens, not "
        "fewer.",
        top="digit_tokens",
        bottom="digits",
        on="sample",
    ),
    Ratio(
        "digit_grouping",
        "numbers in groups of three",
        "F1 of the cuts",
        (0, 1),
        "neither",
        "Cuts inside of numbers against cuts into groups of three from the right: 2·hits / (cuts + "
        "expected).",
        "Single digits have few hits among many cuts; numbers of three digits and fewer have nothing to hit.",
        top="digit_hits",
        bottom="digit_cuts",
        on="sample",
    ),
)
