"""White space, punctuation, characters, bytes, and rules of your own.

Example:
    >>> from tessella.words import Characters, Punctuation, Rules, Whitespace
    >>> text = "It's a great, great day!"
    >>> Whitespace().tokenize(text)
    ["It's", 'a', 'great,', 'great', 'day!']
    >>> Punctuation().tokenize(text)
    ['It', "'", 's', 'a', 'great', ',', 'great', 'day', '!']
    >>> Rules(r"\\w+(?:'\\w+)?|[^\\w\\s]").tokenize(text)
    ["It's", 'a', 'great', ',', 'great', 'day', '!']
    >>> len(Characters().tokenize(text)) == len(text)
    True
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from .. import PreTokenizedString, pre_tokenizers
from ..errors import ArgumentError, RegexError
from .base import Span, Word, WordTokenizer


class _Engine(WordTokenizer):
    """Words that a pre-tokenizer of the engine finds."""

    _stage: ClassVar[pre_tokenizers.PreTokenizer]

    def spans(self, text: str) -> list[Span]:
        return [span for _, span in self._stage.pre_tokenize_str(text)]

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        self._stage.pre_tokenize(pretok)


class Whitespace(_Engine):
    """What stands between white space.

    Example:
        >>> Whitespace().tokenize("This is a great, interesting sentence!")
        ['This', 'is', 'a', 'great,', 'interesting', 'sentence!']
    """

    _stage = pre_tokenizers.WhitespaceSplit()


class Punctuation(_Engine):
    """What stands between white space, with every punctuation character as a word of its own.

    Example:
        >>> Punctuation().tokenize("This is a great, interesting sentence!")
        ['This', 'is', 'a', 'great', ',', 'interesting', 'sentence', '!']
    """

    _stage = pre_tokenizers.BertPreTokenizer()


class Characters(WordTokenizer):
    """Every character, white space too.

    Example:
        >>> Characters().tokenize("a b")
        ['a', ' ', 'b']
    """

    def spans(self, text: str) -> list[Span]:
        return [(at, at + 1) for at in range(len(text))]

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        pre_tokenizers.FixedLength(1).pre_tokenize(pretok)


class Bytes(WordTokenizer):
    """Every byte of the UTF-8 text, written as in byte-level vocabularies. A byte has its character's span.

    Example:
        >>> Bytes().words("é")
        [Word(text='Ã', start=0, end=1), Word(text='©', start=0, end=1)]
        >>> Bytes().values("é")
        [195, 169]
    """

    _stages: ClassVar = pre_tokenizers.Sequence(
        [
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            pre_tokenizers.FixedLength(1),
        ]
    )
    _alphabet: ClassVar = pre_tokenizers.ByteLevel.alphabet()

    def spans(self, text: str) -> list[Span]:
        return [(at, at + 1) for at, char in enumerate(text) for _ in char.encode("utf-8")]

    def words(self, text: str) -> list[Word]:
        shown = (self._alphabet[byte] for byte in self.values(text))
        return [Word(char, *span) for char, span in zip(shown, self.spans(text), strict=True)]

    def values(self, text: str) -> list[int]:
        """The bytes as numbers."""
        if not isinstance(text, str):
            raise TypeError(f"`text` must be a str, not {type(text).__name__} {text!r:.60}")
        return list(text.encode("utf-8"))

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        self._stages.pre_tokenize(pretok)


class Rules(WordTokenizer):
    """What a regular expression matches, or the first of several that does.

    Args:
        rules: an expression of the module ``re``, or expressions by name; ``kinds`` then tells which one
            found each word. Earlier ones win at the same place.
        flags: flags of ``re``.

    Example:
        >>> rules = Rules({"date": r"\\d+/\\d+", "number": r"\\d+", "word": r"\\w+"})
        >>> rules.kinds("on 24/12 at 8")
        [('word', 'on'), ('date', '24/12'), ('word', 'at'), ('number', '8')]
    """

    def __init__(self, rules: str | Mapping[str, str], flags: int | re.RegexFlag = 0) -> None:
        if isinstance(rules, str):
            rules = {"word": rules}
        if not rules:
            raise ArgumentError("`rules` is empty: give at least one expression")
        self._names = list(rules)
        parts = []
        for name, rule in rules.items():
            try:
                parts.append(re.compile(rule, flags))
            except re.error as error:
                raise RegexError(f"the rule {name!r} is no regular expression: {rule!r}: {error}") from error
        self._rules = parts

    def _matches(self, text: str) -> list[tuple[int, Span]]:
        found: list[tuple[int, Span]] = []
        # The next match of every rule; a rule is asked again only once its match has been passed.
        waiting: list[Any] = [rule.search(text) for rule in self._rules]
        at = 0
        while True:
            best = None
            for number, match in enumerate(waiting):
                while match is not None and (match.start() < at or match.end() == match.start()):
                    # Empty matches are no words.
                    start = max(at, match.start() + (match.end() == match.start()))
                    match = self._rules[number].search(text, start) if start <= len(text) else None
                waiting[number] = match
                if match is not None and (best is None or match.start() < waiting[best].start()):
                    best = number
            if best is None:
                return found
            found.append((best, waiting[best].span()))
            at = waiting[best].end()

    def spans(self, text: str) -> list[Span]:
        return [span for _, span in self._matches(text)]

    def kinds(self, text: str) -> list[tuple[str, str]]:
        """The words, each with the name of the rule that found it."""
        return [(self._names[number], text[slice(*span)]) for number, span in self._matches(text)]
