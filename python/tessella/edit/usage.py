"""How often tokens are used: in texts, and on the way to other tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._chance import settled
from .._corpus import in_lists
from ..counting import read_texts
from ..errors import ArgumentError
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._types import Source
    from ..tokenizer import Tokenizer


def frequencies(tokenizer: Tokenizer, corpus: Source) -> npt.NDArray[np.int64]:
    """How often each id occurs in the texts of a corpus. What templates put round texts is left out."""
    tokenizer = settled(tokenizer)
    size = max(tokenizer.get_vocab().values(), default=-1) + 1
    found = np.zeros(size, np.int64)
    texts = 0
    for some in in_lists(read_texts(corpus)):
        texts += len(some)
        found += np.bincount(tokenizer.encode_ids_batch(some, False).ids, minlength=size)
    if not texts:
        raise ArgumentError("the corpus holds no text to count tokens in")
    return found


def stepping_stones(vocabulary: Vocabulary, used: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """How often each id is only made to become a part of another one.

    A token that occurs was made of its two parts, and these of theirs: each is a step for each occurrence.
    """
    parts = vocabulary.parts()
    steps = np.zeros(len(used), np.int64)
    # Parts are shorter than what they make, so the longest come first.
    tokens = vocabulary.tokens()
    for id in sorted(parts, key=lambda id: -len(vocabulary.bare(tokens[id]))):
        made = int(used[id]) + int(steps[id])
        for part in parts[id]:
            steps[part] += made
    return steps
