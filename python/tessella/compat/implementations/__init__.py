"""Ready-made tokenizers: well-known recipes, untrained or with a given vocabulary.

Example:
    >>> from tessella.implementations import ByteLevelBPETokenizer
    >>> tokenizer = ByteLevelBPETokenizer()
    >>> tokenizer.train_from_iterator(["a first sentence", "another sentence"], show_progress=False)
    >>> tokenizer.encode("sentence").tokens
    ['sen', 'tence']
"""

from .base import BaseTokenizer
from .bert_wordpiece import BertWordPieceTokenizer
from .byte_level_bpe import ByteLevelBPETokenizer
from .char_bpe import CharBPETokenizer
from .sentencepiece_bpe import SentencePieceBPETokenizer
from .sentencepiece_unigram import SentencePieceUnigramTokenizer

__all__ = [
    "BaseTokenizer",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
]
