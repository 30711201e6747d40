"""What costs most: the words and documents that take the most tokens, and where they are cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._segments import segments

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import Tokenizer
    from .sample import Sample

    Whole = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]


#: Words and documents that are told.
MOST = 20
#: Bytes of a document that is worth telling, and characters that are shown of it.
LEAST, SHOWN = 40, 160


class CostlyDocuments:
    """The documents with the most tokens for each byte, of one tokenizer."""

    def __init__(self) -> None:
        #: By what is shown of a document: price and tokens. Many documents may be the same; once is enough.
        self._found: dict[str, tuple[float, int]] = {}
        self._least = 0.0

    def add(self, texts: Sequence[str], bytes: Whole, tokens: Whole) -> None:
        """Looks at documents."""
        price = np.where(bytes >= LEAST, tokens / np.maximum(bytes, 1), 0)
        worth = np.flatnonzero((price > 0) & (price >= self._least))
        for place in self._dearest(texts, price, worth):
            shown, found = texts[place][:SHOWN], (float(price[place]), int(tokens[place]))
            self._found[shown] = max(found, self._found.get(shown, found))
        if len(self._found) >= MOST:
            self._found = {text: (price, tokens) for price, tokens, text in self.told()}
            self._least = min(price for price, _ in self._found.values())

    @staticmethod
    def _dearest(texts: Sequence[str], price: Floats, worth: Whole) -> list[int]:
        """Places of the dearest documents, enough for as many as are told to be different."""
        found: list[int] = []
        shown: set[str] = set()
        last = 0.0
        for place in worth[np.argsort(-price[worth], kind="stable")].tolist():
            # All that are as dear as the last one, so that portions make no difference.
            if len(shown) >= MOST and price[place] < last:
                break
            found.append(place)
            shown.add(texts[place][:SHOWN])
            last = price[place]
        return found

    def told(self) -> list[tuple[float, int, str]]:
        """Tokens for each byte, tokens, and the beginning of the text, the dearest first."""
        found = [(price, tokens, text) for text, (price, tokens) in self._found.items()]
        return sorted(found, key=lambda one: (-one[0], one[2]))[:MOST]


def costly_words(
    sample: Sample, touching: Mapping[str, Whole], tokenizers: Mapping[str, Tokenizer]
) -> list[dict[str, Any]]:
    """The words of a sample that cost most tokens beyond one for each occurrence, by the sum of all
    tokenizers.

    Args:
        sample: the sample.
        touching: for each tokenizer, the tokens that touch each word.
        tokenizers: the tokenizers, by the same names.
    """
    joined, words = sample.joined, sample.words.tolist()
    numbers: dict[str, int] = {}
    kinds = np.array(
        [numbers.setdefault(joined[start:end], len(numbers)) for start, end in words], dtype=np.int64
    )
    count = np.bincount(kinds, minlength=len(numbers))
    cost = {
        name: np.bincount(kinds, weights=tokens, minlength=len(numbers)) for name, tokens in touching.items()
    }
    excess = np.sum([np.maximum(tokens - count, 0) for tokens in cost.values()], axis=0)
    spelled = list(numbers)
    # More than are told, so that those of equal cost can be put in order.
    likely = np.flatnonzero(excess >= np.sort(excess)[-MOST:][:1]).tolist() if len(excess) else []
    worst = sorted(likely, key=lambda kind: (-excess[kind], spelled[kind]))
    return [
        {
            "word": spelled[kind][:SHOWN],
            "count": int(count[kind]),
            "tokens": {name: int(tokens[kind]) for name, tokens in cost.items()},
            "cuts": {name: segments(one, spelled[kind][:SHOWN]) for name, one in tokenizers.items()},
        }
        for kind in worst[:MOST]
    ]
