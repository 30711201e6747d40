"""What all word tokenizers share: spans, tokens, and a life as a pre-tokenizer.

A word tokenizer says where words stand in a text. Everything else follows from that: ``tokenize`` gives their
texts, ``words`` both, and ``pre_tokenizer`` makes it a stage of a ``tessella.Tokenizer``, whose model then
sees the words one by one.

Example:
    >>> from tessella.words import Characters
    >>> Characters().words("añ")
    [Word(text='a', start=0, end=1), Word(text='ñ', start=1, end=2)]
    >>> Characters().pre_tokenizer().pre_tokenize_str("añ")
    [('a', (0, 1)), ('ñ', (1, 2))]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .. import NormalizedString, PreTokenizedString
from ..pre_tokenizers import PreTokenizer

#: Start and end, in characters.
Span = tuple[int, int]


class Word(NamedTuple):
    """A token and the characters of the text that it stands for."""

    text: str
    start: int
    end: int


class WordTokenizer:
    """Where the words of a text stand. A class of this room defines ``spans``."""

    def spans(self, text: str) -> list[Span]:
        """Start and end of every word, in characters of the text, from left to right."""
        raise NotImplementedError

    def words(self, text: str) -> list[Word]:
        """The words with their start and end."""
        if not isinstance(text, str):
            raise TypeError(f"`text` must be a str, not {type(text).__name__} {text!r:.60}")
        return [Word(text[start:end], start, end) for start, end in self.spans(text)]

    def tokenize(self, text: str) -> list[str]:
        """The words."""
        return [word.text for word in self.words(text)]

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Cuts the pieces of a ``PreTokenizedString``: this object can be a custom pre-tokenizer as it is."""
        pretok.split(lambda index, piece: cut(piece, self.spans(piece.normalized)))

    def pre_tokenizer(self) -> PreTokenizer:
        """This as a stage of a tokenizer.

        A tokenizer with it can be saved if the object has no settings; see ``PreTokenizer.custom``.
        """
        return PreTokenizer.custom(self)


def cut(piece: NormalizedString, spans: Sequence[Span]) -> list[NormalizedString]:
    """The spans of a piece as pieces; what lies between them is dropped.

    A slice costs as much as the piece is long. So many spans are cut from halves of halves.
    """
    out: list[NormalizedString] = []
    waiting = [(piece, 0, 0, len(spans))]
    while waiting:
        part, offset, first, last = waiting.pop()
        if last - first <= 8:
            for start, end in spans[first:last]:
                word = part.slice((start - offset, end - offset))
                if word is not None:
                    out.append(word)
            continue
        middle = (first + last) // 2
        for low, high in ((middle, last), (first, middle)):
            start, end = spans[low][0], spans[high - 1][1]
            half = part.slice((start - offset, end - offset))
            if half is not None:
                waiting.append((half, start, low, high))
    return out
