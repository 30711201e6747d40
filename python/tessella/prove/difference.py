"""Two tokenizers compared: what is different in them, and what it does to texts.

Structure is compared whole. Behaviour is looked at on texts: those of a corpus, if there is one, and short
ones that are known to tell rules apart. The first text that differs is made as small as possible, and
followed through the stages to the one that parts ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._chance import chance_of, settled
from .._corpus import in_lists
from .._fingerprint import fingerprint_of
from .._given import check_tokenizer
from ..counting import read_texts
from ..errors import TessellaError
from .outcome import Outcome, columns, outcome, parting
from .probes import probes
from .reduce import smallest
from .structure import Change, changes, unseen

if TYPE_CHECKING:
    from .._types import Source
    from ..tokenizer import Tokenizer


#: Characters of a text that is made smaller: longer ones are cut first.
LONG = 20_000


@dataclass(frozen=True)
class Example:
    """A text for which the tokenizers part ways, as small as it can be."""

    text: str
    #: The stage that parts ways first.
    stage: str
    before: Outcome
    after: Outcome
    #: The text in which it was found, and where that was.
    found_in: str
    source: str
    #: Whether it differs as the first and second text of a pair only.
    is_pair: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        named = {name: value for name, value in vars(self).items() if name not in ("before", "after")}
        return {**named, "before": dict(vars(self.before)), "after": dict(vars(self.after))}


@dataclass
class Counted:
    """How often texts of a corpus differ."""

    name: str
    texts: int = 0
    #: Texts with other ids, and of these those with other tokens.
    ids: int = 0
    tokens: int = 0
    #: Texts with the same ids that decode to something else.
    decoded: int = 0
    #: Texts that differ in offsets, words or types only.
    others: int = 0

    @property
    def differing(self) -> int:
        """Texts that differ in any way."""
        return self.ids + self.decoded + self.others


@dataclass
class Difference:
    """What ``diff`` found. It is true if there is any difference, and prints as a tree."""

    structure: list[Change] = field(default_factory=list)
    #: The first text of each stage that parts ways, in the order in which they were found.
    examples: list[Example] = field(default_factory=list)
    corpora: list[Counted] = field(default_factory=list)
    #: Texts that were tried besides those of the corpus.
    probed: int = 0
    #: Stages with code in Python that cannot be written down, and so not be compared as structure.
    unseen: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.structure or self.examples or any(one.differing for one in self.corpora))

    @property
    def is_same_behaviour(self) -> bool:
        """Whether all texts that were tried came out alike."""
        return not self.examples and not any(one.differing for one in self.corpora)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "same": not self,
            "structure": [dict(vars(one)) for one in self.structure],
            "examples": [one.to_dict() for one in self.examples],
            "corpora": [{**vars(one), "differing": one.differing} for one in self.corpora],
            "probed": self.probed,
            "unseen": self.unseen,
        }

    def __str__(self) -> str:
        from .shown import tree

        return tree(self)

    def to_html(self) -> str:
        """A page of its own, without scripts."""
        from .shown import page

        return page(self)

    def _repr_html_(self) -> str:
        from .shown import body

        return body(self)


def diff(
    before: Tokenizer,
    after: Tokenizer,
    corpus: Source | Mapping[str, Source] | None = None,
    *,
    examples: int = 5,
) -> Difference:
    """Compares two tokenizers.

    Where both draw their tokens by chance (dropout, sampling), texts are compared without it.

    Args:
        before: one.
        after: the other.
        corpus: texts on which they are compared too: whatever ``count_pieces`` takes. Of a dict each entry is
            counted by its name: languages, for instance.
        examples: how many texts are made small and told, one for each stage that parts ways.

    Example:
        >>> from tessella import Tokenizer, models, normalizers, prove
        >>> one = Tokenizer(models.BPE({"a": 0, "b": 1, "A": 2}, []))
        >>> other = Tokenizer(models.BPE({"a": 0, "b": 1, "A": 2}, []))
        >>> bool(prove.diff(one, other))
        False
        >>> other.normalizer = normalizers.Lowercase()
        >>> found = prove.diff(one, other, ["bab", "bAb"])
        >>> found.structure[0].path, found.examples[0].text, found.examples[0].stage
        ('normalizer', 'A', 'normalizer')
        >>> found.corpora[0].differing, found.corpora[0].texts
        (1, 2)
    """
    check_tokenizer("before", before)
    check_tokenizer("after", after)
    found = Difference(changes(before, after), unseen=unseen(before, after))
    if chance_of(before.model) is not None and chance_of(after.model) is not None:
        before, after = settled(before), settled(after)
    if isinstance(corpus, Mapping):
        for name, source in corpus.items():
            found.corpora.append(_counted(before, after, name, source, found, examples))
    elif corpus is not None:
        found.corpora.append(_counted(before, after, "corpus", corpus, found, examples))
    for text in dict.fromkeys(probes(before, after, found.structure)):
        if len(found.examples) >= examples:
            break
        found.probed += 1
        for pair in (None, text):
            if outcome(before, text, pair) != outcome(after, text, pair):
                _keep(before, after, text, "probe", found, pair is not None)
                break
    return found


def _keep(
    before: Tokenizer, after: Tokenizer, text: str, source: str, found: Difference, is_pair: bool = False
) -> None:
    """Makes a text small, unless one of its stage is known."""
    stage = parting(before, after, text, text if is_pair else None)
    if stage is None or stage in {one.stage for one in found.examples}:
        return

    def holds(candidate: str) -> bool:
        return parting(before, after, candidate, candidate if is_pair else None) == stage

    short = text
    if len(short) > LONG:
        cut = next(
            (short[at : at + LONG] for at in range(0, len(short), LONG) if holds(short[at : at + LONG])), None
        )
        if cut is None:
            cut = short
        short = cut
    short = smallest(short, holds)
    pair = short if is_pair else None
    found.examples.append(
        Example(
            short, stage, outcome(before, short, pair), outcome(after, short, pair), text, source, is_pair
        )
    )


def _counted(
    before: Tokenizer, after: Tokenizer, name: str, source: Source, found: Difference, examples: int
) -> Counted:
    counted = Counted(name)
    # What is written down in the same way does the same; what runs code of others has no fingerprint.
    in_all = bool(found.structure) or fingerprint_of(before) is None
    for texts in in_lists(read_texts(source)):
        counted.texts += len(texts)
        for text in _suspects(before, after, texts, in_all):
            one, other = outcome(before, text), outcome(after, text)
            if one == other:
                continue
            if one.ids != other.ids or (one.error is None) != (other.error is None):
                counted.ids += 1
                counted.tokens += one.tokens != other.tokens or one.ids == other.ids
            elif (one.decoded, one.decoded_all) != (other.decoded, other.decoded_all):
                counted.decoded += 1
            else:
                counted.others += 1
            if len(found.examples) < examples:
                _keep(before, after, text, name, found)
    return counted


def _suspects(before: Tokenizer, after: Tokenizer, texts: list[str], in_all: bool) -> Iterator[str]:
    """Texts that may come out otherwise, found many at a time; ``in_all`` looks at more than ids and text."""
    both = (before, after)
    try:
        rows = [one.encode_ids_batch(texts) for one in both]
        backs = [
            one.decode_batch(ids, skip_special_tokens=False) for one, ids in zip(both, rows, strict=True)
        ]
        whole = [one.encode_batch(texts) if in_all else [] for one in both]
    except TessellaError:
        # One of them refuses one of the texts, which is told of that text.
        yield from texts
        return
    for place, text in enumerate(texts):
        if (
            not np.array_equal(rows[0][place], rows[1][place])
            or backs[0][place] != backs[1][place]
            or (in_all and columns(whole[0][place]) != columns(whole[1][place]))
        ):
            yield text
