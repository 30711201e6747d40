"""The tokenizers that are looked at, and what was looked up about them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ... import _tessella
from ..._vocabulary import model_state, within
from ..answers import Refused
from ..serve.service import longest
from .judged import Flags, flags
from .pages import Reports

if TYPE_CHECKING:
    from ...evaluate.merges import Makers
    from ...tokenizer import Tokenizer


#: Tokenizers that were trained on the pages and are kept.
TRAINED = 20


class Known:
    """A tokenizer, with tables that are made when they are first asked for: large ones take seconds."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.kind = type(tokenizer.model).__name__

    @cached_property
    def state(self) -> dict[str, Any]:
        """The model as a ``tokenizer.json`` tells it; empty for one by SentencePiece's own rules."""
        return model_state(self.tokenizer)

    @cached_property
    def bytes_of(self) -> Callable[[int, str], bytes]:
        """The bytes of text that a token stands for."""
        return within(self.tokenizer)

    @cached_property
    def entries(self) -> list[tuple[int, str]]:
        """All ids with their tokens, in the order of ids."""
        return sorted((id, token) for token, id in self.tokenizer.get_vocab().items())

    @cached_property
    def flags(self) -> Flags:
        """What an audit says of entries; it takes seconds, so that pages show it once it is there."""
        return flags(self.tokenizer)

    @property
    def flags_if_known(self) -> Flags:
        """The flags, if somebody has asked for them before."""
        found: Flags = self.__dict__.get("flags", {})
        return found

    @cached_property
    def chat(self) -> list[str]:
        """The names of the chat templates; one that has none is the ``default``."""
        from ...batch import PretrainedTokenizer

        own = PretrainedTokenizer.over(self.tokenizer).chat_template
        return [] if own is None else list(own) if isinstance(own, dict) else ["default"]

    @cached_property
    def merges(self) -> list[tuple[str, str, str]]:
        """Left, right and result, by rank."""
        if self.state.get("type") != "BPE":
            return []
        prefix = self.state.get("continuing_subword_prefix") or ""
        pairs = (
            tuple(one.split(" ", 1)) if isinstance(one, str) else tuple(one) for one in self.state["merges"]
        )
        return [(left, right, left + right.removeprefix(prefix)) for left, right in pairs]

    @cached_property
    def _makers(self) -> Makers:
        from ...evaluate.merges import Makers

        return Makers(self.state)

    def made_by(self, token: str) -> int | None:
        """The merge that makes a token: of several, the one that has its turn."""
        return self._makers.rank(token) if self.merges else None

    @cached_property
    def used_by(self) -> dict[str, list[int]]:
        """Of each token, the merges that it goes into."""
        found: dict[str, list[int]] = {}
        for rank, (left, right, _) in enumerate(self.merges):
            for part in {left, right}:
                found.setdefault(part, []).append(rank)
        return found

    @cached_property
    def scores(self) -> dict[int, float]:
        """The score of each id, where the model has scores."""
        if self.state.get("type") == "Unigram":
            return {id: score for id, (_, score) in enumerate(self.state["vocab"])}
        if self.kind == "SentencePiece":
            pieces = _tessella.sentencepiece_parts(self.tokenizer)[0]
            return {id: score for id, (_, score, _) in enumerate(pieces)}
        return {}


class Session:
    """Tokenizers by name: those that the studio was opened with, and those trained on its pages.

    Example:
        >>> from tessella import Tokenizer, models
        >>> session = Session({"tiny": Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}))})
        >>> session.add("tiny", Tokenizer(models.BPE()))
        'tiny 2'
        >>> [one["name"] for one in session.described()]
        ['tiny', 'tiny 2']
    """

    def __init__(self, tokenizers: Mapping[str, Tokenizer], corpora: Mapping[str, Any] | None = None) -> None:
        """
        Args:
            tokenizers: by name.
            corpora: what reports are made of, by name: paths, or lists of texts.
        """
        self.corpora = dict(corpora or {})
        self.reports = Reports()
        self._known = {name: Known(one) for name, one in tokenizers.items()}
        self._trained: list[str] = []
        self._lock = threading.Lock()

    def known(self, name: str) -> Known:
        """The tokenizer of a name."""
        with self._lock:
            if name not in self._known:
                raise Refused(404, f"there is no tokenizer {name!r}: there are {', '.join(self._known)}")
            return self._known[name]

    def tokenizer(self, name: str | None) -> tuple[str, Tokenizer]:
        """The tokenizer of a name, as the service tells it."""
        return name or "", self.known(name or "").tokenizer

    def corpus(self, name: str) -> Any:
        """The corpus of a name."""
        if name not in self.corpora:
            known = ", ".join(self.corpora) or "none"
            raise Refused(404, f"there is no corpus {name!r}: there are {known}")
        return self.corpora[name]

    def add(self, name: str, tokenizer: Tokenizer) -> str:
        """Takes a tokenizer in, under this name or one like it; the oldest trained one may have to go."""
        with self._lock:
            chosen, number = name, 2
            while chosen in self._known:
                chosen, number = f"{name} {number}", number + 1
            self._known[chosen] = Known(tokenizer)
            self._trained.append(chosen)
            if len(self._trained) > TRAINED:
                del self._known[self._trained.pop(0)]
            return chosen

    def add_once(self, name: str, tokenizer: Tokenizer) -> str:
        """The same, but one that was taken in before keeps its name."""
        own = tokenizer.fingerprint()
        with self._lock:
            known = [one for one in self._trained if self._known[one].tokenizer.fingerprint() == own]
        return known[0] if known else self.add(name, tokenizer)

    def described(self) -> list[dict[str, Any]]:
        """What the pages say of each tokenizer."""
        with self._lock:
            return [
                {
                    "name": name,
                    "kind": one.kind,
                    "size": one.tokenizer.get_vocab_size(),
                    "max_length": longest(one.tokenizer),
                    "chat": one.chat,
                }
                for name, one in self._known.items()
            ]
