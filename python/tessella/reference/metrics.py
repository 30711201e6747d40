"""Every metric of ``tessella.evaluate``, by its definition.

Tokens are spans: start and end in the characters of the text, as ``Encoding.offsets`` gives them, but without
width where a blank that was put in front of a text has those of the character behind it. What a metric needs
besides is passed in: texts, counts, words. Nothing is fast here, and nothing is clever.

Example:
    >>> from tessella.reference.metrics import bytes_per_token, continued_words, renyi_efficiency
    >>> texts, tokens = ["low lower", "é"], [[(0, 3), (3, 7), (7, 9)], [(0, 1)]]
    >>> bytes_per_token(texts, [len(spans) for spans in tokens])
    2.75
    >>> continued_words(texts, tokens)
    0.3333333333333333
    >>> round(renyi_efficiency([4, 2, 1, 1], vocabulary=4), 3)
    0.73
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence

Span = tuple[int, int]
#: Runs without what Unicode calls white space.
WORD = re.compile(r"[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def bytes_per_token(texts: Iterable[str], lengths: Iterable[int]) -> float:
    """Bytes of all texts over tokens of all texts."""
    return sum(len(text.encode()) for text in texts) / sum(lengths)


def characters_per_token(texts: Iterable[str], lengths: Iterable[int]) -> float:
    """Characters of all texts over tokens of all texts."""
    return sum(map(len, texts)) / sum(lengths)


def normalised_length(lengths: Iterable[int], baseline: Iterable[int]) -> float:
    """Tokens over the tokens of another tokenizer."""
    return sum(lengths) / sum(baseline)


def rate(ids: Iterable[int], wanted: set[int]) -> float:
    """Ids of a kind over all ids: the unknown token, tokens of single bytes."""
    found = [id in wanted for id in ids]
    return sum(found) / len(found)


def words(text: str) -> list[Span]:
    """Where the words of a text stand."""
    return [found.span() for found in WORD.finditer(text)]


def touching(spans: Sequence[Span], start: int, end: int) -> list[int]:
    """Which tokens stand for something between two places."""
    return [place for place, (a, b) in enumerate(spans) if a < b and a < end and b > start]


def fertility(texts: Sequence[str], tokens: Sequence[Sequence[Span]]) -> float:
    """Tokens over words."""
    return sum(map(len, tokens)) / sum(len(words(text)) for text in texts)


def continued_words(texts: Sequence[str], tokens: Sequence[Sequence[Span]]) -> float:
    """Words that several tokens touch over all words."""
    pairs = zip(texts, tokens, strict=True)
    several = [len(touching(spans, *word)) > 1 for text, spans in pairs for word in words(text)]
    return sum(several) / len(several)


def single_words(
    texts: Sequence[str], tokens: Sequence[Sequence[Span]], unknown: Sequence[Sequence[bool]] | None = None
) -> float:
    """Words that one token stands for, which is not unknown and touches no other word, over all words."""
    found = []
    for number, (text, spans) in enumerate(zip(texts, tokens, strict=True)):
        own = [touching(spans, *word) for word in words(text)]
        for one in own:
            alone = len(one) == 1 and sum(one[0] in other for other in own) == 1
            found.append(alone and not (unknown and unknown[number][one[0]]))
    return sum(found) / len(found)


def leaf_tokens(leaves: Sequence[Sequence[Span]], tokens: Sequence[Sequence[Span]]) -> float:
    """Tokens that touch a leaf of the syntax tree, added up over leaves, over leaves."""
    pairs = zip(leaves, tokens, strict=True)
    found = [len(touching(spans, *leaf)) for own, spans in pairs for leaf in own]
    return sum(found) / len(found)


def crossed_leaves(leaves: Sequence[Sequence[Span]], tokens: Sequence[Sequence[Span]]) -> float:
    """Leaves of the syntax tree that share a token with another leaf over all leaves."""
    crossed = []
    for own, spans in zip(leaves, tokens, strict=True):
        touched = [set(touching(spans, *leaf)) for leaf in own]
        for place, one in enumerate(touched):
            crossed.append(any(one & other for at, other in enumerate(touched) if at != place))
    return sum(crossed) / len(crossed)


def shannon_efficiency(counts: Iterable[int], vocabulary: int) -> float:
    """Entropy of the tokens over the entropy of a vocabulary that is used evenly."""
    known = [count for count in counts if count]
    total = sum(known)
    return -sum(c / total * math.log(c / total) for c in known) / math.log(vocabulary)


def renyi_efficiency(counts: Iterable[int], vocabulary: int, power: float = 2.5) -> float:
    """The same with Rényi's entropy. Its limit at the power 1 is Shannon's, and without end the least one.

    Example:
        >>> from tessella.reference.metrics import renyi_efficiency, shannon_efficiency
        >>> renyi_efficiency([2, 1, 1], 4, power=1) == shannon_efficiency([2, 1, 1], 4)
        True
        >>> renyi_efficiency([2, 1, 1], 4, power=float("inf"))
        0.5
    """
    known = [count for count in counts if count]
    total = sum(known)
    if power == 1:
        return shannon_efficiency(known, vocabulary)
    if power == math.inf:
        return -math.log(max(known) / total) / math.log(vocabulary)
    return math.log(sum((c / total) ** power for c in known)) / (1 - power) / math.log(vocabulary)


def average_rank(counts: Iterable[int]) -> float:
    """The mean place of a token among the entries, by frequency from 1."""
    ordered = sorted((count for count in counts if count), reverse=True)
    return sum(rank * count for rank, count in enumerate(ordered, 1)) / sum(ordered)


def utilisation(counts: Iterable[int], vocabulary: int) -> float:
    """Entries that occur over all entries."""
    return sum(count > 0 for count in counts) / vocabulary


def round_trip_failures(texts: Sequence[str], coded: Callable[[str], str]) -> float:
    """Texts that do not come back over all texts."""
    return sum(coded(text) != text for text in texts) / len(texts)


def digit_tokens(texts: Sequence[str], tokens: Sequence[Sequence[Span]]) -> float:
    """Tokens that touch a number over digits."""
    touched = digits = 0
    for text, spans in zip(texts, tokens, strict=True):
        for found in re.finditer("[0-9]+", text):
            touched += len(touching(spans, *found.span()))
            digits += len(found[0])
    return touched / digits


def distance(one: Sequence[int], other: Sequence[int]) -> int:
    """The fewest ids to put in, leave out or replace."""
    row = list(range(len(other) + 1))
    for place, id in enumerate(one, 1):
        before, row = row, [place]
        for at, wanted in enumerate(other, 1):
            row.append(min(before[at] + 1, row[at - 1] + 1, before[at - 1] + (id != wanted)))
    return row[-1]


def premium(lengths: Iterable[int], base: Iterable[int]) -> float:
    """Tokens of the lines of a language over tokens of the same lines in another."""
    return sum(lengths) / sum(base)


def gini(costs: Sequence[float]) -> float:
    """How unequal costs are: 0 if all are alike, near 1 if one pays for all."""
    return sum(abs(a - b) for a in costs for b in costs) / (2 * len(costs) * sum(costs))
