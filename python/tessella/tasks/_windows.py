"""Long texts in windows that overlap.

A model reads so many tokens at once. A longer text is cut into windows, each with its special tokens, that
share some tokens with the one before, so that what stands at an edge is seen whole once.

Example:
    >>> from tessella import Tokenizer, models, pre_tokenizers
    >>> from tessella.tasks import windows
    >>> tokenizer = Tokenizer(models.WordLevel({word: id for id, word in enumerate("abcdef")}))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> [window.tokens for window in windows(tokenizer, "a b c d e f", max_length=4, stride=1)]
    [['a', 'b', 'c', 'd'], ['d', 'e', 'f']]
"""

from __future__ import annotations

from copy import copy
from typing import Literal

from .. import Encoding, InputSequence, Tokenizer
from .._given import check_tokenizer
from ..errors import TruncationError

Truncated = Literal["longest_first", "only_first", "only_second"]


def windowed(
    tokenizer: Tokenizer, max_length: int, stride: int, truncated: Truncated, is_pair: bool = False
) -> Tokenizer:
    """A tokenizer that cuts windows; the given one stays as it is."""
    check_tokenizer("tokenizer", tokenizer)
    cutter = copy(tokenizer)
    cutter.no_padding()
    cutter.enable_truncation(max_length, stride=stride, strategy=truncated)
    specials = tokenizer.num_special_tokens_to_add(is_pair)
    if specials >= max_length:
        # Truncation to nothing keeps the whole text as what runs over: one window that is too long.
        raise TruncationError(
            f"max_length is {max_length}, but the special tokens alone are {specials}: no token of the text "
            "would fit into a window; use a larger max_length"
        )
    return cutter


def windows(
    tokenizer: Tokenizer,
    text: InputSequence,
    pair: InputSequence | None = None,
    *,
    max_length: int,
    stride: int = 0,
    truncated: Truncated | None = None,
) -> list[Encoding]:
    """The windows of a text; offsets are those of the whole text.

    Args:
        tokenizer: the tokenizer, which stays as it is.
        text: the text, or its words.
        pair: a second text, or its words.
        max_length: tokens of a window at most, special tokens included.
        stride: tokens that a window shares with the one before.
        truncated: which of the two texts is cut, by default the second if there is one.

    Example:
        >>> from tessella import models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2}, "a"))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> [window.tokens for window in windows(tokenizer, "a b c", max_length=2, stride=1)]
        [['a', 'b'], ['b', 'c']]
    """
    truncated = truncated or ("only_first" if pair is None else "only_second")
    cutter = windowed(tokenizer, max_length, stride, truncated, pair is not None)
    first = cutter.encode(text, pair, is_pretokenized=not isinstance(text, str))
    found = [first, *first.overflowing]
    longest = max(map(len, found))
    if longest > max_length:
        raise TruncationError(
            f"max_length is {max_length}, which leaves one of the two texts no token; with both, "
            "use a larger max_length"
        )
    return found
