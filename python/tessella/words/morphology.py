"""Morphs without a grammar: splitting words by minimum description length.

The idea: a corpus is sent in two parts. First a lexicon of morphs, letter by letter; then every word as a
sequence of morphs, where a frequent morph costs few bits. Many short morphs make the lexicon cheap and the
words dear, whole words the other way round. Training looks for the splits where the sum is smallest: for
each word, in random order, the best split into two, then of each half again, until a round brings hardly any
gain. This is the model of Creutz and Lagus's Morfessor Baseline, with its costs and its search.

Example:
    >>> from tessella.words import Morphs
    >>> stems, endings = ["talk", "walk", "jump", "climb", "paint"], ["", "ing", "ed", "er", "s"]
    >>> morphs = Morphs.train((stem + ending for stem in stems for ending in endings), seed=1)
    >>> morphs.segment("painting"), morphs.segment("climbs")
    (['paint', 'ing'], ['climb', 's'])
    >>> morphs.segment("walkinger")
    ['walk', 'ing', 'er']
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

from .._given import whole
from ..errors import ArgumentError, TrainError
from ._description_length import DescriptionLength
from .base import Span, WordTokenizer
from .simple import Punctuation

# Characters of the longest morph that a new word is split into.
LONGEST = 30


@dataclass
class _Node:
    """A string in use: how often, how often as a word itself, and where it is split (0: nowhere)."""

    count: int
    words: int
    split: int


class _Search:
    """Splits as binary trees, and their cost."""

    def __init__(self, corpus_weight: float) -> None:
        self.nodes: dict[str, _Node] = {}
        self.cost = DescriptionLength(corpus_weight)

    def add_word(self, word: str, count: int) -> None:
        self.cost.words += count
        self.change(word, count)
        self.nodes[word].words += count

    def change(self, text: str, by: int) -> None:
        """Changes how often a string is used, and with it everything that it is split into."""
        waiting = [text]
        while waiting:
            one = waiting.pop()
            node = self.nodes.get(one) or _Node(0, 0, 0)
            before, node.count = node.count, node.count + by
            if node.count:
                self.nodes[one] = node
            else:
                del self.nodes[one]
            if node.split:
                waiting += [one[node.split :], one[: node.split]]
            else:
                self.cost.update(one, before, node.count)

    def best_split(self, text: str, count: int) -> int:
        """The cheapest place to split a string that has been taken out; 0 if it is best left whole."""
        least, best = self._cost_with(text, "", count), 0
        for place in range(1, len(text)):
            cost = self._cost_with(text[:place], text[place:], count)
            if cost <= least:
                least, best = cost, place
        return best

    def _cost_with(self, left: str, right: str, count: int) -> float:
        """What everything would cost if two strings were used so often more; the second may be empty."""
        nodes = [self.nodes.get(part) for part in (left, right)]
        if any(node is not None and node.split for node in nodes):
            # They are split themselves: their parts change as well.
            for part in filter(None, (left, right)):
                self.change(part, count)
            cost = self.cost.total()
            for part in filter(None, (left, right)):
                self.change(part, -count)
            return cost
        before = [0 if node is None else node.count for node in nodes]
        if left == right:
            return self.cost.total_with([(left, before[0], before[0] + 2 * count)])
        changes = [(left, before[0], before[0] + count)]
        if right:
            changes.append((right, before[1], before[1] + count))
        return self.cost.total_with(changes)

    def resplit(self, word: str) -> None:
        """Looks for the best split of a word, and of its parts, anew."""
        waiting = [word]
        while waiting:
            text = waiting.pop()
            if len(text) == 1:
                continue
            node = self.nodes[text]
            words, count = node.words, node.count
            self.change(text, -count)
            place = self.best_split(text, count)
            if not place:
                self.change(text, count)
                self.nodes[text].words = words
                continue
            self.nodes[text] = _Node(count, words, place)
            left, right = text[:place], text[place:]
            self.change(left, count)
            self.change(right, count)
            waiting += [right, left] if left != right else [left]

    def parts(self, word: str) -> list[str]:
        done: list[str] = []
        waiting = [word]
        while waiting:
            text = waiting.pop()
            split = self.nodes[text].split
            if split:
                waiting += [text[split:], text[:split]]
            else:
                done.append(text)
        return done


def _check_weight(corpus_weight: float) -> None:
    if not corpus_weight > 0:
        raise ArgumentError(f"`corpus_weight` is {corpus_weight}; it must be larger than 0")


class Morphs(WordTokenizer):
    """Splits words into morphs; made by ``train`` or ``load``.

    Args:
        morphs: the morphs and how often they are used.
        analyses: words whose splits are known.
        word_count: words of the corpus, repetitions counted; by default the number of ``analyses``.
        corpus_weight: what the corpus counts beside the lexicon; larger numbers give longer morphs.
        words: what cuts texts into words first, ``Punctuation()`` by default.

    Example:
        >>> morphs = Morphs({"walk": 3, "ed": 2, "s": 1})
        >>> morphs.segment("walked")
        ['walk', 'ed']
    """

    def __init__(
        self,
        morphs: Mapping[str, int],
        analyses: Mapping[str, list[str]] | None = None,
        *,
        word_count: int | None = None,
        corpus_weight: float = 1.0,
        words: WordTokenizer | None = None,
    ) -> None:
        self.morphs: dict[str, int] = dict(morphs)
        self.analyses: dict[str, list[str]] = {word: list(parts) for word, parts in (analyses or {}).items()}
        _check_weight(corpus_weight)
        self.corpus_weight = corpus_weight
        self._words = words or Punctuation()
        self.word_count: int = (
            len(self.analyses) if word_count is None else whole("word_count", word_count, 0)
        )
        self._cost = DescriptionLength(corpus_weight)
        for morph, count in self.morphs.items():
            self._cost.update(morph, 0, count)
        #: Total cost in nats, before training and after each round; empty if this was loaded.
        self.costs: list[float] = []

    @classmethod
    def train(
        cls,
        words: Iterable[str] | Mapping[str, int],
        *,
        seed: int = 0,
        corpus_weight: float = 1.0,
        least_gain: float = 0.005,
        max_rounds: int | None = None,
        splitter: WordTokenizer | None = None,
    ) -> Morphs:
        """Learns from words, or from words with their counts.

        Args:
            words: the corpus. A list of different words (each counted once) finds more splits than running
                text, where frequent words pay for being whole.
            seed: of the random order of words; the same seed gives the same result.
            corpus_weight: what the corpus counts beside the lexicon.
            least_gain: training ends after a round that gains less than this per word, in nats.
            max_rounds: rounds at most.
            splitter: what cuts texts into words before they are split, ``Punctuation()`` by default.
        """
        if isinstance(words, str):
            raise TypeError("`words` must yield words, found one str: pass a list of words")
        _check_weight(corpus_weight)
        # Rounds gain less and less: with a number below zero they would not end.
        if not least_gain >= 0:
            raise ArgumentError(f"`least_gain` is {least_gain}; it must be 0 or more")
        rounds = None if max_rounds is None else whole("max_rounds", max_rounds, 1)
        search = _Search(corpus_weight)
        counted = words.items() if isinstance(words, Mapping) else ((word, 1) for word in words)
        for word, times in counted:
            if word and times > 0:
                search.add_word(word, times)
        order = [word for word, node in search.nodes.items() if node.words]
        if not order:
            raise TrainError("there are no words to learn from")
        rng = random.Random(whole("seed", seed))
        costs = [search.cost.total()]
        while rounds is None or len(costs) <= rounds:
            rng.shuffle(order)
            for word in order:
                search.resplit(word)
            costs.append(search.cost.total())
            if costs[-1] >= costs[-2] - least_gain * search.cost.words:
                break
        morphs = {text: node.count for text, node in sorted(search.nodes.items()) if not node.split}
        analyses = {word: search.parts(word) for word in sorted(order)}
        count = search.cost.words
        model = cls(morphs, analyses, word_count=count, corpus_weight=corpus_weight, words=splitter)
        model.costs = costs
        return model

    def segment(self, word: str) -> list[str]:
        """The morphs of a word: as learned, or the cheapest with the learned morphs.

        A string that is no morph may stand in a new word, at the price of adding it to the lexicon.
        """
        if not word:
            return []
        if word in self.analyses:
            return list(self.analyses[word])
        return self._cheapest(word)

    def _cheapest(self, word: str) -> list[str]:
        total = log(self._cost.tokens + self.word_count + 1)
        best = [0.0]
        came_from = [0]
        for end in range(1, len(word) + 1):
            ways = []
            for start in range(max(0, end - LONGEST), end):
                morph = word[start:end]
                count = self.morphs.get(morph)
                if count is None:
                    price = total + self._cost.price_of_new(morph) / self.corpus_weight
                else:
                    price = total - log(count + 1)
                ways.append((best[start] + price, start))
            cost, start = min(ways)
            best.append(cost)
            came_from.append(start)
        parts: list[str] = []
        end = len(word)
        while end:
            parts.append(word[came_from[end] : end])
            end = came_from[end]
        return parts[::-1]

    def spans(self, text: str) -> list[Span]:
        spans: list[Span] = []
        for start, end in self._words.spans(text):
            for part in self.segment(text[start:end]):
                spans.append((start, start + len(part)))
                start += len(part)
        return spans

    def save(self) -> str:
        """The model as JSON text, for ``load``."""
        from json import dumps

        names = ("morphs", "analyses", "word_count", "corpus_weight")
        state = {name: getattr(self, name) for name in names}
        return dumps(state, ensure_ascii=False)

    @classmethod
    def load(cls, text: str, splitter: WordTokenizer | None = None) -> Morphs:
        """The model that ``save`` wrote."""
        from json import loads

        from ..errors import FormatError

        try:
            state = loads(text)
            return cls(
                {str(morph): int(count) for morph, count in state["morphs"].items()},
                {str(word): [str(part) for part in parts] for word, parts in state["analyses"].items()},
                word_count=int(state["word_count"]),
                corpus_weight=float(state["corpus_weight"]),
                words=splitter,
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FormatError(f"this is not what Morphs.save writes: {error!r}") from error
