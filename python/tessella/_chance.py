"""Models that draw their tokens by chance: dropout of BPE, sampling of Unigram.

That is for training a model. What is measured or compared has to be the same twice, and is what the tokenizer
gives without it.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .tokenizer import Tokenizer


def chance_of(model: Any) -> Literal["dropout", "sampling"] | None:
    """How a model draws its tokens, ``None`` where chance has no part in them."""
    if getattr(model, "dropout", None):
        return "dropout"
    if getattr(model, "alpha", None) is not None and getattr(model, "nbest_size", None) not in (0, 1):
        return "sampling"
    return None


def settled(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer without chance; the given one stays as it is.

    Example:
        >>> from tessella import Tokenizer, models
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=1.0))
        >>> settled(tokenizer).encode("ab").tokens, tokenizer.encode("ab").tokens
        (['ab'], ['a', 'b'])
    """
    model: Any = tokenizer.model
    if (chance := chance_of(model)) is None:
        return tokenizer
    model, found = copy(model), copy(tokenizer)
    if chance == "dropout":
        model.dropout = None
    else:
        model.alpha = None
    found.model = model
    return found
