"""Drop-in modules for code that was written for other libraries.

Change the import and keep the calls::

    import tessella.compat.sentencepiece as sentencepiece

A module is imported when it is asked for.

Example:
    >>> import tessella
    >>> tessella.compat.tiktoken.list_encoding_names()[0]
    'gpt2'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from . import implementations, sentencepiece, tiktoken, transformers

__all__ = ["implementations", "sentencepiece", "tiktoken", "transformers"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
