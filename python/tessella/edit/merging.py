"""Two vocabularies as one.

Two lists of merges become one that keeps the order of both, if there is one: merges that both have must come
in the same order. Between such common merges those of the first list come first. Where two merges stand in
opposite orders no list keeps both, and these merges are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._fingerprint import fingerprint_of
from ..errors import ArgumentError, UnsupportedError
from .bpe import BpeVocabulary, Merge
from .edited import Edited, with_new
from .id_map import IdMap
from .mixing import mixed, plain_scores, set_scores
from .pipeline import Pipeline
from .unigram import UnigramVocabulary
from .words import WordLevelVocabulary

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["Conflict", "Merged", "conflicts", "merge", "woven"]


@dataclass(frozen=True)
class Conflict:
    """Two merges that stand in opposite orders."""

    first: Merge
    second: Merge

    def __str__(self) -> str:
        return f"`{'` + `'.join(self.first)}` before `{'` + `'.join(self.second)}`"


@dataclass(frozen=True)
class Merged(Edited):
    """An ``Edited`` of the first tokenizer, and the map of the second one's ids."""

    #: What became of the ids of the second tokenizer.
    other_map: IdMap = field(default_factory=lambda: IdMap([]))
    #: Merges whose order could not be kept.
    conflicts: tuple[Conflict, ...] = ()


def conflicts(first: Sequence[Merge], second: Sequence[Merge], most: int = 100) -> Iterator[Conflict]:
    """Merges that both lists have, in opposite orders: the order of the first is told.

    Example:
        >>> a, b, c = ("a", "b"), ("c", "d"), ("e", "f")
        >>> [str(one) for one in conflicts([a, b, c], [c, a])]
        ['`a` + `b` before `e` + `f`']
    """
    places = {merge: place for place, merge in enumerate(second)}
    common = [merge for merge in dict.fromkeys(first) if merge in places]
    number = 0
    highest: Merge | None = None
    for merge in common:
        if highest is not None and places[merge] < places[highest]:
            yield Conflict(highest, merge)
            number += 1
            if number >= most:
                return
        else:
            highest = merge


def woven(first: Sequence[Merge], second: Sequence[Merge]) -> list[Merge]:
    """All merges of both; the first list's order, and the second's as far as it does not contradict.

    Example:
        >>> a, b, c, d = ("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")
        >>> woven([a, b, c], [d, b]) == [a, d, b, c]
        True
    """
    known = set(first)
    at = {merge: place for place, merge in enumerate(first)}
    out: list[Merge] = []
    reached = 0
    for merge in second:
        if merge not in known:
            out.append(merge)
        elif at[merge] >= reached:
            # Whatever the first has before it comes before what the second had.
            fresh: list[Merge] = []
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
        when_conflicting: for BPE, where merges stand in opposite orders: an error that names them, or the
            order of the first.

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
    found: tuple[Conflict, ...] = ()
    one, two = pipeline.vocabulary, other.vocabulary
    mine = plain_scores(one) if isinstance(one, UnigramVocabulary) else {}
    new = _union(pipeline, other)
    if isinstance(one, BpeVocabulary) and isinstance(two, BpeVocabulary):
        found = tuple(conflicts(one.merges, two.merges))
        if found and when_conflicting == "refuse":
            raise ArgumentError(
                f"{'at least ' if len(found) >= 100 else ''}{len(found)} merges stand in opposite orders, "
                "such "
                f"as {', '.join(map(str, found[:3]))} in the first tokenizer: no list keeps both orders; "
                "pass "
                "when_conflicting='first' to keep that of the first"
            )
        one.merges = woven(one.merges, two.merges)
    elif isinstance(one, UnigramVocabulary) and isinstance(two, UnigramVocabulary):
        set_scores(one, mixed(mine, plain_scores(two), weight))
    notes = [f"{len(found)} merges of the second tokenizer come in the first one's order"] if found else []
    edited = with_new(pipeline, new, notes)
    return Merged(
        edited.tokenizer,
        edited.id_map,
        first,
        edited.notes,
        _other_map(edited, second, other),
        found,
    )


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
        if token in added:
            pipeline.added.append({**added[token], "id": place})
        elif isinstance(vocabulary, UnigramVocabulary) and isinstance(two, UnigramVocabulary):
            vocabulary.entries[place] = (token, two.entries[old][1])
        else:
            assert isinstance(vocabulary, (BpeVocabulary, WordLevelVocabulary))
            vocabulary.vocab[token] = place
    return new


def _check_alike(one: Pipeline, two: Pipeline) -> None:
    """What stands round the models must be the same, and so must their rules."""
    if one.vocabulary.kind != two.vocabulary.kind:
        raise UnsupportedError(
            f"a {one.vocabulary.kind} model and a {two.vocabulary.kind} model have no common vocabulary"
        )
    if one.vocabulary.kind == "SentencePiece":
        raise UnsupportedError("SentencePiece models cannot be merged: save them as tokenizer.json first")
    for stage in ("normalizer", "pre_tokenizer", "decoder"):
        left, right = (getattr(pipeline.source, stage) for pipeline in (one, two))
        states = [None if part is None else part.__getstate__() for part in (left, right)]
        if states[0] != states[1]:
            raise ArgumentError(
                f"the tokenizers differ in their {stage}, which decides what tokens mean: {left!r} and "
                f"{right!r}"
            )
    ours, theirs = (_rules(pipeline) for pipeline in (one, two))
    for name in ours:
        if ours[name] != theirs.get(name):
            raise ArgumentError(f"the models differ in `{name}`: {ours[name]!r} and {theirs.get(name)!r}")


def _rules(pipeline: Pipeline) -> dict[str, Any]:
    said = pipeline.vocabulary.told()
    rules = {name: value for name, value in said.items() if name not in ("vocab", "merges", "unk_id")}
    unknown = pipeline.vocabulary.unknown()
    return {**rules, "unknown token": None if unknown is None else pipeline.tokens()[unknown]}
