"""By which merge each entry of a BPE model is made.

Several merges may make the same entry, as in files that were written from a SentencePiece model: `▁the` of
`▁t` + `he`, and of `▁th` + `e`. Which of them has its turn is not told by their order: it is the last one
that happens when the entry's own letters are merged. For no merge crosses the ends of what becomes one token,
so what happens inside of it is the same in every text.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.evaluate.merges import merges_of
    >>> vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}
    >>> merges = [("a", "b"), ("b", "c"), ("a", "bc"), ("ab", "c")]
    >>> merges_of(Tokenizer(models.BPE(vocabulary, merges)))[-1]
    Merge(left=3, right=2, joined=5, rank=3)
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .._vocabulary import model_state
from ..models import BPE

if TYPE_CHECKING:
    from .. import Tokenizer

    Pair = tuple[str, str]


class Merge(NamedTuple):
    """Ids of two parts and of what they become, and the place among all merges."""

    left: int
    right: int
    joined: int
    rank: int


def merges_of(tokenizer: Tokenizer, ordered: bool = False) -> list[Merge] | None:
    """For each entry that merges make, the one that does, parts before what is made of them; ``None`` where
    tokens are not made by merges alone.

    Args:
        tokenizer: the tokenizer.
        ordered: ``None`` too where a merge may have its turn before one that stands above it, because that
            one has nothing to join until then.
    """
    model = tokenizer.model
    # Asked of the model itself: to write hundreds of thousands of merges takes a second.
    if not isinstance(model, BPE) or model.ignore_merges:
        return None
    state = model_state(tokenizer)
    vocabulary: Mapping[str, int] = state["vocab"]
    prefix, suffix = (state.get(key) or "" for key in ("continuing_subword_prefix", "end_of_word_suffix"))
    pairs: list[Pair] = [tuple(one.split(" ", 1) if isinstance(one, str) else one) for one in state["merges"]]
    ranks = {pair: rank for rank, pair in enumerate(pairs)}
    made: dict[str, list[int]] = {}
    for rank, (left, right) in enumerate(pairs):
        made.setdefault(left + right.removeprefix(prefix), []).append(rank)
    first = {joined: some[0] for joined, some in made.items()}
    if ordered and not _is_ordered(pairs, first):
        return None
    own = {
        joined: some[0] if len(some) == 1 else _last(_letters(joined, prefix, suffix), ranks, prefix, some[0])
        for joined, some in made.items()
    }
    if ordered and not _is_ordered(pairs, own):
        return None
    found = [
        Merge(vocabulary[pairs[rank][0]], vocabulary[pairs[rank][1]], vocabulary[joined], rank)
        # What is made is longer than its parts.
        for joined, rank in sorted(own.items(), key=lambda one: len(one[0].removeprefix(prefix)))
        if joined in vocabulary
    ]
    return sorted(found, key=lambda one: one.rank) if ordered else found


def _is_ordered(pairs: list[Pair], rank_of: Mapping[str, int]) -> bool:
    """Whether all merges join what those above them have made."""
    return all(
        max(rank_of.get(left, -1), rank_of.get(right, -1)) < rank for rank, (left, right) in enumerate(pairs)
    )


def _letters(entry: str, prefix: str, suffix: str) -> list[str]:
    """What merges begin with: the letters of an entry, with the marks of their place in a word."""
    goes_on = bool(prefix) and entry.startswith(prefix) and entry != prefix
    ends = bool(suffix) and entry.endswith(suffix) and entry != suffix
    bare = entry.removeprefix(prefix) if goes_on else entry
    letters = list(bare.removesuffix(suffix) if ends else bare)
    if not letters:
        return [entry]
    letters = [letters[0] if not goes_on else prefix + letters[0], *(prefix + one for one in letters[1:])]
    if ends:
        letters[-1] += suffix
    return letters


def _last(parts: list[str], ranks: Mapping[Pair, int], prefix: str, otherwise: int) -> int:
    """The merge that joins all letters in the end; where none does, the entry never comes out."""
    rank = otherwise
    while len(parts) > 1:
        found = [(ranks[pair], place) for place, pair in enumerate(pairwise(parts)) if pair in ranks]
        if not found:
            return otherwise
        rank, place = min(found)
        parts[place : place + 2] = [parts[place] + parts[place + 1].removeprefix(prefix)]
    return rank
