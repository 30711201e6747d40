"""Tags of words, and the spans that they mean.

A span of words with a label is written as one tag for each word. Three spellings are known:

- ``BIO`` (also called IOB2): ``B-X`` begins a span, ``I-X`` goes on, ``O`` is outside.
- ``IOB1``: as BIO, but ``B-X`` is only written where a span follows another of the same label.
- ``BILOU``: ``B-X`` begins, ``I-X`` goes on, ``L-X`` ends, ``U-X`` is a span of one word.

Example:
    >>> from tessella.tasks import convert_tags, spans_of_tags
    >>> tags = ["B-PER", "I-PER", "O", "B-LOC"]
    >>> spans_of_tags(tags)
    [TagSpan(label='PER', start=0, end=2), TagSpan(label='LOC', start=3, end=4)]
    >>> convert_tags(tags, to="BILOU")
    ['B-PER', 'L-PER', 'O', 'U-LOC']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from ..errors import ArgumentError

#: A spelling of tags. ``IOB2`` is another name of ``BIO``.
Scheme = Literal["BIO", "IOB2", "IOB1", "BILOU"]

_PREFIXES = {"BIO": "BI", "IOB2": "BI", "IOB1": "BI", "BILOU": "BILU"}


class TagSpan(NamedTuple):
    """A label, and the words from ``start`` to before ``end`` that have it."""

    label: str
    start: int
    end: int


def _checked(scheme: str) -> str:
    if scheme not in _PREFIXES:
        raise ArgumentError(f"`scheme` is {scheme!r}; it must be one of {', '.join(_PREFIXES)}")
    return scheme


def split_tag(tag: str, scheme: Scheme = "BIO") -> tuple[str, str]:
    """The prefix and the label of a tag; ``("O", "")`` for what is outside.

    Example:
        >>> split_tag("B-PER"), split_tag("O")
        (('B', 'PER'), ('O', ''))
    """
    if tag == "O":
        return "O", ""
    if not isinstance(tag, str):
        raise TypeError(f"a tag must be a str, not {type(tag).__name__} {tag!r:.60}")
    prefix, dash, label = tag.partition("-")
    if not dash or not label or prefix not in _PREFIXES[_checked(scheme)]:
        prefixes = ", ".join(f"{one}-" for one in _PREFIXES[scheme])
        raise ArgumentError(f"{tag!r} is no {scheme} tag: expected O, or a label behind one of {prefixes}")
    return prefix, label


def spans_of_tags(tags: Iterable[str], scheme: Scheme = "BIO") -> list[TagSpan]:
    """The spans that tags mean.

    Tags that break the rules are read kindly, as evaluation programs do: a span that goes on without having
    begun begins there, and one that never ends ends where its label does.

    Example:
        >>> spans_of_tags(["O", "B-LOC", "I-LOC"])
        [TagSpan(label='LOC', start=1, end=3)]
    """
    spans: list[TagSpan] = []
    label, start, place, last = "", 0, 0, "O"
    for place, tag in enumerate(tags):
        prefix, this = split_tag(tag, scheme)
        if scheme == "BILOU":
            begins = prefix in "BU" or last in "LUO" or this != label
        else:
            begins = prefix == "B" or this != label
        if label and (prefix == "O" or begins):
            spans.append(TagSpan(label, start, place))
            label = ""
        if prefix != "O" and begins:
            label, start = this, place
        last = prefix
    if label:
        spans.append(TagSpan(label, start, place + 1))
    return spans


def tags_of_spans(spans: Iterable[tuple[str, int, int]], length: int, scheme: Scheme = "BIO") -> list[str]:
    """The tags of ``length`` words with these spans, which must not overlap.

    Example:
        >>> tags_of_spans([("LOC", 1, 3)], 4, "BILOU")
        ['O', 'B-LOC', 'L-LOC', 'O']
    """
    _checked(scheme)
    tags = ["O"] * length
    last = TagSpan("", -1, 0)
    for label, start, end in sorted(spans, key=lambda span: span[1:]):
        if not 0 <= start < end <= length:
            raise ArgumentError(f"the span {label!r} from {start} to {end} does not fit {length} words")
        if start < last.end:
            raise ArgumentError(f"the span {label!r} from {start} to {end} overlaps {tuple(last)}")
        tags[start:end] = [f"I-{label}"] * (end - start)
        if scheme == "BILOU":
            tags[end - 1] = f"L-{label}"
            tags[start] = f"B-{label}" if end - start > 1 else f"U-{label}"
        elif scheme != "IOB1" or (last.label == label and last.end == start):
            tags[start] = f"B-{label}"
        last = TagSpan(label, start, end)
    return tags


def convert_tags(tags: Sequence[str], *, source: Scheme = "BIO", to: Scheme) -> list[str]:
    """The same spans in another spelling.

    Example:
        >>> convert_tags(["O", "B-LOC", "I-LOC"], to="BILOU")
        ['O', 'B-LOC', 'L-LOC']
    """
    return tags_of_spans(spans_of_tags(tags, source), len(tags), to)
