"""The settings behind a call of a plain ``Tokenizer``, read once and kept until they change.

``tokenizer(texts)`` is a call of a ``PretrainedTokenizer`` round the tokenizer. To make one, settings are
checked, tokens get roles and names are looked up, which takes several times as long as a short text. What
came of it is kept with the tokenizer, as long as nothing that it was made of changes: the tokenizer itself
and all its components (which the engine numbers), ``config``, and what else its folder said.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

from ..tokenizer import Tokenizer
from .tokenizer import PretrainedTokenizer

#: What loading has read already, and no call asks for: as long as the vocabulary.
_LISTED = "added_tokens_decoder"


class Kept(NamedTuple):
    """What a call needs, and what it was made of."""

    version: int
    #: A copy, so that changes inside are seen.
    config: dict[str, Any] | None
    beside: tuple[object, ...]
    #: The attributes of the ``PretrainedTokenizer``, without the tokenizer, which holds this.
    attributes: dict[str, Any]


def _beside(tokenizer: Tokenizer) -> tuple[object, ...]:
    return tokenizer._special_tokens_map, tokenizer.chat_template, tokenizer._chat_templates


def _config(tokenizer: Tokenizer) -> dict[str, Any] | None:
    config = tokenizer.config
    if not isinstance(config, dict) or _LISTED not in config:
        return config
    return {key: value for key, value in config.items() if key != _LISTED}


def settled(tokenizer: Tokenizer) -> PretrainedTokenizer:
    """``PretrainedTokenizer.over``, for one call: without looking again at what has not changed.

    Example:
        >>> from tessella import Tokenizer, models
        >>> tokenizer = Tokenizer(models.WordLevel({"a": 0}, "a"))
        >>> settled(tokenizer).pad_token
        >>> _ = tokenizer.add_special_tokens(["[PAD]"])
        >>> settled(tokenizer).pad_token
        '[PAD]'
    """
    version = tokenizer._version()
    kept: Kept | None = getattr(tokenizer, "_kept", None)
    if (
        kept is None
        or kept.version != version
        or kept.config != _config(tokenizer)
        or kept.beside != _beside(tokenizer)
    ):
        # Copied first: what changes meanwhile is seen the next time.
        config, beside = deepcopy(_config(tokenizer)), _beside(tokenizer)
        attributes = {**vars(PretrainedTokenizer.over(tokenizer))}
        del attributes["backend_tokenizer"]
        kept = Kept(version, config, beside, attributes)
        tokenizer._kept = kept
    made = PretrainedTokenizer.__new__(PretrainedTokenizer)
    vars(made).update(kept.attributes, backend_tokenizer=tokenizer)
    return made
