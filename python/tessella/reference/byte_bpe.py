"""Byte-pair encoding of bytes.

The alphabet is the 256 bytes, so no text is ever unknown. Ids 0 to 255 are the bytes; the first merge makes
id 256, the second 257, and so on.

Example:
    >>> from tessella.reference import ByteBpe
    >>> bpe = ByteBpe.train("this is an example. I am an engineer. this is test", merges=1)
    >>> bpe.merges, len(bpe.encode("this is an example. I am an engineer. this is test"))
    ({(105, 115): 256}, 46)
    >>> bpe.decode([116, 104, 256])
    'this'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from ..errors import ArgumentError, DecodeError
from .history import Step
from .pairs import Ties, count_pairs, count_symbols, first_best, join


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8") if isinstance(text, str) else bytes(text)


class ByteBpe:
    """Merges of byte strings: pairs of ids, and the id that each makes.

    Example:
        >>> bpe = ByteBpe.train(["low low low"], vocab_size=258)
        >>> bpe.encode("low"), bpe.decode([257])
        ([257], 'low')
    """

    def __init__(self, merges: Mapping[tuple[int, int], int] | None = None) -> None:
        self.merges: dict[tuple[int, int], int] = dict(merges or {})
        #: The bytes of every id.
        self.vocab: dict[int, bytes] = {byte: bytes([byte]) for byte in range(256)}
        for (left, right), made in self.merges.items():
            if left not in self.vocab or right not in self.vocab:
                raise ArgumentError(f"the merge ({left}, {right}) uses an id that no earlier merge makes")
            self.vocab[made] = self.vocab[left] + self.vocab[right]
        #: One step per merge, if this was trained.
        self.history: list[Step] = []

    @classmethod
    def train(
        cls,
        texts: str | bytes | Iterable[str | bytes] | Mapping[str, int],
        *,
        merges: int | None = None,
        vocab_size: int | None = None,
        min_count: int = 1,
        ties: Ties = "first seen",
    ) -> ByteBpe:
        """Learns from one undivided text, from texts that no merge may join, or from such with counts.

        Args:
            texts: the corpus.
            merges: how many merges to learn at most; fewer, if no pair is left.
            vocab_size: how many ids to reach, at least 256. Give this or ``merges``.
            min_count: pairs rarer than this are not joined.
            ties: which of equally frequent pairs comes first.
        """
        if (merges is None) == (vocab_size is None):
            raise ArgumentError("give `merges` or `vocab_size`, one of them")
        if vocab_size is not None:
            if vocab_size < 256:
                raise ArgumentError(f"`vocab_size` is {vocab_size}, but there are 256 bytes: ask for more")
            merges = vocab_size - 256
        if isinstance(texts, Mapping):
            corpus = [(tuple(_bytes(text)), count) for text, count in texts.items()]
        else:
            pieces = [texts] if isinstance(texts, (str, bytes)) else texts
            corpus = [(tuple(_bytes(text)), 1) for text in pieces]
        learned: dict[tuple[int, int], int] = {}
        chosen: list[tuple[tuple[int, int], int, int, tuple[tuple[tuple[int, ...], int], ...]]] = []
        ids = {id: id for id in range(256 + (merges or 0))}
        while len(learned) < (merges or 0) and (counts := count_pairs(corpus)):
            pair = first_best(counts, ties, ids)
            if counts[pair] < min_count:
                break
            learned[pair] = 256 + len(learned)
            corpus = [(join(symbols, pair, learned[pair]), count) for symbols, count in corpus]
            chosen.append((pair, counts[pair], len(count_symbols(corpus)), tuple(corpus)))
        bpe = cls(learned)
        for number, (pair, count, symbols, state) in enumerate(chosen, 1):
            names = [bpe.show(id) for id in (*pair, learned[pair])]
            shown = tuple((tuple(map(bpe.show, spelled)), times) for spelled, times in state)
            bpe.history.append(Step(number, names[0], names[1], names[2], count, count, symbols, shown))
        return bpe

    def show(self, id: int) -> str:
        """The bytes of an id as text, those that are no text as ``\\xNN``."""
        return self.vocab[id].decode("utf-8", "backslashreplace").replace(" ", "·")

    def encode(self, text: str | bytes) -> list[int]:
        """The ids of a text: the lowest merge that is possible is done, everywhere, until none is.

        Example:
            >>> ByteBpe().encode("é")
            [195, 169]
        """
        ids = tuple(_bytes(text))
        while True:
            possible = [pair for pair in pairwise(ids) if pair in self.merges]
            if not possible:
                return list(ids)
            pair = min(possible, key=self.merges.__getitem__)
            ids = join(ids, pair, self.merges[pair])

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of ids."""
        parts = []
        for id in ids:
            if id not in self.vocab:
                raise DecodeError(f"there is no id {id}: the last one is {len(self.vocab) - 1}")
            parts.append(self.vocab[id])
        return b"".join(parts)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids. Bytes that are not UTF-8 become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", "replace")

    def compression_ratio(self, text: str | bytes) -> float:
        """Bytes per id; 1.0 for an empty text."""
        length = len(self.encode(text))
        return len(_bytes(text)) / length if length else 1.0
