"""Which class tokenizes for a model, where a folder says what the model is: its ``config.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import _tessella
from .classes import TOKENS, plain_name
from .piece_classes import CLASSES

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["class_of", "name_class"]

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


def name_class(tokenizer: Tokenizer, model: Mapping[str, Any] | None) -> None:
    """Writes the class into settings that name none, where the model's settings tell one that is known."""
    config = tokenizer.config
    if config is not None and (not isinstance(config, Mapping) or config.get("tokenizer_class")):
        return
    name = class_of(None, model)
    if plain_name(name) in {*TOKENS, *CLASSES}:
        tokenizer.config = {**(config or {}), "tokenizer_class": name}
