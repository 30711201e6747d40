"""The trainer of byte-pair encoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tessella import Regex
from ..errors import UnsupportedError
from . import shared
from .option import Count, CountOrNone, Flag, Text
from .trainer import Trainer, _blank


class BpeTrainer(Trainer):
    """Learns byte-pair merges: joins the most frequent neighbours, again and again.

    Example:
        >>> from tessella import PieceCounts, Regex
        >>> from tessella.trainers import BpeTrainer
        >>> BpeTrainer(vocab_size=1000).vocab_size
        1000
        >>> counts = PieceCounts({"1984": 9, "year": 3})
        >>> letters = BpeTrainer(merge_filter=Regex("[a-z]+"), show_progress=False)
        >>> [token.value for token in letters.train_from_counts(counts).tokenize("year1984")]
        ['year', '1', '9', '8', '4']
    """

    _trains = "BPE"

    min_frequency: Count = shared.min_frequency
    vocab_size: Count = shared.vocab_size
    show_progress: Flag = shared.show_progress
    progress_format: shared.Format = shared.progress_format
    special_tokens: shared.SpecialTokens = shared.special_tokens
    limit_alphabet: CountOrNone = shared.limit_alphabet
    initial_alphabet: shared.Alphabet = shared.initial_alphabet
    continuing_subword_prefix: Text = shared.continuing_subword_prefix
    end_of_word_suffix: Text = shared.end_of_word_suffix
    max_token_length: CountOrNone = shared.max_token_length
    tie_break: shared.TieBreak = shared.tie_break
    strict_budget: Flag = shared.strict_budget
    forced_tokens: shared.Forced = shared.forced_tokens
    initial_vocab: shared.Initial = shared.initial_vocab
    merge_filter: shared.Filter = shared.merge_filter

    def __getstate__(self) -> bytes:
        if not (self.merge_filter is None or isinstance(self.merge_filter, Regex)):
            raise UnsupportedError(
                "a state is JSON, which cannot hold the function that is the `merge_filter`; use a Regex"
            )
        return super().__getstate__()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.merge_filter is None or isinstance(self.merge_filter, Regex):
            return super().__reduce__()
        # Functions are pickled by their import path.
        plain = _blank(type(self))
        vars(plain).update(vars(self), merge_filter=None)
        return (_with_filter, (plain, self.merge_filter))

    def get_word_count(self) -> int:
        """The number of different pieces that the last training learned from."""
        return self._words


def _with_filter(trainer: BpeTrainer, merge_filter: Callable[[str, str, str, int], bool]) -> BpeTrainer:
    trainer.merge_filter = merge_filter
    return trainer
