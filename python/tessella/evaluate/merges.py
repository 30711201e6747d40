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
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Makers:
    """Of each entry the merge that makes it, found when it is asked for.

    Args:
        state: a BPE model as a ``tokenizer.json`` tells it.

    Example:
        >>> makers = Makers({"merges": ["a b", "b c", "a bc", "ab c"]})
        >>> makers.rank("abc"), makers.pairs[3], makers.rank("a")
        (3, ('ab', 'c'), None)
    """

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._prefix: str = state.get("continuing_subword_prefix") or ""
        self._suffix: str = state.get("end_of_word_suffix") or ""
        #: Left and right part of each merge.
        self.pairs: list[Pair] = []
        for one in state["merges"]:
            left, right = one.split(" ", 1) if isinstance(one, str) else one
            self.pairs.append((left, right))
        self._ranks = {pair: rank for rank, pair in enumerate(self.pairs)}
        #: Of each entry the merges that may make it, in their order.
        self.of: dict[str, list[int]] = {}
        for rank, pair in enumerate(self.pairs):
            self.of.setdefault(self.joined(pair), []).append(rank)
        self._known: dict[str, int] = {}

    def joined(self, pair: Pair) -> str:
        """What a merge makes of two parts."""
        return pair[0] + pair[1].removeprefix(self._prefix)

    def size(self, entry: str) -> int:
        """A number that is larger than that of any part."""
        return len(entry.removeprefix(self._prefix))

    def rank(self, entry: str) -> int | None:
        """The place of the merge that makes an entry."""
        some = self.of.get(entry, [])
        if len(some) < 2:
            return some[0] if some else None
        if entry not in self._known:
            self._known[entry] = self._last(self._letters(entry), some[0])
        return self._known[entry]

    def _letters(self, entry: str) -> list[str]:
        """What merges begin with: the letters of an entry, with the marks of their place in a word."""
        prefix, suffix = self._prefix, self._suffix
        goes_on = bool(prefix) and entry.startswith(prefix) and entry != prefix
        ends = bool(suffix) and entry.endswith(suffix) and entry != suffix
        bare = entry.removeprefix(prefix) if goes_on else entry
        letters = [prefix + one for one in (bare.removesuffix(suffix) if ends else bare)]
        if not letters:
            return [entry]
        if not goes_on:
            letters[0] = letters[0].removeprefix(prefix)
        if ends:
            letters[-1] += suffix
        return letters

    def _last(self, parts: list[str], otherwise: int) -> int:
        """The merge that joins all letters in the end; where none does, the entry never comes out."""
        rank = otherwise
        while len(parts) > 1:
            pairs = enumerate(pairwise(parts))
            found = [(self._ranks[pair], place) for place, pair in pairs if pair in self._ranks]
            if not found:
                return otherwise
            rank, place = min(found)
            parts[place : place + 2] = [self.joined((parts[place], parts[place + 1]))]
        return rank


def merges_of(tokenizer: Tokenizer, ordered: bool = False) -> list[Merge] | None:
    """For each entry that merges make, the one that does, parts before what is made of them; ``None`` where
    tokens are not made by merges alone.

    Args:
        tokenizer: the tokenizer.
        ordered: by rank, and ``None`` too where a merge may have its turn before one that stands above it,
            because that one has nothing to join until then.
    """
    model = tokenizer.model
    # Asked of the model itself: to write hundreds of thousands of merges takes a second.
    if not isinstance(model, BPE) or model.ignore_merges:
        return None
    state = model_state(tokenizer)
    vocabulary, makers = state["vocab"], Makers(state)
    # No merge that makes an entry stands above the first one: where these are out of order, all are.
    if ordered and not _is_ordered(makers.pairs, {entry: some[0] for entry, some in makers.of.items()}):
        return None
    own: dict[str, int] = {entry: makers.rank(entry) or 0 for entry in makers.of}
    if ordered and not _is_ordered(makers.pairs, own):
        return None
    found = []
    for entry in sorted(own, key=own.__getitem__ if ordered else makers.size):
        if entry in vocabulary:
            left, right = makers.pairs[own[entry]]
            found.append(Merge(vocabulary[left], vocabulary[right], vocabulary[entry], own[entry]))
    return found


def _is_ordered(pairs: list[Pair], rank_of: Mapping[str, int]) -> bool:
    """Whether all merges join what those above them have made."""
    return all(
        max(rank_of.get(left, -1), rank_of.get(right, -1)) < rank for rank, (left, right) in enumerate(pairs)
    )
