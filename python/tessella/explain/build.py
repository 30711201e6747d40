"""Making an explanation: each stage runs by itself, and the tokens are those of ``encode``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _tessella
from .._chance import chance_of
from .._component import SequenceMixin
from .._tessella import Encoding, NormalizedString
from .model import teller
from .result import Explanation, ModelPiece, Piece, SequenceSteps, Stage, TokenView

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tokenizer import Tokenizer
    from .model import Derivation


def _parts(component: Any) -> list[Any]:
    """The components that a sequence runs, in order."""
    if component is None:
        return []
    if isinstance(component, SequenceMixin):
        return [part for index in range(len(component)) for part in _parts(component[index])]
    return [component]


def _chance(model: Any) -> str | None:
    chance = chance_of(model)
    if chance == "dropout":
        left_out = "merges that the model skipped by chance are shown as if it had not"
        return f"dropout of {model.dropout}: {left_out}"
    if chance == "sampling":
        return "sampling: the model takes one of the ways by chance, not always the best"
    return None


def _tokens(encoding: Encoding, texts: tuple[str, ...]) -> tuple[TokenView, ...]:
    columns = zip(
        encoding.ids,
        encoding.tokens,
        encoding.offsets,
        encoding.special_tokens_mask,
        encoding.sequence_ids,
        encoding.type_ids,
        strict=True,
    )
    return tuple(
        TokenView(
            id,
            token,
            start,
            end,
            "" if sequence is None else texts[sequence][start:end],
            bool(special),
            sequence,
            type_id,
        )
        for id, token, (start, end), special, sequence, type_id in columns
    )


def _sequence(
    tokenizer: Tokenizer, text: str, encoding: Encoding, tell: Callable[[str], Derivation | None]
) -> SequenceSteps:
    raw, later = _tessella.stages(tokenizer, text, tokenizer.encode_special_tokens)
    at_first = [Piece(*piece) for piece in raw]
    after_stages = [[Piece(*one) for one in stage] for stage in later]
    stages = [Stage("text", (Piece(text, 0, len(text)),))]
    if any(piece.added is not None for piece in at_first):
        stages.append(Stage("added tokens", tuple(at_first)))
    now = at_first
    for part in _parts(tokenizer.normalizer):
        now = [piece if piece.added is not None else _normalized(part, piece) for piece in now]
        stages.append(Stage(f"normalizer {type(part).__name__}", tuple(now)))
    added = [sum(piece.added is not None for piece in pieces) for pieces in (at_first, after_stages[0])]
    if added[0] != added[1]:
        stages.append(Stage("added tokens in normalized text", tuple(after_stages[0])))
    for part, pieces in zip(_parts(tokenizer.pre_tokenizer), after_stages[1:], strict=True):
        stages.append(Stage(f"pre-tokenizer {type(part).__name__}", tuple(pieces)))

    tokens = _tokens(encoding, (text,))
    of_piece: dict[int | None, list[TokenView]] = {}
    for word, token in zip(encoding.word_ids, tokens, strict=True):
        of_piece.setdefault(word, []).append(token)
    told = tuple(
        ModelPiece(
            piece,
            tuple(of_piece.get(number, ())),
            None if piece.added is not None else tell(piece.text),
        )
        for number, piece in enumerate(after_stages[-1])
    )
    return SequenceSteps(text, tuple(stages), told)


def _normalized(part: Any, piece: Piece) -> Piece:
    text = NormalizedString(piece.text)
    part.normalize(text)
    return Piece(text.normalized, piece.start, piece.end)


def explain(
    tokenizer: Tokenizer,
    text: str,
    pair: str | None = None,
    *,
    add_special_tokens: bool = True,
    n_best: int = 3,
    derivations: bool = True,
) -> Explanation:
    """See ``Tokenizer.explain``. Without derivations, which take most of the time, the model's steps are not
    told."""
    texts = (text,) if pair is None else (text, pair)
    encodings = [
        tokenizer.encode(one, add_special_tokens=False, truncation=False, padding=False) for one in texts
    ]
    model = tokenizer.model
    chance = _chance(model)
    if chance is None:
        whole = tokenizer.encode(text, pair, add_special_tokens=add_special_tokens)
    else:
        # Encoding again would draw again.
        second = encodings[1] if pair is not None else None
        whole = tokenizer.post_process(encodings[0], second, add_special_tokens)
    tell = teller(tokenizer, n_best) if derivations else lambda _: None
    return Explanation(
        type(model).__name__,
        tuple(
            _sequence(tokenizer, one, encoding, tell) for one, encoding in zip(texts, encodings, strict=True)
        ),
        _tokens(whole, texts),
        chance,
    )
