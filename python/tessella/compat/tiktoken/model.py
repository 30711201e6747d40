"""Which encoding a model uses: the names of ``tiktoken.model``.

Example:
    >>> from tessella.compat.tiktoken.model import MODEL_TO_ENCODING, encoding_name_for_model
    >>> MODEL_TO_ENCODING["gpt-4"], encoding_name_for_model("gpt-4o-mini")
    ('cl100k_base', 'o200k_base')
"""

from __future__ import annotations

from .known import BY_MODEL as MODEL_TO_ENCODING
from .known import BY_PREFIX as MODEL_PREFIX_TO_ENCODING
from .known import encoding_name_for_model
from .registry import encoding_for_model

__all__ = [
    "MODEL_PREFIX_TO_ENCODING",
    "MODEL_TO_ENCODING",
    "encoding_for_model",
    "encoding_name_for_model",
]
