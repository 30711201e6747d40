"""What text may still become: which of its ids are certain.

A text that was cut in the middle, as one that is being typed, has ids at its end that the next characters
may change. How these may go on, the engine tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .core import Encoding

__all__ = ["unstable_tail"]

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
