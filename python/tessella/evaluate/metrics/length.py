"""How long a text becomes."""

from __future__ import annotations

from ..metric import Ratio, Total

METRICS = (
    Total(
        "tokens",
        "tokens",
        "tokens",
        (0, None),
        "less",
        "Tokens of all documents, without special tokens of templates.",
        "It grows with the corpus: only tokenizers on the same corpus compare.",
        column="tokens",
    ),
    Ratio(
        "normalised_length",
        "length against the baseline",
        "tokens for each token of the baseline",
        (0, None),
        "less",
        "Tokens of all documents over the baseline's tokens of the same documents.",
        "A baseline that fits the corpus badly makes everyone look good.",
        top="tokens",
        bottom="tokens",
        by_baseline=True,
    ),
)
