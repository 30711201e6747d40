"""Texts in many scripts, for all who try whether two tokenizers do the same."""

from __future__ import annotations

SCRIPTS = (
    "東京タワーです。",
    "안녕 하세요",
    "नमस्ते",
    "مرحبا",
    "שלום",
    "ไทย",
    "Ω≈ç√",
    "😀👨\u200d👩\u200d👧🇩🇪",
    "𝒳𐍈",
)

#: Blanks, marks, compositions and what looks like a token.
RULES = (
    *("", " ", "  ", "a", " a", "a ", "  a  b  ", "\t", "a\tb", "a\nb", "\n\n a\r\n", "a\u00a0b", "\u3000a"),
    *("Hello, world!", "don't", "1234567890", "3.14 €", "x" * 70, "ab" * 40, "a" + " " * 30 + "b"),
    *("e\u0301 é ﬁ ① Ａ ｶﾞ", "\u00ad\u200b\u200d\ufeff", "\ufffd", "\x00\x01\x7f", "İıſß", "ÀÉÎ"),
    *SCRIPTS,
    *("▁", "▁▁ ▁a", "a▁b", "<s>", "</s> <unk>", "<0x41>", "<pad> [CLS]"),
)
