"""Components and tokenizers as the Python text that one would type, from their JSON."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

# Fields whose value is a name and not a text.
_NAMES = {"behavior", "prepend_scheme", "direction", "progress_format"}
# Fields whose value, a list in JSON, is one tuple.
_TUPLES = {"sep", "cls"}
# Fields whose value, a list in JSON, holds tuples.
_LISTS_OF_TUPLES = {"merges", "vocab"}
# The stages of a tokenizer, as they are shown.
_STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")


class Limit(NamedTuple):
    """How much is shown: entries of a list or dict, and bytes of a text."""

    entries: int | None = None
    bytes: int | None = None


# A vocabulary is megabytes, which nobody wants in a terminal; a character map is one text of hundreds of
# kilobytes.
REPR = Limit(entries=99)
STR = Limit(entries=5, bytes=100)
WHOLE = Limit()


def _number(value: float) -> str:
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    if value == int(value) if value not in (float("inf"), float("-inf")) and value == value else False:
        return str(int(value))
    text = repr(value)
    if "e" not in text:
        return text
    from decimal import Decimal

    return format(Decimal(text), "f")


def joined(parts: list[str], limit: Limit) -> str:
    if limit.entries is not None and len(parts) > limit.entries:
        parts = [*parts[: limit.entries], "..."]
    return ", ".join(parts)


def _first(values: Any, limit: Limit) -> list[Any]:
    """As many entries as will be shown, and one more."""
    return list(values) if limit.entries is None else list(islice(values, limit.entries + 1))


def _text(text: str, limit: Limit) -> str:
    """A text, cut behind a whole character if it is long."""
    if limit.bytes is None or 4 * len(text) <= limit.bytes:
        return text
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= limit.bytes:
        return text
    return encoded[: limit.bytes].decode("utf-8", "ignore") + "..."


def struct(name: str, fields: dict[str, Any], limit: Limit = WHOLE) -> str:
    shown = (f"{key}={render(value, limit, key)}" for key, value in fields.items())
    return f"{name}({', '.join(shown)})"


def render(value: Any, limit: Limit = WHOLE, key: str = "") -> str:
    """JSON data as text; ``limit`` cuts lists and dicts."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return value if key in _NAMES else f'"{_text(value, limit)}"'
    if isinstance(value, list):
        if key in _TUPLES:
            return f"({', '.join(render(one, limit) for one in value)})"
        inner = _first(value, limit)
        if key in _LISTS_OF_TUPLES:
            return f"[{joined([render(one, limit._replace(entries=None), 'sep') for one in inner], limit)}]"
        return f"[{joined([_piece(one, limit, key) for one in inner], limit)}]"
    if isinstance(value, dict):
        return _mapping(value, limit, key)
    return repr(value)


def _piece(value: Any, limit: Limit, key: str) -> str:
    """An entry of a list; those of a template have their kind as their only key."""
    if key in ("single", "pair") and isinstance(value, dict) and len(value) == 1:
        kind, fields = next(iter(value.items()))
        if kind == "Sequence":
            return f"Sequence(id={fields['id']}, type_id={fields['type_id']})"
        return struct(kind, fields, limit)
    return render(value, limit)


def _mapping(value: dict[str, Any], limit: Limit, key: str) -> str:
    if "type" in value and key not in ("vocab", "words"):
        return struct(value["type"], {k: v for k, v in value.items() if k != "type"}, limit)
    if key == "pattern":
        kind, text = next(iter(value.items()))
        return f'{kind}("{_text(text, limit)}")'
    if key == "strategy":
        kind, number = next(iter(value.items()))
        return f"{kind}({number})"
    if key == "special_tokens":
        entries = [
            f'"{_text(name, limit)}":{struct("SpecialToken", fields, limit)}'
            for name, fields in _first(value.items(), limit)
        ]
    else:
        entries = [
            f'"{_text(name, limit)}":{render(one, limit)}' for name, one in _first(value.items(), limit)
        ]
    return "{" + joined(entries, limit) + "}"


def render_settings(name: str, value: dict[str, Any] | None, limit: Limit) -> str:
    """Truncation or padding, whose strategy is a name or a name with a number."""
    if value is None:
        return "None"
    parts = []
    for key, one in value.items():
        bare = key in ("strategy", "direction") and isinstance(one, str)
        parts.append(f"{key}={one if bare else render(one, limit, key)}")
    return f"{name}({', '.join(parts)})"


def tokenizer(of: Any, limit: Limit) -> str:
    """A tokenizer with all of its stages."""
    import json

    settings = json.loads(of._settings())
    stages = {name: getattr(of, name) for name in _STAGES}
    parts = [
        'version="1.0"',
        f"truncation={render_settings('TruncationParams', settings['truncation'], limit)}",
        f"padding={render_settings('PaddingParams', settings['padding'], limit)}",
        f"added_tokens=[{joined([render(token, limit) for token in settings['added_tokens']], limit)}]",
        *(f"{name}={'None' if stage is None else stage._render(limit)}" for name, stage in stages.items()),
    ]
    return f"Tokenizer({', '.join(parts)})"
