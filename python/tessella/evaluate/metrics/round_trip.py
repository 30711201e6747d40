"""Whether decoding gives the text back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..metric import Ratio

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..coded import Coded
    from ..sample import Sample


def measure(sample: Sample, coded: Coded) -> dict[str, npt.NDArray[np.int64]]:
    """A column that is 1 where a document does not come back."""
    failed = [one != other for one, other in zip(coded.decoded(), sample.texts, strict=True)]
    return {"failed": np.array(failed, dtype=np.int64)}


METRICS = (
    Ratio(
        "round_trip_failures",
        "documents that do not come back",
        "share of the documents",
        (0, 1),
        "less",
        "Documents whose decoded ids are not exactly their text over all documents.",
        "Long documents fail more easily than short ones. A normalizer that lowers case fails nearly "
        "everywhere, by intent; one that only drops a blank at the end fails as often.",
        top="failed",
        bottom="documents",
        on="sample",
    ),
)
