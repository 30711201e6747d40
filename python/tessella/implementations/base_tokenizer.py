"""``BaseTokenizer`` under the module name that other libraries use."""

from .base import BaseTokenizer

__all__ = ["BaseTokenizer"]
