"""Words by the Unicode standard: the default word boundaries of Unicode Standard Annex #29.

The rules know letters with marks, apostrophes and full stops inside words and numbers, Katakana, emoji
sequences and flags. They do not know dictionaries: Chinese, Japanese (Han and Hiragana) and Thai fall into
characters or stay together, as the standard says.

Layers: ``_word_break`` holds the classes of all characters, ``break_class`` looks one up, ``boundaries``
applies the rules, named WB3 to WB999 as in the standard.

Example:
    >>> from tessella.words import UnicodeWords
    >>> UnicodeWords().tokenize("The quick (“brown”) fox can’t jump 32.3 feet, right?")
    ['The', 'quick', '(', '“', 'brown', '”', ')', 'fox', 'can’t', 'jump', '32.3', 'feet', ',', 'right', '?']
    >>> UnicodeWords(keep="words").tokenize("fox, can’t jump 32.3 feet!")
    ['fox', 'can’t', 'jump', '32.3', 'feet']
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

from ..errors import ArgumentError
from .base import Span, WordTokenizer

_IGNORED = frozenset({"Extend", "Format", "ZWJ"})
_LINES = frozenset({"CR", "LF", "Newline"})
_LETTER = frozenset({"ALetter", "Hebrew_Letter"})
_MID_LETTER = frozenset({"MidLetter", "MidNumLet", "Single_Quote"})
_MID_NUMBER = frozenset({"MidNum", "MidNumLet", "Single_Quote"})
_JOINED = frozenset({"ALetter", "Hebrew_Letter", "Numeric", "Katakana", "ExtendNumLet"})


@cache
def _table(names: tuple[str, ...]) -> tuple[list[int], list[int], list[str]]:
    """First and last code points of the ranges of some classes, in order, and their classes."""
    from ._word_break import RANGES

    found = []
    for name in names:
        for part in RANGES[name].split():
            first, _, last = part.partition("-")
            found.append((int(first, 16), int(last or first, 16), name))
    found.sort()
    return [row[0] for row in found], [row[1] for row in found], [row[2] for row in found]


def _look_up(char: str, names: tuple[str, ...]) -> str:
    firsts, lasts, classes = _table(names)
    place = bisect_right(firsts, ord(char)) - 1
    return classes[place] if place >= 0 and ord(char) <= lasts[place] else "Other"


@cache
def _classes() -> tuple[str, ...]:
    from ._word_break import RANGES

    return tuple(name for name in RANGES if name != "Extended_Pictographic")


@lru_cache(maxsize=8192)
def break_class(char: str) -> str:
    """The Word_Break property of a character.

    Example:
        >>> break_class("a"), break_class("'"), break_class("7"), break_class("+")
        ('ALetter', 'Single_Quote', 'Numeric', 'Other')
    """
    return _look_up(char, _classes())


def _pictographic(char: str) -> bool:
    return _look_up(char, ("Extended_Pictographic",)) != "Other"


def boundaries(text: str) -> list[int]:
    """Every place where a word may begin or end, the start and the end of the text among them.

    Example:
        >>> boundaries("Hi there")
        [0, 2, 3, 8]
    """
    if not text:
        return []
    classes = [break_class(char) for char in text]
    places = [0]
    # The two classes before the place, without ignored ones; flags that stand in a row there.
    before, second = classes[0], ""
    flags = int(before == "Regional_Indicator")
    for at in range(1, len(text)):
        here = classes[at]
        joined = _joined(text, classes, at, before, second, flags)
        if not joined:
            places.append(at)
        # WB4: ignored characters belong to what they follow, except at the start of a line.
        if here in _IGNORED and before not in _LINES:
            continue
        flags = flags + 1 if here == "Regional_Indicator" else 0
        before, second = here, before
    return [*places, len(text)]


def _joined(text: str, classes: list[str], at: int, before: str, second: str, flags: int) -> bool:
    """True if there is no boundary in front of the character at a place."""
    last, here = classes[at - 1], classes[at]
    if last in _LINES or here in _LINES:
        return last == "CR" and here == "LF"  # WB3, WB3a, WB3b
    if last == "ZWJ" and _pictographic(text[at]):
        return True  # WB3c
    if last == here == "WSegSpace":
        return True  # WB3d
    if here in _IGNORED:
        return True  # WB4
    if before in _LETTER:
        if here in _LETTER or here == "Numeric":
            return True  # WB5, WB9
        if here in _MID_LETTER and _following(classes, at) in _LETTER:
            return True  # WB6
    if second in _LETTER and before in _MID_LETTER and here in _LETTER:
        return True  # WB7
    if before == "Hebrew_Letter":
        if here == "Single_Quote":
            return True  # WB7a
        if here == "Double_Quote" and _following(classes, at) == "Hebrew_Letter":
            return True  # WB7b
    if second == here == "Hebrew_Letter" and before == "Double_Quote":
        return True  # WB7c
    if before == "Numeric":
        if here == "Numeric" or here in _LETTER:
            return True  # WB8, WB10
        if here in _MID_NUMBER and _following(classes, at) == "Numeric":
            return True  # WB12
    if second == here == "Numeric" and before in _MID_NUMBER:
        return True  # WB11
    if before == here == "Katakana":
        return True  # WB13
    if here == "ExtendNumLet" and before in _JOINED:
        return True  # WB13a
    if before == "ExtendNumLet" and here in _JOINED:
        return True  # WB13b
    # WB15, WB16: flags are pairs.
    return before == here == "Regional_Indicator" and flags % 2 == 1


def _following(classes: list[str], at: int) -> str:
    """The class after a place, without ignored ones."""
    at += 1
    while at < len(classes) and classes[at] in _IGNORED:
        at += 1
    return classes[at] if at < len(classes) else ""


class UnicodeWords(WordTokenizer):
    """What stands between the default word boundaries.

    Args:
        keep: ``"visible"`` leaves out what is white space alone, ``"words"`` what holds neither letter nor
            number, and ``"all"`` nothing, so that the words joined are the text.

    Example:
        >>> UnicodeWords().tokenize("Don't stop: 3.14!")
        ["Don't", 'stop', ':', '3.14', '!']
    """

    _keep: Literal["visible", "words", "all"] = "visible"

    def __init__(self, keep: Literal["visible", "words", "all"] = "visible") -> None:
        if keep not in ("visible", "words", "all"):
            raise ArgumentError(f"`keep` is {keep!r}; it must be 'visible', 'words' or 'all'")
        if keep != "visible":
            self._keep = keep

    def spans(self, text: str) -> list[Span]:
        places = boundaries(text)
        spans = list(pairwise(places))
        if self._keep == "all":
            return spans
        if self._keep == "visible":
            return [span for span in spans if not text[slice(*span)].isspace()]
        return [span for span in spans if any(map(str.isalnum, text[slice(*span)]))]
