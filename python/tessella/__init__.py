"""Tessella: tokenization, exact and fast.

Text becomes ids in stages: added tokens are cut out, a *normalizer* rewrites the text, a *pre-tokenizer* cuts
it into pieces, a *model* turns pieces into ids, a *post-processor* adds special tokens; a *decoder* goes the
other way. Each stage has a module of its own here, and ``Tokenizer`` joins them.

Example:
    >>> import tessella
    >>> from tessella import models, pre_tokenizers
    >>> tokenizer = tessella.Tokenizer(models.WordLevel({"hello": 0, "world": 1, "<unk>": 2}))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> tokenizer.encode("hello world").tokens
    ['hello', 'world']
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

# Before all else, which takes a while.
from . import _start as _start

# isort: split
from . import _tessella, decoders, errors, models, normalizers, pre_tokenizers, processors
from ._notices import warn as _warn
from ._tessella import (
    Encoding,
    NormalizedString,
    PreTokenizedString,
    Regex,
    Token,
    __version__,
)
from ._types import (
    EncodeInput,
    InputSequence,
    Offsets,
    PreTokenizedEncodeInput,
    PreTokenizedInputSequence,
    TextEncodeInput,
    TextInputSequence,
)
from .loading import load
from .ragged import RaggedIds
from .tokenizer import PlanStep, TextStream, Tokenizer
from .tokens import AddedToken, OffsetReferential, OffsetType, SplitDelimiterBehavior

if TYPE_CHECKING:
    from . import implementations, recipes, tools, trainers
    from .batch import AutoTokenizer, BatchEncoding
    from .counting import PieceCounts, count_pieces
    from .implementations import (
        BertWordPieceTokenizer,
        ByteLevelBPETokenizer,
        CharBPETokenizer,
        SentencePieceBPETokenizer,
        SentencePieceUnigramTokenizer,
    )
    from .limits import Limits, get_limits, set_limits

__all__ = [
    "AddedToken",
    "AutoTokenizer",
    "BatchEncoding",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "EncodeInput",
    "Encoding",
    "InputSequence",
    "Limits",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PieceCounts",
    "PlanStep",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "RaggedIds",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "TextStream",
    "Token",
    "Tokenizer",
    "__version__",
    "count_pieces",
    "decoders",
    "errors",
    "get_limits",
    "implementations",
    "load",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "recipes",
    "set_limits",
    "tools",
    "trainers",
]

# Loaded when they are asked for, so that importing the package stays quick.
_LATER = {
    "AutoTokenizer": "batch",
    "BatchEncoding": "batch",
    "BertWordPieceTokenizer": "implementations",
    "ByteLevelBPETokenizer": "implementations",
    "CharBPETokenizer": "implementations",
    "Limits": "limits",
    "PieceCounts": "counting",
    "SentencePieceBPETokenizer": "implementations",
    "SentencePieceUnigramTokenizer": "implementations",
    "count_pieces": "counting",
    "get_limits": "limits",
    "set_limits": "limits",
}

# Imported when they are asked for.
_ROOMS = frozenset(
    {
        "batch",
        "cli",
        "compat",
        "counting",
        "data",
        "edit",
        "embeddings",
        "evaluate",
        "explain",
        "implementations",
        "limits",
        "prove",
        "recipes",
        "reference",
        "tasks",
        "tools",
        "tracing",
        "trainers",
        "web",
        "words",
    }
)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def _before_fork() -> None:
    """Lets no thread be in the middle of a once-only look-up, or of being started, when the process forks."""
    if "numpy" in sys.modules:
        _tessella.settle()
    _tessella.hold_threads()


for _name, _known in _tessella.WAYS:
    if (_asked := os.environ.get(_name)) and _asked not in _known:
        _warn(f"{_name} is {_asked!r}, which asks for nothing: it may be {' or '.join(_known)}")

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _tessella.release_threads(False),
        after_in_child=lambda: _tessella.release_threads(True),
    )
