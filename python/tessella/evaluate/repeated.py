"""How much of a corpus stands in documents that were there before.

Every document is looked at, not those of the sample alone: of two equal documents far from each other, a
sample of a hundredth holds both once in ten thousand times. Documents are told apart by 64 bits, and those
with a hash below a bound are remembered; when they are too many, the bound is halved. Whether a document is
remembered depends on its text, so all copies of one are, or none: the share found is that of all text.

Example:
    >>> import numpy as np
    >>> from tessella.evaluate.repeated import Repeats
    >>> repeats = Repeats()
    >>> repeats.add(["low", "lower", "low"], np.array([3, 5, 3]))
    >>> round(repeats.share(), 3)
    0.273
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Whole = npt.NDArray[np.int64]


#: Documents that are remembered at most.
MOST = 1 << 18
#: Bits of the hash that says which documents are remembered.
BITS = 32


class Repeats:
    """Bytes of a corpus, and of documents that were there before.

    Args:
        most: the most documents that are remembered.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        #: Bits of a hash that must be 0 for a document to be remembered.
        self._skipped = 0
        self._known: set[int] = set()
        #: Of documents that came again: the bytes of all times but the first.
        self._again: dict[int, int] = {}
        #: Bytes of documents, by how many of the first bits of their hash are 0.
        self._read = [0] * (BITS + 1)

    def add(self, texts: Sequence[str], sizes: Whole) -> None:
        """Adds documents, and how many bytes each has."""
        known, again, read, skipped = self._known, self._again, self._read, self._skipped
        for text, size in zip(texts, sizes.tolist(), strict=True):
            spread = crc32(text.encode())
            zeros = BITS - spread.bit_length()
            if zeros < skipped or not size:
                continue
            read[zeros] += size
            # `hash` differs from process to process: it only tells apart what the other half does not.
            key = spread << 32 | hash(text) & 0xFFFFFFFF
            if key in known:
                again[key] = again.get(key, 0) + size
                continue
            known.add(key)
            if len(known) > self._most:
                skipped = self._halve()
                known, again = self._known, self._again

    def _halve(self) -> int:
        self._skipped += 1
        bound = 1 << (64 - self._skipped)
        self._known = {key for key in self._known if key < bound}
        self._again = {key: size for key, size in self._again.items() if key < bound}
        return self._skipped

    @property
    def is_exact(self) -> bool:
        """Whether all documents are remembered."""
        return self._skipped == 0

    def share(self) -> float:
        """The share of the text that was there before.

        Where not all documents are remembered, those that are so frequent that it would hang on whether
        they are among them are left out of it: a sample of the corpus is full of them.
        """
        total, found = sum(self._read[self._skipped :]), list(self._again.values())
        if not self.is_exact:
            frequent = [size for size in found if size * 100 > total]
            total, found = total - sum(frequent), [size for size in found if size * 100 <= total]
        return sum(found) / total if total else 0.0
