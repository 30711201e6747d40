"""Files of one folder that contradict each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .finding import Finding, Patient

_CONFIG, _MAP, _MODEL = "tokenizer_config.json", "special_tokens_map.json", "config.json"
_TOKEN = re.compile(r"<\|[\w:. -]+\|>|\[(?:INST|/INST|CLS|SEP)\]|<(?:start|end)_of_turn>")


def _text(value: Any) -> Any:
    return value.get("content") if isinstance(value, dict) else value


def names(patient: Patient) -> Iterator[Finding]:
    """Tokens that the settings name are there, and have one id."""
    config, known = patient.beside.get(_CONFIG), patient.ids()
    if not isinstance(config, dict):
        return
    listed = config.get("added_tokens_decoder")
    own = {_text(one) for one in listed.values()} if isinstance(listed, dict) else set()
    for key, value in config.items():
        text = _text(value)
        if key.endswith("_token") and isinstance(text, str) and text not in known and text not in own:
            yield Finding(
                "config-token",
                "error",
                f"{_CONFIG}.{key}",
                f"`{text}` is no token: libraries add it with a new id, for which the model has no row",
                "name a token that is there",
            )
    if not isinstance(listed, dict):
        return
    for number, token in listed.items():
        text = _text(token)
        if text in known and str(known[text]) != number:

            def mend(number: str = number, text: Any = text) -> None:
                listed[str(known[text])] = listed.pop(number)

            yield Finding(
                "config-id",
                "error",
                f"{_CONFIG}.added_tokens_decoder[{number!r}]",
                f"`{text}` has the id {number} here and {known[text]} in tokenizer.json",
                "take that of tokenizer.json",
                mend,
            )


def maps(patient: Patient) -> Iterator[Finding]:
    """The two files that name special tokens name the same ones."""
    config, other = patient.beside.get(_CONFIG), patient.beside.get(_MAP)
    if not (isinstance(config, dict) and isinstance(other, dict)):
        return
    for key, value in other.items():
        text = _text(value)
        if isinstance(text, str) and key in config and _text(config[key]) != text:
            yield Finding(
                "map-contradicts",
                "warning",
                f"{_MAP}.{key}",
                f"it is `{text}` here and `{_text(config[key])}` in {_CONFIG}: which counts depends on the "
                "library",
                f"take that of {_CONFIG}",
                lambda key=key: other.__setitem__(key, _text(config[key])),  # type: ignore[misc]
            )


def rows(patient: Patient) -> Iterator[Finding]:
    """The model has a row for every id."""
    config = patient.beside.get(_MODEL)
    size = config.get("vocab_size") if isinstance(config, dict) else None
    top = patient.next_id()
    if isinstance(size, int) and size < top:
        yield Finding(
            "model-size",
            "error",
            f"{_MODEL}.vocab_size",
            f"the model has {size} rows, but ids go up to {top - 1}",
            "bring the model along with tessella.edit.resize_embeddings, or remove tokens",
        )


def vocabulary(patient: Patient) -> Iterator[Finding]:
    """An older file of the vocabulary says the same."""
    other = patient.beside.get("vocab.json")
    if not isinstance(other, dict) or not isinstance(patient.model.get("vocab"), dict):
        return
    known = patient.ids()
    wrong = [token for token, id in other.items() if known.get(token) != id]
    if wrong:
        yield Finding(
            "files-contradict",
            "warning",
            "vocab.json",
            f"{len(wrong)} tokens have other ids than in tokenizer.json, such as `{wrong[0]}`",
            "remove vocab.json, or write it anew with the model's `save`",
        )


def templates(patient: Patient) -> Iterator[Finding]:
    """Chat templates use tokens that are there, and tell what an assistant said."""
    config = patient.beside.get(_CONFIG)
    said = patient.template or (config.get("chat_template") if isinstance(config, dict) else None)
    if not isinstance(said, str):
        return
    known = patient.ids()
    missing = sorted({found[0] for found in _TOKEN.finditer(said)} - known.keys())
    if missing:
        yield Finding(
            "template-token",
            "warning",
            "chat template",
            f"`{missing[0]}` is no token, so that it is spelled with several" + _more(missing),
            "name tokens that are there, or add it",
        )
    if "generation" not in said:
        yield Finding(
            "template-marks",
            "note",
            "chat template",
            "it does not mark what the assistant says, so that masks for training cannot be read off it",
            "put {% generation %} and {% endgeneration %} round it",
        )


def _more(missing: list[str]) -> str:
    return f", as are {len(missing) - 1} others" if len(missing) > 1 else ""


FOLDER_CHECKS = (names, maps, rows, vocabulary, templates)
