"""Ids to text as they arrive, as ``Tokenizer.decode_stream`` gives it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .decoders import DecodeStream

if TYPE_CHECKING:
    from ._types import Ids
    from .tokenizer import Tokenizer


class TextStream:
    """Text from ids as they arrive; made by ``Tokenizer.decode_stream``.

    Example:
        >>> from tessella import Tokenizer, decoders, models
        >>> alphabet = {"Ġ": 0, "Ã": 1, "©": 2, "a": 3}
        >>> tokenizer = Tokenizer(models.BPE(alphabet, []))
        >>> tokenizer.decoder = decoders.ByteLevel()
        >>> stream = tokenizer.decode_stream()
        >>> [stream.step(id) for id in [3, 1, 2, 1]], stream.flush()
        (['a', None, 'é', None], '�')
    """

    __slots__ = ("_stream", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer, skip_special_tokens: bool, ids: Ids | None = None) -> None:
        self._tokenizer = tokenizer
        self._stream = DecodeStream(ids, skip_special_tokens)

    def step(self, id: int | Iterable[int]) -> str | None:
        """Takes one id, or several, and gives the text that they complete; ``None`` if they complete none."""
        return self._stream.step(self._tokenizer, id)

    def flush(self) -> str | None:
        """At the end: the text that has been held back, broken characters as U+FFFD."""
        return self._stream.flush(self._tokenizer)

    def __copy__(self) -> TextStream:
        copy = object.__new__(TextStream)
        copy._tokenizer = self._tokenizer
        copy._stream = self._stream.__copy__()
        return copy
