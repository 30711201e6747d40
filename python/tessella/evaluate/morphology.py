"""Cuts against those between morphemes, of words that somebody has cut by hand.

A gold file has a word on each line, a tab, and its morphemes with blanks between: ``unhappily``, tab, ``un
happi ly``. Words are encoded after a blank, as they stand in a text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._shown import written
from ..errors import ArgumentError, FormatError
from .blocks import Blocks
from .intervals import Interval, Stratum, of_ratio

if TYPE_CHECKING:
    from .. import Tokenizer
    from .._types import Path


#: Words with their morphemes.
Gold = list[tuple[str, tuple[str, ...]]]
BLOCKS, WORDS = 256, 4096
_VALUES = {
    "boundary_precision": ("hits", "cuts", "Cuts inside words that lie between morphemes over all cuts."),
    "boundary_recall": ("hits", "gold", "Places between morphemes at which a word is cut over all of them."),
    "boundary_f1": ("twice", "both", "2·hits / (cuts + places between morphemes)."),
    "morph_score": ("judged_hits", "judged", "The recall over words that are cut at all."),
}


def read_gold(given: Path | Mapping[str, Iterable[str]]) -> Gold:
    """Words and morphemes from a file, or from a dict of words and lists.

    Example:
        >>> read_gold({"lower": ["low", "er"]})
        [('lower', ('low', 'er'))]
    """
    if isinstance(given, Mapping):
        pairs = [(word, _parts(word, own), f"the word {word!r}") for word, own in given.items()]
    elif isinstance(given, (str, bytes, os.PathLike)):
        pairs = list(_of_file(os.fsdecode(given)))
    else:
        raise TypeError(f"`gold` must be a path or a dict of words and lists, not {type(given).__name__}")
    for word, parts, place in pairs:
        if "".join(parts) != word or not word:
            raise FormatError(f"{place}: the morphemes {' + '.join(parts)} are not {word!r} when joined")
    if not pairs:
        name = "`gold`" if isinstance(given, Mapping) else written(os.fsdecode(given))
        raise ArgumentError(f"{name} holds no words")
    return [(word, parts) for word, parts, _ in pairs]


def _parts(word: Any, given: Any) -> tuple[str, ...]:
    """The morphemes of a word in a dict. A ``str`` would be a list of its letters, which nobody means."""
    if not isinstance(word, str):
        raise TypeError(f"the words of `gold` must be str, found {type(word).__name__}")
    if isinstance(given, str):
        raise TypeError(f"`gold` must hold lists of morphemes, found the str {given!r} for {word!r}")
    parts = tuple(given)
    if wrong := [part for part in parts if not isinstance(part, str)]:
        raise TypeError(f"the morphemes of {word!r} in `gold` must be str, found {type(wrong[0]).__name__}")
    if "" in parts:
        raise ArgumentError(f"`gold` has an empty morpheme in {word!r}: no text can be cut there")
    return parts


def _of_file(name: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Words, morphemes and places of the lines of a file."""
    with open(name, "rb") as file:
        for number, raw in enumerate(file, 1):
            place = f"{name}, line {number}"
            try:
                # A mark at the beginning says that it is UTF-8, and belongs to no word.
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"{place}, byte {error.start}: {error.reason}; gold files are UTF-8", filename=name
                ) from error
            if not line.strip():
                continue
            word, tab, rest = line.partition("\t")
            if not tab:
                raise FormatError(f"{place}: expected a word, a tab, morphemes, found {line!r}")
            yield word, tuple(rest.split()), place


def _row(spans: list[tuple[int, int]], parts: tuple[str, ...]) -> list[int]:
    """Hits, cuts, places, twice hits, cuts and places, hits and places of words that are cut."""
    size = sum(map(len, parts))
    # The blank before the word is at 0.
    cuts = {place - 1 for start, end in spans if start < end for place in (start, end)} & set(range(1, size))
    # Where a token ends inside a character, the next one's span has it too: neither edge of it is a cut.
    cuts -= {place - 1 for start, end in spans for place in range(start + 1, end)}
    gold = set(np.cumsum([len(part) for part in parts])[:-1].tolist())
    hits = len(cuts & gold)
    judged = [hits, len(gold)] if cuts else [0, 0]
    return [hits, len(cuts), len(gold), 2 * hits, len(cuts) + len(gold), *judged]


_COLUMNS = {"hits": 0, "cuts": 1, "gold": 2, "twice": 3, "both": 4, "judged_hits": 5, "judged": 6}


def against_gold(
    tokenizers: Mapping[str, Tokenizer], gold: Gold, *, draws: int, seed: int, confidence: float
) -> dict[str, Any]:
    """Precision, recall, F1 and MorphScore of each tokenizer, micro over words."""
    rows = []
    for name, tokenizer in tokenizers.items():
        blocks = Blocks(len(_COLUMNS), BLOCKS)
        for start in range(0, len(gold), WORDS):
            some = gold[start : start + WORDS]
            coded = tokenizer.encode_batch(
                [f" {word}" for word, _ in some], add_special_tokens=False, truncation=False, padding=False
            )
            blocks.add(np.array([_row(one.offsets, own[1]) for one, own in zip(coded, some, strict=True)]))
        stratum = Stratum.of(blocks.sums(), draws, seed, 0)
        for metric, (top, bottom, _) in _VALUES.items():
            columns = _COLUMNS[top], _COLUMNS[bottom]
            if draws:
                found = of_ratio([stratum], *columns, confidence)
            else:
                above, below = (float(stratum.blocks[:, column].sum()) for column in columns)
                found = Interval(above / below if below else float("nan"))
            value = None if np.isnan(found.value) else found.value
            inside = [None if one is None else min(max(one, 0.0), 1.0) for one in (found.low, found.high)]
            told = {"value": value, "low": inside[0], "high": inside[1], "note": found.note}
            rows.append({"tokenizer": name, "metric": metric, **told})
    return {
        "words": len(gold),
        "definitions": {metric: one[2] for metric, one in _VALUES.items()},
        "values": rows,
    }
