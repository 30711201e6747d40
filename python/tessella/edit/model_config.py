"""The settings of a model that name ids or the number of rows.

``config.json``, ``generation_config.json``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, FormatError, UnsupportedError

if TYPE_CHECKING:
    from .id_map import IdMap


_ENDS = ("_token_id", "_token_ids", "_token_index", "_words_ids")
_LISTS = ("suppress_tokens", "begin_suppress_tokens", "bad_words_ids")
#: Names with an id each, as Whisper has them.
MAPS = ("lang_to_id", "task_to_id")
#: As XLM and Flaubert have them.
_IDS = ("bos_index", "eos_index", "pad_index", "unk_index", "mask_index")
#: Parts of a model that are about its text.
_TEXT = ("text_config", "llm_config", "language_config", "decoder")


def vocabulary_size(config: dict[str, Any]) -> int | None:
    """The number of rows that the settings tell: their own, or that of the part that is about text."""
    found = config.get("vocab_size")
    if found is None:
        for name in _TEXT:
            inner = config.get(name)
            if isinstance(inner, dict) and "vocab_size" in inner:
                found = inner["vocab_size"]
                break
    if found is not None and (isinstance(found, bool) or not isinstance(found, int) or found < 1):
        raise FormatError(f"config.json: `vocab_size` must be a whole number from 1 on, found {found!r}")
    return found


def is_of_others(name: str, size: Any, old_rows: int) -> bool:
    """Whether a part of the settings is about a vocabulary of its own, as those of a Q-Former are."""
    return isinstance(size, int) and size != old_rows and name not in _TEXT


def remapped(config: Any, id_map: IdMap, old_rows: int, rows: int, where: str) -> Any:
    """The settings with new ids, and the new number of rows where the old one stood."""
    if isinstance(config, list):
        return [remapped(one, id_map, old_rows, rows, where) for one in config]
    if not isinstance(config, dict):
        return config
    changed: dict[str, Any] = {}
    for key, value in config.items():
        place = f"{where}.{key}"
        if key == "vocab_size" and value == old_rows:
            changed[key] = rows
        elif key == "vocab_size_per_layer_input" and value != old_rows:
            raise UnsupportedError(
                f"{place}: a second table of {value} rows is read by the same ids, and only tables of "
                f"{old_rows} rows are resized"
            )
        elif isinstance(value, dict) and is_of_others(key, value.get("vocab_size"), old_rows):
            changed[key] = value
        elif key.endswith(_ENDS) or key in _LISTS or key in _IDS:
            changed[key] = _ids(value, id_map, place, key in _LISTS)
        elif key in MAPS and isinstance(value, dict):
            changed[key] = {name: _ids(id, id_map, f"{place}.{name}", False) for name, id in value.items()}
        elif key == "forced_decoder_ids" and isinstance(value, list):
            _check_pairs(value, place, "place and id")
            changed[key] = [[place_of, _ids(id, id_map, place, False)] for place_of, id in value]
        elif key == "sequence_bias" and isinstance(value, list):
            _check_pairs(value, place, "ids and bias")
            changed[key] = [[_ids(ids, id_map, place, False), bias] for ids, bias in value]
        else:
            changed[key] = remapped(value, id_map, old_rows, rows, place)
    return changed


def _check_pairs(value: list[Any], place: str, what: str) -> None:
    if not all(isinstance(one, (list, tuple)) and len(one) == 2 for one in value):
        raise FormatError(f"{place} must be a list of pairs, {what}, found {value!r}")


def _has_gone(new: Any) -> bool:
    return new is None or (isinstance(new, list) and (not new or None in new))


def _ids(value: Any, id_map: IdMap, where: str, may_go: bool) -> Any:
    """One id, or lists of ids.

    Of lists that forbid tokens, those that are gone are forbidden anyway, and so is a row of tokens with one
    of them: what is left of the row was never forbidden.
    """
    if isinstance(value, list):
        rows = [
            [_ids(id, id_map, where, may_go) for id in one]
            if isinstance(one, list)
            else _ids(one, id_map, where, may_go)
            for one in value
        ]
        return rows if not may_go else [one for one in rows if not _has_gone(one)]
    # Nothing, or a number below zero: switched off.
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return value
    if value >= id_map.old_size:
        raise ArgumentError(
            f"{where} names the id {value}, but the map has ids up to {id_map.old_size - 1} only"
        )
    new = id_map[value]
    if new is None and not may_go:
        raise ArgumentError(f"{where} names the id {value}, which was removed: name another one there first")
    return new
