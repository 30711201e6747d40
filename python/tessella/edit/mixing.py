"""Two Unigram models as one: a piece is as probable as both say together.

With the weight ``w`` of the second model, the probability of a piece is ``(1 - w) p + w q``. The scores of
the first model need not be normalized, so the second is brought to its sum.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import exp, fsum, inf, log

from ..counting import PieceCounts
from ..errors import TrainError
from ..models import Unigram
from ..trainers import UnigramTrainer
from .piece_file import NORMAL, Piece, PieceFile
from .pipeline import Pipeline
from .unigram import UnigramVocabulary
from .vocabulary import BYTES

#: How often a larger model is tried, if the last one had too few new pieces.
TRIES = 6
_UNKNOWN = "\U0010fffd"


def plain_scores(pipeline: Pipeline) -> dict[str, float]:
    """Pieces that texts are made of, with their scores: no unknown, control, added, user-defined or byte
    pieces.

    A ``tokenizer.json`` does not tell the kinds of its pieces. What trainers and converters put in beside the
    pieces of the distribution (``<s>``, ``<pad>``, symbols of users) has a score of 0 there, as if each alone
    were as probable as everything else together; counted in, they would be most of the sum.
    """
    vocabulary = pipeline.vocabulary
    if isinstance(vocabulary, PieceFile):
        return {piece.text: piece.score for piece in vocabulary.entries.values() if piece.kind == NORMAL}
    assert isinstance(vocabulary, UnigramVocabulary)
    apart = {one["id"] for one in pipeline.added} | {vocabulary.unknown()}
    entries = [entry for id, entry in vocabulary.entries.items() if id not in apart and entry[0] not in BYTES]
    return dict([entry for entry in entries if entry[1] != 0] or entries)


def mixture(one: Pipeline, two: Pipeline, weight: float) -> dict[str, float]:
    """The scores of the pieces of both, but of those that are no plain pieces in the first."""
    first = plain_scores(one)
    apart = set(one.vocabulary.tokens().values()) - first.keys()
    scores = mixed(first, plain_scores(two), weight)
    return {piece: score for piece, score in scores.items() if piece not in apart}


def set_scores(vocabulary: UnigramVocabulary | PieceFile, scores: Mapping[str, float]) -> None:
    """Gives pieces other scores."""
    from dataclasses import replace

    if isinstance(vocabulary, PieceFile):
        for id, piece in vocabulary.entries.items():
            if piece.kind == NORMAL and piece.text in scores:
                vocabulary.entries[id] = replace(piece, score=scores[piece.text])
        return
    unknown = vocabulary.unknown()
    for id, (text, _) in vocabulary.entries.items():
        if id != unknown and text in scores:
            vocabulary.entries[id] = (text, scores[text])


def mixed(first: Mapping[str, float], second: Mapping[str, float], weight: float) -> dict[str, float]:
    """The scores of the mixture.

    Args:
        first: scores of one model, natural logarithms.
        second: those of the other.
        weight: the share of the second.

    Example:
        >>> from math import exp, log
        >>> scores = mixed({"a": log(0.5), "b": log(0.5)}, {"a": log(0.2), "c": log(0.8)}, 0.5)
        >>> {piece: round(exp(score), 6) for piece, score in scores.items()}
        {'a': 0.35, 'b': 0.25, 'c': 0.4}
    """
    # A model without pieces says nothing of the sum that the other is to have.
    scale = (_log_sum(first.values()) - _log_sum(second.values())) if first and second else 0.0
    ours, theirs = (log(share) if share > 0 else -inf for share in (1 - weight, weight))
    scores = {}
    for piece in (*first, *(one for one in second if one not in first)):
        found = _log_sum((first.get(piece, -inf) + ours, second.get(piece, -inf) + scale + theirs))
        scores[piece] = found if found > -inf else first.get(piece, second.get(piece, 0.0))
    return scores


def _log_sum(scores: Collection[float]) -> float:
    """The logarithm of the sum of probabilities, which need not be numbers that can be written."""
    highest = max(scores)
    return highest if highest in (inf, -inf) else highest + log(fsum(exp(one - highest) for one in scores))


def _learned(words: Mapping[str, int], size: int, longest: int | None) -> dict[str, float]:
    """A Unigram model of the words alone; of the least size that is possible, where that is larger."""
    options = {} if longest is None else {"max_piece_length": longest}
    for _ in range(2):
        trainer = UnigramTrainer(
            vocab_size=size,
            special_tokens=[_UNKNOWN],
            unk_token=_UNKNOWN,
            show_progress=False,
            **options,  # type: ignore[arg-type]
        )
        try:
            model = trainer.train_from_counts(PieceCounts(words))
        except TrainError as error:
            if error.needed is None:
                raise
            size = error.needed
            continue
        assert isinstance(model, Unigram)
        return {piece: score for piece, score in model._state()["vocab"] if piece != _UNKNOWN}
    raise AssertionError("a size that is needed is enough")


def mixed_in(
    pipeline: Pipeline,
    words: Mapping[str, int],
    budget: int,
    weight: float,
    least: int,
    longest: int | None,
) -> dict[int, tuple[int, ...]]:
    """Puts new pieces into the vocabulary and changes all scores; gives constituents."""
    vocabulary = pipeline.vocabulary
    assert isinstance(vocabulary, (UnigramVocabulary, PieceFile))
    taken = set(pipeline.tokens().values())
    frequent = {word: count for word, count in words.items() if count >= least} or dict(words)
    size, before = budget + 64, -1
    for _ in range(TRIES):
        learned = _learned(frequent, size, longest)
        fresh = [piece for piece in learned if piece not in taken]
        if len(fresh) >= budget or len(learned) <= before:
            break
        size, before = size + 2 * (budget - len(fresh)) + 64, len(learned)
    chosen = sorted(fresh, key=lambda piece: (-learned[piece], piece))[:budget]
    old = plain_scores(pipeline)
    heard = old.keys() | set(chosen)
    scores = mixed(old, {piece: score for piece, score in learned.items() if piece in heard}, weight)
    first = pipeline.size
    model = pipeline.source.model
    constituents: dict[int, tuple[int, ...]] = {}
    for place, piece in enumerate(chosen):
        constituents[first + place] = tuple(token.id for token in model.tokenize(piece))
        if isinstance(vocabulary, PieceFile):
            vocabulary.entries[first + place] = Piece(piece, scores[piece], NORMAL)
        else:
            vocabulary.entries[first + place] = (piece, scores[piece])
    set_scores(vocabulary, scores)
    return constituents
