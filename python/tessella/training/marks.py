"""The decoder that takes the marks of words and of their parts away again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import decoders
from .._tessella import Regex

if TYPE_CHECKING:
    from ..decoders import Decoder
    from ..models import Model

#: Settings of a model, and options of its trainer, that a decoder has to know.
MARKS = ("continuing_subword_prefix", "end_of_word_suffix")


def decoder_for(model: Model, spelled: Decoder | None = None) -> Decoder | None:
    """The decoder of a model whose pieces are words, ``None`` where nothing tells where words begin.

    Args:
        model: with the marks that its trainer gets too.
        spelled: what undoes a pre-tokenizer that marks words itself, as ``ByteLevel`` and ``Metaspace`` do.

    Example:
        >>> from tessella import models
        >>> decoder_for(models.BPE(end_of_word_suffix="</w>")).decode(["lo", "w</w>", "til", "es</w>"])
        'low tiles'
        >>> decoder_for(models.WordPiece(), decoders.Metaspace()).decode(["▁lo", "##w", "▁til", "##es"])
        'low tiles'
    """
    prefix = getattr(model, "continuing_subword_prefix", None)
    suffix = getattr(model, "end_of_word_suffix", None)
    unmarked: list[Decoder] = []
    if prefix:
        unmarked.append(decoders.Replace(Regex(f"^{re.escape(prefix)}"), ""))
    if suffix:
        unmarked.append(decoders.Replace(Regex(f"{re.escape(suffix)}$"), ""))
    if spelled is not None:
        return decoders.Sequence([*unmarked, spelled]) if unmarked else spelled
    if type(model).__name__ == "WordPiece":
        return decoders.WordPiece(prefix or "")
    if suffix:
        ends = decoders.BPEDecoder(suffix)
        return decoders.Sequence([unmarked[0], ends]) if prefix else ends
    return decoders.WordPiece(prefix, cleanup=False) if prefix else None
