"""The cost of a lexicon of morphs and of a corpus written with it, in nats.

With N morphs in the corpus, W words, and c(m) occurrences of morph m, the corpus costs
``(N+W) ln(N+W) - W ln W - sum c(m) ln c(m)``; the lexicon costs the same with letters for morphs and morphs
for words, less ``ln M!`` because its M entries may come in any order. To each belongs the cost of saying how
often each morph, or letter, occurs. Everything is kept up to date as counts change.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial, log, pi


def _log_factorial(n: int) -> float:
    """The logarithm of n!, by Stirling's formula from 20 on."""
    if n < 20:
        return log(factorial(max(n, 0)))
    return n * log(n) - n + 0.5 * (log(n) + log(2 * pi))


def _self_information(n: int) -> float:
    return n * log(n) if n > 1 else 0.0


class DescriptionLength:
    """Counts of morphs and letters, and what they cost."""

    def __init__(self, corpus_weight: float = 1.0) -> None:
        self.corpus_weight = corpus_weight
        #: Words of the corpus, and morphs that they consist of.
        self.words = 0
        self.tokens = 0
        #: Entries of the lexicon, and letters that they consist of.
        self.entries = 0
        self.letters: dict[str, int] = {}
        self._letter_tokens = 0
        # Sums of c ln c.
        self._morph_sum = 0.0
        self._letter_sum = 0.0

    def update(self, morph: str, before: int, after: int) -> None:
        """A morph that occurred ``before`` times occurs ``after`` times now."""
        self.tokens += after - before
        self._morph_sum += _self_information(after) - _self_information(before)
        if bool(before) == bool(after):
            return
        by = 1 if after else -1
        self.entries += by
        for letter in morph:
            count = self.letters.get(letter, 0)
            self.letters[letter] = count + by
            self._letter_tokens += by
            self._letter_sum += _self_information(count + by) - _self_information(count)

    def total(self) -> float:
        """The cost of the corpus, weighted, and of the lexicon."""
        return self.total_with(())

    def total_with(self, changes: Iterable[tuple[str, int, int]]) -> float:
        """What the cost would be if morphs occurred more often: each with its count before and after."""
        tokens, morph_sum, entries = self.tokens, self._morph_sum, self.entries
        letter_tokens, letter_sum = self._letter_tokens, self._letter_sum
        added: dict[str, int] = {}
        for morph, before, after in changes:
            tokens += after - before
            morph_sum += _self_information(after) - _self_information(before)
            if not before:
                entries += 1
                letter_tokens += len(morph)
                for letter in morph:
                    count = added.get(letter)
                    if count is None:
                        count = self.letters.get(letter, 0)
                    added[letter] = count + 1
                    letter_sum += _self_information(count + 1) - _self_information(count)
        if not entries:
            return 0.0
        n = tokens + self.words
        ends = _self_information(self.words)
        corpus = (n * log(n) - ends - morph_sum) * self.corpus_weight
        corpus += _log_factorial(tokens - 1) - _log_factorial(entries - 1) - _log_factorial(tokens - entries)
        n = letter_tokens + entries
        kinds = len(self.letters) + sum(letter not in self.letters for letter in added) + 1
        lexicon = n * log(n) - _self_information(entries) - letter_sum
        lexicon -= _log_factorial(entries)
        lexicon += _log_factorial(n - 1) - _log_factorial(kinds - 1) - _log_factorial(n - kinds)
        return corpus + lexicon

    def price_of_new(self, morph: str) -> float:
        """About what the lexicon costs more with one more entry."""
        m, n = self.entries, len(morph) + 1
        price = n * log(self._letter_tokens + n) - log(m + 1) + (m + 1) * log(m + 1)
        price -= m * log(m) if m else 0.0
        return price - sum(log(max(self.letters.get(letter, 0), 1)) for letter in morph)
