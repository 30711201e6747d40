"""Counting neighbours and joining them: the two moves that all pair-joining algorithms share.

A corpus is a dictionary from words, spelled as tuples of symbols, to the number of times they occur. Its
order matters where two pairs are equally good: *first seen* means first in this order, from left to right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar

Symbol = TypeVar("Symbol", bound="str | int")

#: Which of two equally good pairs is joined first: the one that stands first in the corpus, as in textbooks,
#: or the one of the smaller ids, left one first, as the engine and most libraries do it.
Ties = Literal["first seen", "smaller ids"]


def count_words(words: Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """Words and how often they occur, in the order of their first appearance.

    Example:
        >>> count_words("to be or not to be".split())
        {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    """
    if isinstance(words, Mapping):
        return dict(words)
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def count_symbols(corpus: Iterable[tuple[Sequence[Symbol], int]]) -> dict[Symbol, int]:
    """How often each symbol occurs, in the order of first appearance."""
    counts: dict[Symbol, int] = {}
    for symbols, times in corpus:
        for symbol in symbols:
            counts[symbol] = counts.get(symbol, 0) + times
    return counts


def count_pairs(corpus: Iterable[tuple[Sequence[Symbol], int]]) -> dict[tuple[Symbol, Symbol], int]:
    """How often each pair of neighbours occurs, in the order of first appearance.

    Example:
        >>> count_pairs([(("a", "a", "b"), 10)])
        {('a', 'a'): 10, ('a', 'b'): 10}
    """
    counts: dict[tuple[Symbol, Symbol], int] = {}
    for symbols, times in corpus:
        for i in range(len(symbols) - 1):
            pair = (symbols[i], symbols[i + 1])
            counts[pair] = counts.get(pair, 0) + times
    return counts


def first_best(
    scores: Mapping[tuple[Symbol, Symbol], float], ties: Ties, ids: Mapping[Symbol, int]
) -> tuple[Symbol, Symbol]:
    """The pair of the highest score; ``ids`` is only looked at where ids decide."""
    if ties == "first seen":
        # `max` keeps the first of several.
        return max(scores, key=lambda pair: scores[pair])
    return min(scores, key=lambda pair: (-scores[pair], ids[pair[0]], ids[pair[1]]))


def join(symbols: Sequence[Symbol], pair: tuple[Symbol, Symbol], made: Symbol) -> tuple[Symbol, ...]:
    """The symbols with every occurrence of the pair replaced, from left to right, without overlap.

    Example:
        >>> join(("a", "a", "a", "b"), ("a", "a"), "aa")
        ('aa', 'a', 'b')
    """
    out: list[Symbol] = []
    i = 0
    while i < len(symbols):
        if i + 1 < len(symbols) and symbols[i] == pair[0] and symbols[i + 1] == pair[1]:
            out.append(made)
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return tuple(out)
