"""Whether tokens respect characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..metric import Ratio

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..facts import Facts


def FLAGS(facts: Facts) -> dict[str, npt.NDArray[np.uint8]]:
    """Columns that count tokens."""
    return {"partial": facts.partial, "crossing": facts.crossing, "opening": facts.opening}


METRICS = (
    Ratio(
        "partial_tokens",
        "tokens with parts of characters",
        "share of the tokens",
        (0, 1),
        "less",
        "Tokens that begin or end inside of a character over all tokens.",
        "Text in ASCII has none, whatever the vocabulary; the unknown token hides what was lost.",
        top="partial",
        bottom="tokens",
    ),
    Ratio(
        "crossing_tokens",
        "tokens over a border inside a character",
        "share of the tokens",
        (0, 1),
        "less",
        "Tokens that hold a part of one character and something of another, over all tokens.",
        "As for `partial_tokens`.",
        top="crossing",
        bottom="tokens",
    ),
    Ratio(
        "split_characters",
        "characters spread over tokens",
        "share of the characters",
        (0, 1),
        "less",
        "Characters whose bytes lie in two or more tokens over all characters.",
        "Counted by tokens that end inside of a character: what a normalizer removes or replaces is not "
        "seen.",
        top="opening",
        bottom="characters",
    ),
)
