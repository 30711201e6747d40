"""Prefixes and suffixes from a table.

A word is cut into prefixes, a stem and suffixes, where the table says so and enough of a stem is left. The
marks ``##`` show on which side a token was attached: ``un##`` in front of something, ``##ily`` behind it.

Example:
    >>> from tessella.words import Affixes
    >>> rules = Affixes(prefixes=["un"], suffixes=["ily", "s", "ing", "ify"])
    >>> rules.tokenize("unhappily singing birds")
    ['un##', 'happ', '##ily', 'sing', '##ing', 'bird', '##s']
    >>> rules.words("birds")
    [Word(text='bird', start=0, end=4), Word(text='##s', start=4, end=5)]
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import NormalizedString, PreTokenizedString
from .._given import check_list, whole
from ..errors import ArgumentError
from .base import Span, Word, WordTokenizer, cut
from .simple import Punctuation


def _longest_first(affixes: Iterable[str], name: str, mark: str) -> list[str]:
    check_list(name, affixes, "str")
    # Marks may be written in the table as they are in the tokens.
    plain = {affix.strip("#").removeprefix(mark).removesuffix(mark) for affix in affixes}
    if "" in plain:
        raise ArgumentError(f"`{name}` holds an empty affix")
    return sorted(plain, key=lambda affix: (-len(affix), affix))


class Affixes(WordTokenizer):
    """Words cut into prefixes, stem and suffixes.

    Args:
        prefixes, suffixes: the table, with or without the marks. Longer ones are tried first.
        least_stem: characters of a stem at least; otherwise an affix stays where it is.
        at_most: prefixes, and suffixes, that one word may lose.
        mark: the mark.
        words: what cuts the text into words first, ``Punctuation()`` by default.

    Example:
        >>> Affixes(["un"], ["ing"]).tokenize("untying knots")
        ['un##', 'tying', 'knots']
    """

    def __init__(
        self,
        prefixes: Iterable[str] = (),
        suffixes: Iterable[str] = (),
        *,
        least_stem: int = 3,
        at_most: int = 1,
        mark: str = "##",
        words: WordTokenizer | None = None,
    ) -> None:
        least_stem, at_most = whole("least_stem", least_stem), whole("at_most", at_most, 0)
        if least_stem < 1:
            raise ArgumentError(f"`least_stem` is {least_stem}; a stem has 1 character or more")
        self.prefixes: list[str] = _longest_first(prefixes, "prefixes", mark)
        self.suffixes: list[str] = _longest_first(suffixes, "suffixes", mark)
        self.least_stem = least_stem
        self.at_most = at_most
        self.mark = mark
        self._words = words or Punctuation()

    def _parts(self, text: str) -> list[tuple[Span, str]]:
        """Spans, each with ``<`` for a prefix, ``>`` for a suffix or nothing."""
        parts: list[tuple[Span, str]] = []
        for start, end in self._words.spans(text):
            back: list[tuple[Span, str]] = []
            for _ in range(self.at_most):
                room = end - start - self.least_stem
                fits = (p for p in self.prefixes if len(p) <= room and text.startswith(p, start, end))
                if not (prefix := next(fits, "")):
                    break
                parts.append(((start, start + len(prefix)), "<"))
                start += len(prefix)
            for _ in range(self.at_most):
                room = end - start - self.least_stem
                fits = (s for s in self.suffixes if len(s) <= room and text.endswith(s, start, end))
                if not (suffix := next(fits, "")):
                    break
                back.append(((end - len(suffix), end), ">"))
                end -= len(suffix)
            parts += [((start, end), ""), *reversed(back)]
        return parts

    def spans(self, text: str) -> list[Span]:
        return [span for span, _ in self._parts(text)]

    def words(self, text: str) -> list[Word]:
        """The tokens, marked, with the span of what they stand for, without the mark."""
        marked = []
        for (start, end), side in self._parts(text):
            token = text[start:end]
            token = token + self.mark if side == "<" else self.mark + token if side == ">" else token
            marked.append(Word(token, start, end))
        return marked

    def join(self, tokens: Iterable[str]) -> str:
        """The words of tokens, with a space between any two.

        Example:
            >>> Affixes(["un"], ["ily"]).join(["un##", "happ", "##ily", "ever", "after"])
            'unhappily ever after'
        """
        check_list("tokens", tokens, "tokens")
        words: list[str] = []
        waiting = False
        for token in tokens:
            if token.startswith(self.mark) and words:
                words[-1] += token.removeprefix(self.mark)
            elif waiting:
                words[-1] += token.removesuffix(self.mark)
            else:
                words.append(token.removesuffix(self.mark))
            waiting = token.endswith(self.mark) and token != self.mark
        return " ".join(words)

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Cuts pieces and writes the marks into them; offsets are those of the text without the marks."""

        def pieces(index: int, piece: NormalizedString) -> list[NormalizedString]:
            parts = self._parts(piece.normalized)
            made = cut(piece, [span for span, _ in parts])
            for one, (_, side) in zip(made, parts, strict=True):
                if side == "<":
                    one.append(self.mark)
                elif side == ">":
                    one.prepend(self.mark)
            return made

        pretok.split(pieces)
