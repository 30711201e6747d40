"""What edits need to know of a model, whatever its kind: its tokens, what depends on what, how to spell text.

A ``Vocabulary`` is a model taken apart. It is changed in place, by one edit at a time, and told as JSON (or
as a SentencePiece file) when the edit is done. Each kind of model is one class in a file of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._vocabulary import BYTE_TOKENS
from ..errors import UnsupportedError

if TYPE_CHECKING:
    from ..models import Model


#: The tokens that spell the bytes of unknown characters.
BYTES = frozenset(BYTE_TOKENS)


class Vocabulary(ABC):
    """A model's tokens by id, and its rules."""

    #: As ``tokenizer.json`` calls it; ``SentencePiece`` for a ``.model``.
    kind: str
    #: Whether every id up to the largest must have a token.
    is_dense = False
    #: Whether greedy longest matches may fail on a removed token's text, so that unknown tokens stand for it.
    may_fail = False

    @abstractmethod
    def tokens(self) -> dict[int, str]:
        """Texts of the vocabulary by id."""

    def named_ids(self) -> Iterable[tuple[str, int]]:
        """Texts and their ids, of which several may be one."""
        return ((token, id) for id, token in self.tokens().items())

    @abstractmethod
    def vital(self) -> dict[int, str]:
        """Ids that the model cannot do without, and why."""

    def letters(self) -> set[int]:
        """Ids of single characters, the alphabet."""
        return {id for id, token in self.tokens().items() if len(self.bare(token)) == 1}

    def reserved(self) -> set[int]:
        """Ids that can be taken away, but not because they are rare."""
        return set()

    def bare(self, token: str) -> str:
        """A token without the marks of its place in a word."""
        return token

    def users(self) -> dict[int, set[int]]:
        """For each id the ids whose making needs it."""
        return {}

    def parts(self) -> dict[int, tuple[int, int]]:
        """For each id that is made of two others: these."""
        return {}

    def with_users(self, ids: Collection[int]) -> set[int]:
        """Ids, and all that are made of them."""
        users = self.users()
        found, open_ids = set(ids), list(ids)
        while open_ids:
            for one in users.get(open_ids.pop(), ()):
                if one not in found:
                    found.add(one)
                    open_ids.append(one)
        return found

    def unknown(self) -> int | None:
        """The id that stands for unknown text."""
        return None

    @abstractmethod
    def drop(self, ids: Collection[int]) -> list[str]:
        """Takes ids away, which nothing that stays may need; tells what that changes besides."""

    @abstractmethod
    def renumber(self, new_ids: Mapping[int, int]) -> None:
        """Gives every id its new number."""

    @abstractmethod
    def rename(self, old: str, new: str) -> None:
        """Gives a token another text, wherever it stands."""

    @abstractmethod
    def told(self) -> dict[str, Any]:
        """The model as ``tokenizer.json`` has it."""

    @abstractmethod
    def speller(self, model: Model) -> Callable[[str], tuple[int, ...]]:
        """A function that tells how a token's text is spelled by this vocabulary.

        Args:
            model: the running model of this vocabulary.
        """


class TokenTable(Vocabulary):
    """A model whose tokens and ids are a table of texts."""

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state
        self.vocab: dict[str, int] = dict(state["vocab"])

    def tokens(self) -> dict[int, str]:
        return {id: token for token, id in self.vocab.items()}

    def named_ids(self) -> Iterable[tuple[str, int]]:
        return self.vocab.items()

    def renumber(self, new_ids: Mapping[int, int]) -> None:
        renumbered = {token: new_ids[id] for token, id in self.vocab.items()}
        self.vocab = dict(sorted(renumbered.items(), key=lambda item: item[1]))

    def rename(self, old: str, new: str) -> None:
        self.vocab = {new if token == old else token: id for token, id in self.vocab.items()}
        if self._state.get("unk_token") == old:
            self._state["unk_token"] = new


def opened(state: Mapping[str, Any]) -> Vocabulary:
    """The vocabulary of a model as JSON."""
    from .bpe import BpeVocabulary
    from .unigram import UnigramVocabulary
    from .words import WordLevelVocabulary, WordPieceVocabulary

    kinds: dict[str, Callable[[dict[str, Any]], Vocabulary]] = {
        "BPE": BpeVocabulary,
        "Unigram": UnigramVocabulary,
        "WordPiece": WordPieceVocabulary,
        "WordLevel": WordLevelVocabulary,
    }
    kind = state["type"]
    if kind not in kinds:
        raise UnsupportedError(f"a model of type {kind!r} cannot be edited; known are {', '.join(kinds)}")
    return kinds[kind](dict(state))


def ids_of(tokens: Iterable[str], vocab: Mapping[str, int]) -> tuple[int, ...]:
    """The ids of tokens that are there."""
    return tuple(vocab[token] for token in tokens)
