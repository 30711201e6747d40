"""What is unknown, and what is spelled byte by byte, for each script."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .coded import Coded
    from .sample import Sample


#: First words of the names of characters that are no names of a script.
_OF_NAME = {
    "CJK": "HAN",
    "IDEOGRAPHIC": "HAN",
    "KANGXI": "HAN",
    "HALFWIDTH": "KATAKANA",
    "FULLWIDTH": "LATIN",
}


@lru_cache(maxsize=1 << 16)
def script(character: str) -> str:
    """The script of a letter, by the first word of its name; ``digits``, ``marks``, ``blanks`` and such of
    others.

    Example:
        >>> script("a"), script("я"), script("東"), script("7"), script("!")
        ('Latin', 'Cyrillic', 'Han', 'digits', 'punctuation')
    """
    category = unicodedata.category(character)
    if category[0] == "L":
        word = unicodedata.name(character, "unnamed").split()[0].partition("-")[0]
        return _OF_NAME.get(word, word).capitalize()
    if category == "Nd":
        return "digits"
    kinds = {"M": "marks", "N": "numbers", "P": "punctuation", "S": "symbols", "Z": "blanks"}
    return kinds.get(category[0], "others")


def by_script(sample: Sample, coded: Coded) -> dict[str, tuple[int, int, int]]:
    """Characters, those under an unknown token, and those under a token of a single byte."""
    points = sample.points
    if not len(points):
        return {}
    unknown = coded.under(coded.facts.unknown, len(points))
    fallback = coded.under(coded.facts.fallback, len(points))
    counts = np.bincount(points)
    # The line ends between texts are in none of them.
    counts[10:11] -= len(sample.texts) - 1
    missed = np.bincount(points[unknown], minlength=len(counts))
    spelled = np.bincount(points[fallback], minlength=len(counts))
    found: dict[str, tuple[int, int, int]] = {}
    for point in np.flatnonzero(counts).tolist():
        name = script(chr(point))
        before = found.get(name, (0, 0, 0))
        found[name] = (
            before[0] + int(counts[point]),
            before[1] + int(missed[point]),
            before[2] + int(spelled[point]),
        )
    return {name: one for name, one in found.items() if one[0]}
