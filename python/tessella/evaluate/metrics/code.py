"""How the marks of program text are cut: compound names, and blanks that indent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ..metric import Ratio

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..coded import Coded
    from ..sample import Sample

    Whole = npt.NDArray[np.int64]


#: Names of several words: with an underscore between, or a capital after a small letter.
_IDENTIFIER = re.compile(r"\b(?=\w*[a-z][A-Z]|\w*[A-Za-z0-9]_+[A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]*\b", re.ASCII)
#: Two blanks or more, or tabs, at the beginning of a line that holds more.
_INDENT = re.compile(r"^(?: {2,}|\t+)(?=\S)", re.MULTILINE)


def _spans(pattern: re.Pattern[str], text: str) -> Whole:
    return np.array([found.span() for found in pattern.finditer(text)], dtype=np.int64).reshape(-1, 2)


def identifiers(sample: Sample) -> Whole:
    """Start and end of each compound name."""
    return _spans(_IDENTIFIER, sample.joined)


def indents(sample: Sample) -> Whole:
    """Start and end of the blanks before each indented line."""
    return _spans(_INDENT, sample.joined)


def of_text(sample: Sample) -> dict[str, Whole]:
    """Columns of the text alone."""
    return {
        "identifiers": sample.per_text(sample.owner(identifiers(sample)[:, 0])),
        "indents": sample.per_text(sample.owner(indents(sample)[:, 0])),
    }


def measure(sample: Sample, coded: Coded) -> dict[str, Whole]:
    """Columns of what a tokenizer made of them."""
    columns = {}
    for name, spans in (("identifier_tokens", identifiers(sample)), ("indent_tokens", indents(sample))):
        columns[name] = sample.per_text(sample.owner(spans[:, 0]), coded.touching(spans))
    return columns


METRICS = (
    Ratio(
        "identifier_tokens",
        "tokens per compound name",
        "tokens",
        (0, None),
        "less",
        "Tokens that touch names of several words (`snake_case`, `camelCase`) over such names.",
        "Prose has few of them, and those are product names: look at it on program text.",
        top="identifier_tokens",
        bottom="identifiers",
        on="sample",
    ),
    Ratio(
        "indent_tokens",
        "tokens per indentation",
        "tokens",
        (0, None),
        "less",
        "Tokens that touch the two blanks or more, or tabs, at the beginning of a line, over such lines.",
        "A normalizer that throws blanks away has none, and loses the program.",
        top="indent_tokens",
        bottom="indents",
        on="sample",
    ),
)
