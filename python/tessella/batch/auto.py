"""``AutoTokenizer``: the name under which tokenizers with settings are loaded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from .._types import Path
from .classes import DEFAULTS, TOKENS, plain_name
from .model_classes import PreTrainedTokenizerFast, class_named
from .tokenizer import PretrainedTokenizer


class _Auto(PretrainedTokenizer):
    """What ``AutoTokenizer.from_pretrained`` goes through to find the class that the settings name."""

    @classmethod
    def _for(cls, settings: Mapping[str, Any]) -> Any:
        name = plain_name(settings.get("tokenizer_class"))
        found = class_named(name)
        if found is None:
            return partial(PreTrainedTokenizerFast, **DEFAULTS.get(name, {}))
        # The folder says which special tokens there are: the class's own ones are not added to it.
        return partial(found, **dict.fromkeys(TOKENS.get(name, ())))


class AutoTokenizer:
    """Loads any tokenizer with its model's settings.

    Example:
        >>> import tempfile
        >>> import tessella
        >>> from tessella import models
        >>> backend = tessella.Tokenizer(models.WordLevel({"[PAD]": 0, "hello": 1}, "[PAD]"))
        >>> _ = backend.add_special_tokens(["[PAD]"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     backend.save(f"{folder}/tokenizer.json")
        ...     tokenizer = tessella.AutoTokenizer.from_pretrained(folder)
        >>> tokenizer("hello")["input_ids"], tokenizer.pad_token
        ([1], '[PAD]')
    """

    def __init__(self) -> None:
        raise TypeError("AutoTokenizer has no instances: use AutoTokenizer.from_pretrained(name_or_path)")

    @staticmethod
    def from_pretrained(
        pretrained_model_name_or_path: Path,
        *,
        revision: str | None = None,
        token: str | bool | None = None,
        cache_dir: Path | None = None,
        force_download: bool = False,
        local_files_only: bool = False,
        subfolder: str = "",
        **settings: Any,  # any JSON, as the files have it
    ) -> PretrainedTokenizer:
        """Loads a tokenizer of the class in its settings; see ``PretrainedTokenizer.from_pretrained``."""
        return _Auto.from_pretrained(
            pretrained_model_name_or_path,
            revision=revision,
            token=token,
            cache_dir=cache_dir,
            force_download=force_download,
            local_files_only=local_files_only,
            subfolder=subfolder,
            **settings,
        )
