"""Added tokens, and the named choices that several parts of the package take."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

__all__ = ["AddedToken", "OffsetReferential", "OffsetType", "SplitDelimiterBehavior"]


class OffsetReferential(Enum):
    """Which text offsets count in."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(Enum):
    """What offsets count."""

    BYTE = "byte"
    CHAR = "char"


class SplitDelimiterBehavior(Enum):
    """What becomes of the matches of a split."""

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"


#: What an added token is besides its text.
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


_set = object.__setattr__


class AddedToken:
    """A token that is cut out of the text before the model sees it.

    Two tokens are equal if all of their fields are; the hash counts the content alone, so tokens can be
    found in a dict by what they say.

    Args:
        content: the text of the token.
        single_word: match only where no word character touches it.
        lstrip: swallow white space on the left.
        rstrip: swallow white space on the right.
        normalized: match in the normalized text rather than in the raw one. Left out, it is ``True`` unless
            the token is special.
        special: skipped by ``decode``, and by encoding when special tokens are to be plain text.

    Example:
        >>> from tessella import AddedToken
        >>> AddedToken("<mask>", lstrip=True)
        AddedToken("<mask>", rstrip=False, lstrip=True, single_word=False, normalized=True, special=False)
    """

    __slots__ = ("__weakref__", "_normalized", "content", "lstrip", "rstrip", "single_word", "special")

    content: str
    single_word: bool
    lstrip: bool
    rstrip: bool
    special: bool

    def __init__(
        self,
        content: str | None = None,
        single_word: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        normalized: bool | None = None,
        special: bool = False,
    ) -> None:
        if content is not None and not isinstance(content, str):
            raise TypeError(f"`content` must be a str, not {type(content).__name__}")
        self._normalized: bool | None
        # Flags are nearly always plain ones, and need no look of their own.
        plain = type(single_word) is type(lstrip) is type(rstrip) is type(special) is bool
        set_ = _set if plain and (normalized is None or type(normalized) is bool) else setattr
        set_(self, "content", "" if content is None else content)
        set_(self, "single_word", single_word)
        set_(self, "lstrip", lstrip)
        set_(self, "rstrip", rstrip)
        set_(self, "special", special)
        set_(self, "_normalized", None)
        if normalized is not None:
            set_(self, "_normalized" if set_ is _set else "normalized", normalized)

    def __setattr__(self, name: str, value: object) -> None:
        # A text such as "no" is true to Python, and would be a flag that is set.
        if name in FLAGS and type(value).__name__ not in ("bool", "bool_"):
            raise TypeError(
                f"`{name}` of an AddedToken must be a bool, not {type(value).__name__} {value!r:.60}"
            )
        if name == "content" and not isinstance(value, str):
            raise TypeError(f"`content` must be a str, not {type(value).__name__}")
        object.__setattr__(self, name, value)

    @property
    def normalized(self) -> bool:
        """Whether the token is matched in the normalized text."""
        return not self.special if self._normalized is None else self._normalized

    @normalized.setter
    def normalized(self, value: bool) -> None:
        self._normalized = value

    def _key(self) -> tuple[Any, ...]:
        return (self.content, self.single_word, self.lstrip, self.rstrip, self.normalized, self.special)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, AddedToken) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.content)

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        return (
            f'AddedToken("{self.content}", rstrip={self.rstrip}, lstrip={self.lstrip}, '
            f"single_word={self.single_word}, normalized={self.normalized}, special={self.special})"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {
            "content": self.content,
            "single_word": self.single_word,
            "lstrip": self.lstrip,
            "rstrip": self.rstrip,
            "normalized": self.normalized,
            "special": self.special,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (), self.__getstate__())


def said_of_normalized(token: Any) -> bool | None:
    """What a token, of this library or of another, says of ``normalized``; ``None`` if it leaves it open.

    Left open, it follows ``special``, also if that is set later. A token of another library does not tell
    whether it was: what it would be by itself counts as left open.
    """
    if isinstance(token, AddedToken):
        return token._normalized
    return None if token.normalized is not token.special else bool(token.normalized)
