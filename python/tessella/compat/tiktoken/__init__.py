"""The names of the ``tiktoken`` package: ``import tessella.compat.tiktoken as tiktoken``.

Same arguments, same ids, same exceptions. ``get_encoding`` finds the published files in tiktoken's cache
folder or in the folder that ``TIKTOKEN_CACHE_DIR`` names; what is not there is fetched and kept as tiktoken
does it, its checksum looked at.

Example:
    >>> from tessella.compat import tiktoken
    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    >>> encoding = tiktoken.Encoding(
    ...     "mine", pat_str=r"\\w+|\\W+", mergeable_ranks=ranks, special_tokens={"<end>": 257}
    ... )
    >>> encoding.encode("ab ab<end>", allowed_special="all")
    [256, 32, 256, 257]
    >>> encoding.decode([256, 257])
    'ab<end>'
"""

from __future__ import annotations

from . import model as model
from .core import Encoding
from .known import encoding_name_for_model
from .registry import encoding_for_model, get_encoding, list_encoding_names

#: The version whose names and answers these are.
__version__ = "0.14.0"

__all__ = [
    "Encoding",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
]
