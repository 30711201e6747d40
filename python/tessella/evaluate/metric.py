"""What a metric is: a name, a definition, and what would make its number wrong without a word.

Most metrics are ratios of sums over documents: the sum of one column over the sum of another. An average of
ratios would let a document of three words weigh as much as a book. A few are functions of how often each id
occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .facts import Facts


@dataclass(frozen=True)
class Metric:
    """What is told about every metric."""

    name: str
    title: str
    unit: str
    #: The least and the greatest value; ``None`` for no bound.
    range: tuple[float | None, float | None]
    better: Literal["more", "less", "neither"]
    definition: str
    fooled_by: str


@dataclass(frozen=True)
class Ratio(Metric):
    """The sum of ``top`` over the sum of ``bottom``, names of columns."""

    top: str = ""
    bottom: str = ""
    #: Where it is measured: on all text, on a sample of the documents, or on data of its own.
    on: Literal["all", "sample"] = "all"
    #: The bottom is that of the tokenizer that all are compared with.
    by_baseline: bool = False


@dataclass(frozen=True)
class Total(Metric):
    """The sum of a column: what there is, without an interval."""

    column: str = ""


@dataclass(frozen=True)
class Distribution(Metric):
    """A function of how often each id occurs."""

    function: Callable[[npt.NDArray[np.int64], Facts], float] = field(kw_only=True)
    #: Whether its value settles as the text grows, so that an interval has a meaning.
    settles: bool = True
