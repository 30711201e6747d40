"""Ids as callers have them, and what is done to decoded text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._notices import warn
from ..errors import ArgumentError

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


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


def cleaned(text: str, backend: Tokenizer, word_end: str | None, wanted: bool | None, default: bool) -> str:
    """The text of a tokenizer, cleaned up if that is wanted.

    Args:
        text: what the tokenizer decoded.
        backend: the tokenizer. Blanks that byte pairs decode are those of the text, and stay.
        word_end: what its pieces have at the ends of words; tokenizers of CLIP models mark these, and their
            decoder leaves the marks.
        wanted: what the caller says about cleaning up.
        default: what the settings say.
    """
    if word_end:
        text = text.replace(word_end, " ").strip()
    if not (default if wanted is None else wanted):
        return text
    if type(backend.model).__name__ == "BPE":
        if wanted:
            warn(
                "clean_up_tokenization_spaces=True does nothing to a byte-pair tokenizer: the "
                "blanks that it decodes are those of the text"
            )
        return text
    return clean_up(text)
