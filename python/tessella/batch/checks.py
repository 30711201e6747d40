"""Settings whose values are of the wrong kind, and fields of tokens that nobody reads.

A setting that is on or off must be ``true`` or ``false``: the text ``"false"`` would switch it on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._near import meant
from .._notices import warn
from ..errors import ArgumentError, FormatError, OutOfRangeError
from ..tokens import AddedToken

if TYPE_CHECKING:
    from .._types import Side

#: Settings that are on or off; ``null`` leaves them as they are by default.
_SWITCHES = (
    "add_bos_token",
    "add_eos_token",
    "add_prefix_space",
    "clean_up_tokenization_spaces",
    "do_lower_case",
    "keep_accents",
    "legacy",
    "legacy_behaviour",
    "remove_space",
    "spaces_between_special_tokens",
    "split_by_punct",
    "split_special_tokens",
    "strip_accents",
    "tokenize_chinese_chars",
    "trim_offsets",
)
_FIELDS = tuple(AddedToken().__getstate__())
#: What the JSON of a token may hold besides.
_BESIDE = ("__type", "id")
#: What calls and ``pad`` give under such names.
_COLUMNS = (
    *("input_ids", "token_type_ids", "attention_mask", "special_tokens_mask", "offset_mapping", "length"),
    *("overflow_to_sample_mapping", "labels", "assistant_masks"),
)


def a_whole_number(name: str, value: Any) -> int:
    """A number of a settings file, from 0; some hold 1e30 where there is no limit."""
    try:
        number = None if isinstance(value, bool) else int(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or (isinstance(value, float) and number != value):
        raise ArgumentError(f"`{name}` must be a whole number, not {value!r}")
    if number < 0:
        raise OutOfRangeError(f"`{name}` must be 0 or more, found {value!r}")
    return number


def a_side(name: str, value: Any) -> Side:
    """``left`` or ``right``."""
    if value not in ("left", "right"):
        raise ArgumentError(f"`{name}` must be 'left' or 'right', not {value!r}")
    return value  # type: ignore[no-any-return]


def a_name(name: str, value: Any) -> str:
    """What a tokenizer is called: a folder, a file, or a repository."""
    if not isinstance(value, (str, os.PathLike)):
        kind = type(value).__name__
        raise TypeError(f"`{name}` must be a folder, a file or the name of a repository, not {kind}")
    return os.fspath(value)


def a_flag(name: str, value: Any, file: str = "") -> bool:
    """A setting that is on or off.

    Args:
        name: the setting.
        value: its value.
        file: the settings file that holds it; empty for a caller's.
    """
    if isinstance(value, bool):
        return value
    if file:
        raise FormatError(f"{file}: `{name}` must be true or false, found {value!r:.60}")
    raise ArgumentError(f"`{name}` must be True or False, not {value!r:.60}")


def check_settings(settings: Mapping[str, Any], file: str) -> None:
    """Looks through settings; see the page above.

    Args:
        settings: the settings.
        file: the file that holds them; empty for a caller's.
    """
    for name in _SWITCHES:
        if settings.get(name) is not None:
            a_flag(name, settings[name], file)
    for name, value in settings.items():
        if name == "added_tokens_decoder" and isinstance(value, Mapping):
            for id, token in value.items():
                _check_token(f"{name}[{str(id)!r}]", token, file)
        elif name.endswith("_token"):
            _check_token(name, value, file)
        elif name.endswith("_special_tokens") and isinstance(value, (list, tuple)):
            for place, token in enumerate(value):
                _check_token(f"{name}[{place}]", token, file)
    names = settings.get("model_input_names")
    for name in names if isinstance(names, (list, tuple)) else ():
        if name not in _COLUMNS:
            where = f"{file}: " if file else ""
            warn(f"{where}`model_input_names` holds {name!r}, which no column has{_near(name, _COLUMNS)}")


def _check_token(name: str, token: Any, file: str) -> None:
    """The JSON of a token, if it is one."""
    if not isinstance(token, Mapping):
        return
    for field, value in token.items():
        if field not in (*_FIELDS, *_BESIDE):
            where = f"{file}: " if file else ""
            near = _near(field, _FIELDS)
            warn(f"{where}`{name}` has the field `{field}`, which means nothing{near}")
        elif field in _FIELDS and field != "content" and value is not None:
            a_flag(f"{name}.{field}", value, file)


def _near(name: Any, known: tuple[str, ...]) -> str:
    return meant(name, known) if isinstance(name, str) else ""
