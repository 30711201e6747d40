"""What text may still become: the ids that are certain, and how the rest may go on.

A text that was cut in the middle, as one that is being typed, has ids at its end that the next characters
may change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .merging import merge

if TYPE_CHECKING:
    from .core import Encoding

__all__ = ["completions", "unstable_tail"]

_BLANKS = b" \n\t"


def unstable_tail(encoding: Encoding, ids: list[int], last_piece: int) -> int:
    """How many ids at the end more text may change: those of the last piece, and blanks before it.

    Blanks are cut by what follows them, so a run of blank tokens hangs together. It ends at a special token,
    whatever its text is.
    """
    special = set(encoding._special_tokens.values())

    def blank(id: int) -> bool:
        return id not in special and not encoding.decode_single_token_bytes(id).strip(_BLANKS)

    if last_piece and blank(ids[-last_piece]):
        while last_piece < len(ids) and blank(ids[-last_piece - 1]):
            last_piece += 1
    return last_piece


def _beginning_with(tokens: list[bytes], start: bytes) -> Iterator[bytes]:
    for place in range(bisect_left(tokens, start), len(tokens)):
        if not tokens[place].startswith(start):
            return
        yield tokens[place]


def completions(encoding: Encoding, tail: bytes) -> list[list[int]]:
    """The ways to go on from these bytes, as ids up to the one that reaches past them."""
    ranks = encoding._mergeable_ranks
    tokens = encoding._sorted_tokens()
    found: dict[tuple[int, ...], None] = {}
    for token in _beginning_with(tokens, tail):
        found[(ranks[token],)] = None
    for cut in range(1, len(tail)):
        for token in _beginning_with(tokens, tail[cut:]):
            possible = tail[:cut] + token
            try:
                ids = encoding.encode_ordinary(possible.decode("utf-8"))
            except UnicodeDecodeError:
                ids = merge(possible, ranks)
            length = 0
            for count, id in enumerate(ids, 1):
                length += len(encoding.decode_single_token_bytes(id))
                if length >= len(tail):
                    ids = ids[:count]
                    break
            found[tuple(ids)] = None
    # A blank at the end may be cut off by what follows.
    try:
        last = tail.decode("utf-8")[-1:]
    except UnicodeDecodeError:
        last = ""
    head = tail[: len(tail) - len(last.encode("utf-8"))]
    if head and last.isspace():
        found[(*merge(head, ranks), *merge(tail[len(head) :], ranks))] = None
    return [list(ids) for ids in found]
