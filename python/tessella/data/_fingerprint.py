"""What a tokenizer is, as a short text: equal for equal tokenizers, on every machine, in every process.

It is that of ``Tokenizer.fingerprint`` without truncation and padding, which belong to a call, and with the
one switch that no file holds: whether special tokens in a text are text.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.data import fingerprint
    >>> one, other = Tokenizer(models.WordLevel({"a": 0})), Tokenizer(models.WordLevel({"a": 0}))
    >>> other.enable_truncation(5)
    >>> fingerprint(one) == fingerprint(other)
    True
    >>> fingerprint(one) == fingerprint(Tokenizer(models.WordLevel({"a": 1})))
    False
"""

from __future__ import annotations

import hashlib
from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._types import AnyTokenizer
    from ..tokenizer import Tokenizer


def backend_of(tokenizer: AnyTokenizer) -> Tokenizer:
    """The ``Tokenizer`` that does the work: what was given, or what is in what ``AutoTokenizer`` gives."""
    from ..tokenizer import Tokenizer

    inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(inner, Tokenizer):
        raise TypeError(
            f"the tokenizer must be one of Tessella's, not {type(tokenizer).__name__}: tessella.load"
        )
    return inner


def bare(tokenizer: AnyTokenizer) -> Tokenizer:
    """A copy that neither cuts nor fills up: what decides ids alone."""
    made = copy(backend_of(tokenizer))
    made.no_truncation()
    made.no_padding()
    return made


def fingerprint(tokenizer: AnyTokenizer) -> str:
    """The fingerprint of a tokenizer: 64 hexadecimal digits.

    Args:
        tokenizer: a ``Tokenizer``, or what ``AutoTokenizer`` gives.
    """
    made = bare(tokenizer)
    told = made.fingerprint()
    if made.encode_special_tokens:
        told = hashlib.sha256(f"{told}, special tokens are text".encode()).hexdigest()
    return told
