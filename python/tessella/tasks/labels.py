"""Labels of words as labels of tokens, and back.

A model sees tokens, people label words or stretches of text. Here one becomes the other, by the word ids and
the offsets of an ``Encoding``.

Example:
    >>> from tessella import Tokenizer, models, pre_tokenizers
    >>> from tessella.tasks import labels_of_spans, labels_of_words
    >>> vocab = {"[UNK]": 0, "in": 1, "Lon": 2, "##don": 3, "now": 4}
    >>> tokenizer = Tokenizer(models.WordPiece(vocab))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> encoding = tokenizer.encode("in London now")
    >>> labels_of_words(encoding, ["O", "B-LOC", "O"])
    ['O', 'B-LOC', -100, 'O']
    >>> labels_of_words(encoding, ["O", "B-LOC", "O"], pieces="all")
    ['O', 'B-LOC', 'I-LOC', 'O']
    >>> labels_of_spans(encoding, [("LOC", 3, 9)]).labels
    ['O', 'B-LOC', 'I-LOC', 'O']
    >>> labels_of_spans(encoding, [("LOC", 3, 7)]).cut
    [CutSpan(label='LOC', start=3, end=7, widened=(3, 9))]
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeVar

from .. import Encoding
from .._given import check_list
from ..errors import ArgumentError
from .tags import Scheme, spans_of_tags, tags_of_spans

#: The label that losses leave out.
IGNORED = -100

_L = TypeVar("_L", str, int)
_WordIds = Sequence["int | None"]


def check_sequence(sequence: int) -> None:
    """Of another number than 0 and 1 no token is, and all would be left out without a word."""
    if sequence not in (0, 1):
        raise ArgumentError(f"`sequence` is {sequence!r}; it must be 0, or 1 for the second of a pair")


def _word_ids(encoding: Encoding | _WordIds, sequence: int) -> _WordIds:
    """The word of each token; ``None`` for those of the other sequence, whose words begin at 0 too."""
    if not isinstance(encoding, Encoding):
        return encoding
    check_sequence(sequence)
    numbered = zip(encoding.word_ids, encoding.sequence_ids, strict=True)
    return [word if number == sequence else None for word, number in numbered]


def labels_of_words(
    encoding: Encoding | _WordIds,
    labels: Sequence[_L],
    pieces: Literal["first", "all", "same"] = "first",
    *,
    sequence: int = 0,
    ignored: int = IGNORED,
    names: Sequence[str] | Mapping[int, str] | None = None,
) -> list[_L | int]:
    """The label of every token, from one label for each word.

    Args:
        encoding: an encoding, or its word ids.
        labels: one for each word.
        pieces: what the tokens of a word get: ``"first"`` the label for the first and ``ignored`` for the
            others, ``"all"`` the label for the first and its ``I-`` form for the others (tags of BILOU have
            to be converted first: their ends would end at each token), ``"same"`` the label for all.
        sequence: the sequence of a pair that the labels are about; tokens of the other get ``ignored``.
        ignored: what special tokens get.
        names: where labels are numbers, their names, so that ``"all"`` finds ``I-X`` for ``B-X``.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "in": 1, "Ro": 2, "##me": 3}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tokenizer.encode(["in", "Rome"], is_pretokenized=True)
        >>> encoding.tokens, labels_of_words(encoding, ["O", "B-LOC"], "all")
        (['in', 'Ro', '##me'], ['O', 'B-LOC', 'I-LOC'])
    """
    if pieces not in ("first", "all", "same"):
        raise ArgumentError(f"`pieces` is {pieces!r}; it must be 'first', 'all' or 'same'")
    check_list("labels", labels, "labels")
    inner = _inner_forms(labels, names) if pieces == "all" else {}
    out: list[_L | int] = []
    last: int | None = None
    words = _word_ids(encoding, sequence)
    for word in words:
        if word is None:
            out.append(ignored)
        elif not word < len(labels):
            number = 1 + max(number for number in words if number is not None)
            raise ArgumentError(
                f"`labels` has length {len(labels)}, but the encoding has {number} words: give one for each"
            )
        elif word != last or pieces == "same":
            out.append(labels[word])
        else:
            out.append(inner[labels[word]] if pieces == "all" else ignored)
        last = word
    return out


def _inner_forms(labels: Sequence[_L], names: Sequence[str] | Mapping[int, str] | None) -> dict[_L, _L]:
    """What goes on where a label begins."""
    forms: dict[_L, _L] = {}
    listed = dict(enumerate(names)) if isinstance(names, Sequence) else dict(names or {})
    numbers = {name: number for number, name in listed.items()}
    for label in set(labels):
        forms[label] = label
        name = label if isinstance(label, str) else listed.get(label)
        if name is None:
            raise ArgumentError(f"the label {label} is a number without a name: give `names`")
        if name.startswith(("L-", "U-")):
            raise ArgumentError(
                f"the tag {name!r} is one of BILOU, which would end with the first token of a word: turn the "
                "tags into BIO with convert_tags(..., source='BILOU', to='BIO'), or give pieces='first'"
            )
        if name.startswith("B-"):
            inner = f"I-{name[2:]}"
            if not isinstance(label, str) and inner not in numbers:
                raise ArgumentError(f"`names` has {name!r}, but not {inner!r}")
            goes_on: Any = inner if isinstance(label, str) else numbers[inner]  # of the label's own type
            forms[label] = goes_on
    return forms


def words_of_labels(
    encoding: Encoding | _WordIds,
    labels: Sequence[_L],
    default: _L | None = None,
    *,
    sequence: int = 0,
    number: int | None = None,
) -> list[_L | None]:
    """The label of every word: that of its first token. Words without a token get ``default``.

    Args:
        encoding: an encoding, or its word ids.
        labels: one for each token.
        default: what words without a token get.
        sequence: of a pair, the sequence that the words are of.
        number: how many words there are. An encoding does not know of words behind the last token, such as
            truncated ones: without their number there is nothing for them.

    Example:
        >>> words_of_labels([None, 0, 1, 1, None], [-100, 3, 5, 6, -100])
        [3, 5]
        >>> words_of_labels([None, 0, 1, 1, None], [-100, 3, 5, 6, -100], 0, number=4)
        [3, 5, 0, 0]
    """
    words = _word_ids(encoding, sequence)
    if len(words) != len(labels):
        raise ArgumentError(f"there are {len(words)} tokens, but {len(labels)} labels")
    found = max((word for word in words if word is not None), default=-1) + 1
    if number is not None and number < found:
        raise ArgumentError(f"`number` is {number}, but the encoding has {found} words")
    out: list[_L | None] = [default] * (found if number is None else number)
    last: int | None = None
    for word, label in zip(words, labels, strict=True):
        if word is not None and word != last:
            out[word] = label
        last = word
    return out


def ids_of_labels(labels: Iterable[str | int], names: Sequence[str]) -> list[int]:
    """Labels as numbers: their places in ``names``. What is a number already stays.

    Example:
        >>> ids_of_labels(["O", "B-LOC", -100], ["O", "B-LOC", "I-LOC"])
        [0, 1, -100]
    """
    numbers = {name: number for number, name in enumerate(names)}
    ids = []
    for label in labels:
        if isinstance(label, str) and label not in numbers:
            raise ArgumentError(f"the label {label!r} is not among the names: {', '.join(names)}")
        ids.append(numbers[label] if isinstance(label, str) else label)
    return ids


class CutSpan(NamedTuple):
    """A span that begins or ends inside of a token; ``widened`` are the characters of its tokens.

    A span that has no token at all (white space, or text that was cut off) has an empty ``widened``.
    """

    label: str
    start: int
    end: int
    widened: tuple[int, int]


@dataclass(frozen=True)
class SpanLabels:
    """A label for every token, and the spans that could not be matched exactly."""

    labels: list[str | int]
    cut: list[CutSpan]


def labels_of_spans(
    encoding: Encoding,
    spans: Iterable[tuple[str, int, int]],
    scheme: Scheme = "BIO",
    *,
    sequence: int = 0,
    ignored: int = IGNORED,
    text: str | None = None,
) -> SpanLabels:
    """Tags for the tokens of an encoding, from labelled stretches of the text.

    A token has the label if it shares a character with the stretch. A stretch that begins or ends inside of a
    token is reported.

    Args:
        encoding: the tokens.
        spans: label, start and end, in characters; they must not overlap.
        scheme: how tags are spelled.
        sequence: the sequence of a pair that the spans are about; tokens of the other get ``ignored``.
        ignored: what special tokens get.
        text: the text. Tokens of byte-level vocabularies may begin with a space; with the text at hand, that
            is not taken for a part that a span cuts off.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "in": 1, "Ro": 2, "##me": 3}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> labels_of_spans(tokenizer.encode("in Rome"), [("LOC", 3, 7)]).labels
        ['O', 'B-LOC', 'I-LOC']
    """
    check_sequence(sequence)
    spans = list(spans)
    for span in spans:
        if not (
            len(span) == 3 and isinstance(span[0], str) and all(isinstance(at, Integral) for at in span[1:])
        ):
            raise TypeError(f"a span must be a label, a start and an end, as ('LOC', 3, 7), found {span!r}")
    mine = [place for place, number in enumerate(encoding.sequence_ids) if number == sequence]
    _check_is_of_text(encoding)
    offsets = _trimmed(encoding, text, mine)
    # Tokens stand in the order of the text, so the first that reaches into a span can be looked up.
    ends = [offsets[place][1] for place in mine]
    found: list[tuple[str, int, int]] = []
    cut: list[CutSpan] = []
    taken: int | None = None
    for label, start, end in sorted(spans, key=lambda span: span[1:]):
        if start >= end:
            raise ArgumentError(f"the span {label!r} from {start} to {end} is empty")
        if taken is not None and start < taken:
            raise ArgumentError(f"the span {label!r} from {start} to {end} overlaps the one before it")
        taken = end
        first = last = bisect_right(ends, start)
        while last < len(mine) and offsets[mine[last]][0] < end:
            last += 1
        if first == last:
            cut.append(CutSpan(label, start, end, (start, start)))
            continue
        widened = (offsets[mine[first]][0], offsets[mine[last - 1]][1])
        if widened != (start, end):
            cut.append(CutSpan(label, start, end, widened))
        if found and found[-1][2] > first:
            # The token was taken by the span before.
            first = found[-1][2]
        if first < last:
            found.append((label, first, last))
    labels: list[str | int] = [ignored] * len(offsets)
    for place, tag in zip(mine, tags_of_spans(found, len(mine), scheme), strict=True):
        labels[place] = tag
    return SpanLabels(labels, cut)


def _check_is_of_text(encoding: Encoding) -> None:
    """Refuses an encoding of words, each of which begins at 0 again: its offsets are no places in a text."""
    seen: dict[int | None, set[tuple[int, int]]] = {}
    last: tuple[int | None, int | None] | None = None
    for span, *word in zip(encoding.offsets, encoding.sequence_ids, encoding.word_ids, strict=True):
        if span[0] == span[1] or word[1] is None:
            continue
        known = seen.setdefault(word[0], set())
        # A character that normalizing makes several words of gives all of them its own place: the first one
        # may reach into a later word.
        if span[0] == 0 and (word[0], word[1]) != last and any(one not in (span, (0, 1)) for one in known):
            raise ArgumentError(
                "the encoding is one of words, with offsets within each word: encode the text itself, or "
                "give labels by words (labels_of_words, words_of_labels)"
            )
        last = word[0], word[1]
        known.add(span)


def _trimmed(encoding: Encoding, text: str | None, places: Iterable[int]) -> list[tuple[int, int]]:
    """Offsets of the tokens, at these places without white space at their edges if the text is known."""
    trimmed = encoding.offsets
    if text is None:
        return trimmed
    for place in places:
        start, end = trimmed[place]
        if end > len(text):
            raise ArgumentError(
                f"token {place} ends at character {end}, but `text` has {len(text)}: give what was encoded"
            )
        while start < end - 1 and text[start].isspace():
            start += 1
        while start < end - 1 and text[end - 1].isspace():
            end -= 1
        trimmed[place] = (start, end)
    return trimmed


def spans_of_labels(
    encoding: Encoding,
    labels: Sequence[str | int],
    scheme: Scheme = "BIO",
    *,
    ignored: int = IGNORED,
    text: str | None = None,
) -> list[tuple[str, int, int]]:
    """Labelled stretches of the text, from a tag for every token.

    Tokens with ``ignored`` are passed over; those that go on the word that a stretch ends with belong to it,
    as where only the first token of a word has a label. With ``text``, white space at the edges of tokens is
    left out.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "in": 1, "Ro": 2, "##me": 3}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> encoding = tokenizer.encode("in Rome")
        >>> spans_of_labels(encoding, ["O", "B-LOC", "I-LOC"])
        [('LOC', 3, 7)]
        >>> spans_of_labels(encoding, ["O", "B-LOC", -100])
        [('LOC', 3, 7)]
    """
    if len(labels) != len(encoding.ids):
        raise ArgumentError(f"there are {len(encoding.ids)} tokens, but {len(labels)} labels")
    _check_is_of_text(encoding)
    kept = [place for place, label in enumerate(labels) if label != ignored]
    spans = spans_of_tags([str(labels[place]) for place in kept], scheme)
    words = list(zip(encoding.word_ids, encoding.sequence_ids, strict=True))
    edges = []
    for label, start, end in spans:
        last = kept[end - 1]
        while last + 1 < len(labels) and labels[last + 1] == ignored and _goes_on(words, last):
            last += 1
        edges.append((label, kept[start], last))
    offsets = _trimmed(encoding, text, {place for _, *both in edges for place in both})
    return [(label, offsets[first][0], offsets[last][1]) for label, first, last in edges]


def _goes_on(words: Sequence[tuple[int | None, int | None]], place: int) -> bool:
    """Whether the token behind this one is of the same word."""
    return words[place][0] is not None and words[place] == words[place + 1]
