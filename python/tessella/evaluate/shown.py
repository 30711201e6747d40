"""How numbers and texts of reports are written, whatever form the report has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._shown import visible

#: Characters of a text that are shown.
LONG = 120


def number(value: float | None) -> str:
    """A number with as many digits as it deserves.

    Example:
        >>> number(1234567), number(3.14159), number(0.01234), number(None)
        ('1,234,567', '3.142', '0.01234', '–')
    """
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) >= 10:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def reach(row: dict[str, Any]) -> str:
    """An interval, or nothing."""
    return (
        "" if row["low"] is None or row["high"] is None else f"{number(row['low'])} to {number(row['high'])}"
    )


def cell(row: dict[str, Any] | None) -> str:
    """A value with its interval."""
    if row is None:
        return "–"
    inside = reach(row)
    return number(row["value"]) + (f" ({inside})" if inside else "")


def text(shown: str, long: int = LONG) -> str:
    """A text on one line: what cannot be seen is spelled out, what is long is cut."""
    return visible(shown[:long]) + ("…" if len(shown) > long else "")


def tokenizer_rows(data: dict[str, Any], written: Callable[[str], str]) -> Iterator[list[str]]:
    """What was compared: names, models, and entries of vocabularies."""
    for one in data["tokenizers"]:
        yield [written(one["name"]), written(one["model"]), number(one["vocabulary"])]


def corpus_rows(data: dict[str, Any], written: Callable[[str], str]) -> Iterator[list[str]]:
    """What it was compared on: names, languages, sizes, and how much was looked at closely."""
    for one in data["corpora"]:
        closely = f"{number(one['sample']['documents'])} ({number(one['sample']['bytes'])} bytes)"
        sizes = number(one["documents"]), number(one["bytes"]), closely
        yield [written(one["name"]), written(one["language"]) or "–", *sizes]


def is_of_several(data: dict[str, Any]) -> bool:
    """Whether a row of one corpus has to say of which it is."""
    return len(data["corpora"]) > 1


def costly_words(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The words of all corpora, each with its own, that cost most first."""

    def beyond(row: dict[str, Any]) -> int:
        return sum(max(tokens - row["count"], 0) for tokens in row["tokens"].values())

    return sorted(data["costly_words"], key=lambda row: -beyond(row))


def costly_documents(data: dict[str, Any], tokenizer: str) -> list[dict[str, Any]]:
    """The documents of all corpora with the most tokens for each byte by one tokenizer, the dearest first."""
    own = [row for row in data["costly_documents"] if row["tokenizer"] == tokenizer]
    return sorted(own, key=lambda row: -float(row["tokens_per_byte"]))
