"""How much of the tokens changes when little of the text does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..metric import Ratio

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..coded import Coded
    from ..sample import Sample

    Whole = npt.NDArray[np.int64]


#: Documents of a corpus that are changed, and the characters of each that are looked at.
TEXTS, CHARACTERS = 200, 160


def _typo(text: str) -> str:
    """Two letters in the middle of the longest word change places."""
    words = text.split(" ")
    longest = max(range(len(words)), key=lambda place: len(words[place]))
    word = words[longest]
    middle = len(word) // 2
    if len(word) < 2:
        return text
    words[longest] = word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
    return " ".join(words)


#: The changes, by name.
CHANGES: dict[str, Callable[[str], str]] = {
    "typo": _typo,
    "case": str.upper,
    "space": lambda text: " " + text.replace(" ", "  ", 1),
}


#: Columns of the documents that are changed, which are not all of the sample.
COLUMNS = ("changeable", *(f"{name}_edits" for name in CHANGES))


def distance(one: Sequence[int], other: Sequence[int]) -> int:
    """The fewest ids to put in, leave out or replace to make one sequence the other.

    Example:
        >>> distance([1, 2, 3, 4], [1, 9, 4])
        2
    """
    first, second = np.asarray(one), np.asarray(other)
    shorter = min(len(first), len(second))
    unlike = np.flatnonzero(first[:shorter] != second[:shorter])
    same = int(unlike[0]) if len(unlike) else shorter
    first, second = first[same:], second[same:]
    shorter = min(len(first), len(second))
    unlike = np.flatnonzero(first[::-1][:shorter] != second[::-1][:shorter])
    same = int(unlike[0]) if len(unlike) else shorter
    first, second = first[: len(first) - same], second[: len(second) - same]
    steps = np.arange(len(second) + 1)
    row = steps.copy()
    for place, id in enumerate(first):
        row_next = row + 1
        row_next[1:] = np.minimum(row_next[1:], row[:-1] + (second != id))
        row_next[0] = place + 1
        # Putting ids in, all at once: the least over what lies to the left, plus the way from there.
        row = np.minimum.accumulate(row_next - steps) + steps
    return int(row[-1])


def measure(sample: Sample, coded: Coded) -> dict[str, Whole]:
    """For each change the edits, and the tokens that there were; 0 for documents that were not changed."""
    number = len(sample.texts)
    chosen = np.linspace(0, number - 1, min(TEXTS, number)).astype(np.int64)
    texts = [sample.texts[place][:CHARACTERS] for place in chosen]
    tokenizer = coded.tokenizer
    plain = tokenizer.encode_ids_batch(texts, add_special_tokens=False).tolist()
    columns: dict[str, Whole] = {"changeable": np.zeros(number, dtype=np.int64)}
    columns["changeable"][chosen] = [len(ids) for ids in plain]
    for name, change in CHANGES.items():
        changed = tokenizer.encode_ids_batch(
            [change(text) for text in texts], add_special_tokens=False
        ).tolist()
        edits = np.zeros(number, dtype=np.int64)
        edits[chosen] = [distance(*pair) for pair in zip(plain, changed, strict=True)]
        columns[f"{name}_edits"] = edits
    return columns


_TITLES = {"typo": "a typo", "case": "capitals", "space": "blanks"}
_DEFINITIONS = {
    "typo": "two letters in the middle of the longest word change places",
    "case": "all letters become capitals",
    "space": "a blank more at the beginning, and another at the first blank",
}

METRICS = tuple(
    Ratio(
        f"{name}_edits",
        f"tokens changed by {_TITLES[name]}",
        "edits for each token",
        (0, None),
        "less",
        f"{_DEFINITIONS[name].capitalize()}; the fewest ids to put in, leave out or replace, over the ids "
        f"before.",
        f"Measured on {TEXTS} documents of the sample, of each the first {CHARACTERS} characters. Longer "
        f"texts "
        "change less by one typo; a tokenizer that loses the difference (lower case) is perfectly stable.",
        top=f"{name}_edits",
        bottom="changeable",
        on="sample",
    )
    for name in CHANGES
)
