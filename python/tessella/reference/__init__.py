"""Every algorithm in plain Python, to be read.

Each file holds one algorithm and needs nothing but the standard library. They are slow, and they are the
oracles that the engine is tested against: where the rules are the same, the results are.

Read in this order: ``gage`` (where it began), ``pairs`` and ``word_bpe``, ``byte_bpe``, ``wordpiece``,
``lattice``, ``unigram``, ``unigram_training``, ``fewest_tokens``, ``word_level``. ``history`` prints a
training step by step.

Example:
    >>> from tessella.reference import WordBpe, show_history
    >>> bpe = WordBpe.train({"hug": 10, "pug": 5, "pun": 12}, merges=2)
    >>> print(show_history(bpe.history, corpus=True))
    step  joined   makes  count  symbols
       1  p + u    pu        17        5
          h u g  x10
          pu g  x5
          pu n  x12
       2  pu + n   pun       12        5
          h u g  x10
          pu g  x5
          pun  x12
"""

from __future__ import annotations

from .byte_bpe import ByteBpe
from .fewest_tokens import train_fewest_tokens
from .gage import Gage, gage_compress, gage_expand
from .history import Step, show_history
from .lattice import Lattice
from .unigram import Unigram, count_substrings
from .unigram_training import train_unigram
from .word_bpe import WordBpe
from .word_level import WordLevel, number_words
from .wordpiece import WordPiece

__all__ = [
    "ByteBpe",
    "Gage",
    "Lattice",
    "Step",
    "Unigram",
    "WordBpe",
    "WordLevel",
    "WordPiece",
    "count_substrings",
    "gage_compress",
    "gage_expand",
    "number_words",
    "show_history",
    "train_fewest_tokens",
    "train_unigram",
]
