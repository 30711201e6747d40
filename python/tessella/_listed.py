"""Added tokens that a folder lists beside its ``tokenizer.json``.

``tokenizer_config.json`` has them as ``added_tokens_decoder``, older folders in ``added_tokens.json``. They
are added to those of the file, in the order of their ids, and their flags replace those of tokens of the
same text. An id that is listed is no promise: a new token gets the next free one, as in transformers, and a
warning tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._formats import ROLES
from ._merged import FURTHER, named_tokens, texts
from ._notices import warn
from .errors import FormatError
from .tokens import FLAGS, AddedToken

if TYPE_CHECKING:
    from .tokenizer import Tokenizer


def add_listed(tokenizer: Tokenizer, settings: Mapping[str, Any], added: Mapping[str, Any] | None) -> None:
    """Adds what the settings files of a folder list, and makes its tokens of a role special.

    Args:
        tokenizer: the tokenizer.
        settings: those of the files as one, see ``_merged``.
        added: ``added_tokens.json``, ids by text.
    """
    named = named_tokens(settings)
    own = tokenizer.get_added_tokens_decoder()
    if "added_tokens_decoder" in settings:
        listed = listed_tokens(settings["added_tokens_decoder"])
    else:
        listed = _older(added or {}, settings, own)
        # A role makes a token special whatever its own file says, unless the newer list is there to tell.
        listed |= {id: token for id, token in own.items() if token.content in named}
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
    return tuple(getattr(token, flag) for flag in FLAGS)


def _older(
    added: Mapping[str, Any], settings: Mapping[str, Any], own: Mapping[int, AddedToken]
) -> dict[int, AddedToken]:
    """The tokens of ``added_tokens.json``, less those that the file itself tells more of."""
    special = texts([settings.get(role) for role in ROLES]) | texts(settings.get(FURTHER[0]))
    last = {token.content: id for id, token in own.items()}
    listed = {}
    for text, number in added.items():
        id = _id(number, f"added_tokens.json: $[{text!r}]")
        if id in own:
            if own[id].content != text and text not in last:
                warn(
                    f"added_tokens.json gives {text!r} the id {id}, which is that of {own[id].content!r} in "
                    "tokenizer.json: it is left out, as in transformers; check that the files belong together"
                )
        elif last.get(text, -1) < id:
            listed[id] = AddedToken(text, normalized=text not in special, special=text in special)
    return listed


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
                if key not in (*FLAGS, "content", "__type", "id"):
                    warn(f"{here} has the field `{key}`, which is none of an added token's: it is ignored")
        tokens[_id(id, here)] = token if isinstance(token, AddedToken) else _token(token, here)
    return tokens


def _token(token: object, here: str) -> AddedToken:
    if not isinstance(token, Mapping) or not isinstance(token.get("content"), str):
        raise FormatError(f"{here} must be an object with the `content` of a token, not {token!r}")
    flags = {flag: token[flag] for flag in FLAGS if token.get(flag) is not None}
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
