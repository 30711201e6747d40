"""Texts and calls that the tests of the SentencePiece room run on the library and on ours."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from typing import Any

WORDS = [
    "the",
    "low",
    "lower",
    "newest",
    "wider",
    "東京",
    "タワー",
    "です",
    "2024",
    "３５",
    "F1",
    "éx",
    "привет",
    "мир",
    "نص",
    "<s>",
    "</s>",
    "<c>",
    "sym",
    "▁▁",
    "a\tb",
    "ﬁne",
    "①",
    "ＡＢ",
    "～",
    "...",
    "!!",
    "😀",
    "q",
]
MARKS = ["", "", ".", ",", "s"]


def sentences(seed: int, count: int = 300) -> list[str]:
    """Random lines of many scripts, with reserved pieces and odd spaces in them."""
    draw = random.Random(seed)

    def line() -> str:
        words = [draw.choice(WORDS) + draw.choice(MARKS) for _ in range(draw.randint(0, 9))]
        return (" " * draw.choice([1, 1, 1, 2])).join(words) + draw.choice(["", " ", "  "])

    return [line() for _ in range(count)]


def train(module: Any, lines: list[Any], **options: Any) -> bytes:
    """A model that a module trains in memory."""
    writer = io.BytesIO()
    module.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=writer, **options)
    return writer.getvalue()


BUILTIN = (IndexError, KeyError, ImportError, TypeError, ValueError, RuntimeError)


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[str, Any]:
    """What a call gives, or which built-in kind of exception it raises."""
    try:
        return "gives", comparable(call(*args, **kwargs))
    except BUILTIN as error:
        return "raises", next(kind for kind in BUILTIN if isinstance(error, kind))


def comparable(value: Any) -> Any:
    """A value in which arrays are lists with their type."""
    if hasattr(value, "dtype"):
        return str(value.dtype), value.tolist()
    if isinstance(value, (list, tuple)):
        return type(value)(comparable(one) for one in value)
    return value
