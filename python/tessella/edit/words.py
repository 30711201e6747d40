"""WordPiece and WordLevel taken apart: tokens and their ids.

Any token may go. WordPiece takes the longest token that fits, and does not go back: where a removed token was
the last that fitted before nothing did, a word that was unknown may be known now. A map cannot see this from
ids, which is why unknown tokens are *unsure* in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..models import Model

__all__ = ["WordLevelVocabulary", "WordPieceVocabulary"]


class WordLevelVocabulary(Vocabulary):
    """Whole words."""

    kind = "WordLevel"

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state
        self.vocab: dict[str, int] = dict(state["vocab"])

    def tokens(self) -> dict[int, str]:
        return {id: token for token, id in self.vocab.items()}

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

    def renumber(self, new_ids: Mapping[int, int]) -> None:
        renumbered = {token: new_ids[id] for token, id in self.vocab.items()}
        self.vocab = dict(sorted(renumbered.items(), key=lambda item: item[1]))

    def rename(self, old: str, new: str) -> None:
        self.vocab = {new if token == old else token: id for token, id in self.vocab.items()}
        if self._state["unk_token"] == old:
            self._state["unk_token"] = new

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
