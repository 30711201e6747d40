"""Metrics of where tokens are cut: inside of characters, numbers and words.

``metrics`` holds the others, and says what tokens are.

Example:
    >>> from tessella.reference.cuts import boundary_f1, parts_of_characters
    >>> parts_of_characters([b"a\\xc3", b"\\xa9", b"b"])
    (2, 1, 1)
    >>> precision, recall, f1 = boundary_f1(cuts=[{2, 4}], gold=[{4, 6}])
    >>> precision, recall, f1
    (0.5, 0.5, 0.5)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .metrics import Span


def parts_of_characters(tokens: Iterable[bytes]) -> tuple[int, int, int]:
    """Tokens with a part of a character, those of them with something of another, and split characters."""
    owners: list[list[int]] = []
    for number, token in enumerate(tokens):
        for byte in token:
            if byte & 0xC0 != 0x80:
                owners.append([])
            owners[-1].append(number)
    split = [set(owner) for owner in owners if len(set(owner)) > 1]
    partial = set().union(*split) if split else set()
    several = {one for one in partial if sum(one in owner for owner in owners) > 1}
    return len(partial), len(several), len(split)


def digit_grouping(texts: Sequence[str], tokens: Sequence[Sequence[Span]]) -> float:
    """F1 of cuts inside numbers against groups of three digits from the right."""
    hits = cuts = wanted = 0
    for text, spans in zip(texts, tokens, strict=True):
        borders = {place for a, b in spans if a < b for place in (a, b)}
        for found in re.finditer("[0-9]+", text):
            gold = set(range(found.end() - 3, found.start(), -3))
            inside = {place for place in borders if found.start() < place < found.end()}
            hits, cuts, wanted = hits + len(gold & inside), cuts + len(inside), wanted + len(gold)
    return 2 * hits / (cuts + wanted)


def boundary_f1(cuts: Sequence[set[int]], gold: Sequence[set[int]]) -> tuple[float, float, float]:
    """Precision, recall and F1 of cuts inside words against those between morphemes."""
    hits = sum(len(a & b) for a, b in zip(cuts, gold, strict=True))
    found, wanted = sum(map(len, cuts)), sum(map(len, gold))
    return hits / found, hits / wanted, 2 * hits / (found + wanted)


def morph_score(cuts: Sequence[set[int]], gold: Sequence[set[int]]) -> float:
    """Borders of morphemes at which a word is cut over all of them; words that are not cut do not count."""
    judged = [(own, wanted) for own, wanted in zip(cuts, gold, strict=True) if own]
    return sum(len(own & wanted) for own, wanted in judged) / sum(len(wanted) for _, wanted in judged)
