"""A tokenizer to files and folders, which give the same tokenizer when they are read."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from . import _tessella
from ._notices import warn
from .errors import ArgumentError

if TYPE_CHECKING:
    from ._types import Path, SaveFormat
    from .tokenizer import Tokenizer


def save(
    tokenizer: Tokenizer,
    path: Path,
    pretty: bool,
    format: SaveFormat | None,
    into: Path | None,
    drop_normalizer: bool = False,
    allow_differences: bool = False,
) -> None:
    """See ``Tokenizer.save``."""
    kind = _tessella.format_to_write(path, format)
    if kind == "gguf":
        from ._gguf import save as save_gguf

        save_gguf(tokenizer, path, into, drop_normalizer, allow_differences)
        return
    if allow_differences:
        raise ArgumentError(
            f"`allow_differences` is for GGUF files, and {path!r} is none: what is written there is equal"
        )
    if drop_normalizer:
        raise ArgumentError(f"`drop_normalizer` is for GGUF files, and {path!r} is none")
    if into is not None:
        raise ArgumentError(f"`into` is the file of a model that a GGUF file copies, and {path!r} is none")
    if kind == "folder":
        tokenizer.save_folder(path)
        return
    if kind == "snapshot":
        save_snapshot(tokenizer, path)
        return
    if type(tokenizer.model).__name__ == "SentencePiece" and kind == "json":
        from ._restated import restated

        tokenizer = restated(tokenizer)
    try:
        notices = _tessella.save_file(tokenizer, path, format, pretty)
    except OSError as error:
        raise _renamed(error, path) from None
    warn(*notices)


def save_snapshot(tokenizer: Tokenizer, path: Path) -> None:
    """See ``Tokenizer.save_snapshot``."""
    config = tokenizer.config
    try:
        _tessella.save_snapshot(
            tokenizer,
            path,
            None if config is None else json.dumps(config, ensure_ascii=False),
            tokenizer._special_tokens_map,
            tokenizer.chat_template,
            list(tokenizer._chat_templates),
        )
    except OSError as error:
        raise _renamed(error, path) from None


def _renamed(error: OSError, path: Path) -> OSError:
    """An error of the system with the name that the caller knows."""
    return error if error.errno is None else OSError(error.errno, os.strerror(error.errno), os.fspath(path))


def save_folder(
    tokenizer: Tokenizer,
    path: Path,
    prefix: str | None = None,
    templates: bool = True,
    replaces_templates: bool = False,
) -> list[str]:
    """Writes a folder; ``prefix`` stands before the names, with a hyphen.

    Without ``templates``, they have no files but stand in ``config``. With ``replaces_templates``, files
    of older ones are part of what is replaced.
    """
    config = tokenizer.config
    left_out = set()
    own = tokenizer.chat_template
    if templates and config is not None and config.get("chat_template", own) != own:
        # The template has a file of its own, which is read first.
        left_out.add("chat_template")
    if type(tokenizer.model).__name__ == "SentencePiece":
        # A class would make another tokenizer of the model's file.
        left_out.add("tokenizer_class")
    if config is not None:
        config = {key: value for key, value in config.items() if key not in left_out}
    files = _tessella.save_folder(
        tokenizer,
        path,
        None if config is None else json.dumps(config, ensure_ascii=False),
        tokenizer._special_tokens_map,
        tokenizer.chat_template if templates else None,
        list(tokenizer._chat_templates) if templates else [],
        prefix,
        replaces_templates,
    )
    return [os.fspath(file) for file in files]
