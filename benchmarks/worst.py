"""Texts that nobody writes, and that somebody sends: each is the worst of something.

They are made of a seed, so that all engines and all rounds read the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count, islice

import numpy as np
import numpy.typing as npt

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
#: Of `hash_bytes`, in `crates/tessella-core/src/hash.rs`, and how many words are looked for that collide under it.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_COLLIDING = 64
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


def _colliding(chance: random.Random) -> Iterator[str]:
    """Long words that share the hash by which pieces beyond fifteen bytes are remembered: the last eight letters are what it came to
    behind a blank and the first seven."""
    letters = np.frombuffer(f"{_ALPHABET}{_ALPHABET.upper()}".encode(), np.uint8)
    draws = np.random.default_rng(chance.getrandbits(64))
    words: list[str] = []
    while len(words) < _COLLIDING:
        first = draws.choice(letters, (1 << 18, 8))
        first[:, 0] = ord(" ")
        last = _mixed(first.view("<u8").ravel() ^ np.uint64(16) ^ _FACTOR).view(np.uint8).reshape(-1, 8)
        found = np.isin(last, letters).all(axis=1)
        words += [word.tobytes().decode() for word in np.hstack([first[found], last[found]])]
    while True:
        yield chance.choice(words)


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The halves of the products with the factor, as the engine's hash of bytes makes them."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    left, right = [numbers & low, numbers >> half], [_FACTOR & low, _FACTOR >> half]
    middle = left[1] * right[0] + (left[0] * right[0] >> half)
    other = left[0] * right[1] + (middle & low)
    return (numbers * _FACTOR) ^ (left[1] * right[1] + (middle >> half) + (other >> half))


KINDS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "one-letter": _one_letter,
    "alternating-scripts": _scripts,
    "random-bytes": _bytes,
    "distinct-words": _words,
    "alike-words": _alike,
    "colliding-words": _colliding,
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
