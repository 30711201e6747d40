"""The room ``tessella.compat.implementations`` under the name that other libraries use, module by module."""

import sys

from .compat import implementations
from .compat.implementations import *  # noqa: F403

__all__ = implementations.__all__

# Imported from these modules too, as of that library: "tessella.implementations.base_tokenizer".
for _name, _file in {
    "base_tokenizer": "base",
    "bert_wordpiece": "bert_wordpiece",
    "byte_level_bpe": "byte_level_bpe",
    "char_level_bpe": "char_bpe",
    "sentencepiece_bpe": "sentencepiece_bpe",
    "sentencepiece_unigram": "sentencepiece_unigram",
}.items():
    sys.modules[f"{__name__}.{_name}"] = sys.modules[f"{implementations.__name__}.{_file}"]
