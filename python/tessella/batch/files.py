"""A tokenizer with its settings from a folder, a file or a hub, and to a folder or a hub."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from .._saving import save_folder
from ..errors import UnsupportedError
from ..loading import _is_hub_name, loaded
from .classes import warn_of_unused
from .ends import Ends
from .settings import NOT_SETTINGS, said, together, usual_further, usual_roles
from .unknown import check_given, looked_at, warn_of_misspelled

if TYPE_CHECKING:
    from .tokenizer import PretrainedTokenizer


_P = TypeVar("_P", bound="PretrainedTokenizer")

# Arguments of other libraries' from_pretrained that have nothing to say here: no code is run, nothing is
# slow.
_WITHOUT_EFFECT = (
    *("use_fast", "trust_remote_code", "proxies", "resume_download", "tokenizer_type", "config", "mirror"),
    *("_from_auto", "_commit_hash", "_is_local", "from_slow", "user_agent"),
)


class HubOptions(TypedDict, total=False):
    """What ``push_to_hub`` takes besides the repository."""

    commit_message: str | None
    commit_description: str | None
    private: bool | None
    token: str | bool | None
    revision: str | None
    create_pr: bool
    max_shard_size: object
    tags: object


def check_names(kind: type, name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that a caller of ``from_pretrained`` gives, without those that say nothing here."""
    kept = {key: value for key, value in settings.items() if key not in _WITHOUT_EFFECT}
    for key in NOT_SETTINGS:
        if key in kept:
            raise TypeError(f"`{key}` is not an argument of from_pretrained, which loads `{name}`")
    for key in kept:
        if callable(getattr(kind, key, None)):
            raise AttributeError(f"the setting `{key}` conflicts with the method of this name")
    return kept


def found(name: str, is_path: bool, subfolder: str, **options: Any) -> str:
    """The path of what has this name: a file or folder here, or what is downloaded from a hub.

    Args:
        name: the name.
        is_path: it cannot be that of a repository.
        subfolder: where in it the files are.
        options: those of ``hub.download``.
    """
    path = os.path.join(name, subfolder) if subfolder else name
    if os.path.exists(path):
        return path
    if is_path or not _is_hub_name(name):
        raise FileNotFoundError(
            2, "there is no such file or folder, and it cannot be the name of a repository on a hub", path
        )
    from .hub import download

    return download(name, subfolder=subfolder, **options)


def made_from(kind: type[_P], path: str, name: str, given: dict[str, Any]) -> _P:
    """A tokenizer of the files at a path.

    Args:
        kind: the class that is asked; it knows which one makes a tokenizer of the settings.
        path: the file or folder.
        name: what the caller calls it.
        given: settings of the caller, which win over those in the files.
    """
    backend, complete = loaded(path, class_name=kind._class_name({}) or None, given=given)
    config, older = said(backend)
    check_given("from_pretrained", given, {**config, **older})
    warn_of_misspelled(backend.config or {}, "tokenizer_config.json")
    if complete is not None:
        # It was made by its class: all that settings say is carried out already.
        ends = Ends(*(bool(complete.pop(f"add_{role}_token", False)) for role in Ends._fields))
        with looked_at():
            made: _P = kind._for(complete)(backend, **complete, name_or_path=name)
        made._ends = ends
        return made
    settings = together(config, older, given)
    class_name = kind._class_name(settings)
    settings = usual_roles(class_name, backend, settings) | settings
    settings |= usual_further(class_name, backend, settings)
    settings["name_or_path"] = name
    with looked_at():
        made = kind._for(settings)(backend, **settings)
    warn_of_unused(given, made._carried_out, class_name)
    return made


def saved(
    tokenizer: PretrainedTokenizer, folder: str, prefix: str | None, template_files: bool
) -> tuple[str, ...]:
    """Writes a folder, with chat templates in files of their own or in the settings, and tells its files."""
    if os.path.isfile(folder):
        raise NotADirectoryError(20, "a folder is needed, this is a file", folder)
    copy = tokenizer.backend_tokenizer.__copy__()
    copy.config = tokenizer._config()
    copy._special_tokens_map = None
    templates = tokenizer.chat_template
    by_name = dict(templates) if isinstance(templates, dict) else {"default": templates}
    copy.chat_template = by_name.pop("default", None)
    copy._chat_templates = tuple(by_name.items())  # type: ignore[arg-type]
    if not template_files:
        copy.config, _ = tokenizer.save_chat_templates(folder, copy.config, None, False)
    # What an older save has left of chat templates belongs to what is replaced.
    return tuple(save_folder(copy, folder, prefix, template_files, replaces_templates=True))


def uploaded(tokenizer: PretrainedTokenizer, repo_id: str, tags: object, **options: Any) -> str:
    """Uploads what is saved to a repository; the address of the commit."""
    from .hub import upload

    if tags:
        raise UnsupportedError(
            f"`tags` is {tags!r}: tags belong to the page of the repository; write them into its "
            "README.md, or call huggingface_hub.metadata_update"
        )
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        return upload(folder, repo_id, **options)
