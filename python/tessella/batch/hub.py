"""Model hubs, through the package ``huggingface_hub``: its cache, its tokens, its offline mode."""

from __future__ import annotations

import os
from typing import Any

from .._formats import FOLDER
from .._optional import needed
from ..errors import HubError

_TEMPLATE, _OLD_TEMPLATE, _TEMPLATES = FOLDER.templates
# The files that a tokenizer may be made of.
_FILES = (
    *(*FOLDER.whole, *FOLDER.bare, *FOLDER.settings),
    *("config.json", _TEMPLATE, _OLD_TEMPLATE, f"{_TEMPLATES}/*.jinja"),
)
# Any of these is enough to make one; merges belong to a vocabulary.
_ENOUGH = (*FOLDER.whole, FOLDER.bare[0], FOLDER.bare[2])


def _hub(purpose: str) -> Any:
    return needed("huggingface_hub", "hub", purpose)


def _reason(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _snapshot(hub: Any, name: str, *, local_files_only: bool, force_download: bool, **options: Any) -> str:
    """The folder of a repository, without a connection that of the cache.

    A single file is asked for in the same way: the package's own function for one tries again and again,
    aloud, for half a minute where there is no connection.
    """
    try:
        return str(
            hub.snapshot_download(
                name, local_files_only=local_files_only, force_download=force_download, **options
            )
        )
    except Exception:
        try:
            return str(hub.snapshot_download(name, local_files_only=True, **options))
        except Exception:
            pass  # the first error says why
        raise


def download(
    name: str,
    *,
    revision: str | None = None,
    token: str | bool | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    force_download: bool = False,
    local_files_only: bool = False,
    subfolder: str = "",
) -> str:
    """The folder with a repository's tokenizer files, downloaded or found in the cache.

    Without a connection, what the cache holds is used.
    """
    hub = _hub("loading from a hub")
    inside = f"{subfolder.strip('/')}/" if subfolder else ""
    options: dict[str, Any] = {
        "revision": revision,
        "token": token,
        "cache_dir": cache_dir,
        "allow_patterns": [inside + file for file in _FILES],
    }
    try:
        folder = _snapshot(
            hub, name, force_download=force_download, local_files_only=local_files_only, **options
        )
    except Exception as error:
        raise HubError(
            f"`{name}` is neither a file or folder here, nor in the cache of the hub, and the hub did "
            f"not give it ({_reason(error)}); check the name and the connection, pass `token` for a "
            "private repository, or give the path of a local copy"
        ) from error
    found = os.path.join(folder, subfolder) if subfolder else folder
    if not any(os.path.exists(os.path.join(found, file)) for file in _ENOUGH):
        raise HubError(
            f"the repository `{name}`{f' has in {subfolder}' if subfolder else ''} holds no tokenizer: none "
            f"of {', '.join(_ENOUGH)} is there{' (in the local cache)' if local_files_only else ''}"
        )
    return str(found)


def download_json(name: str, revision: str, token: str | None) -> str:
    """The ``tokenizer.json`` of a repository, and nothing else."""
    options: dict[str, Any] = {"revision": revision, "token": token, "allow_patterns": ["tokenizer.json"]}
    hub = _hub("loading from a hub")
    try:
        folder = _snapshot(hub, name, local_files_only=False, force_download=False, **options)
        found = os.path.join(folder, "tokenizer.json")
        if not os.path.exists(found):
            raise FileNotFoundError("the repository holds none")
        return found
    except Exception as error:
        raise HubError(
            f"no tokenizer.json of `{name}` from the hub ({_reason(error)}); check the name and the "
            "connection, pass `token` for a private repository, or give tessella.load the path of a file"
        ) from error


def upload(folder: str, repo_id: str, **options: Any) -> str:
    """Uploads a folder to a repository, which is created if need be; the address of the commit."""
    hub = _hub("uploading to a hub")
    token = options.pop("token", None)
    private = options.pop("private", None)
    try:
        made = hub.create_repo(repo_id, private=private, token=token, exist_ok=True)
        commit = hub.upload_folder(
            repo_id=getattr(made, "repo_id", repo_id), folder_path=folder, token=token, **options
        )
    except Exception as error:
        raise HubError(f"`{repo_id}` could not be uploaded: {_reason(error)}") from error
    return str(commit)
