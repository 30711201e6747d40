"""Counting a corpus: the artefact that trainers learn from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._tessella import PieceCounts
from .models import Model
from .tokenizer import Tokenizer

__all__ = ["PieceCounts", "count_pieces"]


def count_pieces(
    texts: Iterable[Any],
    tokenizer: Tokenizer | None = None,
    num_threads: int | None = None,
    show_progress: bool = False,
) -> PieceCounts:
    """Counts the pieces of texts, cut as a tokenizer cuts them.

    Args:
        texts: yields texts, or lists of texts.
        tokenizer: whose added tokens, normalizer and pre-tokenizer cut the texts; without one every text is
            a piece.
        num_threads: how many threads work; ``None`` lets the engine choose. The result is the same for any
            number.
        show_progress: show progress on a terminal.

    Example:
        >>> import tessella
        >>> from tessella import models, pre_tokenizers
        >>> tokenizer = tessella.Tokenizer(models.BPE())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> counts = tessella.count_pieces(["low low lower"], tokenizer)
        >>> counts.items()
        [('low', 2), ('lower', 1)]
    """
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"`texts` must yield texts, found one {type(texts).__name__}: pass a list of texts")
    if tokenizer is None:
        tokenizer = Tokenizer(Model())
    return tokenizer._count_texts(iter(texts), None, "indicatif" if show_progress else "silent", num_threads)
