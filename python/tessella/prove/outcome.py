"""What a tokenizer makes of a text: everything that its users see, and the stages on the way.

Two outcomes are compared in the order of the stages, so that the first one that differs is the one that
parts ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import TessellaError
from ..explain.build import explain

if TYPE_CHECKING:
    from .. import Encoding
    from ..explain import Explanation
    from ..tokenizer import Tokenizer


#: Stages in their order, and what tells them apart.
STAGES = (
    "added tokens",
    "normalizer",
    "pre-tokenizer",
    "model",
    "post-processor",
    "truncation and padding",
    "offsets",
    "decoder",
)


@dataclass(frozen=True)
class Outcome:
    """What comes out."""

    ids: tuple[int, ...] = ()
    tokens: tuple[str, ...] = ()
    offsets: tuple[tuple[int, int], ...] = ()
    type_ids: tuple[int, ...] = ()
    special: tuple[int, ...] = ()
    #: The word, or piece, that each token is from.
    words: tuple[int | None, ...] = ()
    #: The text of the ids, without and with special tokens.
    decoded: str = ""
    decoded_all: str = ""
    #: What the tokenizer said instead.
    error: str | None = None


def columns(
    encoding: Encoding,
) -> tuple[
    tuple[int, ...],
    tuple[str, ...],
    tuple[tuple[int, int], ...],
    tuple[int, ...],
    tuple[int, ...],
    tuple[int | None, ...],
]:
    """What an outcome tells of an encoding, in its order."""
    return (
        tuple(encoding.ids),
        tuple(encoding.tokens),
        tuple(encoding.offsets),
        tuple(encoding.type_ids),
        tuple(encoding.special_tokens_mask),
        tuple(encoding.word_ids),
    )


def outcome(tokenizer: Tokenizer, text: str, pair: str | None = None) -> Outcome:
    """Encodes and decodes a text, or a pair. An error is an outcome as well."""
    try:
        found = tokenizer.encode(text, pair)
        ids = found.ids
        return Outcome(
            *columns(found),
            tokenizer.decode(ids),
            tokenizer.decode(ids, skip_special_tokens=False),
        )
    except TessellaError as error:
        return Outcome(error=f"{type(error).__name__}: {error}")


def parting(before: Tokenizer, after: Tokenizer, text: str, pair: str | None = None) -> str | None:
    """The first stage whose results differ, ``None`` if none does."""
    one, other = outcome(before, text, pair), outcome(after, text, pair)
    if one == other:
        return None
    if one.error is None and other.error is None and one.ids == other.ids:
        if one.decoded != other.decoded or one.decoded_all != other.decoded_all:
            return "decoder"
        if one.offsets != other.offsets:
            return "offsets"
        if one.words != other.words:
            return "pre-tokenizer"
        return "post-processor" if one.tokens == other.tokens else "model"
    try:
        told = [explain(tokenizer, text, pair, derivations=False) for tokenizer in (before, after)]
    except TessellaError:
        return "model"
    for stage in STAGES[:4]:
        if _seen(told[0], stage) != _seen(told[1], stage):
            return stage
    if _plain(before, text, pair) != _plain(after, text, pair):
        return "post-processor"
    return "truncation and padding"


def _plain(tokenizer: Tokenizer, text: str, pair: str | None) -> tuple[list[int], list[int]]:
    found = tokenizer.encode(text, pair, truncation=False, padding=False)
    return found.ids, found.type_ids


def _seen(told: Explanation, stage: str) -> Any:
    """What a stage, and all before it, made of the text."""
    seen = []
    for sequence in told.sequences:
        if stage == "model":
            seen.append([[(token.id, token.token) for token in piece.tokens] for piece in sequence.pieces])
            continue
        found: list[Any] = []
        last = sequence.stages[0]
        for one in sequence.stages:
            if stage == "added tokens" and not one.name.startswith("added"):
                continue
            if stage == "normalizer" and one.name.startswith("pre-tokenizer"):
                continue
            last = one
        if stage == "pre-tokenizer":
            last = sequence.stages[-1]
            found = [(piece.text, piece.added is not None) for piece in last.pieces]
        elif stage == "normalizer":
            # Cuts do not count here, only what is written.
            found = ["".join(piece.text for piece in last.pieces)]
        else:
            names = [one for one in sequence.stages if one.name.startswith("added")]
            last = names[0] if names else sequence.stages[0]
            found = [(piece.text, piece.added is not None) for piece in last.pieces]
        seen.append(found)
    return seen
