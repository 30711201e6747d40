"""Files of one folder that contradict each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .._formats import FOLDER, ROLES
from .finding import Finding, Patient

_CONFIG, _MAP, _ADDED = FOLDER.settings
_MODEL, _TEMPLATE = "config.json", FOLDER.templates[0]
_VOCAB, _MERGES, _WORDS = FOLDER.bare
_TOKEN = re.compile(r"<\|[\w:. -]+\|>|\[(?:INST|/INST|CLS|SEP)\]|<(?:start|end)_of_turn>")


def _text(value: Any) -> Any:
    return value.get("content") if isinstance(value, dict) else value


def names(patient: Patient) -> Iterator[Finding]:
    """Tokens that the settings name are there, and have one id."""
    config, known = patient.beside.get(_CONFIG), patient.ids()
    if not isinstance(config, dict):
        return
    listed = config.get("added_tokens_decoder")
    texts = {number: _text(one) for number, one in listed.items()} if isinstance(listed, dict) else {}
    # An entry that holds no text names no token.
    texts = {number: text for number, text in texts.items() if isinstance(text, str)}
    for key, value in config.items():
        text = _text(value)
        if (
            key.endswith("_token")
            and isinstance(text, str)
            and text not in known
            and text not in texts.values()
        ):
            yield Finding(
                "config-token",
                "error",
                f"{_CONFIG}.{key}",
                f"`{text}` is no token: libraries add it with a new id, for which the model has no row",
                "name a token that is there",
            )
    wrong = {number: text for number, text in texts.items() if text in known and str(known[text]) != number}

    def mend() -> None:
        assert isinstance(listed, dict)
        # All at once: the place of one may be that of another.
        moved = {text: listed.pop(number) for number, text in wrong.items()}
        for text, token in moved.items():
            if _text(listed.get(str(known[text]))) != text:
                listed[str(known[text])] = token

    for number, text in wrong.items():
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


def roles(patient: Patient) -> Iterator[Finding]:
    """The model's settings name the ids of the tokens that the tokenizer's settings name."""
    config, model, known = patient.beside.get(_CONFIG), patient.beside.get(_MODEL), patient.ids()
    if not (isinstance(config, dict) and isinstance(model, dict)):
        return
    for role in ROLES:
        text, value = _text(config.get(role)), model.get(f"{role}_id")
        # Generation may end at several.
        values = value if isinstance(value, list) else [value]
        if isinstance(text, str) and text in known and value is not None and known[text] not in values:
            yield Finding(
                "model-id",
                "warning",
                f"{_MODEL}.{role}_id",
                f"the model has {value} for it, but the tokenizer's `{text}` is {known[text]}",
                "name the same token in both",
            )


def vocabulary(patient: Patient) -> Iterator[Finding]:
    """Older files of the vocabulary say the same."""
    known = patient.ids()

    def told(name: str, what: str, wrong: list[str]) -> Finding:
        return Finding(
            "files-contradict",
            "warning",
            name,
            f"{len(wrong)} {what} than in tokenizer.json, such as `{wrong[0]}`",
            f"remove {name}, or write it anew with the model's `save`",
        )

    if isinstance(patient.model.get("vocab"), dict):
        other = patient.beside.get(_VOCAB)
        pairs = list(other.items()) if isinstance(other, dict) else []
        if wrong := [token for token, id in pairs if known.get(token) != id]:
            yield told(_VOCAB, "tokens have other ids", wrong)
        words = patient.plain.get(_WORDS, "").split("\n")
        pairs = [(word.removesuffix("\r"), id) for id, word in enumerate(words) if word]
        if wrong := [token for token, id in pairs if known.get(token) != id]:
            yield told(_WORDS, "words have other ids", wrong)
    added = patient.beside.get(_ADDED)
    pairs = list(added.items()) if isinstance(added, dict) else []
    if wrong := [token for token, id in pairs if known.get(token) != id]:
        yield told(_ADDED, "added tokens have other ids", wrong)
    merges = patient.model.get("merges")
    if _MERGES in patient.plain and isinstance(merges, list):
        ours = [" ".join(merge) if isinstance(merge, list) else merge for merge in merges]
        lines = [line.removesuffix("\r") for line in patient.plain[_MERGES].split("\n")]
        theirs = [line for line in lines if line and not line.startswith("#version")]
        if ours != theirs:
            places = zip([*ours, ""], [*theirs, ""], strict=False)
            wrong = [other or one for one, other in places if one != other]
            yield told(_MERGES, "merges are others, or stand elsewhere,", wrong)


def templates(patient: Patient) -> Iterator[Finding]:
    """Chat templates use tokens that are there, and tell what an assistant said."""
    config = patient.beside.get(_CONFIG)
    said = patient.plain.get(_TEMPLATE) or (config.get("chat_template") if isinstance(config, dict) else None)
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


FOLDER_CHECKS = (names, maps, rows, roles, vocabulary, templates)
