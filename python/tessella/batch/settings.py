"""What ``tokenizer_config.json`` says about a tokenizer, as it is read and as it is written again.

Where files tell the same thing, ``_merged`` says which wins. What a caller passes wins over all, and a role
that none of them gives is the class's own or what the token's name tells. Stages, and whether texts get
special tokens round them, are those of ``tokenizer.json``: see ``classes`` for the few settings that change
a stage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._formats import ROLES
from .._merged import FURTHER, merged
from ..errors import FormatError
from ..tokenizer import Tokenizer
from .checks import check_settings
from .classes import TOKENS, plain_name, said_beside
from .from_pieces import as_json
from .piece_classes import CLASSES, roles_of
from .piece_stages import Extra
from .special import guess

if TYPE_CHECKING:
    from .tokenizer import PretrainedTokenizer


# Settings that describe the files and not the tokenizer.
_NOT_SAVED = {"name_or_path", "tokenizer_file", "vocab_file", "special_tokens_map_file", "chat_template"}
_NOT_SAVED |= {"added_tokens_decoder", "additional_special_tokens", "files_loaded", "backend", "init_inputs"}
#: What classes have besides where they are not made of pieces.
_FURTHER_IN_FOLDERS = {
    "CamembertTokenizer": ("<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"),
    "XLNetTokenizer": ("<eop>", "<eod>"),
}
#: Names that a settings file cannot give a meaning: what is passed beside the settings.
NOT_SETTINGS = ("self", "cls", "tokenizer_object", "tokenizer_file")


def said(tokenizer: Tokenizer) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ``tokenizer_config.json`` and ``special_tokens_map.json`` beside a loaded tokenizer say."""
    parts = []
    older = None if tokenizer._special_tokens_map is None else json.loads(tokenizer._special_tokens_map)
    if isinstance(tokenizer.config, Mapping) and "added_tokens_decoder" in tokenizer.config:
        older = None
    for file, part in (("tokenizer_config.json", tokenizer.config), ("special_tokens_map.json", older)):
        if part is not None and not isinstance(part, Mapping):
            raise FormatError(f"{file} must hold a JSON object of settings, not {part!r}")
        check_settings(part or {}, file)
        # The template is the tokenizer's own attribute; it may have a file to itself.
        aside = {*NOT_SETTINGS, "chat_template"}
        if tokenizer.config is not None:
            # These two are part of the post-processor in the file.
            aside |= {"add_bos_token", "add_eos_token"}
        parts.append({key: value for key, value in (part or {}).items() if key not in aside})
    return parts[0], parts[1]


def together(config: Mapping[str, Any], older: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What files say (``said``) and what a caller gives, as one."""
    # A role that a caller takes away is not given back by an older file.
    return merged(config, older, given) | {key: None for key, value in given.items() if value is None}


def settings_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """The settings of the folder that a tokenizer was loaded from."""
    return together(*said(tokenizer), {})


def usual_roles(class_name: str, backend: Tokenizer, settings: Mapping[str, Any]) -> dict[str, str]:
    """Roles that the settings leave open: those of the class, or what the tokens' names tell.

    Only tokens that the tokenizer has; a folder of a plain class says all of its roles itself.
    """
    usual = TOKENS.get(class_name)
    if usual is not None:
        return {
            role: token
            for role, token in usual.items()
            if role not in settings and backend.token_to_id(token) is not None
        }
    if settings.get("tokenizer_class") or any(role in settings for role in ROLES):
        return {}
    return guess(backend)


def usual_further(class_name: str, backend: Tokenizer, settings: Mapping[str, Any]) -> dict[str, list[str]]:
    """The further special tokens of a class, as a setting, where the settings of a folder do not say any.

    Only tokens that the tokenizer has: no id is given to one that the folder does without.
    """
    kind = CLASSES.get(class_name)
    if kind is None or any(settings.get(key) is not None for key in FURTHER):
        return {}
    own: Extra = list(_FURTHER_IN_FOLDERS.get(class_name, ()))
    # A count that is none leaves the class its own.
    no_counts = {key for key in ("extra_ids", "offset") if not isinstance(settings.get(key), int)}
    said = {key: value for key, value in settings.items() if key not in no_counts}
    # No tokenizer has more of them than tokens.
    most = backend.get_vocab_size()
    said |= {key: min(said[key], most) for key in ("extra_ids", "offset") if key in said}
    further = map(str, kind.extra(own, {**kind.arguments, **said}))
    found = [token for token in further if backend.token_to_id(token) is not None]
    return {"extra_special_tokens": found} if found else {}


def to_write(tokenizer: PretrainedTokenizer) -> dict[str, Any]:
    """What goes into ``tokenizer_config.json``."""
    given, own = tokenizer.init_kwargs, vars(tokenizer)
    config = {key: value for key, value in given.items() if key not in _NOT_SAVED}
    config |= {key: own[key] for key in config if not key.startswith("add_") and key in own}
    config |= tokenizer.special_tokens_map
    config.setdefault("tokenizer_class", tokenizer._tokenizer_class())
    class_name = plain_name(config["tokenizer_class"])
    usual = roles_of(class_name)
    for role, token in tokenizer._roles.items():
        if token is not None:
            continue
        if role in usual or role in given:
            # What is not said, the class would give again.
            config[role] = None
        else:
            config.pop(role, None)
    # The post-processor and the further special tokens tell these.
    for key in ("add_bos_token", "add_eos_token", "extra_special_tokens", "model_specific_special_tokens"):
        config.pop(key, None)
    # A class that has further special tokens of its own would give them again where none are said.
    if tokenizer._extra or any(given.get(key) is not None for key in FURTHER):
        config["extra_special_tokens"] = [str(token) for token in tokenizer._extra]
    for key in ("model_max_length", "padding_side", "truncation_side", "clean_up_tokenization_spaces"):
        config[key] = own[key]
    config["model_input_names"] = list(tokenizer.model_input_names)
    config |= said_beside(class_name, tokenizer.backend_tokenizer)
    written: dict[str, Any] = as_json(config)
    return dict(sorted(written.items()))
