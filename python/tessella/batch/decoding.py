"""Ids as callers have them, and what is done to decoded text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._notices import warn
from ..errors import ArgumentError

if TYPE_CHECKING:
    from .tokenizer import PretrainedTokenizer


# Blanks that joining tokens with spaces leaves before punctuation and English endings.
_BLANKS = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)


def clean_up(text: str) -> str:
    """The text without blanks before punctuation and English endings.

    Example:
        >>> from tessella.batch.decoding import clean_up
        >>> clean_up("It is n't so , is it ?")
        "It isn't so, is it?"
    """
    for found, wanted in _BLANKS:
        text = text.replace(found, wanted)
    return text


def plain_ids(ids: Any) -> Any:
    """Ids as ints and lists, whatever array they come in."""
    if isinstance(ids, Mapping):
        if "input_ids" not in ids:
            raise ArgumentError(f"a dict to decode must hold `input_ids`; this one holds {list(ids)}")
        ids = ids["input_ids"]
    if isinstance(ids, (bool, bytes, bytearray, memoryview, set, frozenset)):
        raise TypeError(f"ids must be an int or lists of them, found {type(ids).__name__} {ids!r:.60}")
    if hasattr(ids, "tolist"):
        ids = ids.tolist()
        # Rows of different lengths are arrays in an array of objects.
        if not (isinstance(ids, list) and ids and hasattr(ids[0], "tolist")):
            return ids
    elif hasattr(ids, "to_pylist"):
        ids = ids.to_pylist()  # a column of Arrow's
    elif isinstance(ids, Sequence) and not isinstance(ids, (str, list, tuple)):
        ids = list(ids)  # a column of `datasets`, say
    return (
        [plain_ids(one) if hasattr(one, "tolist") else one for one in ids]
        if isinstance(ids, (list, tuple))
        else ids
    )


def _cleaned(tokenizer: PretrainedTokenizer, text: str, wanted: bool | None) -> str:
    """What the tokenizer decoded, cleaned up if the caller wants that; ``None`` leaves it to the settings."""
    word_end = tokenizer._word_end
    if word_end:
        # Pieces of CLIP models have it at the ends of words, and their decoder leaves it.
        text = text.replace(word_end, " ").strip()
    if not (tokenizer.clean_up_tokenization_spaces if wanted is None else wanted):
        return text
    # Blanks that byte pairs decode are those of the text, and stay.
    if type(tokenizer.backend_tokenizer.model).__name__ == "BPE":
        if wanted:
            warn(
                "clean_up_tokenization_spaces=True does nothing to a byte-pair tokenizer: the "
                "blanks that it decodes are those of the text"
            )
        return text
    return clean_up(text)


def decoded(
    tokenizer: PretrainedTokenizer,
    token_ids: Any,
    skip_special_tokens: bool,
    wanted: bool | None,
    cleans: object,
) -> str | list[str]:
    """The text of ids, or the texts of rows of them.

    Args:
        tokenizer: whose ids they are.
        token_ids: an id, ids or rows of ids, in lists or arrays.
        skip_special_tokens: leave special tokens out.
        wanted: what the caller says about cleaning up.
        cleans: whether anything is cleaned up.
    """
    backend = tokenizer.backend_tokenizer
    ids = plain_ids(token_ids)
    if isinstance(ids, (list, tuple)) and ids and isinstance(ids[0], (list, tuple)):
        texts = backend.decode_batch(ids, skip_special_tokens)
        return [_cleaned(tokenizer, text, wanted) for text in texts] if cleans else texts
    text = backend.decode([ids] if isinstance(ids, int) else ids, skip_special_tokens)
    return _cleaned(tokenizer, text, wanted)
