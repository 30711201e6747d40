"""Calling a tokenizer: texts in, padded and truncated columns out, ready for a model.

``AutoTokenizer.from_pretrained`` gives a ``PretrainedTokenizer``: a ``tessella.Tokenizer`` together with the
settings of its model. Calling it gives a ``BatchEncoding``. A plain ``tessella.Tokenizer`` can be called in
the same way. From the bottom up:

- ``encoding``: ``BatchEncoding``, the result and its look-ups; ``tensors``, arrays of it
- ``strategies``: what ``padding``, ``truncation`` and ``max_length`` mean together
- ``calling`` and ``padding``: one call, and padding afterwards
- ``settings``, ``files``, ``ends``, ``decoding``, ``chat``: what the methods of ``PretrainedTokenizer`` do
- ``classes``: what a model's class says about its pipeline
- ``special`` and ``names``: its bases, for roles as attributes, and for further names of what is here
- ``tokenizer``: the class itself; ``auto``: loading by name; ``retrain``: the same again from other texts
"""

from __future__ import annotations

from .auto import AutoTokenizer
from .encoding import BatchEncoding, CharSpan, TokenSpan
from .tokenizer import PretrainedTokenizer

__all__ = ["AutoTokenizer", "BatchEncoding", "CharSpan", "PretrainedTokenizer", "TokenSpan"]
