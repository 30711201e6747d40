"""The trainer of whole pieces."""

from __future__ import annotations

from . import shared
from .option import Count, Flag
from .trainer import Trainer


class WordLevelTrainer(Trainer):
    """Learns the most frequent pieces, whole.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> from tessella.trainers import WordLevelTrainer
        >>> tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> trainer = WordLevelTrainer(special_tokens=["[UNK]"], min_frequency=2, show_progress=False)
        >>> tokenizer.train_from_iterator(["low low lower"], trainer)
        >>> tokenizer.get_vocab()
        {'[UNK]': 0, 'low': 1}
    """

    _trains = "WordLevel"

    min_frequency: Count = shared.min_frequency.but(help="rarer pieces are left out")
    vocab_size: Count = shared.vocab_size.but(help="entries of the vocabulary, special tokens included")
    show_progress: Flag = shared.show_progress
    special_tokens: shared.SpecialTokens = shared.special_tokens
