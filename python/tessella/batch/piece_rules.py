"""What a class without rules of its own makes of a SentencePiece model: the model's rules, in other words.

The model says how it was trained: which blanks it drops, whether a mark stands in front of a text, which
pieces its users defined. Here that is told with the stages of ``tokenizer.json``, as transformers does since
5.24, so that ids are nearly always those of SentencePiece:

* blanks at the ends go, and runs become one, where the model removes them; then blanks become marks;
* the mark in front is put there by ``Metaspace``, before each stretch of text between added tokens, or, with
  ``"legacy": false`` in the settings, only in front of the whole text;
* pieces that users defined are cut out behind that, and are whole: they are no added tokens;
* of the other pieces, the normal ones are merged, best score first.

Before 5.24 nothing was put in front, no blank was dropped, and users' pieces were added tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from .. import _tessella, decoders, normalizers, pre_tokenizers
from .._tessella import Regex
from ..models import BPE
from ..normalizers import Normalizer, Replace
from ..pre_tokenizers import PreTokenizer
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from .piece_stages import Arguments
from .pieces import MARK, Pieces, unigram


def generic(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    """What a class without rules of its own gives."""
    everywhere = bool(arguments.get("legacy", True))
    if pieces.unigram:
        names = dict(enumerate(text for text, _ in pieces.scores))
        tokenizer = unigram(pieces.scores, pieces.unk_id, pieces.byte_fallback)
    else:
        ids = _renamed(pieces.ids, arguments.get("added_tokens_decoder") or {})
        names = {id: text for text, id in ids.items()}
        tokenizer = _merging(pieces, ids, names)
    whole = [names[id] for id in pieces.of_kind("user_defined") if id in names]
    tokenizer.normalizer = normalizers.Sequence(_normalizers(pieces, everywhere))
    if cuts := _cuts(pieces, whole, everywhere):
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    tokenizer.decoder = _decoder(pieces)
    return tokenizer


def generic_unigram(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    """The same of a class whose models are Unigram: pieces of any other kind are taken for those of one."""
    return generic(replace(pieces, unigram=True), arguments)


def raw(tokens: Mapping[int, AddedToken]) -> dict[int, AddedToken]:
    """Added tokens that are looked for in the text as it comes: each stretch between them gets its mark."""
    return {
        id: AddedToken(
            token.content,
            single_word=token.single_word,
            lstrip=token.lstrip,
            rstrip=token.rstrip,
            normalized=False,
            special=token.special,
        )
        for id, token in tokens.items()
    }


def _merging(pieces: Pieces, ids: Mapping[str, int], names: Mapping[int, str]) -> Tokenizer:
    """A model that merges normal pieces, the best first, and takes users' pieces whole."""
    normal = [(names[id], pieces.scores[id][1]) for id in pieces.of_kind("normal") if id in names]
    ranked = sorted(normal, key=lambda one: -one[1])
    merges = _tessella.piece_merges([text for text, _ in ranked])
    return Tokenizer(
        BPE(
            ids,
            merges,
            unk_token=pieces.named["unk"][1],
            fuse_unk=True,
            byte_fallback=pieces.byte_fallback,
            ignore_merges=bool(pieces.of_kind("user_defined")),
        )
    )


def _renamed(ids: Mapping[str, int], tokens: Mapping[int, AddedToken]) -> dict[str, int]:
    """The pieces' ids under the names that the settings give to them: a place that was kept gets its token.

    A name that another piece has, and keeps, is not given away.
    """
    kept = {text for text, id in ids.items() if id not in tokens}
    names = {id: str(token) for id, token in tokens.items() if str(token) not in kept}
    return {names.get(id, text): id for text, id in ids.items()}


def _normalizers(pieces: Pieces, everywhere: bool) -> list[Normalizer]:
    parts: list[Normalizer] = [normalizers.Precompiled(pieces.charsmap)] if pieces.charsmap else []
    if pieces.remove_extra_whitespaces:
        # Blanks alone: SentencePiece leaves line breaks and tabs to its map of characters.
        parts += [Replace(Regex(r"\A +| +\z"), ""), Replace(Regex(" {2,}"), " ")]
    if pieces.escape_whitespaces:
        parts.append(Replace(" ", MARK))
    if pieces.add_dummy_prefix and everywhere:
        # Metaspace puts no mark in front of a mark, SentencePiece does.
        parts.append(Replace(Regex(rf"\A{MARK}"), MARK * 2))
    return parts


def _cuts(pieces: Pieces, whole: list[str], everywhere: bool) -> list[PreTokenizer]:
    parts: list[PreTokenizer] = []
    if pieces.add_dummy_prefix:
        parts.append(pre_tokenizers.Metaspace(MARK, "always" if everywhere else "first", False))
    if whole:
        longest_first = sorted(whole, key=len, reverse=True)
        parts.append(pre_tokenizers.Split(Regex("|".join(map(re.escape, longest_first))), "isolated"))
    return parts


def _decoder(pieces: Pieces) -> decoders.Decoder:
    parts: list[decoders.Decoder] = [decoders.Replace(MARK, " ")]
    if pieces.byte_fallback:
        parts.append(decoders.ByteFallback())
    if pieces.byte_fallback or pieces.add_dummy_prefix:
        parts.append(decoders.Fuse())
    if pieces.add_dummy_prefix:
        parts.append(decoders.Strip(" ", 1, 0))
    return decoders.Sequence(parts)
