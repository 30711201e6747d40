"""The encodings by name, each made once."""

from __future__ import annotations

import os
import tempfile
import threading

from .core import Encoding
from .known import KNOWN, File, encoding_name_for_model
from .load import load_tiktoken_bpe

__all__ = ["ENCODINGS", "encoding_for_model", "get_encoding", "list_encoding_names"]

#: The encodings that have been made.
ENCODINGS: dict[str, Encoding] = {}
_LOCK = threading.Lock()


def _folder() -> str:
    """Where tiktoken keeps its files."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if folder := os.environ.get(variable):
            return folder
    return os.path.join(tempfile.gettempdir(), "data-gym-cache")


def _ranks(file: File) -> dict[bytes, int]:
    folder = _folder()
    names = (file.cached, f"{file.stem}.tiktoken")
    for name in names:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return load_tiktoken_bpe(path, file.sha256)
    raise FileNotFoundError(
        2,
        f"the ranks of this encoding are not here, and nothing is downloaded; put {names[1]}, or tiktoken's "
        f"cached copy {names[0]}, into this folder, or set TIKTOKEN_CACHE_DIR to the folder that holds it",
        folder,
    )


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding of a name, from the file of its ranks in tiktoken's cache folder."""
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
