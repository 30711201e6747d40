"""Documents that are looked at closely: a sample of bounded size, drawn as the corpus goes by.

Where words, numbers and characters stand needs aligned encodings, which cost several times what ids do. So
those metrics look at a sample, and their intervals tell what that costs in certainty. Documents are kept by a
hash of their number in the corpus; when they outgrow the budget, half of them go. So the sample is the same
every time, spread over all of the corpus, and no document is likelier than another. Long documents count as
parts of up to 16,384 characters that end at blanks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import OutOfRangeError

if TYPE_CHECKING:
    import numpy.typing as npt

    Whole = npt.NDArray[np.int64]


#: Start and end of each word of a text, in characters.
Spans = Callable[[str], Iterable[tuple[int, int]]]

PART = 1 << 14
#: Unicode's White_Space.
BLANKS = [
    *range(9, 14),
    32,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
]


def _parts(text: str) -> Iterable[str]:
    start = 0
    while len(text) - start > PART:
        end = max(text.rfind(" ", start + 1, start + PART), text.rfind("\n", start + 1, start + PART))
        end = start + PART if end <= start else end
        yield text[start:end]
        start = end
    yield text[start:]


def _hashed(first: int, number: int) -> npt.NDArray[np.uint64]:
    """Spreads successive numbers over 64 bits (the finaliser of splitmix64)."""
    found = np.arange(first, first + number, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


class Keeper:
    """Takes documents as they come and keeps a sample of them.

    Example:
        >>> keeper = Keeper(most=1000)
        >>> keeper.add([f"document {n:02}" for n in range(500)])
        >>> sample = keeper.sample()
        >>> 20 < len(sample.texts) < 91, keeper.seen
        (True, 500)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        #: What hashes must be below to be kept, as its logarithm.
        self._bits = 64
        #: Hash, text, and number of the document that it is, or is a part of.
        self._kept: list[tuple[int, str, int]] = []
        self._size = 0
        #: Documents, or parts of long ones, so far, and documents.
        self.seen = self._documents = 0

    def add(self, texts: Sequence[str]) -> None:
        """Adds documents."""
        documents: Sequence[int] = range(self._documents, self._documents + len(texts))
        self._documents += len(texts)
        if max(map(len, texts), default=0) > PART:
            parts = [(part, one) for text, one in zip(texts, documents, strict=True) for part in _parts(text)]
            texts, documents = [part for part, _ in parts], [one for _, one in parts]
        hashed = _hashed(self.seen, len(texts))
        self.seen += len(texts)
        places: Iterable[int] = range(len(texts))
        if self._bits < 64:
            places = np.flatnonzero(hashed >> np.uint64(self._bits) == 0).tolist()
        for place in places:
            if (own := int(hashed[place])) >> self._bits == 0:
                self._kept.append((own, texts[place], documents[place]))
                self._size += len(texts[place])
                while self._size > self._most and len(self._kept) > 1:
                    self._bits -= 1
                    # One stays until one that is below the bound comes: nothing would be known of none.
                    below = [one for one in self._kept if one[0] >> self._bits == 0]
                    self._kept = below or [min(self._kept)]
                    self._size = sum(len(text) for _, text, _ in self._kept)

    def sample(self, words: Spans | None = None, leaves: Spans | None = None) -> Sample:
        """The sample, in the order of the corpus."""
        texts = [text for _, text, _ in self._kept]
        return Sample(texts, words, leaves, [document for _, _, document in self._kept])


def _span(given: Any, size: int, argument: str) -> tuple[int, int]:
    """Start and end, as a caller's function gives them: what lies outside of the text would count in another
    one."""
    try:
        start, end = given
        inside = 0 <= start <= end <= size
    except (TypeError, ValueError):
        raise TypeError(f"`{argument}` must give pairs of start and end, found {given!r}") from None
    if not inside:
        raise OutOfRangeError(f"`{argument}` gives {given!r} in a text of {size} characters")
    return start, end


class Sample:
    """Texts, as one row of code points with a line end between two, and what stands where in it."""

    def __init__(
        self,
        texts: Sequence[str],
        words: Spans | None = None,
        leaves: Spans | None = None,
        documents: Sequence[int] | None = None,
    ) -> None:
        self.texts = list(texts)
        self._documents = np.array(range(len(texts)) if documents is None else documents, dtype=np.int64)
        self._spans, self._leaves = words, leaves
        #: The texts in one.
        self.joined = "\n".join(self.texts)
        sizes = np.array([len(text) + 1 for text in self.texts], dtype=np.int64)
        #: Where each text begins.
        self.bases: Whole = np.cumsum(sizes) - sizes

    def per_document(self, rows: Whole) -> Whole:
        """Adds up rows of texts that are parts of one document: what one is like does not tell what others
        are."""
        return np.add.reduceat(rows, np.flatnonzero(np.diff(self._documents, prepend=-1)), axis=0)

    @cached_property
    def points(self) -> npt.NDArray[np.uint32]:
        """The code points of ``joined``."""
        return np.frombuffer(self.joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")

    def owner(self, places: Whole) -> Whole:
        """The number of the text that holds each place."""
        return np.searchsorted(self.bases, places, side="right") - 1

    def per_text(self, owner: Whole, weights: Whole | None = None) -> Whole:
        """Adds up, for each text, what it owns."""
        counted = np.bincount(owner, weights=weights, minlength=len(self.texts))
        return counted.astype(np.int64)

    def bytes(self) -> Whole:
        """Bytes of each text."""
        return np.array([len(text.encode()) for text in self.texts], dtype=np.int64)

    @staticmethod
    def _runs(inside: npt.NDArray[np.bool_]) -> Whole:
        change = np.diff(inside.astype(np.int8), prepend=0, append=0)
        return np.stack([np.flatnonzero(change == 1), np.flatnonzero(change == -1)], axis=1)

    def _among(self, characters: list[int]) -> npt.NDArray[np.bool_]:
        """Which characters are among some, none of which lies beyond U+3000."""
        chosen = np.zeros(0x3001, dtype=np.bool_)
        chosen[characters] = True
        found: npt.NDArray[np.bool_] = (self.points <= 0x3000) & chosen[np.minimum(self.points, 0x3000)]
        return found

    @cached_property
    def is_blank(self) -> npt.NDArray[np.bool_]:
        """Which characters are blanks, or marks that vocabularies write for them."""
        return self._among([*BLANKS, *map(ord, "▁Ġ")])

    @cached_property
    def words(self) -> Whole:
        """Start and end of each word."""
        if self._spans is None:
            return self._runs(~self._among(BLANKS))
        return self._all(self._spans, "words")

    @cached_property
    def leaves(self) -> Whole:
        """Start and end of each leaf of the syntax trees; none where nobody says where they are."""
        return self._all(self._leaves or (lambda text: ()), "leaves")

    def _all(self, spans: Spans, argument: str) -> Whole:
        found = []
        for base, text in zip(self.bases.tolist(), self.texts, strict=True):
            for one in spans(text):
                start, end = _span(one, len(text), argument)
                if end > start:
                    found.append((base + start, base + end))
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def word_text(self) -> Whole:
        """The text that each word stands in."""
        return self.owner(self.words[:, 0])

    @cached_property
    def numbers(self) -> Whole:
        """Start and end of each run of the digits 0 to 9."""
        return self._runs((self.points >= 48) & (self.points <= 57))

    @cached_property
    def number_text(self) -> Whole:
        """The text that each number stands in."""
        return self.owner(self.numbers[:, 0])
