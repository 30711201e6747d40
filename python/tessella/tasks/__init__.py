"""From tokens to results: labels, entities, answers, batches, scores.

Models come from elsewhere: everything here takes arrays of scores, or any callable that gives them.

Example:
    >>> from tessella.tasks import best_spans, convert_tags, labels_of_words
    >>> labels_of_words([None, 0, 1, 1, None], ["O", "B-LOC"], pieces="all")
    [-100, 'O', 'B-LOC', 'I-LOC', -100]
    >>> convert_tags(["B-LOC", "I-LOC"], to="BILOU")
    ['B-LOC', 'L-LOC']
"""

from __future__ import annotations

from ._windows import windows
from .answers import Answer, BestSpans, QuestionAnswerer, best_spans
from .classifier import TokenClassifier
from .collate import CausalCollator, MaskedCollator, TokenLabelCollator, example_of, pad_batch
from .entities import Entity, TokenScores, aggregate, drop_overlaps, join_entities, softmax
from .labels import (
    IGNORED,
    CutSpan,
    SpanLabels,
    ids_of_labels,
    labels_of_spans,
    labels_of_words,
    spans_of_labels,
    words_of_labels,
)
from .scoring import EntityScores, LabelScores, score_entities
from .tags import TagSpan, convert_tags, spans_of_tags, split_tag, tags_of_spans

__all__ = [
    "IGNORED",
    "Answer",
    "BestSpans",
    "CausalCollator",
    "CutSpan",
    "Entity",
    "EntityScores",
    "LabelScores",
    "MaskedCollator",
    "QuestionAnswerer",
    "SpanLabels",
    "TagSpan",
    "TokenClassifier",
    "TokenLabelCollator",
    "TokenScores",
    "aggregate",
    "best_spans",
    "convert_tags",
    "drop_overlaps",
    "example_of",
    "ids_of_labels",
    "join_entities",
    "labels_of_spans",
    "labels_of_words",
    "pad_batch",
    "score_entities",
    "softmax",
    "spans_of_labels",
    "spans_of_tags",
    "split_tag",
    "tags_of_spans",
    "windows",
    "words_of_labels",
]
