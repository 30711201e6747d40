"""How much text a token holds."""

from __future__ import annotations

from ..metric import Ratio

METRICS = (
    Ratio(
        "bytes_per_token",
        "bytes per token",
        "bytes of UTF-8",
        (0, None),
        "more",
        "Bytes of all documents over tokens of all documents.",
        "Scripts of two or three bytes a character look better than Latin ones; line ends and what a "
        "normalizer throws away count as text; a tokenizer that gives one unknown token for a word "
        "compresses perfectly.",
        top="bytes",
        bottom="tokens",
    ),
    Ratio(
        "characters_per_token",
        "characters per token",
        "code points",
        (0, None),
        "more",
        "Code points of all documents over tokens of all documents.",
        "A Chinese character says more than a Latin letter: languages cannot be compared by it, "
        "tokenizers can.",
        top="characters",
        bottom="tokens",
    ),
)
