"""Added tokens that a folder lists beside its ``tokenizer.json``.

``tokenizer_config.json`` has them as ``added_tokens_decoder``, older folders in ``added_tokens.json``. They
are added to those of the file, in the order of their ids, and their flags replace those of tokens of the
same text. An id that is listed is no promise: a new token gets the next free one, as in transformers, and a
warning tells.
"""

from __future__ import annotations

from collections.abc import Mapping, ValuesView
from typing import TYPE_CHECKING, Any

from ._notices import warn
from .errors import FormatError
from .tokens import AddedToken

if TYPE_CHECKING:
    from .tokenizer import Tokenizer


_OLDER = "additional_special_tokens"
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def add_listed(
    tokenizer: Tokenizer,
    config: Mapping[str, Any] | None,
    special_tokens_map: Mapping[str, Any] | None,
    added: Mapping[str, Any] | None,
) -> None:
    """Adds what the settings files of a folder list; ``added`` is ``added_tokens.json``, ids by text."""
    config = config or {}
    if "added_tokens_decoder" in config:
        named = _named(config)
        listed = listed_tokens(config["added_tokens_decoder"])
    else:
        # Under its older name the list of further ones counts in the newer file only, as in transformers.
        older = {key: one for key, one in (special_tokens_map or {}).items() if key != _OLDER}
        named = _named({**config, **older})
        listed = {
            _id(id, f"added_tokens.json: $[{text!r}]"): AddedToken(
                text, normalized=text not in named, special=text in named
            )
            for text, id in (added or {}).items()
        }
        # What the file itself says of a token is more than its text.
        own = {id: token.content for id, token in tokenizer.get_added_tokens_decoder().items()}
        listed = {id: token for id, token in listed.items() if own.get(id) != token.content}
    for token in listed.values():
        token.special = token.special or token.content in named
    there = {token.content: _told(token) for token in tokenizer.get_added_tokens_decoder().values()}
    missing = [
        (id, token)
        for id, token in sorted(listed.items())
        if token.content and there.get(token.content) != _told(token)
    ]
    if not missing:
        return
    tokenizer.add_tokens([token for _, token in missing])
    moved = [(id, token.content, tokenizer.token_to_id(token.content)) for id, token in missing]
    moved = [(id, text, now) for id, text, now in moved if id != now]
    if moved:
        id, text, now = moved[0]
        more = f", and {len(moved) - 1} more tokens have other ids than listed" if len(moved) > 1 else ""
        warn(
            f"the added token {text!r} is listed with the id {id}, but tokenizer.json leaves it {now}, "
            f"as in transformers{more}: check that the files belong together"
        )


def _told(token: AddedToken) -> tuple[object, ...]:
    return tuple(getattr(token, flag) for flag in _FLAGS)


def _named(settings: Mapping[str, Any]) -> set[str]:
    """The texts of the special tokens that settings name."""
    found: list[Any] = [value for key, value in settings.items() if key.endswith("_token")]
    for key in ("extra_special_tokens", _OLDER):
        values = settings.get(key)
        values = values.values() if isinstance(values, Mapping) else values
        # What is neither is told where settings are looked at.
        found += values if isinstance(values, (list, tuple, ValuesView)) else []
    texts = (value.get("content") if isinstance(value, Mapping) else value for value in found)
    return {text for text in texts if isinstance(text, str)}


def listed_tokens(decoder: object, is_checked: bool = False) -> dict[int, AddedToken]:
    """The tokens of ``added_tokens_decoder`` by their ids; a caller may give objects in place of their JSON.

    Args:
        decoder: what the settings hold.
        is_checked: a warning has told which fields mean nothing.
    """
    where = "tokenizer_config.json: $.added_tokens_decoder"
    if not isinstance(decoder, Mapping):
        raise FormatError(f"{where} must be an object of ids and tokens, not {decoder!r}")
    tokens = {}
    for id, token in decoder.items():
        here = f"{where}[{id!r}]"
        if not is_checked and isinstance(token, Mapping):
            for key in token:
                if key not in (*_FLAGS, "content", "__type", "id"):
                    warn(f"{here} has the field `{key}`, which is none of an added token's: it is ignored")
        tokens[_id(id, here)] = token if isinstance(token, AddedToken) else _token(token, here)
    return tokens


def _token(token: object, here: str) -> AddedToken:
    if not isinstance(token, Mapping) or not isinstance(token.get("content"), str):
        raise FormatError(f"{here} must be an object with the `content` of a token, not {token!r}")
    flags = {flag: token[flag] for flag in _FLAGS if token.get(flag) is not None}
    for flag, value in flags.items():
        if not isinstance(value, bool):
            raise FormatError(f"{here}.{flag} must be true or false, not {value!r}")
    return AddedToken(token["content"], **flags)


def _id(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise FormatError(f"{where} must have a number as its id, not {value!r}")
    try:
        return int(value)
    except ValueError:
        raise FormatError(f"{where} must have a number as its id, not {value!r}") from None
