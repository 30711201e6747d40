"""Two vocabularies as one.

Two lists of merges become one that keeps the order of both, if there is one: merges that both have must come
in the same order. Between such common merges those of the first list come first. Where two merges stand in
opposite orders no list keeps both, and these merges are named. The BPE of SentencePiece has no merges: there
the order of scores says which piece is made first, and pieces are woven in the same way.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from .._fingerprint import fingerprint_of
from ..errors import ArgumentError, UnsupportedError
from .bpe import BpeVocabulary
from .edited import Edited, with_new
from .id_map import IdMap
from .mixing import mixture, set_scores
from .piece_file import KINDS, PieceFile
from .pipeline import Pipeline
from .unigram import UnigramVocabulary
from .words import WordLevelVocabulary

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


#: A merge, or a piece.
M = TypeVar("M", bound=tuple[str, ...])


@dataclass(frozen=True)
class Conflict:
    """Two merges that stand in opposite orders; for SentencePiece two pieces, each a tuple of one."""

    first: tuple[str, ...]
    second: tuple[str, ...]

    def __str__(self) -> str:
        return f"`{'` + `'.join(self.first)}` before `{'` + `'.join(self.second)}`"


@dataclass(frozen=True)
class Merged(Edited):
    """An ``Edited`` of the first tokenizer, and the map of the second one's ids."""

    #: What became of the ids of the second tokenizer.
    other_map: IdMap = field(default_factory=lambda: IdMap([]))
    #: Merges whose order could not be kept.
    conflicts: tuple[Conflict, ...] = ()


def conflicts(first: Sequence[M], second: Sequence[M], most: int = 100) -> Iterator[Conflict]:
    """Merges that both lists have, in opposite orders: the order of the first is told.

    Example:
        >>> a, b, c = ("a", "b"), ("c", "d"), ("e", "f")
        >>> [str(one) for one in conflicts([a, b, c], [c, a])]
        ['`a` + `b` before `e` + `f`']
    """
    places = {merge: place for place, merge in enumerate(second)}
    common = [merge for merge in dict.fromkeys(first) if merge in places]
    number = 0
    highest: M | None = None
    for merge in common:
        if highest is not None and places[merge] < places[highest]:
            yield Conflict(highest, merge)
            number += 1
            if number >= most:
                return
        else:
            highest = merge


def woven(first: Sequence[M], second: Sequence[M]) -> list[M]:
    """All merges of both; the first list's order, and the second's as far as it does not contradict.

    Example:
        >>> a, b, c, d = ("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")
        >>> woven([a, b, c], [d, b]) == [a, d, b, c]
        True
    """
    known = set(first)
    at = {merge: place for place, merge in enumerate(first)}
    out: list[M] = []
    reached = 0
    for merge in second:
        if merge not in known:
            out.append(merge)
        elif at[merge] >= reached:
            # Whatever the first has before it comes before what the second had.
            fresh: list[M] = []
            while out and out[-1] not in known:
                fresh.append(out.pop())
            out += [*first[reached : at[merge]], *reversed(fresh), merge]
            reached = at[merge] + 1
    fresh = []
    while out and out[-1] not in known:
        fresh.append(out.pop())
    return [*out, *first[reached:], *reversed(fresh)]


def merge(
    first: Tokenizer,
    second: Tokenizer,
    *,
    weight: float = 0.5,
    when_conflicting: Literal["refuse", "first"] = "refuse",
) -> Merged:
    """One tokenizer with the tokens of two of a kind. The first one's ids stay, the second one's new tokens
    follow; ``other_map`` maps the second one's ids.

    The stages around the models must be equal: they decide what the tokens mean.

    Args:
        first: stays as it is.
        second: likewise.
        weight: for Unigram: the share of the second model in the mixture of both.
        when_conflicting: for BPE, where merges stand in opposite orders (for SentencePiece: pieces, by their
            scores): an error that names them, or the order of the first.

    Example:
        >>> from tessella import Tokenizer, edit, models
        >>> one = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
        >>> other = Tokenizer(models.BPE({"b": 0, "c": 1, "bc": 2}, [("b", "c")]))
        >>> merged = edit.merge(one, other)
        >>> merged.tokenizer.encode("abbc").tokens, merged.other_map[2]
        (['ab', 'bc'], 4)
    """
    pipeline, other = Pipeline(first), Pipeline(second)
    if when_conflicting not in ("refuse", "first"):
        raise ArgumentError(f"`when_conflicting` must be 'refuse' or 'first', found {when_conflicting!r}")
    if not 0 < weight < 1:
        raise ArgumentError(f"`weight` must be between 0 and 1, both excluded, found {weight}")
    _check_alike(pipeline, other)
    one = pipeline.vocabulary
    settle, found = _agreed(pipeline, other, weight, when_conflicting == "first")
    new = _union(pipeline, other)
    settle()
    what = "pieces" if isinstance(one, PieceFile) else "merges"
    number = f"{'at least ' if len(found) >= 100 else ''}{len(found)}"
    notes = [f"{number} {what} of the second tokenizer come in the first one's order"] if found else []
    notes += _otherwise_added(Pipeline(first), other)
    edited = with_new(pipeline, new, notes)
    return Merged(
        edited.tokenizer,
        edited.id_map,
        first,
        edited.notes,
        _other_map(edited, second, other),
        found,
    )


def _otherwise_added(pipeline: Pipeline, other: Pipeline) -> list[str]:
    """A note on added tokens that texts have in another way than with the second tokenizer."""

    def flags(one: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in one.items() if name != "id"}

    known = set(pipeline.tokens().values())
    ours = {one["content"]: flags(one) for one in pipeline.added}
    differing = [
        one["content"]
        for one in other.added
        if one["content"] in known and ours.get(one["content"]) != flags(one)
    ]
    if not differing:
        return []
    some = ", ".join(f"`{token}`" for token in differing[:5])
    return [
        f"{len(differing):,} added tokens of the second tokenizer are ordinary ones, or have other flags, "
        f"in the first, and stay so: {some}{' ...' if len(differing) > 5 else ''}"
    ]


def _agreed(
    first: Pipeline, second: Pipeline, weight: float, first_wins: bool
) -> tuple[Callable[[], None], tuple[Conflict, ...]]:
    """What both models say together, to be called when the first has all tokens; and what cannot be kept."""
    one, two = first.vocabulary, second.vocabulary
    if isinstance(one, BpeVocabulary) and isinstance(two, BpeVocabulary):
        merges, crossed = _ordered(one.merges, two.merges, first_wins, "merges")
        return lambda: setattr(one, "merges", merges), crossed
    if isinstance(one, PieceFile) and isinstance(two, PieceFile) and one.is_bpe:
        mine, theirs = one.ranks(), two.ranks()
        rows = ([(text,) for text in each] for each in (mine, theirs))
        order, found = _ordered(next(rows), next(rows), first_wins, "pieces")
        kept = [mine] if found else [mine, theirs]
        return lambda: one.rank([text for (text,) in order], kept), found
    if isinstance(one, UnigramVocabulary) or (isinstance(one, PieceFile) and one.is_unigram):
        scores = mixture(first, second, weight)
        return lambda: set_scores(one, scores), ()
    return lambda: None, ()


def _ordered(
    first: Sequence[M], second: Sequence[M], first_wins: bool, what: str
) -> tuple[list[M], tuple[Conflict, ...]]:
    """One list of both."""
    found = tuple(conflicts(first, second))
    if found and not first_wins:
        raise ArgumentError(
            f"{'at least ' if len(found) >= 100 else ''}{len(found)} {what} stand in opposite orders, such "
            f"as {', '.join(map(str, found[:3]))} in the first tokenizer: no list keeps both orders; pass "
            "when_conflicting='first' to keep that of the first"
        )
    return woven(first, second), found


def _other_map(edited: Edited, second: Tokenizer, other: Pipeline) -> IdMap:
    ids = edited.tokenizer.get_vocab()
    table = np.full(other.size, -1, np.int64)
    for id, token in other.before.items():
        table[id] = ids[token]
    took = set(table.tolist())
    back = {token: id for id, token in other.before.items()}
    new: dict[int, tuple[int, ...]] = {}
    for token, id in ids.items():
        if id not in took and token not in back:
            new[id] = ()
    return IdMap(
        table,
        new=new,
        new_size=edited.id_map.new_size,
        before=fingerprint_of(second),
        after=edited.id_map.after,
    )


def _union(pipeline: Pipeline, other: Pipeline) -> dict[int, tuple[int, ...]]:
    """Takes in what only the second has, after the first's largest id; gives constituents."""
    known = {token: id for id, token in pipeline.tokens().items()}
    added = {one["content"]: one for one in other.added}
    fresh = sorted((id, token) for id, token in other.tokens().items() if token not in known)
    # Added tokens of a file follow the model's.
    fresh.sort(key=lambda item: (item[1] in added, item[0]))
    vocabulary, model = pipeline.vocabulary, pipeline.source.model
    spelled = Pipeline(pipeline.source).vocabulary.speller(model)
    two = other.vocabulary
    new: dict[int, tuple[int, ...]] = {}
    for place, (old, token) in enumerate(fresh, pipeline.size):
        new[place] = () if token in added else spelled(token)
        if isinstance(vocabulary, PieceFile) and isinstance(two, PieceFile) and old in two.entries:
            # A piece may be an added token besides.
            vocabulary.entries[place] = two.entries[old]
        if token in added:
            pipeline.added.append({**added[token], "id": place})
        elif isinstance(vocabulary, PieceFile):
            pass
        elif isinstance(vocabulary, UnigramVocabulary) and isinstance(two, UnigramVocabulary):
            vocabulary.entries[place] = (token, two.entries[old][1])
        else:
            assert isinstance(vocabulary, (BpeVocabulary, WordLevelVocabulary))
            vocabulary.vocab[token] = place
    if isinstance(vocabulary, BpeVocabulary) and isinstance(two, BpeVocabulary):
        # Its merges may need what is now an added token and no more.
        ids = {token: id for id, token in pipeline.tokens().items()}
        for left, right in two.merges:
            for token in (left, right, two.made(left, right)):
                vocabulary.vocab.setdefault(token, ids[token])
    return new


def _check_alike(one: Pipeline, two: Pipeline) -> None:
    """What stands round the models must be the same, and so must their rules."""
    if one.vocabulary.kind != two.vocabulary.kind:
        raise UnsupportedError(
            f"a {one.vocabulary.kind} model and a {two.vocabulary.kind} model have no common vocabulary"
        )
    first, second = one.vocabulary, two.vocabulary
    if isinstance(first, PieceFile) and isinstance(second, PieceFile):
        _check_pieces(first, second)
        # Their stages repeat the rules, and the pieces, which differ.
        return
    for stage in ("normalizer", "pre_tokenizer", "decoder"):
        left, right = (getattr(pipeline.source, stage) for pipeline in (one, two))
        states = [None if part is None else part.__getstate__() for part in (left, right)]
        if states[0] != states[1]:
            raise ArgumentError(
                f"the tokenizers differ in their {stage}, which decides what tokens mean: {left!r} and "
                f"{right!r}"
            )
    _check_rules(_rules(one), _rules(two))


def _check_rules(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    for name in ours:
        if ours[name] != theirs.get(name):
            said, other = (reprlib.repr(each.get(name)) for each in (ours, theirs))
            raise ArgumentError(f"the models differ in `{name}`: {said} and {other}")


def _check_pieces(one: PieceFile, two: PieceFile) -> None:
    """SentencePiece models that mean the same by the same text."""
    _check_rules(one.rules(), two.rules())
    kinds = {piece.text: piece.kind for piece in one.entries.values()}
    for piece in two.entries.values():
        if kinds.get(piece.text, piece.kind) != piece.kind:
            raise ArgumentError(
                f"the piece `{piece.text}` is of another kind in each model ({KINDS[kinds[piece.text]]} and "
                f"{KINDS[piece.kind]})"
            )


def _rules(pipeline: Pipeline) -> dict[str, Any]:
    said = pipeline.vocabulary.told()
    rules = {name: value for name, value in said.items() if name not in ("vocab", "merges", "unk_id")}
    unknown = pipeline.vocabulary.unknown()
    return {**rules, "unknown token": None if unknown is None else pipeline.tokens()[unknown]}
