"""Entities from scores: what a token classifier says, as stretches of the text.

``aggregate`` takes an array of scores, one row for each token and one column for each label. How the tokens
of a word agree is a *strategy*:

- ``none``: they need not; every token is a result of its own.
- ``simple``: they need not, but neighbouring tokens of one label are joined.
- ``first``: the first token decides for the word; ``max``: the surest token; ``average``: the mean of all.

Words are those of the tokenizer (``word_ids``), or with ``word_rule="blanks"`` what stands between spaces: so
the transformers library's pipeline counts for tokenizers whose tokens do not tell where words go on, such as
byte-level ones. ``U.S.`` is one word then, and ``(Rome)`` is one with its brackets;
what the vocabulary does not have begins a word there.

Words are joined to an entity while the label stays the same and no ``B-`` begins a new one. The text of an
entity is what stands in the original between its first and last character.

Example:
    >>> from tessella.tasks import join_entities, TokenScores
    >>> tokens = [TokenScores(0, 0, 3, 0, [0.1, 0.9]), TokenScores(1, 3, 6, 0, [0.6, 0.4])]
    >>> join_entities(tokens, "London", ["O", "B-LOC"], "first")
    [Entity(label='LOC', score=0.9, start=0, end=6, text='London')]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np
import numpy.typing as npt

from .. import Encoding
from .._given import check_list
from ..errors import ArgumentError
from ._scores import check_numbers, numbers
from .labels import check_sequence

Strategy = Literal["none", "simple", "first", "max", "average"]
WordRule = Literal["tokenizer", "blanks"]
_STRATEGIES = ("none", "simple", "first", "max", "average")


@dataclass(frozen=True)
class Entity:
    """A label, how sure it is, and the characters that it is about.

    ``token`` is the place of the token where every token is a result of its own.
    """

    label: str
    score: float
    start: int
    end: int
    text: str
    token: int | None = None

    def __repr__(self) -> str:
        token = "" if self.token is None else f", token={self.token}"
        return (
            f"Entity(label={self.label!r}, score={self.score:.4g}, start={self.start}, end={self.end}, "
            f"text={self.text!r}{token})"
        )


@dataclass(frozen=True)
class TokenScores:
    """A token: its place, its characters, its word, and a score for each label."""

    token: int
    start: int
    end: int
    word: int | None
    scores: npt.NDArray[np.floating]
    #: It stands for text that the vocabulary does not have.
    unknown: bool = False


def softmax(scores: npt.ArrayLike, axis: int = -1) -> npt.NDArray[np.floating]:
    """Scores as probabilities.

    Example:
        >>> softmax([[0.0, 0.0], [1000.0, 0.0]]).tolist()
        [[0.5, 0.5], [1.0, 0.0]]
    """
    array = numbers(scores)
    if array.dtype == np.float16 or array.dtype.kind not in "f":
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    if not array.size:
        return array
    powers = np.exp(array - array.max(axis=axis, keepdims=True))
    result: npt.NDArray[np.floating] = powers / powers.sum(axis=axis, keepdims=True)
    return result


def aggregate(
    encoding: Encoding,
    scores: npt.ArrayLike,
    text: str | Sequence[str],
    labels: Sequence[str],
    strategy: Strategy = "simple",
    *,
    ignore: Iterable[str] = ("O",),
    probabilities: bool = False,
    delimiter: str = " ",
    sequence: int = 0,
    word_rule: WordRule = "tokenizer",
    unk_id: int | None = None,
) -> list[Entity]:
    """The entities of one encoding.

    Args:
        encoding: the tokens.
        scores: tokens by labels.
        text: what was encoded. Of a list of words, offsets count in the words joined by ``delimiter``.
        labels: the labels, by column.
        strategy: how the tokens of a word agree.
        ignore: labels that are left out.
        probabilities: the scores are probabilities already.
        delimiter: what stands between words.
        sequence: the sequence of a pair to look at.
        word_rule: what words are: those of the tokenizer, or what stands between spaces.
        unk_id: the id of unknown text, with which a word begins that stands between spaces.
    """
    check_list("labels", labels, "labels")
    check_list("ignore", ignore, "labels")
    if not isinstance(text, str):
        starts, joined = word_starts(text, delimiter)
    else:
        starts, joined = [], text
    tokens = token_scores(encoding, scores, len(labels), starts, probabilities, sequence, unk_id)
    reached = max((token.end for token in tokens), default=0)
    if reached > len(joined):
        raise ArgumentError(
            f"`text` has {len(joined)} characters, but the encoding reaches to {reached}: give the text that "
            "was encoded"
        )
    tokens = words_by(word_rule, tokens, joined)
    left_out = set(ignore)
    return [one for one in join_entities(tokens, joined, labels, strategy) if one.label not in left_out]


def word_starts(words: Iterable[str], delimiter: str) -> tuple[list[int], str]:
    """Where words begin once they are joined, and the joined text."""
    starts: list[int] = []
    at = 0
    listed = list(words)
    for word in listed:
        starts.append(at)
        at += len(word) + len(delimiter)
    return starts, delimiter.join(listed)


def token_scores(
    encoding: Encoding,
    scores: npt.ArrayLike,
    labels: int,
    starts: Sequence[int],
    probabilities: bool,
    sequence: int = 0,
    unk_id: int | None = None,
) -> list[TokenScores]:
    """The tokens of the text, special ones left out, with probabilities.

    ``starts`` are where words begin, if the encoding was made of words.
    """
    check_sequence(sequence)
    array = numbers(scores)
    shape = (len(encoding.ids), labels)
    if array.shape != shape:
        raise ArgumentError(f"`scores` has the shape {array.shape}; tokens by labels are {shape}")
    check_numbers(array)
    if not probabilities and len(array):
        array = softmax(array)
    tokens = []
    ids, words = encoding.ids, encoding.word_ids
    special, sequences = encoding.special_tokens_mask, encoding.sequence_ids
    for place, (start, end) in enumerate(encoding.offsets):
        word = words[place]
        if special[place] or sequences[place] != sequence:
            continue
        shift = starts[word] if starts and word is not None else 0
        tokens.append(
            TokenScores(place, start + shift, end + shift, word, array[place], ids[place] == unk_id)
        )
    return tokens


def words_by(rule: WordRule, tokens: list[TokenScores], text: str) -> list[TokenScores]:
    """The tokens with the numbers of their words as the rule has it."""
    if rule == "tokenizer":
        return tokens
    if rule != "blanks":
        raise ArgumentError(f"`word_rule` is {rule!r}; it must be 'tokenizer' or 'blanks'")
    word, numbered = -1, []
    for token in tokens:
        if word < 0 or token.unknown or token.start == 0 or " " in text[token.start - 1 : token.start + 1]:
            word += 1
        numbered.append(replace(token, word=word))
    return numbered


def join_entities(
    tokens: Iterable[TokenScores], text: str, labels: Sequence[str], strategy: Strategy
) -> list[Entity]:
    """Entities, outside ones too, from tokens with probabilities; ``aggregate`` prepares the tokens."""
    if strategy not in _STRATEGIES:
        raise ArgumentError(f"`strategy` is {strategy!r}; it must be one of {', '.join(_STRATEGIES)}")
    listed = list(tokens)
    if strategy in ("none", "simple"):
        units = [[token] for token in listed]
    else:
        units = []
        for word, group in groupby(listed, key=lambda token: token.word):
            members = list(group)
            units += [[token] for token in members] if word is None else [members]
    decided = [_decide(unit, text, labels, strategy) for unit in units]
    if strategy == "none":
        return decided
    groups: list[list[Entity]] = []
    last = ""
    for entity in decided:
        begins, label = _split(entity.label)
        if groups and label == last and not begins:
            groups[-1].append(entity)
        else:
            groups.append([entity])
        last = label
    return [_joined(group, text) for group in groups]


def _decide(unit: list[TokenScores], text: str, labels: Sequence[str], strategy: Strategy) -> Entity:
    """What the tokens of a word say together."""
    if strategy == "average":
        scores = np.nanmean(np.stack([token.scores for token in unit]), axis=0)
    elif strategy == "max":
        scores = np.asarray(max(unit, key=lambda token: np.max(token.scores)).scores)
    else:
        scores = np.asarray(unit[0].scores)
    best = int(scores.argmax())
    start, end = unit[0].start, unit[-1].end
    token = unit[0].token if strategy == "none" else None
    return Entity(labels[best], float(scores[best]), start, end, text[start:end], token)


def _split(label: str) -> tuple[bool, str]:
    """Whether a label begins an entity, and the label itself."""
    return label.startswith("B-"), label[2:] if label.startswith(("B-", "I-")) else label


def _joined(group: list[Entity], text: str) -> Entity:
    start, end = group[0].start, group[-1].end
    score = float(np.mean([entity.score for entity in group]))
    return Entity(group[0].label.split("-", 1)[-1], score, start, end, text[start:end])


def drop_overlaps(entities: Iterable[Entity]) -> list[Entity]:
    """Of entities that overlap, the longer one, or the surer of two as long; by start.

    Windows that share tokens find the same entity twice, and sometimes a part of it.

    Example:
        >>> drop_overlaps([Entity("LOC", 0.9, 0, 3, "New"), Entity("LOC", 0.8, 0, 8, "New York")])
        [Entity(label='LOC', score=0.8, start=0, end=8, text='New York')]
    """
    kept: list[Entity] = []
    for entity in sorted(entities, key=lambda entity: entity.start):
        if not kept or entity.start >= kept[-1].end:
            kept.append(entity)
        elif (entity.end - entity.start, entity.score) > (kept[-1].end - kept[-1].start, kept[-1].score):
            kept[-1] = entity
    return kept
