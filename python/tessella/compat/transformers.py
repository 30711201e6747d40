"""The tokenizer names of the ``transformers`` package.

They are imported from here instead: all of them are ``tessella.batch.PretrainedTokenizer`` with the defaults
of the class that they are called after. They read the same folders, files and hub names. The classes for
models of other kinds are not here, nor are those that run Python code for each token.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.compat.transformers import PreTrainedTokenizerFast
    >>> backend = Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}, "<unk>"))
    >>> tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>")
    >>> tokenizer("hello")["input_ids"]
    [0]
"""

from __future__ import annotations

from typing import Any

from ..batch import AutoTokenizer, BatchEncoding, CharSpan, PretrainedTokenizer, TokenSpan
from ..batch.model_classes import PreTrainedTokenizerFast, class_named, known_classes
from ..tokens import AddedToken

__all__ = [
    "AddedToken",
    "AutoTokenizer",
    "BatchEncoding",
    "CharSpan",
    "PreTrainedTokenizerBase",
    "PreTrainedTokenizerFast",
    "TokenSpan",
    "TokenizersBackend",
]

#: A newer name of the same.
TokenizersBackend = PreTrainedTokenizerFast
#: What all tokenizers with a model's settings are here; ``isinstance`` tells them by it.
PreTrainedTokenizerBase = PretrainedTokenizer


def __getattr__(name: str) -> Any:
    """The class of a model, with and without ``Fast``."""
    found = class_named(name)
    if found is None:
        known = ", ".join(known_classes())
        raise AttributeError(
            f"module {__name__!r} has no class {name!r}; it has {known}, and AutoTokenizer for all others"
        )
    return found


def __dir__() -> list[str]:
    names = known_classes()
    return sorted([*__all__, *names, *(f"{name}Fast" for name in names)])
