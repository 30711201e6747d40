"""Which class tokenizes for a model, where a folder says what the model is: its ``config.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import _tessella
from .classes import TOKENS, plain_name
from .piece_classes import CLASSES

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


# Of models without a class of their own: whatever class their settings name says nothing.
_NONE = "PreTrainedTokenizerFast"


def class_of(config: Mapping[str, Any] | None, model: Mapping[str, Any] | None) -> str | None:
    """The class of a tokenizer by its own settings and by those of its model; ``None`` if neither says.

    Example:
        >>> from tessella.batch.model_types import class_of
        >>> class_of({"tokenizer_class": "LlamaTokenizer"}, {"model_type": "llama"})
        'LlamaTokenizer'
        >>> class_of(None, {"model_type": "mt5"})
        'T5Tokenizer'
    """
    own, model = config or {}, model or {}
    found = _tessella.class_of_model(str(model.get("model_type")))
    if found == _NONE:
        return found
    stated = own.get("tokenizer_class") or model.get("tokenizer_class")
    return str(stated) if stated else found


def class_of_pieces(config: Mapping[str, Any] | None, model: Mapping[str, Any] | None) -> str | None:
    """The class of a tokenizer with a SentencePiece model: beside a model's own settings there always is one.

    Where these name none and no class tokenizes for the kind of the model, it is the class without rules of
    its own. A folder that is not a model's has none, and SentencePiece's own rules.

    Example:
        >>> from tessella.batch.model_types import class_of_pieces
        >>> class_of_pieces({}, {"model_type": "llama"}), class_of_pieces({}, None)
        ('PreTrainedTokenizerFast', None)
    """
    return class_of(config, model) or (None if model is None else _NONE)


def name_class(tokenizer: Tokenizer, model: Mapping[str, Any] | None) -> None:
    """Writes the class into the settings of a ``tokenizer.json``, where it is another one than they name.

    They may name none, while the model's settings tell it; or one that the kind of the model rules out; or
    that of Llama for a vocabulary of bytes, which that class has not.
    """
    config = tokenizer.config
    if config is not None and not isinstance(config, Mapping):
        return
    stated = (config or {}).get("tokenizer_class")
    name = class_of(config, model)
    if plain_name(name) == "LlamaTokenizer" and _cuts_bytes(tokenizer.pre_tokenizer):
        name = _NONE
    if stated:
        is_other = name == _NONE and plain_name(stated) in {*TOKENS, *CLASSES}
    else:
        is_other = plain_name(name) in {*TOKENS, *CLASSES}
    if is_other:
        tokenizer.config = {**(config or {}), "tokenizer_class": name}


def _cuts_bytes(stage: Any) -> bool:
    """Whether a pre-tokenizer is, or has, one of bytes."""
    if type(stage).__name__ == "Sequence":
        return any(_cuts_bytes(part) for part in stage)
    return type(stage).__name__ == "ByteLevel"
