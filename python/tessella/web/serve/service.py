"""The tokenizers that are served, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError
from ..answers import Refused
from ..bounds import Bounds

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


#: No model takes so many tokens: settings that say more mean that there is no limit.
_ENDLESS = 1 << 40


class Service:
    """Tokenizers by name; the first one is meant where a request names none.

    Args:
        tokenizers: the tokenizers.
        bounds: what requests may ask for.
    """

    def __init__(self, tokenizers: Mapping[str, Tokenizer], bounds: Bounds | None = None) -> None:
        if not tokenizers:
            raise ArgumentError("there is no tokenizer to serve: name one or more")
        self.tokenizers = dict(tokenizers)
        self.bounds = bounds or Bounds()

    def tokenizer(self, name: str | None) -> tuple[str, Tokenizer]:
        """The tokenizer of a name, with its name."""
        chosen = next(iter(self.tokenizers)) if name is None else name
        if chosen not in self.tokenizers:
            raise Refused(404, f"there is no tokenizer {chosen!r}: served are {', '.join(self.tokenizers)}")
        return chosen, self.tokenizers[chosen]

    @cached_property
    def described(self) -> list[dict[str, Any]]:
        """What is known of each tokenizer."""
        return [_described(name, one) for name, one in self.tokenizers.items()]


def longest(tokenizer: Tokenizer) -> int | None:
    """The most tokens that the model of a tokenizer takes, where its settings say so."""
    found = (tokenizer.config or {}).get("model_max_length")
    return int(found) if isinstance(found, (int, float)) and 0 < found < _ENDLESS else None


def _described(name: str, tokenizer: Tokenizer) -> dict[str, Any]:
    return {
        "name": name,
        "model": type(tokenizer.model).__name__,
        "vocab_size": tokenizer.get_vocab_size(),
        "fingerprint": tokenizer.fingerprint(),
        "max_length": longest(tokenizer),
        "chat": tokenizer.chat_template is not None or bool(tokenizer._chat_templates),
    }
