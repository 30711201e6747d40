"""Loading a tokenizer with its settings, and saving it; a part of ``PretrainedTokenizer``."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

from .._prefix import check_prefix
from .._saving import save_folder
from ..errors import ArgumentError, FormatError, UnsupportedError
from ..loading import loaded
from ..tokenizer import Tokenizer
from .checks import check_settings
from .classes import plain_name, said_beside, warn_of_unused
from .ends import SequenceEnds
from .from_pieces import as_json
from .piece_classes import roles_of
from .unknown import check_given, looked_at, warn_of_misspelled

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Files"]

_F = TypeVar("_F", bound="Files")
_Path = str | os.PathLike[str]

# Settings that describe the files and not the tokenizer.
_NOT_SAVED = {"name_or_path", "tokenizer_file", "vocab_file", "special_tokens_map_file", "chat_template"}
_NOT_SAVED |= {"added_tokens_decoder", "additional_special_tokens", "files_loaded", "backend", "init_inputs"}
# Arguments of other libraries' from_pretrained that have nothing to say here: no code is run, nothing is
# slow.
_WITHOUT_EFFECT = (
    *("use_fast", "trust_remote_code", "proxies", "resume_download", "tokenizer_type", "config", "mirror"),
    *("_from_auto", "_commit_hash", "_is_local", "from_slow", "user_agent"),
)


# Names that a settings file cannot give a meaning: what is passed beside the settings.
_NOT_SETTINGS = ("self", "cls", "tokenizer_object", "tokenizer_file")


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


class Files(SequenceEnds):
    """The way to disk and hub; a part of ``PretrainedTokenizer``."""

    init_kwargs: dict[str, Any]

    @staticmethod
    def _settings_of(tokenizer: Tokenizer) -> dict[str, Any]:
        """The settings of the folder that a tokenizer was loaded from."""
        settings: dict[str, Any] = {}
        parts = {"tokenizer_config.json": tokenizer.config}
        if tokenizer._special_tokens_map is not None:
            parts = {"special_tokens_map.json": json.loads(tokenizer._special_tokens_map), **parts}
        for file, part in parts.items():
            if part is not None and not isinstance(part, Mapping):
                raise FormatError(f"{file} must hold a JSON object of settings, not {part!r}")
            check_settings(part or {}, file)
            settings |= part or {}
        for key in _NOT_SETTINGS:
            settings.pop(key, None)
        # The template is the tokenizer's own attribute; it may have a file to itself.
        settings.pop("chat_template", None)
        if tokenizer.config is not None:
            # These two are part of the post-processor in the file.
            settings.pop("add_bos_token", None)
            settings.pop("add_eos_token", None)
        return settings

    @classmethod
    def from_pretrained(
        cls: type[_F],
        pretrained_model_name_or_path: _Path,
        *,
        revision: str | None = None,
        token: str | bool | None = None,
        cache_dir: _Path | None = None,
        force_download: bool = False,
        local_files_only: bool = False,
        subfolder: str = "",
        **settings: Any,  # any JSON, as the files have it
    ) -> _F:
        """Loads a tokenizer with its settings from a folder, a file, or a model hub.

        No code that comes with a model is ever run.

        Args:
            pretrained_model_name_or_path: a folder, a tokenizer file, or the name of a repository on a hub.
            revision: a branch, tag or commit of the repository.
            token: an access token.
            cache_dir: where downloads are kept.
            force_download: download again.
            local_files_only: use what is here or in the cache, and nothing else.
            subfolder: where in the folder or repository the files are.
            settings: win over those in the files.
        """
        from ..loading import _is_hub_name

        name = os.fspath(pretrained_model_name_or_path)
        for argument in _WITHOUT_EFFECT:
            settings.pop(argument, None)
        given = dict(settings)
        for argument in _NOT_SETTINGS:
            if argument in settings:
                raise TypeError(f"`{argument}` is not an argument of from_pretrained, which loads `{name}`")
        for setting in settings:
            if callable(getattr(cls, setting, None)):
                raise AttributeError(f"the setting `{setting}` conflicts with the method of this name")
        path = os.path.join(name, subfolder) if subfolder else name
        if not os.path.exists(path):
            if isinstance(pretrained_model_name_or_path, os.PathLike) or not _is_hub_name(name):
                raise FileNotFoundError(
                    2,
                    "there is no such file or folder, and it cannot be the name of a repository on a hub",
                    path,
                )
            from .hub import download

            path = download(
                name,
                revision=revision,
                token=token,
                cache_dir=cache_dir,
                force_download=force_download,
                local_files_only=local_files_only,
                subfolder=subfolder,
            )
        me: Any = cls
        backend, complete = loaded(path, class_name=me._class_name({}) or None, given=settings)
        own = cls._settings_of(backend)
        check_given("from_pretrained", given, own)
        warn_of_misspelled(backend.config or {}, "tokenizer_config.json")
        if complete is not None:
            with looked_at():
                return cls._complete(backend, complete, name)
        found = own | settings
        found = me._usual_roles(backend, found) | found
        found["name_or_path"] = name
        with looked_at():
            made: _F = cls._for(found)(backend, **found)
        warn_of_unused(settings, vars(made)["_carried_out"], me._class_name(found))
        return made

    @classmethod
    def _complete(cls: type[_F], backend: Tokenizer, settings: dict[str, Any], name: str) -> _F:
        """Of a tokenizer that was made by its class: all that settings say is carried out already."""
        ends = [bool(settings.pop(f"add_{role}_token", False)) for role in ("bos", "eos")]
        made: Any = cls._for(settings)(backend, **settings, name_or_path=name)
        made._add_bos, made._add_eos = ends
        return cast(_F, made)

    @classmethod
    def _for(cls, settings: Mapping[str, Any]) -> Callable[..., Any]:
        """What makes a tokenizer of these settings."""
        del settings
        return cls

    def _config(self) -> dict[str, Any]:
        """What goes into ``tokenizer_config.json``."""
        me: Any = self
        config = {key: value for key, value in self.init_kwargs.items() if key not in _NOT_SAVED}
        for key in list(config):
            if not key.startswith("add_") and key in me.__dict__:
                config[key] = me.__dict__[key]
        config.pop("add_bos_token", None)
        config.pop("add_eos_token", None)
        config |= me.special_tokens_map
        config.setdefault("tokenizer_class", me._tokenizer_class())
        usual = roles_of(plain_name(config["tokenizer_class"]))
        for role, token in me._roles.items():
            if token is not None:
                continue
            if role in usual or role in self.init_kwargs:
                # What is not said, the class would give again.
                config[role] = None
            else:
                config.pop(role, None)
        config.pop("extra_special_tokens", None)
        config.pop("model_specific_special_tokens", None)
        if me._extra:
            config["extra_special_tokens"] = [str(token) for token in me._extra]
        config["model_max_length"] = me.model_max_length
        config["padding_side"] = me.padding_side
        config["truncation_side"] = me.truncation_side
        config["model_input_names"] = list(me.model_input_names)
        config["clean_up_tokenization_spaces"] = me.clean_up_tokenization_spaces
        config |= said_beside(plain_name(config["tokenizer_class"]), self.backend_tokenizer)
        written: dict[str, Any] = as_json(config)
        return dict(sorted(written.items()))

    @classmethod
    def _tokenizer_class(cls) -> str:
        """The name by which other libraries know the class."""
        return "PreTrainedTokenizerFast"

    def save_pretrained(
        self,
        save_directory: _Path,
        legacy_format: bool | None = None,
        filename_prefix: str | None = None,
        push_to_hub: bool = False,
        save_format: str | None = None,
        *,
        save_jinja_files: bool = True,
        repo_id: str | None = None,
        **options: Unpack[HubOptions],
    ) -> tuple[str, ...]:
        """Writes a folder that this class and the transformers library load, and tells its files.

        Args:
            save_directory: the folder; it is made if need be.
            legacy_format: only ``None`` and ``False``: vocabulary files of old formats are not written.
            filename_prefix: put before the names of the files, with a hyphen.
            push_to_hub: upload the folder too.
            save_format: only ``None`` and ``"hf"``, this form of folder.
            save_jinja_files: write chat templates as files of their own; else they stand in
                ``tokenizer_config.json``.
            repo_id: the repository to upload to; by default the name of the folder.
            options: further options of ``push_to_hub``.
        """
        if save_format not in (None, "hf"):
            raise UnsupportedError(f"`save_format` is {save_format!r}: only 'hf' is written")
        check_prefix(filename_prefix, "filename_prefix")
        if legacy_format:
            raise ArgumentError("`legacy_format` is True: vocabulary files of old formats are not written")
        folder = os.fspath(save_directory)
        if os.path.isfile(folder):
            raise NotADirectoryError(20, "a folder is needed, this is a file", folder)
        me: Any = self
        copy = self.backend_tokenizer.__copy__()
        copy.config = self._config()
        copy._special_tokens_map = None
        copy.chat_template, copy._chat_templates = me._templates_to_save()
        if not save_jinja_files:
            copy.config, _ = me.save_chat_templates(folder, copy.config, None, False)
        # What an older save has left of chat templates belongs to what is replaced.
        files = save_folder(copy, folder, filename_prefix, save_jinja_files, replaces_templates=True)
        if push_to_hub:
            self.push_to_hub(repo_id or os.path.basename(os.path.abspath(folder)), **options)
        return tuple(files)

    def push_to_hub(
        self,
        repo_id: str,
        *,
        commit_message: str | None = None,
        private: bool | None = None,
        token: str | bool | None = None,
        revision: str | None = None,
        create_pr: bool = False,
        commit_description: str | None = None,
        max_shard_size: object = None,
        tags: object = None,
    ) -> str:
        """Uploads the files that ``save_pretrained`` writes to a repository on a hub.

        Args:
            repo_id: the repository; it is made if need be.
            commit_message, revision, create_pr: what the commit says, to which branch, as a proposal or not.
            private: whether a repository that is made now is private.
            token: an access token.
            commit_description: what the commit says further.
            max_shard_size: of no effect; it concerns weights.
            tags: only ``None``: tags are written in the repository's own page, ``README.md``.
        """
        from .hub import upload

        del max_shard_size
        if tags:
            raise UnsupportedError(
                f"`tags` is {tags!r}: tags belong to the page of the repository; write them into its "
                "README.md, or call huggingface_hub.metadata_update"
            )
        described = {} if commit_description is None else {"commit_description": commit_description}

        with tempfile.TemporaryDirectory() as folder:
            self.save_pretrained(folder)
            return upload(
                folder,
                repo_id,
                commit_message=commit_message or "Upload tokenizer",
                private=private,
                token=token,
                revision=revision,
                create_pr=create_pr,
                **described,
            )
