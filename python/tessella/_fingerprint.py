"""The fingerprint of a tokenizer where it has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import UnsupportedError

if TYPE_CHECKING:
    from .tokenizer import Tokenizer


def fingerprint_of(tokenizer: Tokenizer) -> str | None:
    """What tells a tokenizer from others; ``None`` where a component in Python has no import path."""
    try:
        return tokenizer.fingerprint()
    except UnsupportedError:
        return None
