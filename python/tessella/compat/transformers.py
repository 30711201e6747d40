"""The tokenizer names of the ``transformers`` package.

They are imported from here instead: all of them are ``tessella.batch.PretrainedTokenizer`` with the defaults
of the class that they are called after. They read the same folders, files and hub names. The classes for
models of other kinds are not here, nor are those that run Python code for each token.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.compat.transformers import PreTrainedTokenizerFast
    >>> backend = Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}, "<unk>"))
    >>> tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>")
    >>> tokenizer("hello")["input_ids"]
    [0]
"""

from __future__ import annotations

from typing import Any

from ..batch import AutoTokenizer, BatchEncoding, CharSpan, PretrainedTokenizer, TokenSpan
from ..batch.auto import DEFAULTS
from ..tokens import AddedToken

__all__ = [
    "AddedToken",
    "AutoTokenizer",
    "BatchEncoding",
    "CharSpan",
    "PreTrainedTokenizerBase",
    "PreTrainedTokenizerFast",
    "TokenSpan",
    "TokenizersBackend",
]


class PreTrainedTokenizerFast(PretrainedTokenizer):
    """A tokenizer from a file, from an object, or with ``from_pretrained``."""

    @classmethod
    def _tokenizer_class(cls) -> str:
        return cls.__name__.removesuffix("Fast") if cls is not PreTrainedTokenizerFast else cls.__name__


#: A newer name of the same.
TokenizersBackend = PreTrainedTokenizerFast
#: What all tokenizers with a model's settings are here; ``isinstance`` tells them by it.
PreTrainedTokenizerBase = PretrainedTokenizer

_BRACKETS = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
_END = {"unk_token": "<|endoftext|>", "bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}
_ANGLES = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
    "sep_token": "</s>",
    "cls_token": "<s>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}
# The special tokens that the classes have where no settings say otherwise.
_CLASSES: dict[str, dict[str, Any]] = {
    "BertTokenizer": _BRACKETS,
    "DistilBertTokenizer": _BRACKETS,
    "ElectraTokenizer": _BRACKETS,
    "MPNetTokenizer": {**_ANGLES, "unk_token": "[UNK]"},
    "GPT2Tokenizer": _END,
    "GPTNeoXTokenizer": {**_END, "pad_token": "<|padding|>"},
    "RobertaTokenizer": _ANGLES,
    "BartTokenizer": _ANGLES,
    "XLMRobertaTokenizer": _ANGLES,
    "CamembertTokenizer": _ANGLES,
    "T5Tokenizer": {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"},
    "LlamaTokenizer": {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
    "GemmaTokenizer": {
        "bos_token": "<bos>",
        "eos_token": "<eos>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": "<mask>",
    },
    "Qwen2Tokenizer": {name: "<|endoftext|>" for name in ("eos_token", "unk_token", "pad_token")},
    "CLIPTokenizer": {
        "unk_token": "<|endoftext|>",
        "bos_token": "<|startoftext|>",
        "eos_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
    },
    "AlbertTokenizer": {
        "bos_token": "[CLS]",
        "eos_token": "[SEP]",
        "unk_token": "<unk>",
        "sep_token": "[SEP]",
        "pad_token": "<pad>",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    },
    "XLNetTokenizer": {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "sep_token": "<sep>",
        "pad_token": "<pad>",
        "cls_token": "<cls>",
        "mask_token": "<mask>",
    },
    "DebertaV2Tokenizer": {**_BRACKETS, "bos_token": "[CLS]", "eos_token": "[SEP]"},
    "WhisperTokenizer": _END,
}

_MADE: dict[str, type[PreTrainedTokenizerFast]] = {}


def __getattr__(name: str) -> Any:
    """The class of a model, with and without ``Fast``."""
    plain = name.removesuffix("Fast")
    if plain not in _CLASSES:
        known = ", ".join(sorted(_CLASSES))
        raise AttributeError(
            f"module {__name__!r} has no class {name!r}; it has {known}, and AutoTokenizer for all others"
        )
    if name not in _MADE:
        defaults = {**_CLASSES[plain], **DEFAULTS.get(plain, {})}
        text = f"The tokenizer of {plain.removesuffix('Tokenizer')} models."
        _MADE[name] = type(
            name, (PreTrainedTokenizerFast,), {"_defaults": defaults, "__doc__": text, "__module__": __name__}
        )
    return _MADE[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *_CLASSES, *(f"{name}Fast" for name in _CLASSES)])
