"""Whether a ``tokenizer.json`` has the shape that other checks look at: texts, lists, objects in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_INNER = ("normalizers", "pretokenizers", "processors", "decoders")


def misshapen(said: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Places whose values are of another kind: the path, what is expected, and what is there."""
    yield from _model(said["model"])
    added = said.get("added_tokens", [])
    if not isinstance(added, list):
        yield "$.added_tokens", "a list", added
        added = None
    for place, one in enumerate(added or []):
        where = f"$.added_tokens[{place}]"
        if not isinstance(one, dict):
            yield where, "an object", one
        elif not isinstance(one.get("content"), str):
            yield f"{where}.content", "a text", one.get("content")
        elif isinstance(one.get("id"), bool) or not isinstance(one.get("id"), int):
            yield f"{where}.id", "a whole number", one.get("id")
    for stage in _STAGES:
        yield from _part(f"$.{stage}", said.get(stage))
    for name in ("padding", "truncation"):
        part = said.get(name)
        if part is not None and not isinstance(part, dict):
            yield f"$.{name}", "an object or null", part
    pad = said.get("padding")
    strategy = pad.get("strategy") if isinstance(pad, dict) else None
    if isinstance(strategy, dict) and list(strategy) != ["Fixed"]:
        yield "$.padding.strategy", '"BatchLongest", or an object with nothing but `Fixed`', strategy
    if isinstance(pad, dict) and not isinstance(pad.get("pad_token", ""), str):
        yield "$.padding.pad_token", "a text", pad["pad_token"]


def _model(model: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for name in ("unk_token", "continuing_subword_prefix", "end_of_word_suffix"):
        if not isinstance(model.get(name), (str, type(None))):
            yield f"$.model.{name}", "a text or null", model[name]
    vocab = model["vocab"]
    if isinstance(vocab, list):
        for place, row in enumerate(vocab):
            if not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], str)):
                yield f"$.model.vocab[{place}]", "a pair of a text and a score", row
    if "merges" in model and not isinstance(model["merges"], list):
        yield "$.model.merges", "a list", model["merges"]


def _part(where: str, part: Any) -> Iterator[tuple[str, str, Any]]:
    if part is None:
        return
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        yield where, "an object with a `type`, or null", part
        return
    for key in _INNER:
        if key in part and not isinstance(part[key], list):
            yield f"{where}.{key}", "a list", part[key]
        elif key in part:
            for place, inner in enumerate(part[key]):
                yield from _part(f"{where}.{key}[{place}]", inner)
    for key in ("sep", "cls"):
        row = part.get(key)
        if key in part and not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], str)):
            yield f"{where}.{key}", "a pair of a token and its id", row
    specials = part.get("special_tokens", {})
    if not isinstance(specials, dict):
        yield f"{where}.special_tokens", "an object", specials
        return
    for name, one in specials.items():
        tokens, ids = (one.get("tokens"), one.get("ids")) if isinstance(one, dict) else (None, None)
        texts = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
        if not texts or not isinstance(ids, list):
            yield f"{where}.special_tokens[{name!r}]", "an object with lists `ids` and `tokens`", one
