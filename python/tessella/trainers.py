"""Learning a model from text.

A trainer holds the settings; ``Tokenizer.train`` and ``Tokenizer.train_from_iterator`` run it. Results do not
depend on the number of threads, on the order of the texts, or on the run.

Example:
    >>> from tessella import Tokenizer, models, pre_tokenizers, trainers
    >>> tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> trainer = trainers.BpeTrainer(vocab_size=20, special_tokens=["[UNK]"], show_progress=False)
    >>> tokenizer.train_from_iterator(["low lower lowest"] * 10, trainer)
    >>> tokenizer.encode("low").tokens
    ['low']
"""

from __future__ import annotations

from .training.bpe import BpeTrainer
from .training.parity import ParityBpeTrainer
from .training.trainer import Trainer
from .training.trainer import _blank as _blank  # pickles look for it here
from .training.unigram import UnigramTrainer
from .training.wordlevel import WordLevelTrainer
from .training.wordpiece import WordPieceTrainer

__all__ = [
    "BpeTrainer",
    "ParityBpeTrainer",
    "Trainer",
    "UnigramTrainer",
    "WordLevelTrainer",
    "WordPieceTrainer",
]
