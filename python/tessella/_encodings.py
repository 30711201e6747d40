"""Encodings that are known by name besides the engine's own: what their tables of ranks lack.

The recipe of the same name knows the pattern and the special tokens, which get the ids behind the ranks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from ._formats import ENCODINGS

__all__ = ["KNOWN", "completed", "naming_all"]

_RECIPES = ("llama3",)
#: The names of all known encodings.
KNOWN = (*ENCODINGS, *_RECIPES)
_ENDING = ".tiktoken"


def completed(
    path: str, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> tuple[str | None, Mapping[str, int] | None]:
    """Pattern and special tokens for a file, where the pattern's or the file's name is that of a recipe."""
    name = pattern
    if pattern is None and path.lower().endswith(_ENDING) and not os.path.exists(f"{path}.json"):
        name = os.path.basename(path)[: -len(_ENDING)]
    if name not in _RECIPES or not os.path.isfile(path):
        return pattern, special_tokens
    from . import recipes
    from .recipes.byte_level import PATTERNS

    if special_tokens is None:
        first = _ranks(path)
        tokens = recipes.get(name).special_tokens
        special_tokens = {token.content: first + place for place, token in enumerate(tokens)}
    return PATTERNS[name], special_tokens


def _ranks(path: str) -> int:
    """How many ranks a table has: one on each line."""
    with open(path, "rb") as file:
        return sum(1 for line in file if line.strip())


def naming_all(message: str) -> str:
    """A message of the engine, which names its own encodings, with the others behind them."""
    return message.replace(", ".join(ENCODINGS), ", ".join(KNOWN))
