"""What a tokenizer is, as a short text: equal for equal tokenizers, on every machine, in every process.

It is the SHA-256 of all that decides ids: model, stages, added tokens and whether special tokens in a text
are text. Truncation and padding are left out, since they belong to a call.

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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["backend_of", "fingerprint"]


def backend_of(tokenizer: Any) -> Tokenizer:
    """The ``Tokenizer`` that does the work: what was given, or what is in what ``AutoTokenizer`` gives."""
    from ..tokenizer import Tokenizer

    inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(inner, Tokenizer):
        raise TypeError(
            f"the tokenizer must be one of Tessella's, not {type(tokenizer).__name__}: tessella.load"
        )
    return inner


def fingerprint(tokenizer: Any) -> str:
    """The fingerprint of a tokenizer: 64 hexadecimal digits.

    Args:
        tokenizer: a ``Tokenizer``, or what ``AutoTokenizer`` gives.
    """
    bare = copy(backend_of(tokenizer))
    bare.no_truncation()
    bare.no_padding()
    digest = hashlib.sha256()
    _add(digest, bare._pack())
    _add(digest, bool(bare.encode_special_tokens))
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    """Adds plain data, each value with its kind and size, so that no two values look alike."""
    if isinstance(value, (list, tuple)):
        digest.update(f"[{len(value)}".encode())
        for one in value:
            _add(digest, one)
    elif isinstance(value, dict):
        digest.update(f"{{{len(value)}".encode())
        for key in sorted(value):
            _add(digest, key)
            _add(digest, value[key])
    else:
        content = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
        digest.update(f"{type(value).__name__}{len(content)}:".encode())
        digest.update(content)
