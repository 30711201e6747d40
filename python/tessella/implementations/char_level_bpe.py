"""``CharBPETokenizer`` under the module name that other libraries use."""

from .char_bpe import CharBPETokenizer

__all__ = ["CharBPETokenizer"]
