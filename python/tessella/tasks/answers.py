"""Answers as stretches of a text, from scores for where an answer begins and where it ends.

The question and the text are encoded as a pair, a long text in windows. For each window:

1. Tokens that are not of the text are masked, except the first of the window, whose score means *no answer*.
2. Both rows of scores become probabilities; the first token's are put aside.
3. Every pair of a start and an end has the product as its score, if the end is not before the start and the
   answer is not too long.
4. The best pairs become characters of the text.

Over all windows, the best answers are kept, each stretch of the text once.

Example:
    >>> import numpy as np
    >>> from tessella.tasks import best_spans
    >>> starts, ends = np.log([0.1, 0.1, 0.7, 0.1]), np.log([0.1, 0.1, 0.2, 0.6])
    >>> best = best_spans(starts, ends, [0, 1, 1, 1], n=2)
    >>> [(start, end, round(score, 2)) for start, end, score in best.spans]
    [(2, 3, 0.42), (2, 2, 0.14)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import Encoding, Tokenizer
from .._given import check_tokenizer, whole
from ..errors import ArgumentError
from ._scores import check_numbers, numbers
from ._windows import windowed
from .entities import softmax

# What a masked token scores: its probability is 0 in every floating-point format.
_MASKED = -10000.0


@dataclass(frozen=True)
class Answer:
    """A stretch of the text and how sure it is; the empty answer at 0 means that there is none."""

    text: str
    score: float
    start: int
    end: int

    def __bool__(self) -> bool:
        return self.end > self.start

    def __repr__(self) -> str:
        return f"Answer(text={self.text!r}, score={self.score:.4g}, start={self.start}, end={self.end})"


@dataclass(frozen=True)
class BestSpans:
    """Start and end tokens with their scores, best first, and the score of *no answer*."""

    spans: list[tuple[int, int, float]]
    no_answer: float


#: Scores of answers, where each begins and its last token.
_Candidates = tuple[npt.NDArray[np.floating], npt.NDArray[np.integer], npt.NDArray[np.integer]]
#: So many more than are asked for are held before the best of them are found.
_HELD = 1 << 12


def best_spans(
    starts: npt.ArrayLike,
    ends: npt.ArrayLike,
    allowed: Sequence[int] | npt.NDArray[np.integer],
    n: int = 1,
    *,
    max_tokens: int = 15,
) -> BestSpans:
    """The best answers of one window.

    Args:
        starts, ends: a score for each token.
        allowed: whether each token may be part of an answer.
        n: answers at most.
        max_tokens: tokens of an answer at most.

    Example:
        >>> best_spans([0.0, 9.0, 0.0], [0.0, 0.0, 9.0], allowed=[0, 1, 1]).spans[0][:2]
        (1, 2)
    """
    if n < 1 or max_tokens < 1:
        raise ArgumentError(f"`n` is {n} and `max_tokens` is {max_tokens}; both must be 1 or more")
    mask = np.asarray(allowed, dtype=bool)
    # The first token takes part in the probabilities: what it gets is what no answer is worth.
    seen = mask.copy()
    seen[:1] = True
    rows = []
    for scores in (starts, ends):
        row = numbers(scores)
        if row.shape != mask.shape:
            raise ArgumentError(f"scores have the shape {row.shape}; the window has {mask.size} tokens")
        row = np.where(seen, row, _MASKED)
        check_numbers(row)
        rows.append(softmax(row))
    begin, finish = rows
    no_answer = float(begin[0] * finish[0]) if mask.size else 0.0
    places = np.flatnonzero(mask[1:]) + 1
    if not places.size:
        return BestSpans([], no_answer)
    # Only the diagonals of answers that are short enough, and of these what may be among the best.
    candidates: list[_Candidates] = []
    least, count = -np.inf, 0
    for length in range(min(max_tokens, mask.size)):
        first = places[places + length < mask.size]
        first = first[mask[first + length]]
        score = begin[first] * finish[first + length]
        good = ~(score < least)
        candidates.append((score[good], first[good], first[good] + length))
        count += len(candidates[-1][0])
        if count > 2 * n + _HELD:
            candidates = [_best(candidates, n)]
            least, count = candidates[0][0].min(), n
    columns = (column.tolist() for column in _best(candidates, n))
    spans = [(first, last, score) for score, first, last in zip(*columns, strict=True)]
    return BestSpans(spans, no_answer)


def _best(candidates: list[_Candidates], n: int) -> _Candidates:
    """The best of several; of equal ones the earlier start, then the earlier end."""
    score, first, last = (np.concatenate(column) for column in zip(*candidates, strict=True))
    order = np.lexsort((last, first, -score))[:n]
    return score[order], first[order], last[order]


#: Takes encodings and gives for each two rows: scores of starting and of ending at each token.
AnswerModel = Callable[[list[Encoding]], Iterable[tuple[npt.ArrayLike, npt.ArrayLike]]]


class QuestionAnswerer:
    """A model and a tokenizer together: a question and a text in, answers out.

    Args:
        model: takes a list of encodings and gives for each two rows of scores, for starting and for ending at
            each token. What it gives beyond the tokens (padding) is left out.
        tokenizer: the tokenizer of the model.
        max_length: tokens that the model reads at once, question and special tokens included.
        stride: tokens that windows share, 128 or half of ``max_length`` by default; never more than half of
            what is left for the text.
        max_question_tokens: longer questions are cut.
        max_answer_tokens: tokens of an answer at most.
        whole_words: widen answers to whole words.
        question_first: whether the question comes before the text.
        no_answer: let *no answer* be an answer.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers, processors
        >>> vocab = {word: id for id, word in enumerate(["[S]", "[UNK]", "who", "Ada", "Grace"])}
        >>> tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer.post_processor = processors.TemplateProcessing(
        ...     "[S] $A", "[S] $A [S] $B:1", [("[S]", 0)])
        >>> def model(encodings):
        ...     rows = [[9.0 if token == "Ada" else 0.0 for token in one.tokens] for one in encodings]
        ...     return [(row, row) for row in rows]
        >>> QuestionAnswerer(model, tokenizer)("who", "It was Ada of course")
        [Answer(text='Ada', score=0.9988, start=7, end=10)]
    """

    def __init__(
        self,
        model: AnswerModel,
        tokenizer: Tokenizer,
        *,
        max_length: int = 384,
        stride: int | None = None,
        max_question_tokens: int = 64,
        max_answer_tokens: int = 15,
        whole_words: bool = True,
        question_first: bool = True,
        no_answer: bool = False,
        batch_size: int = 32,
    ) -> None:
        stride = min(128, max_length // 2) if stride is None else stride
        if stride >= max_length:
            raise ArgumentError(f"`stride` is {stride}; it must be smaller than `max_length`, {max_length}")
        check_tokenizer("tokenizer", tokenizer)
        self.model = model
        self.tokenizer = tokenizer
        self.max_length = max_length
        self.stride = stride
        self.max_question_tokens = whole("max_question_tokens", max_question_tokens, 0)
        self.max_answer_tokens = whole("max_answer_tokens", max_answer_tokens, 1)
        self.whole_words = whole_words
        self.question_first = question_first
        self.no_answer = no_answer
        self.batch_size = whole("batch_size", batch_size, 1)

    def windows(self, question: str, text: str) -> list[Encoding]:
        """What the model reads."""
        # The tokenizer's own padding and truncation are not part of the question.
        plain = copy(self.tokenizer)
        plain.no_padding()
        plain.no_truncation()
        asked = plain.encode(question, add_special_tokens=False)
        size = min(len(asked.ids), self.max_question_tokens)
        if len(asked.ids) > size:
            question, size = self._shortened(plain, question, [end for _, end in asked.offsets[:size]])
        specials = self.tokenizer.num_special_tokens_to_add(True)
        room = self.max_length - specials - size
        if room < 1:
            raise ArgumentError(
                f"a question of {size} tokens and {specials} special tokens leave no room for the text in "
                f"`max_length` {self.max_length}: raise it, or lower `max_question_tokens`"
            )
        # A window must move on by at least half of what it holds of the text.
        stride = min(self.stride, room // 2)
        first, second = (question, text) if self.question_first else (text, question)
        cutter = windowed(
            self.tokenizer, self.max_length, stride, "only_second" if self.question_first else "only_first"
        )
        encoding = cutter.encode(first, second)
        return [encoding, *encoding.overflowing]

    def _shortened(self, plain: Tokenizer, question: str, ends: list[int]) -> tuple[str, int]:
        """The question up to the last of these places where it has no more tokens than allowed, and how many.

        A character of several tokens, or a word that is cut, may have more of them than before the place.
        """
        for end in reversed(ends):
            size = len(plain.encode(question[:end], add_special_tokens=False).ids)
            if size <= self.max_question_tokens:
                return question[:end], size
        return "", len(plain.encode("", add_special_tokens=False).ids)

    def __call__(self, question: str, text: str, n: int = 1) -> list[Answer]:
        """The n best answers, best first; fewer if there are no more."""
        n = whole("n", n, 1)
        encodings = self.windows(question, text)
        scored: list[tuple[npt.ArrayLike, npt.ArrayLike]] = []
        for first in range(0, len(encodings), self.batch_size):
            scored += self.model(encodings[first : first + self.batch_size])
        if len(scored) != len(encodings):
            raise ArgumentError(f"the model got {len(encodings)} encodings and gave {len(scored)} results")
        found: dict[tuple[int, int], float] = {}
        none = 1.0
        sequence = int(self.question_first)
        for encoding, (starts, ends) in zip(encodings, scored, strict=True):
            size = len(encoding.ids)
            begins, finishes = numbers(starts)[:size], numbers(ends)[:size]
            allowed = [int(number == sequence) for number in encoding.sequence_ids]
            # Widening makes answers equal, as many as a word has pairs of tokens: how many have to be looked
            # at for n different ones is not known before.
            wanted = max(size, 1) * self.max_answer_tokens
            best = best_spans(begins, finishes, allowed, wanted, max_tokens=self.max_answer_tokens)
            none = min(none, best.no_answer)
            edges = self._edges(encoding, sequence)
            here: dict[tuple[int, int], float] = {}
            for start, end, score in best.spans:
                span = edges[start][0], edges[end][1]
                # The best comes first, and stays.
                if span[0] < span[1]:
                    here.setdefault(span, score)
                if len(here) == n:
                    break
            for span, score in here.items():
                found[span] = max(found.get(span, 0.0), score)
        answers = [Answer(text[a:b], score, a, b) for (a, b), score in found.items()]
        if self.no_answer:
            answers.append(Answer("", none, 0, 0))
        return sorted(answers, key=lambda answer: (-answer.score, answer.start, answer.end))[:n]

    def _edges(self, encoding: Encoding, sequence: int) -> list[tuple[int, int]]:
        """The characters of each token, or of the word that it is a part of."""
        edges = encoding.offsets
        if not self.whole_words:
            return edges
        words: dict[int, tuple[int, int]] = {}
        numbered = zip(encoding.word_ids, encoding.sequence_ids, strict=True)
        for place, (word, number) in enumerate(numbered):
            if word is None or number != sequence:
                continue
            start, end = edges[place]
            if word not in words:
                # A word may be cut by the window; what is known of it is what the tokens say.
                words[word] = encoding.word_to_chars(word, sequence) or (start, end)
            edges[place] = min(start, words[word][0]), max(end, words[word][1])
        return edges
