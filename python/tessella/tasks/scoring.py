"""How good predicted entities are: precision, recall and F1 of whole entities.

An entity counts as found if its label, its start and its end are right. Needs ``seqeval``:
``pip install seqeval``.

Example:
    >>> from tessella.tasks import score_entities
    >>> scores = score_entities([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "O"]])
    >>> round(scores.precision, 3), round(scores.recall, 3), round(scores.f1, 3)
    (1.0, 0.5, 0.667)
    >>> scores.by_label["LOC"].recall
    0.0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .._given import check_list
from .._optional import needed
from ..errors import ArgumentError
from .labels import IGNORED


class LabelScores(NamedTuple):
    """The scores of one label; ``support`` is the number of true entities."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class EntityScores:
    """Scores over all entities, of each label, and the share of tokens whose tag is right."""

    precision: float
    recall: float
    f1: float
    accuracy: float
    support: int
    by_label: dict[str, LabelScores]

    def __str__(self) -> str:
        wide = max(6, *map(len, self.by_label)) if self.by_label else 6
        lines = [f"{'label':<{wide}}  precision  recall     f1  support"]
        rows = [*self.by_label.items()]
        rows.append(("all", LabelScores(self.precision, self.recall, self.f1, self.support)))
        lines += [
            f"{name:<{wide}}  {row.precision:>9.4f}  {row.recall:>6.4f} {row.f1:>6.4f}  {row.support:>7}"
            for name, row in rows
        ]
        return "\n".join(lines)


def score_entities(
    true: Sequence[Sequence[str | int]],
    predicted: Sequence[Sequence[str | int]],
    *,
    names: Sequence[str] | None = None,
    scheme: Literal["IOB2", "IOB1", "BILOU"] | None = None,
    ignored: int = IGNORED,
) -> EntityScores:
    """Compares predicted tags with true ones, sentence by sentence.

    Args:
        true: tags, or numbers of tags, of each sentence.
        predicted: the same, as long.
        names: the tags by number, where numbers are given.
        scheme: count only what is spelled exactly by this scheme, instead of reading tags kindly.
        ignored: tokens whose true tag is this are left out.

    Example:
        >>> scores = score_entities([["B-LOC", "O"], ["B-PER"]], [["B-LOC", "O"], ["O"]])
        >>> scores.precision, scores.recall, scores.support
        (1.0, 0.5, 2)
    """
    if len(true) != len(predicted):
        raise ArgumentError(f"there are {len(true)} true sentences, but {len(predicted)} predicted ones")
    if not len(true):
        return EntityScores(0.0, 0.0, 0.0, 0.0, 0, {})
    wanted: list[list[str]] = []
    given: list[list[str]] = []
    for number, (these, those) in enumerate(zip(true, predicted, strict=True)):
        check_list(f"true[{number}]", these, "tags of a sentence")
        check_list(f"predicted[{number}]", those, "tags of a sentence")
        if len(these) != len(those):
            raise ArgumentError(
                f"sentence {number} has {len(these)} true tags, but {len(those)} predicted ones"
            )
        pairs = [pair for pair in zip(these, those, strict=True) if pair[0] != ignored]
        wanted.append([_tag(tag, names, scheme is None) for tag, _ in pairs])
        given.append([_tag(tag, names, scheme is None) for _, tag in pairs])
    metrics = needed("seqeval.metrics", "tasks", "scoring entities")
    options = {}
    if scheme is not None:
        schemes = needed("seqeval.scheme", "tasks", "scoring entities")
        options = {"mode": "strict", "scheme": getattr(schemes, "BILOU" if scheme == "BILOU" else scheme)}
    report = metrics.classification_report(wanted, given, output_dict=True, zero_division=0, **options)
    rows = {
        label: LabelScores(
            float(row["precision"]), float(row["recall"]), float(row["f1-score"]), int(row["support"])
        )
        for label, row in report.items()
    }
    whole = rows.pop("micro avg", LabelScores(0.0, 0.0, 0.0, 0))
    by_label = {label: row for label, row in rows.items() if label not in ("macro avg", "weighted avg")}
    accuracy = float(metrics.accuracy_score(wanted, given)) if any(wanted) else 0.0
    return EntityScores(whole.precision, whole.recall, whole.f1, accuracy, whole.support, by_label)


def _tag(tag: str | int, names: Sequence[str] | None, kindly: bool) -> str:
    """The tag by name; to be read kindly, BILOU's with the letters of IOBES, the only ones that are known."""
    if not isinstance(tag, str):
        if names is None or not 0 <= tag < len(names):
            raise ArgumentError(f"the tag {tag} is a number without a name: give `names`")
        tag = names[tag]
    return {"L-": "E-", "U-": "S-"}.get(tag[:2], tag[:2]) + tag[2:] if kindly else tag
