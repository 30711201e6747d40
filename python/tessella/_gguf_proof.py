"""Whether a GGUF file gives the same ids: it is read as llama.cpp reads it, and compared on many texts.

The reader follows llama.cpp to the letter, tables of characters and arithmetic included, so that what differs
there differs here. The texts are those that are known to tell rules apart, tokens, and random rows of both.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _gguf_file
from ._shown import quoted
from ._telling import RULES

if TYPE_CHECKING:
    from .tokenizer import Tokenizer


_SOURCE = (
    "def tile(x):\n    return {'x': x ** 2}  # <tag> & more\n",
    "I'll, we'RE, they'd; 1 22 333 4444 55555 1,234.5\n\n\n  end  ",
    "MixedCASEWords camelCase İstanbul HTTPServer naïve Ωmega",
    "a  b   c\t\td \n e\r\n\r\nf  \n\n  g",
    "!!! ... --- === /// `grave` ~tilde~ $5 <a|b> ^^ @me #1",
    "e\u0301te\u0301 ก็ दो शब्द 한국어 日本語の文章、です。「引用」 ｗｉｄｅ！",
    "x\u00a0y\u2003z\u3000w\u0085v",
    "12345678901 ４５６ ①② Ⅻ ½ x1y22z333",
)
#: What llama.cpp does in its own way: long s, words without end, marks, syllables, the mark of a word.
_OWN = (
    "it'ſ",
    "we'ſs more",
    "x" * 101,
    "a\u0300",
    "नि",
    "한국",
    "a▁a",
    "a▁",
    "▁a",
    "İ",
    "\ue000a",
    "a\u1160",
)
#: A character of each kind that ways to cut texts tell apart.
_KINDS = ("a", "B", "é", "1", "①", "中", "한", "\u0301", "!", "$", "'", "😀", " ", "\n", "\t", "\u00a0")


class Difference(NamedTuple):
    """A text that gives other ids."""

    text: str
    expected: list[int]
    got: list[int]

    def __str__(self) -> str:
        return (
            f"the text {quoted(self.text[:80])} would give {_some(self.got)} in llama.cpp, "
            f"not {_some(self.expected)}"
        )


def _some(ids: list[int]) -> str:
    return str(ids[:12]) if len(ids) <= 12 else f"[{', '.join(map(str, ids[:12]))}, ...]"


def read(keys: dict[str, Any]) -> Tokenizer:
    """The tokenizer of a file with these keys."""
    from .loading import load

    with tempfile.TemporaryDirectory(prefix="tessella-") as folder:
        path = os.path.join(folder, "tried.gguf")
        with open(path, "wb") as file:
            file.write(_gguf_file.content(keys))
        return load(path)


def differences(tokenizer: Tokenizer, again: Tokenizer, texts: list[str]) -> list[Difference]:
    """The texts to which the second one gives other ids, the shortest first."""
    rows, others = (each.encode_batch(texts) for each in (tokenizer, again))
    found = [
        Difference(text, row.ids, other.ids)
        for text, row, other in zip(texts, rows, others, strict=True)
        if row.ids != other.ids
    ]
    return sorted(found, key=lambda one: len(one.text))


def tokens_that_differ(tokenizer: Tokenizer, again: Tokenizer) -> list[Difference]:
    """As ``differences``, of each token alone: what no merges make is found whole by one of them, perhaps."""
    alone = _spelled(tokenizer, sorted(set(tokenizer.get_vocab().values())))
    rows, others = (each.encode_ids_batch(alone) for each in (tokenizer, again))
    if rows.offsets.tolist() == others.offsets.tolist() and (rows.ids == others.ids).all():
        return []
    return differences(tokenizer, again, alone)


def _spelled(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    """What each of these tokens is as a text, if any."""
    return [text for text in tokenizer.decode_batch([[id] for id in ids]) if text]


def smallest(tokenizer: Tokenizer, again: Tokenizer, found: Difference) -> Difference:
    """The difference after everything is taken out of its text without which there still is one."""
    from .prove.reduce import smallest as reduced

    text = reduced(found.text, lambda less: bool(differences(tokenizer, again, [less])))
    return differences(tokenizer, again, [text])[0]


def texts(tokenizer: Tokenizer) -> list[str]:
    """Texts that tell rules apart: known ones, tokens, and random rows of tokens and characters."""
    return list(_texts(tokenizer))


def _texts(tokenizer: Tokenizer) -> Iterator[str]:
    known = (*RULES, *_SOURCE)
    yield from known
    yield from _OWN
    for control in map(chr, (*range(1, 32), 127)):
        yield f"a{control}a"
        yield f"a {control} b"
        yield f" {control} "
    # Rules differ most in how they part blanks, and in what they do with those at the end.
    for count in (1, 2, 3):
        for blanks in product(" \n\r\t", repeat=count):
            yield from ("".join(("a", *blanks, after)) for after in ("", "b", "!"))
    draw = random.Random(0)
    # Where ids have holes, the last ones are above the number of tokens.
    ids = sorted(set(tokenizer.get_vocab().values()))
    pieces = _spelled(tokenizer, draw.sample(ids, min(len(ids), 3000))) or ["a"]
    yield from pieces
    yield from map("".join, product(_KINDS, repeat=3))
    # A way that cuts between two kinds matters where a token may end or begin there.
    yield from (draw.choice(_KINDS) + piece + draw.choice(_KINDS) for piece in pieces)
    for piece in [piece for piece in pieces if not any(map(str.isalpha, piece))][:200]:
        yield from (text for kind in _KINDS for text in (kind + piece, piece + kind))
    letters = sorted(set("".join(known)))
    for _ in range(1500):
        yield "".join(draw.choice(pieces) for _ in range(draw.randint(2, 8)))
        yield "".join(draw.choice(letters) for _ in range(draw.randint(2, 12)))
    if type(tokenizer.model).__name__ in ("SentencePiece", "Unigram"):
        yield from _ties(tokenizer, draw, pieces)
    if type(tokenizer.model).__name__ != "SentencePiece":
        added = list(tokenizer.get_added_tokens_decoder().values())
        for token in draw.sample(added, min(len(added), 50)):
            yield f"a {token.content} b{token.content}c"
        for token in added:
            if token.lstrip or token.rstrip or token.single_word:
                yield f"a {token.content} b{token.content}c"


def _ties(tokenizer: Tokenizer, draw: random.Random, pieces: list[str]) -> Iterator[str]:
    """Texts that are cut in ways that are equally good, or nearly: what sums round to decides then."""
    repeated = {token[0] for token in tokenizer.get_vocab() if len({*token}) == 1 < len(token)} - {"▁"}
    for letter in sorted(repeated):
        yield from (letter * length for length in range(3, 40))
    for _ in range(500 if repeated else 0):
        few = draw.sample(sorted(repeated), min(2, len(repeated)))
        yield "".join(draw.choice((*few, draw.choice(pieces), " ")) for _ in range(draw.randint(10, 60)))
    for _ in range(300):
        yield " ".join(draw.choice(pieces) for _ in range(200))
