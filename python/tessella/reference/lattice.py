"""All ways to read a word with a given vocabulary, and the questions asked about them.

A word of n characters has the places 0 to n between its characters. A *reading* is a way from place 0 to
place n whose steps are entries of the vocabulary; its score is the sum of their logarithmic probabilities.
There can be very many readings, but every question here is answered place by place, without listing them.

Example:
    >>> from math import log
    >>> lattice = Lattice("hug", {"h": log(0.1), "ug": log(0.2), "hu": log(0.1), "g": log(0.1)})
    >>> lattice.best()[0]
    ['h', 'ug']
    >>> [tokens for tokens, score in lattice.n_best(5)]
    [['h', 'ug'], ['hu', 'g']]
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf, log


def log_sum(values: list[float]) -> float:
    """The logarithm of the sum of what the values are logarithms of."""
    top = max(values, default=-inf)
    return top if top == -inf else top + log(sum(exp(value - top) for value in values))


@dataclass(frozen=True)
class Edge:
    """One entry of the vocabulary at one place of the word."""

    start: int
    end: int
    token: str
    score: float


class Lattice:
    """The readings of one word.

    Args:
        word: the word.
        scores: the entries and their logarithmic probabilities.
        unknown_score: what a character costs that is no entry; ``None`` allows no such step.
        longest: characters of an entry at most, if that is known.
    """

    def __init__(
        self,
        word: str,
        scores: Mapping[str, float],
        unknown_score: float | None = None,
        longest: int | None = None,
    ) -> None:
        self.word = word
        #: The edges that end at each place, those that start earlier first.
        self.ending: list[list[Edge]] = [[] for _ in range(len(word) + 1)]
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - (longest or end)), end):
                token = word[start:end]
                if token in scores:
                    self.ending[end].append(Edge(start, end, token, scores[token]))
                elif end - start == 1 and unknown_score is not None:
                    self.ending[end].append(Edge(start, end, token, unknown_score))

    def best(self) -> tuple[list[str], float]:
        """The best reading and its score (Viterbi). Of equal ones that whose last token is longer.

        Without any reading, the score is minus infinity.
        """
        score = [0.0] + [-inf] * len(self.word)
        last: list[Edge | None] = [None] * (len(self.word) + 1)
        for end, edges in enumerate(self.ending):
            for edge in edges:
                if score[edge.start] + edge.score > score[end]:
                    score[end], last[end] = score[edge.start] + edge.score, edge
        tokens: list[str] = []
        place = len(self.word)
        while (taken := last[place]) is not None:
            tokens.append(taken.token)
            place = taken.start
        return tokens[::-1], score[-1]

    def n_best(self, n: int) -> list[tuple[list[str], float]]:
        """The n best readings, best first: each place keeps its own n best ways to it."""
        ways: list[list[tuple[float, tuple[str, ...]]]] = [[(0.0, ())]]
        for edges in self.ending[1:]:
            found = [
                (score + edge.score, (*tokens, edge.token))
                for edge in edges
                for score, tokens in ways[edge.start]
            ]
            found.sort(key=lambda way: -way[0])
            ways.append(found[:n])
        return [(list(tokens), score) for score, tokens in ways[-1]]

    def forward(self, alpha: float = 1.0) -> list[float]:
        """For every place, the logarithm of the summed probabilities of all ways to it.

        With ``alpha``, of their probabilities to this power.
        """
        sums = [0.0]
        for edges in self.ending[1:]:
            sums.append(log_sum([sums[edge.start] + alpha * edge.score for edge in edges]))
        return sums

    def backward(self) -> list[float]:
        """As ``forward``, for all ways from a place to the end."""
        onwards: list[list[float]] = [[] for _ in range(len(self.word) + 1)]
        sums = [-inf] * len(self.word) + [0.0]
        for place in range(len(self.word), -1, -1):
            if place < len(self.word):
                sums[place] = log_sum(onwards[place])
            for edge in self.ending[place]:
                onwards[edge.start].append(edge.score + sums[place])
        return sums

    def expected_counts(self) -> tuple[dict[str, float], float]:
        """How often each entry is used on average over all readings, and the logarithm of their sum."""
        before, after = self.forward(), self.backward()
        counts: dict[str, float] = {}
        for edges in self.ending:
            for edge in edges:
                share = exp(before[edge.start] + edge.score + after[edge.end] - before[-1])
                counts[edge.token] = counts.get(edge.token, 0.0) + share
        return counts, before[-1]

    def sample(self, alpha: float, rng: random.Random) -> list[str]:
        """A reading drawn at random, each with its probability to the power of ``alpha``.

        0 draws all readings alike, 1 by their probabilities, and large numbers nearly always the best.
        """
        sums = self.forward(alpha)
        tokens: list[str] = []
        place = len(self.word)
        while place:
            edges = self.ending[place]
            weights = [exp(sums[edge.start] + alpha * edge.score - sums[place]) for edge in edges]
            edge = rng.choices(edges, weights)[0]
            tokens.append(edge.token)
            place = edge.start
        return tokens[::-1]
