"""An encoding drawn over its text, as one self-contained HTML page."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError

if TYPE_CHECKING:
    from .._tessella import Encoding
    from ..tokenizer import Tokenizer

_STYLE = """
.tessella { font: 1rem/2.6 ui-monospace, monospace; white-space: pre-wrap; padding: 1rem; color: #1c1c22;
  background: #fff; }
.tessella .token { padding: .2em 0; border-radius: .2em; }
.tessella .even { background: #dbe9fb; } .tessella .odd { background: #fbe9cf; }
.tessella .token:hover { outline: 2px solid #3b6fc4; }
.tessella .several { border-bottom: 2px dotted #b3402e; }
.tessella .special { background: #e6e6ea; border-radius: .2em; padding: .2em .3em; font-size: .8em; }
.tessella .label { border-bottom: 3px solid var(--label); padding-bottom: .35em; }
.tessella .label::after { content: attr(data-label); font-size: .65em; vertical-align: sub;
  color: var(--label); margin-left: .2em; }
"""


class Annotation:
    """A label on a part of the text.

    Args:
        start: its first character.
        end: one past its last character.
        label: what to write under it.
    """

    __slots__ = ("end", "label", "start")

    def __init__(self, start: int, end: int, label: str) -> None:
        self.start: int = start
        self.end: int = end
        self.label: str = label

    def __repr__(self) -> str:
        return f"Annotation(start={self.start}, end={self.end}, label={self.label!r})"


class EncodingVisualizer:
    """Draws how a tokenizer cuts a text.

    Args:
        tokenizer: the tokenizer.
        default_to_notebook: show the page in a notebook instead of returning it.
        annotation_converter: makes an ``Annotation`` of whatever is given as one.

    Example:
        >>> from tessella import Tokenizer, models
        >>> from tessella.tools import EncodingVisualizer
        >>> tokenizer = Tokenizer(models.BPE())
        >>> _ = tokenizer.add_tokens(["hello"])
        >>> page = EncodingVisualizer(tokenizer, default_to_notebook=False)("hello")
        >>> page.count('class="token')
        1
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        default_to_notebook: bool = True,
        annotation_converter: Callable[[Any], Annotation] | None = None,  # takes what the caller has
    ) -> None:
        self.tokenizer = tokenizer
        self.default_to_notebook = default_to_notebook
        self.annotation_converter = annotation_converter

    def __call__(
        self,
        text: str,
        annotations: Iterable[Any] = (),  # `Annotation`, or what the converter takes
        default_to_notebook: bool | None = None,
    ) -> str | None:
        """The page, or ``None`` after showing it in a notebook.

        Args:
            text: the text to encode.
            annotations: labels to draw under the text.
            default_to_notebook: overrides the setting of the object.
        """
        convert = self.annotation_converter or (lambda annotation: annotation)
        encoding = self.tokenizer.encode(text)
        labels = [convert(annotation) for annotation in annotations]
        for place, label in enumerate(labels):
            _check(place, label, len(text))
        page = _page(text, encoding, labels)
        if not (self.default_to_notebook if default_to_notebook is None else default_to_notebook):
            return page
        try:
            from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            from ..errors import MissingDependencyError

            raise MissingDependencyError(
                "showing a page needs a notebook; pass default_to_notebook=False to get its HTML"
            ) from error
        display(HTML(page))
        return None


# `Any`: what is no annotation is told.
def _check(place: int, label: Any, length: int) -> None:
    """Refuses what cannot be drawn: it would be missing on the page."""
    if not all(hasattr(label, name) for name in Annotation.__slots__):
        raise TypeError(
            f"`annotations[{place}]` must be an Annotation, found {type(label).__name__} {label!r:.60}; what "
            "makes one of it is the `annotation_converter` of the visualizer"
        )
    # What goes beyond the end is drawn up to it.
    if not 0 <= label.start < min(label.end, length):
        raise ArgumentError(
            f"`annotations[{place}]` goes from {label.start} to {label.end}, where the text, which has "
            f"{length} characters, has none"
        )


def _colour(label: str, labels: list[str]) -> str:
    """Colours spread evenly over the circle of hues."""
    return f"hsl({labels.index(label) * 360 // max(1, len(labels))}, 60%, 40%)"


def _cuts(text: str, offsets: list[tuple[int, int]], labels: list[Annotation]) -> list[int]:
    """The characters at which the drawing may change, in order."""
    points = {0, len(text)}
    for start, end in offsets:
        points.update((start, end))
    for label in labels:
        points.update((label.start, label.end))
    return sorted(point for point in points if 0 <= point <= len(text))


def _page(text: str, encoding: Encoding, labels: list[Annotation]) -> str:
    tokens_at: dict[int, list[int]] = {}
    specials = []
    # Asked for once: each time is a list of all tokens.
    tokens, ids, offsets = encoding.tokens, encoding.ids, encoding.offsets
    for index, (start, end) in enumerate(offsets):
        if start < end:
            tokens_at.setdefault(start, []).append(index)
        else:
            specials.append(index)
    names = list(dict.fromkeys(label.label for label in labels))
    cuts = _cuts(text, offsets, labels)
    body: list[str] = []
    current: list[int] = []
    for (start, end), label in zip(pairwise(cuts), _labels_at(cuts, labels), strict=False):
        started = tokens_at.get(start, [])
        current = [index for index in current if offsets[index][1] > start] + started
        body.append(_part(text[start:end], current, tokens, ids, label, names))
    first = min(map(min, tokens_at.values()), default=0)
    front = [index for index in specials if index < first]
    back = [index for index in specials if index >= first]
    drawn = [_special(tokens[index], ids[index]) for index in front]
    drawn += body
    drawn += [_special(tokens[index], ids[index]) for index in back]
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><style>{_STYLE}</style></head>'
        f'<body><div class="tessella">{"".join(drawn)}</div></body></html>'
    )


def _labels_at(cuts: list[int], labels: list[Annotation]) -> list[str | None]:
    """The label at each of these characters: of several the one that was given first."""
    found: list[str | None] = [None] * len(cuts)
    # What is labelled is passed over, so that many labels over much text do not take long.
    free = list(range(len(cuts) + 1))
    for label in labels:
        place = bisect_left(cuts, label.start)
        while (place := _next_free(free, place)) < len(cuts) and cuts[place] < label.end:
            found[place] = label.label
            free[place] = place + 1
    return found


def _next_free(free: list[int], place: int) -> int:
    """The first place from here on that has no label yet; the way there is shorter the next time."""
    while free[place] != place:
        free[place] = place = free[free[place]]
    return place


def _special(token: str, id: int) -> str:
    return f'<span class="special" title="id {id}">{escape(token)}</span>'


def _part(
    text: str, indices: list[int], tokens: list[str], ids: list[int], label: str | None, names: list[str]
) -> str:
    shown = escape(text)
    if indices:
        last = indices[-1]
        classes = ["token", "odd" if last % 2 else "even"]
        if len(indices) > 1:
            classes.append("several")
        title = escape(", ".join(f"{tokens[index]} (id {ids[index]})" for index in indices), quote=True)
        shown = f'<span class="{" ".join(classes)}" title="{title}">{shown}</span>'
    if label is not None:
        shown = (
            f'<span class="label" style="--label: {_colour(label, names)}" '
            f'data-label="{escape(label, quote=True)}">{shown}</span>'
        )
    return shown
