"""Other names for special and reserved tokens, everywhere where they are named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._near import meant
from ..errors import ArgumentError
from .edited import Edited, finished
from .piece_file import BYTE, PieceFile
from .pipeline import Pipeline

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


def replace_special(tokenizer: Tokenizer, names: Mapping[str, str]) -> Edited:
    """Gives special or reserved tokens other texts; their ids stay, and so what a model has learned for them.

    They are renamed in the vocabulary, among added tokens, in what is put round sequences, in padding, in the
    settings of a folder and in its chat templates. A token of the vocabulary that was not an added one, as
    BERT's ``[unused1]``, becomes a special one: otherwise no text could have it.

    Args:
        tokenizer: stays as it is.
        names: old texts and new ones.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> old = Tokenizer(models.WordLevel({"<unk>": 0, "[unused1]": 1}))
        >>> edited = edit.replace_special(old, {"[unused1]": "<tool>"})
        >>> edited.tokenizer.encode("<tool>").ids, edited.id_map.is_identity
        ([1], True)
    """
    if not isinstance(names, Mapping):
        raise TypeError(
            f"`names` must be a dict of old texts and new ones, not {type(names).__name__} {names!r:.60}"
        )
    pipeline = Pipeline(tokenizer)
    notes: list[str] = []
    for old, new in names.items():
        notes += _rename(pipeline, old, new)
    return finished(pipeline, {id: id for id in pipeline.before}, is_exact=False, notes=notes)


def _rename(pipeline: Pipeline, old: str, new: str) -> list[str]:
    by_text = {token: id for id, token in pipeline.tokens().items()}
    if not new:
        raise ArgumentError(f"the new name of `{old}` is empty")
    if old not in by_text:
        raise ArgumentError(f"there is no token `{old}`{meant(old, by_text)}")
    if new in by_text:
        raise ArgumentError(f"`{old}` cannot become `{new}`: the id {by_text[new]} is called so")
    id = by_text[old]
    if id in pipeline.vocabulary.parts() or id in pipeline.vocabulary.users():
        raise ArgumentError(
            f"`{old}` is made by merges, or others are made of it: texts need it, so it is no reserved token"
        )
    if _is_spelled(pipeline, id):
        raise ArgumentError(f"`{old}` cannot become `{new}`: {pipeline.vocabulary.vital()[id]}")
    pipeline.vocabulary.rename(old, new)
    added = [one for one in pipeline.added if one["content"] == old]
    for one in added:
        one["content"] = new
    if not added and not isinstance(pipeline.vocabulary, PieceFile):
        flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        pipeline.added.append({"id": id, "content": new, **flags, "special": True})
    _in_processor(pipeline.processor, old, new)
    if pipeline.padding is not None and pipeline.padding["pad_token"] == old:
        pipeline.padding["pad_token"] = new
    pipeline.config = _renamed(pipeline.config, old, new)
    if pipeline.special_tokens_map is not None:
        pipeline.special_tokens_map = json.dumps(
            _renamed(json.loads(pipeline.special_tokens_map), old, new), ensure_ascii=False
        )
    return _in_templates(pipeline, old, new)


def _is_spelled(pipeline: Pipeline, id: int) -> bool:
    """Whether the model finds a token by its name and has no other for that text, as those of bytes."""
    vocabulary = pipeline.vocabulary
    if isinstance(vocabulary, PieceFile):
        return id in vocabulary.entries and vocabulary.entries[id].kind == BYTE
    return id != vocabulary.unknown() and id in vocabulary.vital()


def _in_processor(part: dict[str, Any] | None, old: str, new: str) -> None:
    if part is None:
        return
    for inner in part.get("processors", ()):
        _in_processor(inner, old, new)
    for key in ("sep", "cls"):
        if key in part and part[key][0] == old:
            part[key] = [new, part[key][1]]
    specials = part.get("special_tokens")
    if specials is None:
        return
    for special in specials.values():
        special["tokens"] = [new if token == old else token for token in special["tokens"]]
    if old in specials:
        specials[new] = {**specials.pop(old), "id": new}
        for place in (*part["single"], *part["pair"]):
            if place.get("SpecialToken", {}).get("id") == old:
                place["SpecialToken"]["id"] = new


def _renamed(value: Any, old: str, new: str) -> Any:
    """Settings in which a text that is just the old name is the new one.

    Chat templates are texts of their own.
    """
    if isinstance(value, dict):
        return {key: one if key == "chat_template" else _renamed(one, old, new) for key, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, old, new) for one in value]
    return new if value == old else value


def _in_templates(pipeline: Pipeline, old: str, new: str) -> list[str]:
    templates = [pipeline.chat_template, *(text for _, text in pipeline.chat_templates)]
    number = sum((text or "").count(old) for text in templates)
    if not number:
        return []
    if pipeline.chat_template is not None:
        pipeline.chat_template = pipeline.chat_template.replace(old, new)
    pipeline.chat_templates = tuple((name, text.replace(old, new)) for name, text in pipeline.chat_templates)
    return [f"`{old}` stood {number} times in chat templates, where it is `{new}` now"]
