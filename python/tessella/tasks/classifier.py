"""Entities of texts, with any model that scores tokens.

Example:
    >>> import numpy as np
    >>> from tessella import Tokenizer, models, pre_tokenizers
    >>> from tessella.tasks import TokenClassifier
    >>> tokenizer = Tokenizer(models.WordLevel({"in": 0, "Rome": 1, "[UNK]": 2}, unk_token="[UNK]"))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> def model(encodings):
    ...     return [np.eye(2)[[int(id == 1) for id in encoding.ids]] * 9 for encoding in encodings]
    >>> TokenClassifier(model, tokenizer, ["O", "B-LOC"])("We met in Rome.")
    [Entity(label='LOC', score=0.9999, start=10, end=14, text='Rome')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace

import numpy.typing as npt

from .. import Encoding, Tokenizer
from .._given import check_list, check_tokenizer, whole
from .._vocabulary import unknown_id
from ..errors import ArgumentError
from ._scores import numbers
from ._windows import windowed
from .entities import (
    Entity,
    Strategy,
    TokenScores,
    WordRule,
    join_entities,
    token_scores,
    word_starts,
    words_by,
)

#: Takes encodings and gives for each an array of scores, tokens by labels.
TokenModel = Callable[[list[Encoding]], Iterable[npt.ArrayLike]]


class TokenClassifier:
    """A model, a tokenizer and labels, together: texts in, entities out.

    Args:
        model: takes a list of encodings and gives for each an array of scores, tokens by labels. Rows beyond
            the tokens (padding) are left out.
        tokenizer: the tokenizer of the model.
        labels: the labels, by column.
        strategy: how the tokens of a word agree; see ``tessella.tasks.entities``.
        ignore: labels that are left out.
        probabilities: the model gives probabilities already.
        max_length: tokens that the model reads at once; longer texts are cut into windows. ``None`` for any.
        stride: tokens that windows share. Of what a token scored in several windows, the one counts in which
            it stood furthest from the edge.
        batch_size: encodings that the model gets at once.
        word_rule: what words are: those of the tokenizer, or with ``"blanks"`` what stands between spaces.
        unk_id: the id of unknown text, with which a word begins that stands between spaces; by default the
            model's.
    """

    def __init__(
        self,
        model: TokenModel,
        tokenizer: Tokenizer,
        labels: Sequence[str],
        *,
        strategy: Strategy = "simple",
        ignore: Iterable[str] = ("O",),
        probabilities: bool = False,
        max_length: int | None = None,
        stride: int = 0,
        batch_size: int = 32,
        word_rule: WordRule = "tokenizer",
        unk_id: int | None = None,
    ) -> None:
        check_tokenizer("tokenizer", tokenizer)
        check_list("labels", labels, "labels")
        check_list("ignore", ignore, "labels")
        self.model = model
        self.labels: list[str] = list(labels)
        self.strategy: Strategy = strategy
        self.ignore: tuple[str, ...] = tuple(ignore)
        self.probabilities = probabilities
        self.word_rule: WordRule = word_rule
        self.unk_id = unknown_id(tokenizer) if unk_id is None and word_rule == "blanks" else unk_id
        self.batch_size = whole("batch_size", batch_size, 1)
        self.max_length = max_length
        self.stride = stride
        if max_length is not None:
            self.tokenizer: Tokenizer = windowed(tokenizer, max_length, stride, "only_first")
        else:
            # Texts of any length are read whole, whatever the tokenizer's own settings say.
            self.tokenizer = copy(tokenizer)
            self.tokenizer.no_truncation()

    def __call__(self, text: str) -> list[Entity]:
        """The entities of a text."""
        return self.batch([text])[0]

    def batch(self, texts: Iterable[str]) -> list[list[Entity]]:
        """The entities of each of several texts."""
        if isinstance(texts, str):
            raise TypeError("`texts` must be a list of texts; for one text, call the classifier itself")
        return self._classify(list(texts))

    def words(self, words: Sequence[str], delimiter: str = " ") -> list[Entity]:
        """The entities of a text that is given as words; offsets count in the words joined."""
        if isinstance(words, str):
            raise TypeError("`words` must be a list of words; for a text, call the classifier itself")
        return self._classify([list(words)], delimiter)[0]

    def _classify(self, texts: Sequence[str | list[str]], delimiter: str = " ") -> list[list[Entity]]:
        jobs: list[tuple[int, Encoding]] = []
        for number, text in enumerate(texts):
            encoding = self.tokenizer.encode(text, is_pretokenized=not isinstance(text, str))
            jobs.append((number, encoding))
            if self.max_length is not None:
                jobs += [(number, window) for window in encoding.overflowing]
        joined = [([], text) if isinstance(text, str) else word_starts(text, delimiter) for text in texts]
        parts: list[list[list[TokenScores]]] = [[] for _ in texts]
        for first in range(0, len(jobs), self.batch_size):
            batch = jobs[first : first + self.batch_size]
            scored = list(self.model([encoding for _, encoding in batch]))
            if len(scored) != len(batch):
                raise ArgumentError(f"the model got {len(batch)} encodings and gave {len(scored)} arrays")
            for (number, encoding), scores in zip(batch, scored, strict=True):
                rows = numbers(scores)[: len(encoding.ids)]
                starts = joined[number][0]
                tokens = token_scores(
                    encoding, rows, len(self.labels), starts, self.probabilities, unk_id=self.unk_id
                )
                parts[number].append(tokens)
        results = []
        for (_, text), windows in zip(joined, parts, strict=True):
            tokens = words_by(self.word_rule, merge_windows(windows, self.stride), text)
            found = join_entities(tokens, text, self.labels, self.strategy)
            results.append([entity for entity in found if entity.label not in self.ignore])
        return results


def merge_windows(windows: Sequence[list[TokenScores]], stride: int) -> list[TokenScores]:
    """The tokens of a text from windows that share ``stride`` tokens, each from where it stood furthest
    inside.

    At the edge of a window a model sees half of what it needs, and words may be cut. The ends of the text are
    no edges.
    """
    if len(windows) == 1:
        return windows[0]
    step = len(windows[0]) - stride
    total = step * (len(windows) - 1) + len(windows[-1])
    best: list[tuple[int, TokenScores]] = []
    for number, tokens in enumerate(windows):
        for place, token in enumerate(tokens):
            before = place if number else total
            behind = len(tokens) - 1 - place if number < len(windows) - 1 else total
            inside, where = min(before, behind), number * step + place
            # The place that the token would have if nothing had been cut.
            token = replace(token, token=windows[0][0].token + where)
            if where == len(best):
                best.append((inside, token))
            elif inside > best[where][0]:
                best[where] = (inside, token)
    return [token for _, token in best]
