"""How the leaves of syntax trees are cut, and which of them a token glues together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..metric import Ratio

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..coded import Coded
    from ..sample import Sample

    Whole = npt.NDArray[np.int64]


def of_text(sample: Sample) -> dict[str, Whole]:
    """Columns of the text alone."""
    return {"leaves": sample.per_text(sample.owner(sample.leaves[:, 0]))}


def measure(sample: Sample, coded: Coded) -> dict[str, Whole]:
    """Columns of what a tokenizer made of them."""
    leaves = sample.leaves
    owner = sample.owner(leaves[:, 0])
    return {
        "leaf_tokens": sample.per_text(owner, coded.touching(leaves)),
        "crossed_leaves": sample.per_text(owner[coded.glued(leaves)]),
    }


_FOOLED = (
    "Only where `leaves` says where they stand, and documents are programs, not lines of them. What a leaf "
    "is differs from grammar to grammar: compare tokenizers on one. "
)

METRICS = (
    Ratio(
        "leaf_tokens",
        "tokens per leaf of the syntax tree",
        "tokens",
        (0, None),
        "less",
        "Tokens that touch a leaf of the syntax tree (a name, number, operator, bracket), added up over "
        "leaves, over leaves.",
        _FOOLED + "A string or a comment may be one long leaf.",
        top="leaf_tokens",
        bottom="leaves",
        on="sample",
    ),
    Ratio(
        "crossed_leaves",
        "leaves that share a token",
        "share of the leaves",
        (0, 1),
        "less",
        "Leaves of the syntax tree that a token touches which touches another leaf too, over all leaves.",
        _FOOLED + "Brackets in a row (`())`) are often one token by intent, and hurt nobody.",
        top="crossed_leaves",
        bottom="leaves",
        on="sample",
    ),
)
