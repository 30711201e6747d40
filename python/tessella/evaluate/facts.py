"""What evaluation knows about each id of a tokenizer, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .._vocabulary import Entries, entries

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import Tokenizer

    Flags = npt.NDArray[np.uint8]


def edges(spelled: bytes) -> tuple[bool, bool, bool]:
    """Whether bytes begin inside of a character, end inside of one, and whether another character is touched
    too.

    Example:
        >>> edges("é".encode()), edges(b"\\xc3"), edges(b"\\xa9 a")
        ((False, False, False), (False, True, False), (True, False, True))
    """
    begin = 0
    while begin < len(spelled) and spelled[begin] & 0xC0 == 0x80:
        begin += 1
    end = _whole(spelled, begin)
    has_tail = end < len(spelled)
    return begin > 0, has_tail, (begin > 0 or has_tail) and (begin > 0) + has_tail + (end > begin) > 1


def _whole(spelled: bytes, begin: int) -> int:
    """Where the whole characters after ``begin`` end."""
    try:
        spelled[begin:].decode()
    except UnicodeDecodeError as error:
        return begin + error.start
    return len(spelled)


def _is_blank(token: str, spelled: bytes | None) -> bool:
    """Whether an entry stands for blanks alone, or is a mark for them that no decoder reads."""
    return not token.strip(" ▁") or not (spelled or b"-").strip(b" ")


@dataclass(frozen=True)
class Facts:
    """A tokenizer's entries, by id."""

    entries: Entries
    #: Entries that there are, and one more than the largest id.
    vocabulary: int
    size: int

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Facts:
        found = entries(tokenizer)
        # Some models give the unknown token without having it as an entry.
        return cls(found, sum(token is not None for token in found.tokens), max(len(found), 1))

    def _where(self, *kinds: str) -> Flags:
        flags = np.zeros(self.size, dtype=np.uint8)
        flags[[id for id, kind in enumerate(self.entries.kinds) if kind in kinds]] = 1
        return flags

    @cached_property
    def unknown(self) -> Flags:
        """The unknown token."""
        return self._where("unknown")

    @cached_property
    def fallback(self) -> Flags:
        """Tokens that stand for one byte of what has no token."""
        return self._where("byte")

    @cached_property
    def blank(self) -> Flags:
        """Tokens of nothing but blanks, which some tokenizers put in front of a text."""
        flags = np.zeros(self.size, dtype=np.uint8)
        named = zip(self.entries.tokens, self.entries.bytes, strict=True)
        flags[[id for id, (token, spelled) in enumerate(named) if token and _is_blank(token, spelled)]] = 1
        return flags

    @cached_property
    def _edges(self) -> npt.NDArray[np.uint8]:
        found = np.zeros((self.size, 3), dtype=np.uint8)
        for id, spelled in enumerate(self.entries.bytes):
            if spelled is None or spelled.isascii():
                continue
            try:
                spelled.decode()
            except UnicodeDecodeError:
                found[id] = edges(spelled)
        return found

    @cached_property
    def partial(self) -> Flags:
        """Tokens that hold a part of a character."""
        return self._edges[:, 0] | self._edges[:, 1]

    @cached_property
    def crossing(self) -> Flags:
        """Tokens that hold a part of a character, and of another or all of it."""
        return np.ascontiguousarray(self._edges[:, 2])

    @cached_property
    def opening(self) -> Flags:
        """Tokens that end inside of a character: each split character has one that holds its beginning."""
        return np.ascontiguousarray(self._edges[:, 1])
