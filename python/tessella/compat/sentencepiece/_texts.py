"""Positions and names that processor and normalizer share."""

from __future__ import annotations

from typing import Any

from ._errors import as_runtime_errors

Input = str | bytes


def characters_at(text: bytes) -> list[int]:
    """For every byte and the end: the number of the character it is in.

    A character is as long as its first byte says, also where the bytes after it are not its own.
    """
    if text.isascii():
        return list(range(len(text) + 1))
    positions: list[int] = []
    characters = 0
    while len(positions) < len(text):
        first = text[len(positions)]
        length = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        positions += [characters] * min(length, len(text) - len(positions))
        characters += 1
    return [*positions, characters]


def with_offsets(source: Input, normalized: str, origins: list[int]) -> tuple[Input, list[int]]:
    """A normalized text with the origin of each unit: characters for ``str``, bytes for ``bytes``."""
    if isinstance(source, bytes):
        return normalized.encode(), origins
    places = characters_at(source.encode())
    offsets = [0] * (len(normalized) + 1)
    at = 0
    for index, character in enumerate(normalized):
        at += len(character.encode())
        offsets[index] = places[origins[at - 1]]
    if origins:
        offsets[len(normalized)] = places[origins[-1]]
    return normalized, offsets


# `Any`: a text, or a text and its offsets.
def normalized(model: Any, text: Input, offsets: bool) -> Any:
    """A text as a model or its rules normalize it; with offsets also where each unit comes from."""
    if not isinstance(text, (str, bytes)):
        raise TypeError("Input must be str or bytes")
    with as_runtime_errors():
        found, origins = model.normalize(text)
    if offsets:
        return with_offsets(text, found, origins)
    return found.encode() if isinstance(text, bytes) else found
