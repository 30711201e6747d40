"""Any tokenizer from wherever it is: a file, a folder, or a repository on a hub.

What exists here is read. Of other names, ``model`` and ``owner/model`` may be a repository's
(``_is_hub_name``), and anything else, an address with ``https://`` for one, is refused as a file that is not
there.
"""

from __future__ import annotations

import errno
import os
import re
import reprlib
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from . import _tessella
from ._formats import ENCODINGS, ENDINGS
from ._near import nearest
from .errors import ArgumentError, MissingDependencyError, TessellaError
from .models import SentencePiece
from .tokenizer import Tokenizer

__all__ = ["load"]

_ENDING = re.compile(r"\.[A-Za-z]{2,8}$", re.ASCII)
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)


def load(
    source: str | os.PathLike[str],
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    *,
    allow_custom: Iterable[str] = (),
) -> Tokenizer:
    """Loads a tokenizer of any known format.

    Args:
        source: a file (``tokenizer.json``, ``.tiktoken``, a SentencePiece ``.model``, ``vocab.txt``, a
            snapshot, ...), a folder with such files, or the name of a repository on a model hub.
        pattern: how a ``.tiktoken`` file's texts are cut into pieces: an expression, or the name of a known
            encoding such as ``cl100k_base`` or ``llama3``. Only for ``.tiktoken`` files, which do not
            say; not needed if the file has the name of a known encoding, or if ``NAME.tiktoken.json`` stands
            beside it, as ``save`` writes it.
        special_tokens: the special tokens of a ``.tiktoken`` file and their ids.
        allow_custom: import paths (``package.module:Name``) of components written in Python that the file
            may use. Nothing else is imported.

    Of a folder, the settings and the chat template are kept as ``config`` and ``chat_template``. A folder
    with a SentencePiece model whose settings name a class (``LlamaTokenizer``, ...) gives the tokenizer that
    this class makes of it; the model's file alone gives SentencePiece's own.

    Example:
        >>> import os, tempfile
        >>> import tessella
        >>> from tessella import models
        >>> tokenizer = tessella.Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "tokenizer.json")
        ...     tokenizer.save(path)
        ...     loaded = tessella.load(path)
        >>> loaded.encode("hello").ids
        [0]
    """
    return loaded(source, pattern, special_tokens, allow_custom)[0]


def loaded(
    source: str | os.PathLike[str],
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    allow_custom: Iterable[str] = (),
    class_name: str | None = None,
    given: Mapping[str, Any] | None = None,
) -> tuple[Tokenizer, dict[str, Any] | None]:
    """What ``load`` gives, and the settings of a tokenizer that was made by the rules of a model's class.

    Args:
        source, pattern, special_tokens, allow_custom: as for ``load``.
        class_name: the class that makes a tokenizer of a SentencePiece model; by default the folder's.
        given: settings of the caller for that class.
    """
    path = _as_text(source)
    if not path:
        raise ArgumentError("`source` is empty: give a file, a folder, or the name of a repository on a hub")
    if special_tokens is not None and not isinstance(special_tokens, Mapping):
        raise TypeError(
            "`special_tokens` must be a dict of texts and ids, like {'<|endoftext|>': 50256}, not "
            f"{type(special_tokens).__name__}"
        )
    if not os.path.exists(path):
        is_path = isinstance(source, os.PathLike)
        return _from_elsewhere(path, is_path, pattern, special_tokens, allow_custom), None
    specials = None if special_tokens is None else list(special_tokens.items())
    try:
        description, notices, beside = _tessella.load(path, pattern, specials, list(allow_custom))
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), path) from None
        raise
    for notice in notices:
        warnings.warn(notice, UserWarning, stacklevel=2)
    try:
        tokenizer = Tokenizer._from_description(description)
    except TessellaError as error:
        raise type(error)(f"{error} (in {path})") from error.__cause__
    if beside is not None:
        from json import loads

        config, special_tokens_map, chat_template, chat_templates = beside
        tokenizer.config = None if config is None else loads(config)
        tokenizer._special_tokens_map = special_tokens_map
        tokenizer.chat_template = chat_template
        tokenizer._chat_templates = tuple(chat_templates)
    if description.is_built:
        return tokenizer, None
    if not isinstance(tokenizer.model, SentencePiece) or (beside is None and class_name is None):
        if beside is not None:
            _add_listed(tokenizer, path, given or {})
            _name_class(tokenizer, path)
        return tokenizer, None
    return _by_class(tokenizer, path, class_name, given or {})


def _as_text(source: object) -> str:
    """The name that was given; what is no name is told, and what gives a tokenizer of it."""
    if isinstance(source, (bytes, bytearray)):
        raise TypeError(
            f"`source` must be a str or a path of one, not {type(source).__name__}: use os.fsdecode for a "
            "name, and Tokenizer.from_buffer for what a tokenizer.json holds"
        )
    if not isinstance(source, (str, os.PathLike)):
        held = ": pass its content to Tokenizer.from_buffer" if hasattr(source, "read") else ""
        held = ": it is loaded already" if isinstance(source, Tokenizer) else held
        raise TypeError(f"`source` must be a str or a path of one, not {type(source).__name__}{held}")
    path = os.fspath(source)
    if not isinstance(path, str):
        raise TypeError(
            f"`source` must be a str or a path of one, not {type(path).__name__}: use os.fsdecode"
        )
    if path.lstrip().startswith("{") and not os.path.exists(path):
        raise ArgumentError(
            f"`source` is no name but a text, {reprlib.repr(path)}: pass what a tokenizer.json holds to "
            "Tokenizer.from_str"
        )
    return path


def _by_class(
    plain: Tokenizer, path: str, class_name: str | None, given: Mapping[str, Any]
) -> tuple[Tokenizer, dict[str, Any] | None]:
    """The tokenizer that a model's class makes of SentencePiece pieces, if there is a class."""
    from json import loads

    from .batch.checks import check_settings
    from .batch.from_pieces import as_json, with_class
    from .batch.model_types import class_of_pieces

    check_settings(plain.config or {}, "tokenizer_config.json")
    name = class_name or class_of_pieces(plain.config, _object_in(path, "config.json"))
    if name is None:
        return plain, None
    # Two files of older releases, which hold some of the settings.
    old = None if plain._special_tokens_map is None else loads(plain._special_tokens_map)
    check_settings(old or {}, "special_tokens_map.json")
    check_settings(given, "")
    added = _object_in(path, "added_tokens.json")
    try:
        made, settings = with_class(name, plain, plain.config, old, added, given)
    except TessellaError as error:
        raise type(error)(f"{error} (in {path})") from error.__cause__
    made.config = as_json(settings)
    made.chat_template = plain.chat_template
    made._chat_templates = plain._chat_templates
    return made, settings


def _name_class(tokenizer: Tokenizer, folder: str) -> None:
    """Takes the class from the model's settings where the tokenizer's own name none, or a wrong one."""
    model, config = _object_in(folder, "config.json"), tokenizer.config
    if model or (isinstance(config, Mapping) and str(config.get("tokenizer_class")).startswith("Llama")):
        from .batch.model_types import name_class

        name_class(tokenizer, model)


def _add_listed(tokenizer: Tokenizer, folder: str, given: Mapping[str, Any]) -> None:
    """Adds the tokens that the settings of a folder list and its tokenizer.json does not have."""
    from json import loads

    from ._listed import add_listed
    from ._merged import merged

    config = tokenizer.config
    if not isinstance(config, Mapping):
        config = {}
    added = None if "added_tokens_decoder" in config else _object_in(folder, "added_tokens.json")
    old = None if tokenizer._special_tokens_map is None else loads(tokenizer._special_tokens_map)
    try:
        add_listed(tokenizer, merged(config, old if isinstance(old, Mapping) else {}, given), added)
    except TessellaError as error:
        raise type(error)(f"{error} (in {folder})") from error.__cause__


def _object_in(folder: str, name: str) -> dict[str, Any] | None:
    """The JSON object in a file of a folder, if there is one."""
    from ._json import read_object

    try:
        return read_object(os.path.join(folder, name), "a JSON object")
    except (FileNotFoundError, NotADirectoryError):
        return None


def _from_elsewhere(
    name: str,
    is_path: bool,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    allow_custom: Iterable[str],
) -> Tokenizer:
    """What is no file here: from a hub, if it can be a name on one."""
    if not is_path and name in ENCODINGS and (name != "gpt2" or pattern is not None):
        raise ArgumentError(
            f"there is no file `{name}`: the pattern and the special tokens of this encoding are built in, "
            f"the file of its ranks is yours: pass the path of {name}.tiktoken, or of another "
            f".tiktoken file with pattern='{name}'"
        )
    if is_path or not _is_hub_name(name):
        _refuse_broken_link(name)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT) + _similar(name), name)
    if pattern is not None or special_tokens is not None:
        given = "special_tokens" if pattern is None else "pattern"
        raise ArgumentError(
            f"`{given}` is only for .tiktoken files; there is no file `{name}`, and a hub needs none of it"
        )
    from .batch.hub import download

    try:
        folder = download(name)
    except MissingDependencyError as error:
        raise MissingDependencyError(f"there is no file or folder `{name}`, and {error}") from error.__cause__
    return load(folder, allow_custom=allow_custom)


def _refuse_broken_link(name: str) -> None:
    """Tells of a link what it leads to: its own name is there for all to see."""
    if os.path.islink(name):
        try:
            os.stat(name)
        except FileNotFoundError as error:
            aim = os.path.join(os.path.dirname(name), os.readlink(name))
            why = f"{os.strerror(errno.ENOENT)}: it is a link to {aim}"
            raise FileNotFoundError(errno.ENOENT, why, name) from error


def _similar(name: str) -> str:
    """A file beside the missing one whose name is nearly the same, as a question."""
    folder, base = os.path.split(name)
    try:
        there = os.listdir(folder or os.curdir)
    except OSError:
        return ""
    # Endings are alike without meaning anything: only the stems are compared.
    stems = {os.path.splitext(one)[0]: one for one in sorted(there, reverse=True)}
    stem, ending = os.path.splitext(base)
    near = nearest(stem, (one for one in stems if one != stem), 0.75)
    same = nearest(
        ending, (os.path.splitext(one)[1] for one in there if os.path.splitext(one)[0] == stem), 0.1
    )
    found = stem + same if same else stems[near] if near else None
    return f" (did you mean {os.path.join(folder, found)}?)" if found else ""


def _is_hub_name(name: str) -> bool:
    """``model`` or ``owner/model``, and nothing that only files have."""
    if name.lower().endswith(ENDINGS) or not _HUB_NAME.fullmatch(name):
        return False
    if "/" not in name and _ENDING.search(name):
        # The few repositories without an owner have no such endings; a mistyped file has.
        return False
    owner, slash, _ = name.partition("/")
    return not (slash and os.path.isdir(owner))
