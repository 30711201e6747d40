"""The tokenizer names of the ``transformers`` package.

They are imported from here instead: all of them are ``tessella.batch.PretrainedTokenizer`` with the defaults
of the class that they are called after. They read the same folders, files and hub names. The classes for
models of other kinds are not here, nor are those that run Python code for each token.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.compat.transformers import PreTrainedTokenizerFast
    >>> backend = Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}, "<unk>"))
    >>> tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>")
    >>> tokenizer("hello")["input_ids"]
    [0]
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..batch import AutoTokenizer, BatchEncoding, CharSpan, PretrainedTokenizer, TokenSpan
from ..batch.auto import DEFAULTS
from ..batch.classes import TOKENS, plain_name
from ..batch.tokenizer import Backend
from ..errors import ArgumentError
from ..implementations import BertWordPieceTokenizer, ByteLevelBPETokenizer
from ..loading import load
from ..tokens import AddedToken

__all__ = [
    "AddedToken",
    "AutoTokenizer",
    "BatchEncoding",
    "CharSpan",
    "PreTrainedTokenizerBase",
    "PreTrainedTokenizerFast",
    "TokenSpan",
    "TokenizersBackend",
]


#: Tokens and their ids, or a file of them.
Vocabulary = Mapping[str, int] | str | os.PathLike[str]
#: Merges as pairs or with a blank between, or a file of them.
Merges = Sequence[str | tuple[str, str]] | str | os.PathLike[str]


def _of_vocabulary(name: str, vocab: Any, merges: Any, settings: Mapping[str, Any]) -> Any:
    """The tokenizer of a class from its vocabulary: a dict, or the file of one."""
    if isinstance(vocab, os.PathLike):
        vocab = os.fspath(vocab)
    if name in ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"):
        tokens = {role: settings[role] for role in _BERT_ROLES if settings.get(role) is not None}
        return BertWordPieceTokenizer(vocab, **tokens)
    if name in ("GPT2Tokenizer", "RobertaTokenizer", "BartTokenizer") and merges is not None:
        if isinstance(merges, (list, tuple)):
            merges = [tuple(pair.split(" ")) if isinstance(pair, str) else tuple(pair) for pair in merges]
        return ByteLevelBPETokenizer(vocab, os.fspath(merges) if isinstance(merges, os.PathLike) else merges)
    if isinstance(vocab, str) and merges is None:
        return load(vocab)
    raise ArgumentError(
        f"a {name} is not made from `vocab` and `merges` here: pass `tokenizer_file` or `tokenizer_object`, "
        "or use from_pretrained with the folder"
    )


class PreTrainedTokenizerFast(PretrainedTokenizer):
    """A tokenizer from a file, from an object, or with ``from_pretrained``."""

    def __init__(
        self,
        tokenizer_object: Backend | Vocabulary | None = None,
        *positional: Merges,
        vocab: Vocabulary | None = None,
        merges: Merges | None = None,
        vocab_file: str | os.PathLike[str] | None = None,
        merges_file: str | os.PathLike[str] | None = None,
        **settings: Any,  # any JSON, as the file has it
    ) -> None:
        if isinstance(tokenizer_object, (str, os.PathLike, Mapping)):
            # These classes take their vocabulary first.
            backend, vocab = None, tokenizer_object
            merges, positional = (positional[0], positional[1:]) if positional else (merges, ())
        else:
            backend = tokenizer_object
        if positional:
            raise TypeError(f"{type(self).__name__}: pass the arguments after the first ones by their names")
        vocab = vocab_file if vocab is None else vocab
        merges = merges_file if merges is None else merges
        if vocab is not None and backend is None and settings.get("tokenizer_file") is None:
            # What such a class puts round a text is in no file, so its own tokens are settings here.
            settings = {**TOKENS.get(self._class_name({}), {}), **settings}
            backend = _of_vocabulary(self._tokenizer_class(), vocab, merges, settings)
        super().__init__(backend, **settings)

    @classmethod
    def _class_name(cls, settings: Mapping[str, Any]) -> str:
        del settings
        return "" if cls is PreTrainedTokenizerFast else plain_name(cls.__name__)

    @classmethod
    def _tokenizer_class(cls) -> str:
        return cls.__name__.removesuffix("Fast") if cls is not PreTrainedTokenizerFast else cls.__name__


#: A newer name of the same.
TokenizersBackend = PreTrainedTokenizerFast
#: What all tokenizers with a model's settings are here; ``isinstance`` tells them by it.
PreTrainedTokenizerBase = PretrainedTokenizer

_BERT_ROLES = ("unk_token", "sep_token", "cls_token", "pad_token", "mask_token")
_MADE: dict[str, type[PreTrainedTokenizerFast]] = {}


def __getattr__(name: str) -> Any:
    """The class of a model, with and without ``Fast``."""
    plain = name.removesuffix("Fast")
    if plain not in TOKENS:
        known = ", ".join(sorted(TOKENS))
        raise AttributeError(
            f"module {__name__!r} has no class {name!r}; it has {known}, and AutoTokenizer for all others"
        )
    if name not in _MADE:
        defaults = {**TOKENS[plain], **DEFAULTS.get(plain, {})}
        text = f"The tokenizer of {plain.removesuffix('Tokenizer')} models."
        own = DEFAULTS.get(plain, {})
        _MADE[name] = type(
            name,
            (PreTrainedTokenizerFast,),
            {**own, "_defaults": defaults, "__doc__": text, "__module__": __name__},
        )
    return _MADE[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *TOKENS, *(f"{name}Fast" for name in TOKENS)])
