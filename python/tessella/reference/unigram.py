"""Unigram: every entry has a probability, and a word is read in the most probable way.

Example:
    >>> from tessella.reference import Unigram
    >>> counts = {"h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20, "p": 17, "pu": 17, "n": 16, "un": 16,
    ...           "b": 4, "bu": 4, "s": 5, "hug": 15, "gs": 5, "ugs": 5}
    >>> model = Unigram.from_counts(counts)
    >>> model.encode("unhug"), round(model.probability("unhug"), 7)
    (['un', 'hug'], 0.0054422)
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> round(model.loss(words), 3), round(model.without("hug").loss(words), 3)
    (169.803, 193.317)
    >>> round(model.without("pu").loss(words), 3)
    169.803
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from math import exp, log

from ..errors import ArgumentError, EncodeError
from .lattice import Lattice
from .pairs import count_words


def count_substrings(words: Iterable[str] | Mapping[str, int], longest: int | None = None) -> dict[str, int]:
    """Every substring of the words and how often it occurs.

    Example:
        >>> count_substrings({"ab": 3})
        {'a': 3, 'ab': 3, 'b': 3}
    """
    counts: dict[str, int] = {}
    for word, times in count_words(words).items():
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + (longest or len(word))) + 1):
                counts[word[start:end]] = counts.get(word[start:end], 0) + times
    return counts


class Unigram:
    """Entries with the logarithms of their probabilities.

    Args:
        scores: the entries.
        unknown: the token for characters that are no entry; ``None`` makes them an error. Neighbouring ones
            become one token.

    Example:
        >>> model = Unigram({"a": -2.0, "b": -2.0, "ab": -3.0})
        >>> model.encode("ab"), model.n_best("ab", 2)
        (['ab'], [(['ab'], -3.0), (['a', 'b'], -4.0)])
    """

    def __init__(self, scores: Mapping[str, float], unknown: str | None = "[UNK]") -> None:
        self.scores: dict[str, float] = dict(scores)
        self.unknown = unknown
        self._longest = max(map(len, self.scores), default=1)
        # A character that is no entry costs 10 more than the rarest entry, on the scale of logarithms.
        self._unknown_score = min(self.scores.values(), default=0.0) - 10.0

    @classmethod
    def from_counts(cls, counts: Mapping[str, float], unknown: str | None = "[UNK]") -> Unigram:
        """Probabilities in proportion to counts."""
        total = sum(counts.values())
        return cls({token: log(count / total) for token, count in counts.items()}, unknown)

    def lattice(self, word: str) -> Lattice:
        """All readings of a word."""
        return Lattice(word, self.scores, self._unknown_score, self._longest)

    def _tokens(self, reading: Iterable[str]) -> list[str]:
        tokens: list[str] = []
        was_unknown = False
        for token in reading:
            is_unknown = token not in self.scores
            if is_unknown and self.unknown is None:
                raise EncodeError(f"the character {token!r} is no entry, and there is no unknown token")
            if not is_unknown:
                tokens.append(token)
            elif not was_unknown:
                tokens.append(str(self.unknown))
            was_unknown = is_unknown
        return tokens

    def encode(self, word: str) -> list[str]:
        """The tokens of the best reading."""
        return self._tokens(self.lattice(word).best()[0])

    def n_best(self, word: str, n: int) -> list[tuple[list[str], float]]:
        """The n best readings with the logarithms of their probabilities."""
        return [(self._tokens(reading), score) for reading, score in self.lattice(word).n_best(n)]

    def sample(self, word: str, alpha: float = 1.0, seed: int | random.Random = 0) -> list[str]:
        """A reading drawn at random; see ``Lattice.sample``."""
        rng = seed if isinstance(seed, random.Random) else random.Random(seed)
        return self._tokens(self.lattice(word).sample(alpha, rng))

    def probability(self, word: str) -> float:
        """The probability of the best reading of a word; 0 if it can only be read with unknown characters."""
        return exp(Lattice(word, self.scores, None, self._longest).best()[1])

    def loss(self, words: Iterable[str] | Mapping[str, int]) -> float:
        """How badly the words are predicted: the negative logarithms of their probabilities, summed."""
        counted = count_words(words).items()
        return sum(-times * self.lattice(word).best()[1] for word, times in counted)

    def without(self, token: str) -> Unigram:
        """The same model less one entry. The others keep their probabilities."""
        if token not in self.scores:
            raise ArgumentError(f"{token!r} is no entry")
        return Unigram({t: s for t, s in self.scores.items() if t != token}, self.unknown)

    def least_needed(self, words: Iterable[str] | Mapping[str, int], n: int) -> list[tuple[str, float]]:
        """The n entries whose removal raises the loss least, with the rise.

        Characters are never among them: without them, there would be words that cannot be read.
        """
        before = self.loss(words)
        rises = [(t, self.without(t).loss(words) - before) for t in self.scores if len(t) > 1]
        # Rounded, so that equal rises stay in the order of the entries.
        return [(t, round(rise, 9)) for t, rise in sorted(rises, key=lambda r: round(r[1], 9))[:n]]
