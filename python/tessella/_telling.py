"""Texts in many scripts, for all who try whether two tokenizers do the same."""

from __future__ import annotations

__all__ = ["SCRIPTS"]

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
