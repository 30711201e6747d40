"""What the entries of a vocabulary are, and which bytes of a text each stands for.

The entries of a model are spelled in its own way: printable letters for bytes, a mark for a blank, a prefix
for what goes on. ``entries`` reads them all once and gives for every id its kind and its bytes within a text.
Evaluation, the audit and the command line ask here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import _tessella
from .errors import UnsupportedError

if TYPE_CHECKING:
    from .tokenizer import Tokenizer


#: ``text`` is learned, ``byte`` stands for a byte that nothing else spells (``<0x0A>``), ``added`` and
#: ``special`` were put beside the model; ``unused`` cannot come out by the file's own word.
Kind = Literal["text", "byte", "unknown", "control", "special", "added", "unused"]

#: What stands for each byte in vocabularies that fall back to bytes.
BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(256))
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_PIECE_KINDS: dict[str, Kind] = {
    "unknown": "unknown",
    "control": "control",
    "byte": "byte",
    "unused": "unused",
    "user_defined": "added",
}


@dataclass(frozen=True)
class Entries:
    """A vocabulary by id; ids that stand for nothing have ``None``."""

    tokens: list[str | None]
    kinds: list[Kind | None]
    bytes: list[bytes | None]
    #: The id of the unknown token.
    unknown: int | None

    def __len__(self) -> int:
        """One more than the largest id."""
        return len(self.tokens)


def unknown_id(tokenizer: Tokenizer) -> int | None:
    """The id of the unknown token."""
    model = tokenizer.model
    if type(model).__name__ == "SentencePiece":
        pieces = _tessella.sentencepiece_parts(tokenizer)[0]
        return next((id for id, (_, _, kind) in enumerate(pieces) if kind == "unknown"), None)
    token = getattr(model, "unk_token", None)
    if token is not None:
        return tokenizer.token_to_id(token)
    if type(model).__name__ == "Unigram":
        found = model_state(tokenizer).get("unk_id")
        return found if isinstance(found, int) else None
    return None


def model_state(tokenizer: Tokenizer) -> dict[str, Any]:
    """The model as it is written, empty where only its own format can hold it."""
    try:
        state: dict[str, Any] = json.loads(tokenizer.model.__getstate__())
    except UnsupportedError:
        return {}
    return state


def piece_scores(tokenizer: Tokenizer) -> tuple[bool, list[float]]:
    """Of a SentencePiece model, whether it is a Unigram model (else BPE), and the scores of its pieces."""
    pieces, _, options = _tessella.sentencepiece_parts(tokenizer)
    return bool(options["unigram"]), [score for _, score, _ in pieces]


def _falls_back(tokenizer: Tokenizer) -> bool:
    """Whether what has no token becomes bytes."""
    return bool(getattr(tokenizer.model, "byte_fallback", False))


def within(tokenizer: Tokenizer) -> Callable[[int, str], bytes]:
    """A function that gives the bytes of a token within a text.

    At the start of a text some decoders leave a blank out.
    """
    model = tokenizer.model
    kind = type(model).__name__
    if kind in ("WordPiece", "WordLevel"):
        # Their decoders put blanks between words, which are in no token.
        prefix = getattr(model, "continuing_subword_prefix", None) or ""
        return lambda id, token: token.removeprefix(prefix).encode()
    prefix = getattr(model, "continuing_subword_prefix", None) or ""
    others = _without(prefix, _as_decoded(tokenizer, getattr(model, "end_of_word_suffix", None) or ""))
    if kind == "SentencePiece":
        others = _as_sentencepiece
    if not _falls_back(tokenizer):
        return others

    def with_bytes(id: int, token: str) -> bytes:
        spelled = _BYTE.fullmatch(token)
        return bytes([int(spelled[1], 16)]) if spelled else others(id, token)

    return with_bytes


def _without(prefix: str, of: Callable[[int, str], bytes]) -> Callable[[int, str], bytes]:
    """The same without the mark of what goes on a word, which stands for no text."""
    if not prefix:
        return of
    mark = prefix.encode()

    def plain(id: int, token: str) -> bytes:
        spelled = of(id, token)
        return spelled.removeprefix(mark) if token.startswith(prefix) and token != prefix else spelled

    return plain


def _as_sentencepiece(_: int, token: str) -> bytes:
    return token.replace("▁", " ").encode()


def _as_decoded(tokenizer: Tokenizer, suffix: str) -> Callable[[int, str], bytes]:
    decoder = tokenizer.decoder
    spells_bytes = decoder is not None and decoder._handle.spells_bytes()

    def decoded(id: int, token: str) -> bytes:
        once = tokenizer.decode_bytes([id], skip_special_tokens=False)
        if suffix and token.endswith(suffix):
            # It marks the end of a word; whether a blank comes after it, the token does not say.
            return once.removesuffix(suffix.encode()).removesuffix(b" ")
        if decoder is None or spells_bytes:
            return once
        twice = tokenizer.decode_bytes([id, id], skip_special_tokens=False)
        return twice[len(once) :] if twice.startswith(once) else once

    return decoded


def _spelled_at_once(tokenizer: Tokenizer, vocabulary: dict[str, int]) -> dict[int, bytes]:
    """The bytes of all tokens of which every letter stands for a byte; empty where that is not so."""
    decoder, added = tokenizer.decoder, tokenizer.get_added_tokens_decoder()
    if decoder is None or not decoder._handle.spells_bytes():
        return {}
    marks = ("end_of_word_suffix", "continuing_subword_prefix")
    if any(getattr(tokenizer.model, mark, None) for mark in marks):
        return {}
    learned = [(token, id) for token, id in vocabulary.items() if id not in added]
    joined = tokenizer.decode_bytes([id for _, id in learned], skip_special_tokens=False)
    if len(joined) != sum(len(token) for token, _ in learned):
        return {}
    found, at = {}, 0
    for token, id in learned:
        found[id] = joined[at : at + len(token)]
        at += len(token)
    return found


def entries(tokenizer: Tokenizer) -> Entries:
    """Every entry of a tokenizer's vocabulary, added tokens included."""
    vocabulary = tokenizer.get_vocab()
    added = tokenizer.get_added_tokens_decoder()
    size = 1 + max([*vocabulary.values(), *added], default=-1)
    tokens: list[str | None] = [None] * size
    kinds: list[Kind | None] = [None] * size
    spelled: list[bytes | None] = [None] * size
    unknown = unknown_id(tokenizer)
    model = tokenizer.model
    has_bytes = _falls_back(tokenizer)
    bytes_of = within(tokenizer)
    at_once = _spelled_at_once(tokenizer, vocabulary)
    pieces: list[tuple[str, float, str]] = []
    if type(model).__name__ == "SentencePiece":
        pieces = _tessella.sentencepiece_parts(tokenizer)[0]
    for token, id in vocabulary.items():
        tokens[id] = token
        if id in added:
            continue
        kind: Kind = "text"
        if id < len(pieces):
            kind = _PIECE_KINDS.get(pieces[id][2], "text")
        elif has_bytes and _BYTE.fullmatch(token):
            kind = "byte"
        if id == unknown:
            kind = "unknown"
        kinds[id] = kind
        if kind in ("control", "unknown"):
            spelled[id] = token.encode()
        else:
            spelled[id] = at_once[id] if id in at_once else bytes_of(id, token)
    for id, one in added.items():
        tokens[id] = one.content
        kinds[id] = "unknown" if id == unknown else "special" if one.special else "added"
        spelled[id] = one.content.encode()
    return Entries(tokens, kinds, spelled, unknown)
