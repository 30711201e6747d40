"""Where a tokenizer cuts a text, as parts of the text that can be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tokenizer import Tokenizer


def segments(tokenizer: Tokenizer, text: str) -> list[str]:
    """The parts of a text that its tokens stand for; tokens of one character's bytes share it.

    Example:
        >>> from tessella import Tokenizer, models
        >>> from tessella._segments import segments
        >>> segments(Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])), "abb")
        ['ab', 'b']
    """
    parts: list[str] = []
    end = 0
    encoded = tokenizer.encode(text, add_special_tokens=False, truncation=False, padding=False)
    for start, stop in encoded.offsets:
        if max(start, end) < stop:
            parts.append(text[max(start, end) : stop] if start >= end else text[end:stop])
            end = stop
    return parts
