"""Words, and smaller pieces that people can name.

Everything here cuts a text and says where: ``tokenize`` gives tokens, ``words`` tokens with their characters,
``pre_tokenizer`` a stage of a ``tessella.Tokenizer``.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.words import Treebank, UnicodeWords
    >>> UnicodeWords().tokenize("It isn't 3.5.")
    ['It', "isn't", '3.5', '.']
    >>> tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "is": 1, "n't": 2}))
    >>> tokenizer.pre_tokenizer = Treebank().pre_tokenizer()
    >>> tokenizer.encode("It isn't").tokens
    ['<unk>', 'is', "n't"]
"""

from __future__ import annotations

from .affixes import Affixes
from .base import Word, WordTokenizer
from .morphology import Morphs
from .simple import Bytes, Characters, Punctuation, Rules, Whitespace
from .treebank import Treebank, treebank_join
from .unicode_words import UnicodeWords
from .vocabulary import Encoded, WordVocabulary

__all__ = [
    "Affixes",
    "Bytes",
    "Characters",
    "Encoded",
    "Morphs",
    "Punctuation",
    "Rules",
    "Treebank",
    "UnicodeWords",
    "Whitespace",
    "Word",
    "WordTokenizer",
    "WordVocabulary",
    "treebank_join",
]
