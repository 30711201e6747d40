"""WordPiece: a vocabulary of word beginnings and word continuations.

A symbol that does not begin a word is written with ``##`` in front. Two training rules exist. By *score* the
pair with the highest ``count(ab) / (count(a) * count(b))`` is joined: parts that hardly occur without each
other come first. By *frequency* it is the pair that occurs most often, as in BPE. Encoding knows no merges:
it takes the longest entry that fits, again and again; a word that cannot be spelled to its end is unknown as
a whole.

Example:
    >>> from tessella.reference import WordPiece
    >>> model = WordPiece.train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=10)
    >>> [step.made for step in model.history]
    ['##gs', 'hu', 'hugs']
    >>> model.encode("hug"), model.encode("bum")
    (['hu', '##g'], ['[UNK]'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from ..errors import ArgumentError
from .history import Step
from .pairs import Ties, count_pairs, count_symbols, count_words, first_best, join


class WordPiece:
    """A vocabulary in id order.

    Example:
        >>> WordPiece(["[UNK]", "un", "##do"]).encode("undo")
        ['un', '##do']
    """

    def __init__(
        self,
        vocab: Iterable[str],
        *,
        unknown: str = "[UNK]",
        prefix: str = "##",
        max_word_length: int = 100,
    ) -> None:
        self.vocab: list[str] = list(vocab)
        self.unknown = unknown
        self.prefix = prefix
        self.max_word_length = max_word_length
        #: One step per new entry, if this was trained.
        self.history: list[Step] = []
        #: Why training ended.
        self.ended = ""
        self._entries = set(self.vocab)

    @classmethod
    def train(
        cls,
        words: Iterable[str] | Mapping[str, int],
        *,
        vocab_size: int,
        rule: Literal["score", "frequency"] = "score",
        special_tokens: Iterable[str] = (),
        prefix: str = "##",
        min_count: int = 1,
        ties: Ties = "first seen",
        unknown: str = "[UNK]",
    ) -> WordPiece:
        """Learns from words, or from words with their counts.

        Args:
            words: the corpus.
            vocab_size: entries to reach, special tokens and characters included.
            rule: ``"score"`` or ``"frequency"``.
            special_tokens: take the first ids.
            prefix: marks what does not begin a word.
            min_count: pairs rarer than this are not joined.
            ties: which of equally good pairs comes first.
            unknown: the token for words that cannot be spelled.
        """
        corpus: list[tuple[tuple[str, ...], int]] = [
            ((word[0], *(prefix + character for character in word[1:])), count)
            for word, count in count_words(words).items()
            if word
        ]
        alphabet = sorted(count_symbols(corpus))
        vocab = list(dict.fromkeys([*special_tokens, *alphabet]))
        if vocab_size < len(vocab):
            raise ArgumentError(
                f"`vocab_size` is {vocab_size}, but special tokens and characters are {len(vocab)}: "
                f"ask for {len(vocab)} or more"
            )
        ids = {token: id for id, token in enumerate(vocab)}
        history: list[Step] = []
        ended = ""
        while not ended:
            counts = count_pairs(corpus)
            pairs = {pair: count for pair, count in counts.items() if count >= min_count}
            if len(ids) >= vocab_size:
                ended = f"the vocabulary has {vocab_size} entries"
                break
            if not pairs:
                ended = f"no pair is left at {len(ids)} entries"
                break
            if rule == "score":
                single = count_symbols(corpus)
                scores = {pair: n / (single[pair[0]] * single[pair[1]]) for pair, n in pairs.items()}
            else:
                scores = dict(pairs)
            pair = first_best(scores, ties, ids)
            made = pair[0] + pair[1].removeprefix(prefix)
            ids.setdefault(made, len(ids))
            corpus = [(join(symbols, pair, made), count) for symbols, count in corpus]
            symbols_left = len(count_symbols(corpus))
            number = len(history) + 1
            step = Step(number, *pair, made, counts[pair], scores[pair], symbols_left, tuple(corpus))
            history.append(step)
        model = cls(ids, unknown=unknown, prefix=prefix)
        model.history, model.ended = history, ended
        return model

    def encode(self, word: str) -> list[str]:
        """The tokens of a word: the longest entry that fits, again and again from left to right."""
        if len(word) > self.max_word_length:
            return [self.unknown]
        tokens: list[str] = []
        start = 0
        while start < len(word):
            lead = self.prefix if start else ""
            fitting = (e for e in range(len(word), start, -1) if lead + word[start:e] in self._entries)
            end = next(fitting, None)
            if end is None:
                return [self.unknown]
            tokens.append(lead + word[start:end])
            start = end
        return tokens
