"""What a tokenizer made of a sample: ids, and the characters that each token stands for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import Tokenizer
    from .facts import Facts
    from .sample import Sample

    Whole = npt.NDArray[np.int64]


#: Characters that are encoded at a time, and texts that are decoded.
PORTION, TEXTS = 1 << 18, 1 << 12


class Coded:
    """Tokens of all texts of a sample, one after the other.

    Places are those of ``sample.joined``. Tokens of one character's bytes share its place; tokens that stand
    for nothing in the text (a blank that the tokenizer put in front) have no width, and touch nothing.

    Example:
        >>> import numpy as np
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> from tessella.evaluate.facts import Facts
        >>> from tessella.evaluate.sample import Sample
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> sample = Sample(["ab aab", "b"])
        >>> Coded(tokenizer, Facts.of(tokenizer), sample).touching(sample.words).tolist()
        [1, 2, 1]
    """

    def __init__(
        self, tokenizer: Tokenizer, facts: Facts, sample: Sample, num_threads: int | None = None
    ) -> None:
        self.tokenizer, self.facts = tokenizer, facts
        ids: list[Whole] = []
        places: list[Whole] = []
        lengths: list[int] = []
        texts, base = sample.texts, 0
        while base < len(texts):
            end, size = base, 0
            while end < len(texts) and (size == 0 or size + len(texts[end]) <= PORTION):
                size += len(texts[end]) + 1
                end += 1
            some = tokenizer.encode_batch(
                texts[base:end],
                add_special_tokens=False,
                truncation=False,
                padding=False,
                num_threads=num_threads,
            )
            each = [one.ids for one in some]
            lengths += map(len, each)
            ids.append(np.fromiter(chain.from_iterable(each), dtype=np.int64))
            spans = chain.from_iterable(chain.from_iterable(one.offsets for one in some))
            places.append(np.fromiter(spans, dtype=np.int64))
            base = end
        self.ids = np.concatenate(ids) if ids else np.zeros(0, dtype=np.int64)
        #: Tokens of each text.
        self.lengths: Whole = np.array(lengths, dtype=np.int64)
        pairs = (np.concatenate(places) if places else np.zeros(0, dtype=np.int64)).reshape(-1, 2)
        pairs += np.repeat(sample.bases, self.lengths)[:, None]
        self.starts, self.ends = pairs[:, 0], pairs[:, 1]
        # Of a blank that was put in front the offsets are those of the character behind it.
        if len(marks := np.flatnonzero(facts.blank[self.ids])):
            before = np.concatenate([[0], np.cumsum(sample.is_blank)])
            in_front = marks[before[self.ends[marks]] == before[self.starts[marks]]]
            self.ends[in_front] = self.starts[in_front]

    def decoded(self) -> Iterator[str]:
        """What becomes of each text when its ids are decoded."""
        bounds = [0, *np.cumsum(self.lengths).tolist()]
        for base in range(0, len(self.lengths), TEXTS):
            some = bounds[base : base + TEXTS + 1]
            ids = [self.ids[start:end] for start, end in pairwise(some)]
            yield from self.tokenizer.decode_batch(ids, skip_special_tokens=False)

    @cached_property
    def _wide(self) -> npt.NDArray[np.bool_]:
        return self.ends > self.starts

    @cached_property
    def _sorted(self) -> tuple[Whole, Whole]:
        return np.sort(self.starts[self._wide]), np.sort(self.ends[self._wide])

    def touching(self, spans: Whole) -> Whole:
        """How many tokens stand for something of each span."""
        starts, ends = self._sorted
        # Begun before its end, less those that ended before its start: right in whatever order tokens come.
        return np.searchsorted(starts, spans[:, 1], "left") - np.searchsorted(ends, spans[:, 0], "right")

    def is_shared(self, spans: Whole) -> npt.NDArray[np.bool_]:
        """Of spans that one token touches: whether it touches another as well, or is the unknown token."""
        places = np.flatnonzero(self._wide)
        if not len(places):
            return np.ones(len(spans), dtype=np.bool_)
        order = places[np.argsort(self.ends[places], kind="stable")]
        ends = self.ends[order]
        token = order[np.minimum(np.searchsorted(ends, spans[:, 0], "right"), len(order) - 1)]
        starts_of, ends_of = np.sort(spans[:, 0]), np.sort(spans[:, 1])
        touched = np.searchsorted(starts_of, self.ends[token], "left") - np.searchsorted(
            ends_of, self.starts[token], "right"
        )
        shared: npt.NDArray[np.bool_] = (touched != 1) | (self.facts.unknown[self.ids[token]] > 0)
        return shared

    def glued(self, spans: Whole) -> npt.NDArray[np.bool_]:
        """Of spans that lie side by side: whether a token touches one and another as well."""
        order = np.argsort(spans[:, 0], kind="stable")
        ordered = spans[order]
        first = np.searchsorted(ordered[:, 1], self.starts[self._wide], "right")
        behind = np.searchsorted(ordered[:, 0], self.ends[self._wide], "left")
        several = behind - first > 1
        change = np.zeros(len(spans) + 1, dtype=np.int64)
        np.add.at(change, first[several], 1)
        np.add.at(change, behind[several], -1)
        found = np.zeros(len(spans), dtype=np.bool_)
        found[order] = np.cumsum(change[:-1]) > 0
        return found

    @cached_property
    def borders(self) -> Whole:
        """Where tokens begin or end, ascending, each place once."""
        both = np.sort(np.concatenate(self._sorted), kind="stable")
        return both[np.flatnonzero(np.diff(both, prepend=-1))]

    def under(self, flags: npt.NDArray[np.uint8], size: int) -> npt.NDArray[np.bool_]:
        """For each of ``size`` places whether a token of a kind stands for it."""
        chosen = self._wide & (flags[self.ids] > 0)
        change = np.zeros(size + 1, dtype=np.int64)
        np.add.at(change, self.starts[chosen], 1)
        np.add.at(change, self.ends[chosen], -1)
        return np.cumsum(change[:-1]) > 0
