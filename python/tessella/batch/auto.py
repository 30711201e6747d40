"""``AutoTokenizer``: the name under which tokenizers with settings are loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._types import Path
from .tokenizer import PretrainedTokenizer

__all__ = ["DEFAULTS", "AutoTokenizer"]

_WITH_TYPES = ["input_ids", "token_type_ids", "attention_mask"]

#: What tokenizers of a class do where their settings do not say; by the name of the class without ``Fast``.
DEFAULTS: dict[str, dict[str, Any]] = {
    **{
        name: {"model_input_names": _WITH_TYPES}
        for name in (
            "BertTokenizer",
            "ElectraTokenizer",
            "DebertaTokenizer",
            "LayoutLMv2Tokenizer",
        )
    },
    "DebertaV2Tokenizer": {"model_input_names": ["input_ids", "attention_mask", "token_type_ids"]},
    "FNetTokenizer": {"model_input_names": ["input_ids", "token_type_ids"]},
    "XLNetTokenizer": {"padding_side": "left"},
    "LlamaTokenizer": {"padding_side": "left"},
    "CodeLlamaTokenizer": {"padding_side": "left"},
    "GemmaTokenizer": {"padding_side": "left"},
    "CohereTokenizer": {"padding_side": "left"},
}


class _Auto(PretrainedTokenizer):
    """What ``AutoTokenizer.from_pretrained`` goes through to find the defaults of a class."""

    @classmethod
    def _for(cls, settings: Mapping[str, Any]) -> Any:
        name = str(settings.get("tokenizer_class") or "").removesuffix("Fast")
        defaults = DEFAULTS.get(name, {})

        def made(backend: Any, /, **settings: Any) -> PretrainedTokenizer:
            return PretrainedTokenizer(backend, **{**defaults, **settings})

        return made


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
        """Loads a tokenizer; see ``PretrainedTokenizer.from_pretrained``."""
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
