"""Whole words: the simplest vocabulary.

The most frequent words are the vocabulary; every other word is unknown.

Example:
    >>> from tessella.reference import WordLevel
    >>> model = WordLevel.train({"foot": 9, "ball": 7, "football": 2}, vocab_size=3)
    >>> model.vocab, model.encode(["foot", "football"])
    (['[UNK]', 'foot', 'ball'], ['foot', '[UNK]'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .pairs import count_words


def number_words(words: Iterable[str]) -> dict[str, int]:
    """Each word with its place in the text; a word that comes again keeps the later place.

    Example:
        >>> number_words("a rose is a rose".split(" "))
        {'a': 3, 'rose': 4, 'is': 2}
    """
    return {word: place for place, word in enumerate(words)}


class WordLevel:
    """A vocabulary in id order, the unknown token among it.

    Example:
        >>> WordLevel(["[UNK]", "one", "two"]).encode(["two", "three"])
        ['two', '[UNK]']
    """

    def __init__(self, vocab: Iterable[str], unknown: str = "[UNK]") -> None:
        self.vocab: list[str] = list(vocab)
        self.unknown = unknown
        self.ids: dict[str, int] = {word: id for id, word in enumerate(self.vocab)}

    @classmethod
    def train(
        cls,
        words: Iterable[str] | Mapping[str, int],
        *,
        vocab_size: int,
        min_count: int = 1,
        unknown: str = "[UNK]",
    ) -> WordLevel:
        """The most frequent words, equally frequent ones by their text, behind the unknown token."""
        counts = {word: n for word, n in count_words(words).items() if n >= min_count and word != unknown}
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls([unknown, *ranked][: max(vocab_size, 1)], unknown)

    def encode(self, words: Iterable[str]) -> list[str]:
        """Each word, or the unknown token in its place."""
        return [word if word in self.ids else self.unknown for word in words]
