"""WordPiece and WordLevel taken apart: tokens and their ids.

Any token may go. WordPiece takes the longest token that fits, and does not go back: where a removed token was
the last that fitted before nothing did, a word that was unknown may be known now. A map cannot see this from
ids, which is why unknown tokens are *unsure* in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from .vocabulary import TokenTable, Vocabulary

if TYPE_CHECKING:
    from ..models import Model


class WordLevelVocabulary(TokenTable):
    """Whole words."""

    kind = "WordLevel"

    def letters(self) -> set[int]:
        return set()

    def unknown(self) -> int | None:
        return self.vocab.get(self._state["unk_token"])

    def vital(self) -> dict[int, str]:
        unknown = self.unknown()
        if unknown is not None:
            return {unknown: "it stands for unknown text"}
        return {}

    def drop(self, ids: Collection[int]) -> list[str]:
        self.vocab = {token: id for token, id in self.vocab.items() if id not in ids}
        if self.unknown() is None:
            return ["the model has no token for unknown text: encoding a word that was removed is an error"]
        return []

    def told(self) -> dict[str, Any]:
        return {**self._state, "vocab": self.vocab}

    def speller(self, model: Model) -> Callable[[str], tuple[int, ...]]:
        del model
        unknown = self.unknown()
        return lambda token: () if unknown is None else (unknown,)


class WordPieceVocabulary(WordLevelVocabulary):
    """Pieces of words; those that do not begin a word have a mark."""

    kind = "WordPiece"
    may_fail = True

    @property
    def prefix(self) -> str:
        """The mark of tokens that do not begin a word."""
        mark: str = self._state["continuing_subword_prefix"]
        return mark

    def bare(self, token: str) -> str:
        mark = self.prefix
        return token[len(mark) :] if mark and token.startswith(mark) and token != mark else token

    def letters(self) -> set[int]:
        return Vocabulary.letters(self)

    def speller(self, model: Model) -> Callable[[str], tuple[int, ...]]:
        del model
        unknown = self.unknown()
        nothing = () if unknown is None else (unknown,)

        def spelled(token: str) -> tuple[int, ...]:
            bare, ids, start = self.bare(token), [], 0
            begins = bare == token
            while start < len(bare):
                mark = "" if start == 0 and begins else self.prefix
                for end in range(len(bare), start, -1):
                    if (id := self.vocab.get(mark + bare[start:end])) is not None:
                        ids.append(id)
                        start = end
                        break
                else:
                    return nothing
            return tuple(ids)

        return spelled
