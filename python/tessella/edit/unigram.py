"""Unigram taken apart: pieces with their scores, in the order of their ids.

Any piece may go: where the best way through a text does not use it, that way is still the best. Only the
piece of the lowest score does more, since unknown characters cost ten more than it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from .vocabulary import BYTES, Vocabulary

if TYPE_CHECKING:
    from ..models import Model


#: What is said where the lowest score changes.
LOWEST = (
    "the piece of the lowest score went: unknown characters cost ten more than the lowest score, so texts "
    "with unknown characters may be cut differently now"
)


def by_model(model: Model) -> Callable[[str], tuple[int, ...]]:
    """Spelling by the model itself, to which every piece is alike, wherever it stands."""

    def spelled(token: str) -> tuple[int, ...]:
        return tuple(one.id for one in model.tokenize(token))

    return spelled


class UnigramVocabulary(Vocabulary):
    """Pieces and scores."""

    kind = "Unigram"
    is_dense = True

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state
        self.entries: dict[int, tuple[str, float]] = {
            id: (piece, score) for id, (piece, score) in enumerate(state["vocab"])
        }
        self._unknown: int | None = state.get("unk_id")

    def tokens(self) -> dict[int, str]:
        return {id: piece for id, (piece, _) in self.entries.items()}

    def unknown(self) -> int | None:
        return self._unknown

    def vital(self) -> dict[int, str]:
        found: dict[int, str] = {}
        if self._unknown is not None:
            found[self._unknown] = "it stands for unknown text"
        if self._state.get("byte_fallback"):
            found |= {id: "it spells a byte" for id, piece in self.tokens().items() if piece in BYTES}
        if self._unknown is None:
            why = "text with it could not be encoded, since the model has no piece for unknown text"
            found |= dict.fromkeys(self.letters(), why)
        return found

    def lowest(self) -> set[int]:
        """Ids of the lowest score."""
        least = min((score for _, score in self.entries.values()), default=0.0)
        return {id for id, (_, score) in self.entries.items() if score == least}

    def reserved(self) -> set[int]:
        # One piece of the lowest score, so that unknown characters cost what they did.
        return {min(self.lowest(), default=0)}

    def drop(self, ids: Collection[int]) -> list[str]:
        notes = [] if self._unknown is None or self.lowest() - set(ids) else [LOWEST]
        self.entries = {id: entry for id, entry in self.entries.items() if id not in ids}
        return notes

    def renumber(self, new_ids: Mapping[int, int]) -> None:
        self.entries = dict(sorted((new_ids[id], entry) for id, entry in self.entries.items()))
        if self._unknown is not None:
            self._unknown = new_ids[self._unknown]

    def rename(self, old: str, new: str) -> None:
        self.entries = {
            id: (new if piece == old else piece, score) for id, (piece, score) in self.entries.items()
        }

    def told(self) -> dict[str, Any]:
        if list(self.entries) != list(range(len(self.entries))):
            raise UnsupportedError(
                "the pieces of a Unigram model have the ids from 0 on, without gaps, and added tokens follow "
                "them: let the ids be compacted, in an order that keeps this"
            )
        vocab = [[piece, score] for piece, score in self.entries.values()]
        return {**self._state, "unk_id": self._unknown, "vocab": vocab}

    def speller(self, model: Model) -> Callable[[str], tuple[int, ...]]:
        return by_model(model)
