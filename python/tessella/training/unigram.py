"""The trainer of Unigram."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import ArgumentError
from ..tokens import AddedToken
from . import shared
from .option import Count, Flag, Number, Option, Text, a_number, count, number, text
from .trainer import Trainer


def _share(name: str, value: Any) -> float:
    share = a_number(name, value)
    if not 0 < share < 1:
        raise ArgumentError(f"`{name}` must be between 0 and 1, both excluded, found {share}")
    return share


class UnigramTrainer(Trainer):
    """Learns a Unigram model: starts with many pieces, estimates, drops the least useful, again and again.

    Example:
        >>> from tessella import PieceCounts
        >>> from tessella.trainers import UnigramTrainer
        >>> trainer = UnigramTrainer(vocab_size=12, special_tokens=["<unk>"], show_progress=False)
        >>> trainer.unk_token = "<unk>"
        >>> model = trainer.train_from_counts(PieceCounts({"low": 9, "lower": 5, "lowest": 2}))
        >>> [token.value for token in model.tokenize("lower")]
        ['lowe', 'r']
    """

    _trains = "Unigram"

    show_progress: Flag = shared.show_progress
    vocab_size: Count = shared.vocab_size.but(
        default=8000, help="entries of the vocabulary, special tokens included"
    )
    n_sub_iterations: Count = count(2, "estimates between two rounds of dropping")
    shrinking_factor: Number = number(0.75, "the share of pieces that each round keeps", _share)
    special_tokens: Option[shared.Tokens | None, list[AddedToken]] = shared.special_tokens_or_none
    initial_alphabet: Option[Iterable[str] | None, list[str]] = shared.initial_alphabet_or_none
    unk_token: Text = text(None, "the token for unknown text. Without it, encoding unknown text is an error")
    max_piece_length: Count = count(16, "characters of a piece at most")
    seed_size: Count = count(1_000_000, "pieces at the start")
    strict_budget: Flag = shared.strict_budget.but(
        help="a ``vocab_size`` that special tokens and characters exceed is an error"
    )
