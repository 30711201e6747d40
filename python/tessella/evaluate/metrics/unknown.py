"""What has no token of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..metric import Ratio

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..facts import Facts


def FLAGS(facts: Facts) -> dict[str, npt.NDArray[np.uint8]]:
    """Columns that count tokens."""
    return {"unknown": facts.unknown, "fallback": facts.fallback}


METRICS = (
    Ratio(
        "unknown_rate",
        "unknown tokens",
        "share of the tokens",
        (0, 1),
        "less",
        "Unknown tokens over all tokens.",
        "One unknown token may stand for one character or for a whole word; a model that drops what it does "
        "not know has a rate of 0. The table by script counts characters.",
        top="unknown",
        bottom="tokens",
    ),
    Ratio(
        "byte_fallback_rate",
        "text by single bytes",
        "share of the bytes",
        (0, 1),
        "less",
        "Tokens that stand for one byte of what has no token (`<0x0A>`) over bytes of the text.",
        "Byte-level vocabularies have no such tokens; look at `split_characters` there.",
        top="fallback",
        bottom="bytes",
    ),
)
