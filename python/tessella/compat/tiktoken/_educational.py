"""Byte-pair encoding to learn from: the names of ``tiktoken._educational``.

Everything is spelled out in plain Python, slowly. ``bpe_train`` looks at all pairs again after each merge,
and of equally frequent pairs takes the one that is seen first; ``bpe_encode`` joins the pair of the lowest
rank until none is left. With ``visualise`` they show what they do on the way.
``tessella.reference.ByteBpe`` is the same algorithm with a history that can be looked at.

Example:
    >>> from tessella.compat.tiktoken._educational import SimpleBytePairEncoding
    >>> encoding = SimpleBytePairEncoding(
    ...     pat_str=r"\\w+|\\s+", mergeable_ranks={bytes([n]): n for n in range(256)} | {b"lo": 256}
    ... )
    >>> encoding.encode("low lo", visualise=None), encoding.decode([256, 119])
    ([256, 119, 32, 256], 'low')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ...errors import ArgumentError
from .core import Encoding, _engine
from .registry import get_encoding

__all__ = [
    "SimpleBytePairEncoding",
    "bpe_encode",
    "bpe_train",
    "train_simple_encoding",
    "visualise_tokens",
]

_BYTES = {bytes([byte]): byte for byte in range(256)}
#: Light backgrounds, one after the other, of a terminal with 256 colours.
_COLOURS = (153, 223, 157, 218, 189, 230, 159)
#: As much of the corpus is shown while it is learned from.
_SHOWN_WORDS = 50
_WAYS = ("colour", "color", "simple", None)


def _pieces(pat_str: str, text: str) -> list[str]:
    """What the pattern finds, as the fast encodings cut it."""
    stage = _engine(pat_str, _BYTES).pre_tokenizer
    found = [] if stage is None else stage.pre_tokenize_str(text)
    return [text[start:end] for _, (start, end) in found]


def _show(parts: Sequence[bytes], visualise: str | None) -> None:
    if visualise not in _WAYS:
        raise ArgumentError(f"`visualise` must be 'colour', 'simple' or None, not {visualise!r}")
    if visualise == "simple":
        print(list(parts))
    elif visualise is not None:
        visualise_tokens(parts)


class SimpleBytePairEncoding:
    """A table of ranks with a pattern.

    Args:
        pat_str: the expression that cuts texts into pieces.
        mergeable_ranks: tokens and their ranks, which are their ids; all 256 bytes must be among them.
    """

    def __init__(self, *, pat_str: str, mergeable_ranks: dict[bytes, int]) -> None:
        self.pat_str = pat_str
        self.mergeable_ranks = mergeable_ranks
        self._bytes = {rank: token for token, rank in mergeable_ranks.items()}

    def encode(self, text: str, visualise: str | None = "colour") -> list[int]:
        """The ids of a text.

        Args:
            text: the text; nothing in it is special.
            visualise: show each merge: ``"colour"``, ``"simple"`` (as lists), or ``None`` for not at all.
        """
        ids = []
        for piece in _pieces(self.pat_str, text):
            ids += bpe_encode(self.mergeable_ranks, piece.encode("utf-8"), visualise=visualise)
        return ids

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """What each id stands for; ``KeyError`` for one that stands for nothing."""
        return [self._bytes[token] for token in tokens]

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of ids."""
        return b"".join(self.decode_tokens_bytes(tokens))

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of ids; bytes that are no UTF-8 become U+FFFD."""
        return self.decode_bytes(tokens).decode("utf-8", errors="replace")

    @staticmethod
    def train(training_data: str, vocab_size: int, pat_str: str) -> SimpleBytePairEncoding:
        """An encoding that is learned from a text, shown on the way; see ``bpe_train``."""
        ranks = bpe_train(data=training_data, vocab_size=vocab_size, pat_str=pat_str)
        return SimpleBytePairEncoding(pat_str=pat_str, mergeable_ranks=ranks)

    @staticmethod
    def from_tiktoken(encoding: str | Encoding) -> SimpleBytePairEncoding:
        """The pattern and the ranks of an encoding, or of the one that is called so."""
        if isinstance(encoding, str):
            encoding = get_encoding(encoding)
        return SimpleBytePairEncoding(pat_str=encoding._pat_str, mergeable_ranks=encoding._mergeable_ranks)


def bpe_encode(
    mergeable_ranks: dict[bytes, int], input: bytes, visualise: str | None = "colour"
) -> list[int]:
    """The ids of one piece.

    Args:
        mergeable_ranks: tokens and their ranks.
        input: the bytes of the piece.
        visualise: see ``SimpleBytePairEncoding.encode``.
    """
    parts = [bytes([byte]) for byte in input]
    while True:
        _show(parts, visualise)
        ranked = [
            (mergeable_ranks[one + other], place)
            for place, (one, other) in enumerate(pairwise(parts))
            if one + other in mergeable_ranks
        ]
        if not ranked:
            break
        # The lowest rank, and of equals the leftmost.
        _, place = min(ranked)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    if visualise is not None:
        print()
    return [mergeable_ranks[part] for part in parts]


def _joined(word: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    """A word in which the pair is one part wherever it stands, from left to right."""
    made: list[bytes] = []
    at = 0
    while at < len(word):
        step = 2 if (word[at], *word[at + 1 : at + 2]) == pair else 1
        made.append(b"".join(word[at : at + step]))
        at += step
    return made


def bpe_train(data: str, vocab_size: int, pat_str: str, visualise: str | None = "colour") -> dict[bytes, int]:
    """The ranks that are learned from a text: the 256 bytes, and then a token for each merge.

    Args:
        data: the text.
        vocab_size: how many tokens there shall be, at least 256.
        pat_str: the expression that cuts the text into words; merges stay inside of them.
        visualise: show each merge, and what becomes of the first words.
    """
    if vocab_size < len(_BYTES):
        raise ArgumentError(
            f"vocab_size must be at least 256, so that all bytes can be encoded; it is {vocab_size}"
        )
    ranks = dict(_BYTES)
    words = [[bytes([byte]) for byte in piece.encode("utf-8")] for piece in _pieces(pat_str, data)]
    while len(ranks) < vocab_size:
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            raise ArgumentError(
                f"vocab_size is {vocab_size}, but the text gives no more than {len(ranks)} tokens: no pair "
                "is left; ask for fewer, or give more text"
            )
        # A counter keeps the order in which it saw its keys, and `max` takes the first of equals.
        pair = max(counts, key=counts.__getitem__)
        ranks[pair[0] + pair[1]] = len(ranks)
        words = [_joined(word, pair) for word in words]
        if visualise is not None:
            print(f"the most frequent pair is {pair[0]!r} + {pair[1]!r}, {counts[pair]} times: ", end="")
            print(f"{pair[0] + pair[1]!r} is token {len(ranks) - 1}")
        _show([part for word in words[:_SHOWN_WORDS] for part in word], visualise)
    return ranks


def visualise_tokens(token_values: Sequence[bytes]) -> None:
    """Prints tokens on backgrounds that differ from one to the next.

    Args:
        token_values: the bytes of each token; what is no UTF-8 by itself is shown as U+FFFD.
    """
    shown = [
        f"\033[48;5;{_COLOURS[place % len(_COLOURS)]}m{token.decode('utf-8', errors='replace')}"
        for place, token in enumerate(token_values)
    ]
    print("".join(shown) + "\033[0m")


def train_simple_encoding() -> SimpleBytePairEncoding:
    """A first lesson: 600 tokens from this module's own text, and a sentence in them."""
    with open(__file__, encoding="utf-8") as file:
        data = file.read()
    pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    encoding = SimpleBytePairEncoding.train(data, vocab_size=600, pat_str=pattern)
    print("a sentence, token by token:")
    ids = encoding.encode("the pairs of a sentence become tokens")
    assert encoding.decode(ids) == "the pairs of a sentence become tokens"
    return encoding
