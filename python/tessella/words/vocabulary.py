"""A word vocabulary with a hard limit.

The most frequent words of a corpus get ids; every other word is the unknown token, however long the text.

Example:
    >>> from tessella.words import WordVocabulary
    >>> vocabulary = WordVocabulary.build(["foot ball foot", "ball foot football"], limit=2)
    >>> vocabulary.encode("football foot")
    Encoded(ids=[0, 1], tokens=['<unk>', 'foot'], offsets=[(0, 8), (9, 13)])
    >>> vocabulary.tokenizer().encode("football foot").ids
    [0, 1]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from .. import Tokenizer, models
from .._given import check_list, whole
from ..errors import ArgumentError, DecodeError
from .base import Span, WordTokenizer
from .simple import Punctuation


class Encoded(NamedTuple):
    """Ids, tokens, and the characters of the text that they stand for."""

    ids: list[int]
    tokens: list[str]
    offsets: list[Span]


class WordVocabulary:
    """Words and their ids.

    Args:
        words: the vocabulary in id order, without the unknown token, which is added in front if it is not in.
        unknown: the unknown token.
        splitter: what cuts texts into words, ``Punctuation()`` by default.

    Example:
        >>> vocabulary = WordVocabulary.build(["one two two", "two"], 3)
        >>> vocabulary.encode("two three").ids, vocabulary.decode([1])
        ([1, 0], ['two'])
    """

    def __init__(
        self, words: Iterable[str], *, unknown: str = "<unk>", splitter: WordTokenizer | None = None
    ) -> None:
        check_list("words", words, "words")
        listed = list(words)
        twice = [word for word, times in Counter(listed).items() if times > 1]
        if twice:
            raise ArgumentError(f"the word {twice[0]!r} is in the vocabulary more than once")
        self.words: list[str] = listed if unknown in listed else [unknown, *listed]
        self.unknown = unknown
        self.splitter: WordTokenizer | Punctuation = splitter or Punctuation()
        self.ids: dict[str, int] = {word: id for id, word in enumerate(self.words)}

    @classmethod
    def build(
        cls,
        texts: Iterable[str],
        limit: int,
        *,
        min_count: int = 1,
        special_tokens: Iterable[str] = (),
        unknown: str = "<unk>",
        splitter: WordTokenizer | None = None,
    ) -> WordVocabulary:
        """The most frequent words of texts.

        Args:
            texts: the corpus.
            limit: words at most, special tokens and the unknown token not counted. Equally frequent words
                are taken by their text.
            min_count: rarer words are left out.
            special_tokens: take the first ids after the unknown token.
            unknown: the unknown token.
            splitter: what cuts texts into words, ``Punctuation()`` by default.
        """
        limit, min_count = whole("limit", limit, 0), whole("min_count", min_count, 0)
        if isinstance(texts, str):
            raise TypeError("`texts` must yield texts, found one str: pass a list of texts")
        check_list("special_tokens", special_tokens, "tokens")
        splitter = splitter or Punctuation()
        first = list(dict.fromkeys([unknown, *special_tokens]))
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(splitter.tokenize(text))
        for token in first:
            counts.pop(token, None)
        ranked = sorted((w for w, n in counts.items() if n >= min_count), key=lambda w: (-counts[w], w))
        return cls([*first, *ranked[:limit]], unknown=unknown, splitter=splitter)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.ids

    def encode(self, text: str) -> Encoded:
        """The ids of a text, with tokens and offsets."""
        words = self.splitter.words(text)
        tokens = [word.text if word.text in self.ids else self.unknown for word in words]
        return Encoded([self.ids[token] for token in tokens], tokens, [(w.start, w.end) for w in words])

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The words of ids."""
        words = []
        for id in ids:
            if not 0 <= id < len(self.words):
                raise DecodeError(f"there is no id {id}: the last one is {len(self.words) - 1}")
            words.append(self.words[id])
        return words

    def unknown_share(self, texts: Iterable[str]) -> float:
        """The share of the words of texts that are unknown; 0 where there are no words."""
        check_list("texts", texts, "texts")
        total = unknown = 0
        for text in texts:
            words = self.splitter.tokenize(text)
            total += len(words)
            unknown += sum(word not in self.ids for word in words)
        return unknown / total if total else 0.0

    def tokenizer(self) -> Tokenizer:
        """The same as a ``tessella.Tokenizer``: batches, padding, and all else that it does."""
        tokenizer = Tokenizer(models.WordLevel(self.ids, unk_token=self.unknown))
        tokenizer.pre_tokenizer = self.splitter.pre_tokenizer()
        return tokenizer
