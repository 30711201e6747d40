"""The encodings by name, each made once."""

from __future__ import annotations

import os
import threading

from ...errors import HubError
from .core import Encoding
from .known import KNOWN, File, encoding_name_for_model
from .load import cache_folder, load_tiktoken_bpe

__all__ = ["ENCODINGS", "encoding_for_model", "get_encoding", "list_encoding_names"]

#: The encodings that have been made.
ENCODINGS: dict[str, Encoding] = {}
_LOCK = threading.Lock()


def _ranks(file: File) -> dict[bytes, int]:
    folder, _ = cache_folder()
    named = os.path.join(folder, f"{file.stem}.tiktoken")
    if folder and os.path.exists(named):
        return load_tiktoken_bpe(named, file.sha256)
    try:
        return load_tiktoken_bpe(file.address, file.sha256)
    except HubError as error:
        raise HubError(
            f"the ranks of this encoding are not here, and {error}; without a connection, put "
            f"{file.stem}.tiktoken into {folder or 'a folder'}, or set TIKTOKEN_CACHE_DIR to the folder that "
            "holds it"
        ) from error.__cause__


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding of a name, from the file of its ranks, which is fetched and kept as tiktoken does it."""
    if not isinstance(encoding_name, str):
        raise ValueError(f"Expected a string in get_encoding, got {type(encoding_name)}")
    if encoding_name in ENCODINGS:
        return ENCODINGS[encoding_name]
    with _LOCK:
        if encoding_name in ENCODINGS:
            return ENCODINGS[encoding_name]
        if encoding_name not in KNOWN:
            from ..._near import meant

            known_names = ", ".join(KNOWN)
            raise ValueError(
                f"Unknown encoding {encoding_name}; known: {known_names}{meant(encoding_name, KNOWN)}"
            )
        known = KNOWN[encoding_name]
        made = Encoding(
            encoding_name,
            pat_str=known.pattern,
            mergeable_ranks=_ranks(known.file),
            special_tokens=dict(known.special_tokens),
            explicit_n_vocab=known.total,
        )
        ENCODINGS[encoding_name] = made
        return made


def encoding_for_model(model_name: str) -> Encoding:
    """The encoding that a model uses; ``KeyError`` if the name is not known."""
    return get_encoding(encoding_name_for_model(model_name))


def list_encoding_names() -> list[str]:
    """The names that ``get_encoding`` knows.

    Example:
        >>> from tessella.compat import tiktoken
        >>> "cl100k_base" in tiktoken.list_encoding_names()
        True
    """
    return list(KNOWN)
