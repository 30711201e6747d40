"""From a SentencePiece model to the tokenizer that a model's class makes of it.

A folder with a ``.model`` file names the class of its tokenizer in its settings. The class decides about
the stages, the ids of its special tokens and what stands round a text; the table of ``piece_classes`` says
how. What comes out is an ordinary tokenizer, which ``tokenizer.json`` can hold, and its settings in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._ends import round_each
from .._formats import ROLES
from .._listed import listed_tokens
from .._merged import FURTHER, OWN, merged
from ..errors import UnsupportedError
from ..processors import TemplateProcessing
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from .classes import plain_name
from .piece_classes import CLASSES, GENERIC, NOT_HERE, OTHER_FILES, PieceClass
from .piece_rules import raw
from .pieces import Pieces, Roles
from .special import as_token

# Settings that say where something is, or that are said elsewhere.
_ASIDE = ("tokenizer_class", "init_inputs", "chat_template")


def with_class(
    name: str,
    plain: Tokenizer,
    config: Mapping[str, Any] | None,
    special_tokens_map: Mapping[str, Any] | None,
    added: Mapping[str, int] | None,
    given: Mapping[str, Any],
) -> tuple[Tokenizer, dict[str, Any]]:
    """The tokenizer of a class, and its settings.

    Args:
        name: the class, with or without ``Fast``.
        plain: the tokenizer by SentencePiece's own rules.
        config, special_tokens_map, added: the settings files of the folder; the last one gives ids by text.
        given: settings of the caller, which win.
    """
    name = plain_name(name)
    if name in OTHER_FILES:
        raise UnsupportedError(
            f"the class `{name}` is not made of a SentencePiece model: its vocabulary is of another kind, "
            "and the folder holds no tokenizer.json. Load the .model file itself for SentencePiece's ids, or "
            "correct `tokenizer_class` in tokenizer_config.json"
        )
    if name in NOT_HERE or (config or {}).get("auto_map"):
        why = "runs code of its own" if name in NOT_HERE else "is code that comes with the model"
        raise UnsupportedError(
            f"the class `{name}` {why} beside its SentencePiece model, so that its ids cannot be given: load "
            "the .model file itself for those of SentencePiece, or save the tokenizer as tokenizer.json with "
            "its own library"
        )
    kind = CLASSES.get(name, GENERIC)
    pieces = Pieces.of(plain)
    settings = _settings(config or {}, special_tokens_map or {}, added or {}, given)
    if kind.as_the_model:
        for key, (id, text) in pieces.named.items():
            if id >= 0:
                settings.setdefault(f"{key}_token", text)
        if pieces.add_dummy_prefix:
            settings["added_tokens_decoder"] = raw(settings["added_tokens_decoder"])
    settings = {**kind.arguments, **settings}
    tokenizer = kind.build(pieces, settings)
    roles = _roles(kind, settings)
    if "extra_special_tokens" in settings:
        extra = list(settings["extra_special_tokens"] or ())
    else:
        # A class without rules of its own leaves users' pieces to its stages.
        own = [token for token in pieces.added if token.special or not kind.as_the_model]
        extra = kind.extra(list[Any](own), settings)
    if kind.ends is not None and kind.ends_replaced:
        tokenizer.post_processor = kind.template(Roles(tokenizer, roles), settings)
    _add_tokens(tokenizer, settings.pop("added_tokens_decoder"), roles, extra)
    there = {str(token) for token in extra}
    extra += [AddedToken(token, special=True) for token in kind.marked if token not in there]
    if kind.specials_again:
        adding = [token for token in (*roles.values(), *extra) if token is not None]
        tokenizer.add_special_tokens(
            [
                AddedToken(one, normalized=False, special=True) if isinstance(one, str) else one
                for one in adding
            ]
        )
    wanted = any(key in settings for key in ("add_bos_token", "add_eos_token"))
    if kind.ends is None or (kind.ends_replaced and wanted):
        tokenizer.post_processor = _usual_ends(Roles(tokenizer, roles), settings)
    elif not kind.ends_replaced:
        tokenizer.post_processor = kind.template(Roles(tokenizer, roles), settings)
    settings |= {role: token for role, token in roles.items() if role in ROLES}
    further = {role: token for role, token in roles.items() if role not in ROLES}
    for key in (*further, OWN, FURTHER[1]):
        settings.pop(key, None)
    if further:
        settings[OWN] = further
    settings["extra_special_tokens"] = extra
    return tokenizer, {**settings, "tokenizer_class": name or "PreTrainedTokenizerFast"}


def as_json(value: Any) -> Any:
    """A setting as JSON."""
    if isinstance(value, AddedToken):
        return {"__type": "AddedToken", **value.__getstate__()}
    if isinstance(value, Mapping):
        return {key: as_json(one) for key, one in value.items()}
    return [as_json(one) for one in value] if isinstance(value, (list, tuple)) else value


def _settings(
    config: Mapping[str, Any],
    special_tokens_map: Mapping[str, Any],
    added: Mapping[str, int],
    given: Mapping[str, Any],
) -> dict[str, Any]:
    """All settings as one, with token objects in place of their JSON."""
    settings = merged(config, special_tokens_map, given)
    for key in _ASIDE:
        settings.pop(key, None)
    if "added_tokens_decoder" in settings:
        decoder = listed_tokens(settings["added_tokens_decoder"], is_checked=True)
    else:
        special = {str(_object(settings[role])) for role in ROLES if settings.get(role) is not None}
        special |= {str(_object(token)) for token in settings.get("extra_special_tokens") or ()}
        decoder = {
            id: AddedToken(text, normalized=text not in special, special=text in special)
            for text, id in added.items()
        }
    settings = {key: _tokens(value) for key, value in settings.items()}
    by_text = {str(token): token for token in decoder.values()}
    for role in ROLES:
        if settings.get(role) is not None:
            settings[role] = by_text.get(str(settings[role]), settings[role])
    settings["added_tokens_decoder"] = decoder
    return settings


def _object(value: Any) -> Any:
    """A token as an object, where its JSON has fields."""
    return as_token(value) if isinstance(value, Mapping) else value


def _tokens(value: Any) -> Any:
    """A setting with token objects in place of their JSON."""
    if isinstance(value, Mapping):
        if value.get("__type") == "AddedToken":
            return as_token(value)
        return {key: _tokens(one) for key, one in value.items()}
    return [_tokens(one) for one in value] if isinstance(value, (list, tuple)) else value


def _roles(kind: PieceClass, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The special tokens by role, the usual roles first."""
    roles: dict[str, Any] = dict.fromkeys(ROLES)
    roles |= {role: _copy(token) for role, token in kind.roles.items()}
    for role in ROLES:
        if role in settings:
            # A plain text is matched as the class says.
            usual, text = kind.roles.get(role), settings[role]
            roles[role] = _copy(usual, text) if isinstance(text, str) and usual is not None else text
    own = settings.get(OWN) or {}
    return roles | {role: token for role, token in own.items() if token is not None}


def _copy(token: str | AddedToken, content: str | None = None) -> str | AddedToken:
    """A token that may be changed, perhaps with another text. What its flags leave open stays open."""
    text = str(token) if content is None else content
    if isinstance(token, str):
        return text
    flags = (token.single_word, token.lstrip, token.rstrip, token._normalized, token.special)
    return AddedToken(text, *flags)


def _add_tokens(
    tokenizer: Tokenizer,
    decoder: Mapping[int, AddedToken],
    roles: Mapping[str, Any],
    extra: Iterable[Any],
) -> None:
    """Adds the tokens of the settings, of the roles, and the further ones, in the order of their ids."""
    adding: list[Any] = [token for _, token in sorted(decoder.items())]
    there = {str(token) for token in adding}
    for token in (*roles.values(), *extra):
        if token is not None and str(token) not in there and token not in adding:
            adding.append(token)
    # A token that is special once stays it, though the model's own piece of this text is ordinary.
    special = {str(token) for token in roles.values() if token}
    tokens = []
    for token in adding:
        if isinstance(token, str):
            token = AddedToken(token, special=True)
        elif not token.special and str(token) in special:
            token.special = True
        if token.special:
            special.add(token.content)
        tokens.append(token)
    if tokens:
        tokenizer.add_tokens(tokens)


def _usual_ends(roles: Roles, settings: dict[str, Any]) -> TemplateProcessing:
    """``bos_token`` in front and ``eos_token`` behind, where the settings want them and there are any."""
    parts: list[str | None] = []
    for role in ("bos", "eos"):
        token = roles.tokens.get(f"{role}_token")
        if token is None and settings.get(f"add_{role}_token"):
            settings[f"add_{role}_token"] = False
        parts.append(str(token) if settings.get(f"add_{role}_token") else None)
    single, pair = round_each(*parts)
    return roles.template(single, pair, *(part for part in parts if part is not None))
