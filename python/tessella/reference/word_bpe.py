"""Byte-pair encoding of words.

Every word begins as its characters. The pair of neighbours that occurs most often is joined into a new
symbol, everywhere; this is done again and again. Encoding joins in the same order. A mark at the end of each
word lets the vocabulary tell ``est`` in ``est</w>`` from ``est`` in ``estate``; it is either a symbol of its
own (as in the first paper on this) or part of the last character (as in libraries).

Example:
    >>> from tessella.reference import WordBpe
    >>> bpe = WordBpe.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, merges=3)
    >>> bpe.merges
    [('u', 'g'), ('u', 'n'), ('h', 'ug')]
    >>> bpe.encode("bug"), bpe.encode("thug")
    (['b', 'ug'], ['[UNK]', 'hug'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from ..errors import ArgumentError
from .history import Step
from .pairs import Ties, count_pairs, count_symbols, count_words, first_best, join


class WordBpe:
    """Merges, in the order in which they were learned, and the alphabet that they start from.

    Example:
        >>> bpe = WordBpe.train({"low": 5, "lower": 2}, merges=2)
        >>> bpe.encode("low")
        ['low']
    """

    def __init__(
        self,
        merges: Iterable[tuple[str, str]],
        alphabet: Iterable[str],
        *,
        end_of_word: str = "",
        end_is_symbol: bool = True,
        unknown: str = "[UNK]",
    ) -> None:
        self.merges: list[tuple[str, str]] = list(merges)
        self.alphabet: list[str] = list(alphabet)
        self.end_of_word = end_of_word
        self.end_is_symbol = end_is_symbol
        self.unknown = unknown
        #: One step per merge, if this was trained.
        self.history: list[Step] = []
        #: Why training ended.
        self.ended = ""
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._known = set(self.alphabet)

    @property
    def vocab(self) -> list[str]:
        """Every symbol, in id order: the alphabet, then what the merges made."""
        made = (left + right for left, right in self.merges)
        return list(dict.fromkeys([*self.alphabet, *made]))

    @classmethod
    def train(
        cls,
        words: Iterable[str] | Mapping[str, int],
        *,
        merges: int | None = None,
        vocab_size: int | None = None,
        end_of_word: str = "",
        end_is_symbol: bool = True,
        min_count: int = 1,
        ties: Ties = "first seen",
        unknown: str = "[UNK]",
    ) -> WordBpe:
        """Learns from words, or from words with their counts.

        Args:
            words: the corpus.
            merges: how many merges to learn at most.
            vocab_size: how many symbols to reach, the characters included. Give this or ``merges``.
            end_of_word: a mark at the end of every word.
            end_is_symbol: the mark is a symbol; otherwise it belongs to the word's last character.
            min_count: pairs rarer than this are not joined.
            ties: which of equally frequent pairs comes first.
            unknown: what a character outside of the alphabet becomes.

        Example:
            >>> bpe = WordBpe.train(["low", "low", "lower"], merges=10)
            >>> bpe.merges, bpe.ended
            ([('l', 'o'), ('lo', 'w'), ('low', 'e'), ('lowe', 'r')], 'no pair is left after 4 merges')
        """
        empty = cls([], [], end_of_word=end_of_word, end_is_symbol=end_is_symbol, unknown=unknown)
        corpus = [(empty.spell(word), count) for word, count in count_words(words).items()]
        alphabet = sorted(count_symbols(corpus))
        if (merges is None) == (vocab_size is None):
            raise ArgumentError("give `merges` or `vocab_size`, one of them")
        if vocab_size is not None and vocab_size < len(alphabet):
            raise ArgumentError(
                f"`vocab_size` is {vocab_size}, but the corpus has {len(alphabet)} different characters: "
                f"ask for {len(alphabet)} or more"
            )
        ids = {symbol: id for id, symbol in enumerate(alphabet)}
        learned: list[tuple[str, str]] = []
        history: list[Step] = []
        ended = ""
        while not ended:
            if len(learned) == merges:
                ended = f"{merges} merges are learned"
            elif vocab_size is not None and len(ids) >= vocab_size:
                ended = f"the vocabulary has {vocab_size} symbols"
            elif not (counts := count_pairs(corpus)):
                ended = f"no pair is left after {len(learned)} merges"
            elif counts[pair := first_best(counts, ties, ids)] < min_count:
                ended = f"no pair occurs {min_count} times after {len(learned)} merges"
            else:
                made = pair[0] + pair[1]
                ids.setdefault(made, len(ids))
                learned.append(pair)
                corpus = [(join(symbols, pair, made), count) for symbols, count in corpus]
                left = len(count_symbols(corpus))
                count = counts[pair]
                history.append(Step(len(learned), *pair, made, count, count, left, tuple(corpus)))
        bpe = cls(learned, alphabet, end_of_word=end_of_word, end_is_symbol=end_is_symbol, unknown=unknown)
        bpe.history, bpe.ended = history, ended
        return bpe

    def spell(self, word: str) -> tuple[str, ...]:
        """The symbols that a word begins as."""
        if not self.end_of_word or not word:
            return tuple(word)
        if self.end_is_symbol:
            return (*word, self.end_of_word)
        return (*word[:-1], word[-1] + self.end_of_word)

    def encode(self, word: str) -> list[str]:
        """The tokens of a word: the earliest learned merge that is possible is done, until none is."""
        symbols = tuple(symbol if symbol in self._known else self.unknown for symbol in self.spell(word))
        while True:
            possible = [pair for pair in pairwise(symbols) if pair in self._ranks]
            if not possible:
                return list(symbols)
            pair = min(possible, key=self._ranks.__getitem__)
            symbols = join(symbols, pair, pair[0] + pair[1])

    def decode(self, tokens: Iterable[str]) -> str:
        """The text of tokens; every end-of-word mark becomes a space between words."""
        text = "".join(tokens)
        return text.replace(self.end_of_word, " ").strip(" ") if self.end_of_word else text
