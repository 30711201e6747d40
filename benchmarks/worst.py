"""Texts that nobody writes, and that somebody sends: each is the worst of something.

They are made of a seed, so that all engines and all rounds read the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count, islice

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
#: Parts of which a line is made.
_LINE = 64
#: First and last code points of scripts that lie far apart, also in the tables of classes.
_SCRIPTS = ((0x61, 0x7A), (0x430, 0x44F), (0x5D0, 0x5EA), (0x905, 0x939), (0xE01, 0xE2E), (0x4E00, 0x9FA5))


def _one_letter(_: random.Random) -> Iterator[str]:
    """Pieces without end: there is nothing to cut at."""
    while True:
        yield "a" * 5000 + "\n"


def _scripts(chance: random.Random) -> Iterator[str]:
    """Another script with every character: classes never repeat."""
    while True:
        for first, last in _SCRIPTS:
            yield chr(chance.randint(first, last))


def _bytes(chance: random.Random) -> Iterator[str]:
    """Random bytes, each as the character of its number."""
    while True:
        yield chr(chance.randrange(256))


def _words(chance: random.Random) -> Iterator[str]:
    """Every word for the first time: nothing that is remembered is of use."""
    while True:
        yield "".join(chance.choices(_ALPHABET, k=chance.randint(5, 13))) + " "


def _alike(_: random.Random) -> Iterator[str]:
    """Words that differ in a few of their letters: keys that a weak hash puts into one place."""
    letters = len(_ALPHABET)
    for number in count():
        at, rest = number % 6, number // 6
        word = ["a"] * 13
        for place in (at, at + 2, at + 4, at + 6):
            word[place] = _ALPHABET[rest % letters]
            rest //= letters
        yield "".join(word) + " "


KINDS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "one-letter": _one_letter,
    "alternating-scripts": _scripts,
    "random-bytes": _bytes,
    "distinct-words": _words,
    "alike-words": _alike,
}


def text(kind: str, size: int) -> str:
    """About `size` bytes of a kind, in lines, which documents are made of."""
    parts = KINDS[kind](random.Random(f"{kind} of November 2026"))
    lines, written = [], 0
    while written < size:
        line = next(parts) if kind == "one-letter" else "".join(islice(parts, _LINE)) + "\n"
        lines.append(line)
        written += len(line.encode())
    return "".join(lines)
