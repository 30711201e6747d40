"""Any tokenizer from wherever it is."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping

from . import _tessella
from .tokenizer import Tokenizer

__all__ = ["load"]


def load(
    source: str | os.PathLike[str],
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    *,
    allow_custom: Iterable[str] = (),
) -> Tokenizer:
    """Loads a tokenizer of any known format.

    Args:
        source: a file (``tokenizer.json``, ``.tiktoken``, a SentencePiece ``.model``, ``vocab.txt``, ...), a
            folder with such files, or the name of a repository on a model hub.
        pattern: how a ``.tiktoken`` file's texts are cut into pieces; such files do not say.
        special_tokens: the special tokens of a ``.tiktoken`` file and their ids.
        allow_custom: import paths (``package.module:Name``) of components written in Python that the file
            may use. Nothing else is imported.

    Of a folder, the settings and the chat template are kept as ``config`` and ``chat_template``.
    """
    path = os.fspath(source)
    if not os.path.exists(path) and not isinstance(source, os.PathLike) and _is_hub_name(path):
        return Tokenizer.from_pretrained(path)
    specials = None if special_tokens is None else list(special_tokens.items())
    description, notices, beside = _tessella.load(path, pattern, specials, list(allow_custom))
    for notice in notices:
        warnings.warn(notice, UserWarning, stacklevel=2)
    tokenizer = Tokenizer._from_description(description)
    if beside is not None:
        config, special_tokens_map, chat_template, chat_templates = beside
        tokenizer.config = None if config is None else json.loads(config)
        tokenizer._special_tokens_map = special_tokens_map
        tokenizer.chat_template = chat_template
        tokenizer._chat_templates = tuple(chat_templates)
    return tokenizer


def _is_hub_name(name: str) -> bool:
    """``model`` or ``owner/model``, without anything that only paths have."""
    parts = name.split("/")
    return len(parts) <= 2 and all(part and not part.startswith(".") for part in parts) and "\\" not in name
