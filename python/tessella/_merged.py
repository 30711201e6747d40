"""The settings files of a folder as one, the way transformers puts them together.

What a caller gives wins over ``tokenizer_config.json``. ``special_tokens_map.json``, of older releases, wins
over the latter, but is not read beside ``added_tokens_decoder``. Further special tokens have two names and
two kinds: lists of both names are one list, of which only the newer name counts if both hold tokens; objects
are roles of a model's own, like every ``..._token`` that is none of the usual roles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._formats import ROLES
from .tokens import AddedToken

#: The further special tokens, and their older name.
FURTHER = ("extra_special_tokens", "additional_special_tokens")
#: Roles of a model's own.
OWN = "model_specific_special_tokens"
_NEWER, _OLDER = FURTHER


def merged(
    config: Mapping[str, Any], special_tokens_map: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """All settings as one, still as JSON: a token of the older file is marked as such.

    Args:
        config: ``tokenizer_config.json``.
        special_tokens_map: ``special_tokens_map.json``.
        given: settings of the caller.
    """
    settings = {**config, **given}
    if _OLDER in settings and not settings.get(_NEWER):
        settings[_NEWER] = settings.pop(_OLDER)
    own = {
        key: settings.pop(key)
        for key in list(settings)
        if key.endswith("_token") and key not in ROLES and isinstance(settings[key], (str, AddedToken))
    }
    if isinstance(settings.get(_NEWER), Mapping):
        own |= settings.pop(_NEWER)
    if own:
        settings[OWN] = own
    if "added_tokens_decoder" not in settings:
        _take_map(settings, special_tokens_map, given)
    return settings


def _take_map(
    settings: dict[str, Any], special_tokens_map: Mapping[str, Any], given: Mapping[str, Any]
) -> None:
    """Settings of the older file."""
    for key, value in special_tokens_map.items():
        if given.get(key):
            continue
        if isinstance(value, Mapping) and key != _NEWER:
            value = _special(value)
        elif key == _NEWER and isinstance(value, list):
            there = list(settings.get(_NEWER) or ())
            tokens = [_special(one) if isinstance(one, Mapping) else one for one in value]
            value = [*there, *(token for token in tokens if token not in there)]
        settings[key] = value
    if isinstance(settings.get(_NEWER), Mapping):
        settings[OWN] = {**(settings.get(OWN) or {}), **settings.pop(_NEWER)}


def _special(token: Mapping[str, Any]) -> dict[str, Any]:
    return {**token, "special": True, "__type": "AddedToken"}


def named_tokens(settings: Mapping[str, Any]) -> set[str]:
    """The texts of the tokens that have a role, a usual one or one of the model's own."""
    own = settings.get(OWN)
    found = [value for key, value in settings.items() if key.endswith("_token")]
    return texts([*found, *(own.values() if isinstance(own, Mapping) else ())])


def texts(tokens: object) -> set[str]:
    """The texts of tokens in any of their forms; what is no list of tokens is told where it is used."""
    if not isinstance(tokens, (list, tuple)):
        return set()
    found = (
        token.get("content") if isinstance(token, Mapping) else getattr(token, "content", token)
        for token in tokens
    )
    return {text for text in found if isinstance(text, str)}
