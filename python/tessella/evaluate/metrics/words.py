"""Words where they stand in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..metric import Ratio

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..coded import Coded
    from ..sample import Sample

    Whole = npt.NDArray[np.int64]


def of_text(sample: Sample) -> dict[str, Whole]:
    """Columns of the text alone."""
    return {"words": sample.per_text(sample.word_text)}


def measure(sample: Sample, coded: Coded) -> dict[str, Whole]:
    """Columns of what a tokenizer made of it."""
    touching = coded.touching(sample.words)
    continued = touching >= 2
    single = (touching == 1) & ~coded.is_shared(sample.words)
    owner = sample.word_text
    return {
        "continued": sample.per_text(owner[continued]),
        "single": sample.per_text(owner[single]),
    }


_FOOLED = (
    "Words are runs without blanks unless `words` says otherwise, which means little in Chinese, Japanese or "
    "Thai. "
)

METRICS = (
    Ratio(
        "fertility",
        "tokens per word",
        "tokens",
        (0, None),
        "less",
        "Tokens over words.",
        _FOOLED + "Tokens of blanks and line ends count, so indented code has a high fertility.",
        top="tokens",
        bottom="words",
        on="sample",
    ),
    Ratio(
        "continued_words",
        "words in several tokens",
        "share of the words",
        (0, 1),
        "less",
        "Words that two or more tokens touch over all words.",
        _FOOLED + "Commas stick to words.",
        top="continued",
        bottom="words",
        on="sample",
    ),
    Ratio(
        "single_words",
        "words in one token",
        "share of the words",
        (0, 1),
        "more",
        "Words that one token stands for, with or without the blanks beside them, over all words; the "
        "unknown token stands for no word.",
        _FOOLED + "Short words are most of a text.",
        top="single",
        bottom="words",
        on="sample",
    ),
)
