"""The trainer of WordPiece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from . import shared
from .bpe import BpeTrainer
from .option import Count, CountOrNone, Flag, Option, Text, choice
from .trainer import Trainer

Score = Option[Literal["frequency", "likelihood"], Literal["frequency", "likelihood"]]


class WordPieceTrainer(Trainer):
    """Learns a WordPiece vocabulary: joins pairs as ``BpeTrainer`` does, and forgets the merges.

    Example:
        >>> from tessella import PieceCounts
        >>> from tessella.trainers import WordPieceTrainer
        >>> counts = PieceCounts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
        >>> trainer = WordPieceTrainer(vocab_size=10, score="likelihood", tie_break="first_seen")
        >>> trainer.show_progress = False
        >>> model = trainer.train_from_counts(counts)
        >>> [model.id_to_token(id) for id in (7, 8, 9)]
        ['##gs', 'hu', 'hugs']
    """

    _trains = "WordPiece"

    min_frequency: Count = shared.min_frequency
    vocab_size: Count = shared.vocab_size
    show_progress: Flag = shared.show_progress
    special_tokens: shared.SpecialTokens = shared.special_tokens
    limit_alphabet: CountOrNone = shared.limit_alphabet
    initial_alphabet: shared.Alphabet = shared.initial_alphabet
    continuing_subword_prefix: Text = shared.continuing_subword_prefix.but(default="##")
    end_of_word_suffix: Text = shared.end_of_word_suffix
    score: Score = choice(
        "frequency",
        "likelihood",
        help="which pair is joined next: the one with the highest ``frequency``, as the reference library's "
        "trainer does it, or by ``likelihood`` the one with the highest count(ab) / (count(a) * count(b))",
    )
    tie_break: shared.TieBreak = shared.tie_break
    strict_budget: Flag = shared.strict_budget

    # The reference library's state is that of a BPE trainer.
    def _state(self) -> dict[str, Any]:
        fields = {"progress_format": "Indicatif", "max_token_length": None, **self._saved(False)}
        shared_with = [name for name, option in BpeTrainer._options.items() if not option.further]
        return {
            "bpe_trainer": {**{name: fields[name] for name in shared_with}, "words": {}},
            **self._saved(True),
        }

    def _restore(self, fields: Mapping[str, Any]) -> None:
        super()._restore({**fields["bpe_trainer"], **fields})
