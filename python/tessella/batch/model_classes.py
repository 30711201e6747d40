"""The classes that tokenizers are called after: ``BertTokenizer``, ``LlamaTokenizer`` and so on.

Each is ``PretrainedTokenizer`` with the special tokens and the defaults of its name; they are made when they
are first asked for. ``AutoTokenizer`` gives the class that a folder names, and ``compat.transformers`` hands
the classes out under their names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from .._formats import CLASSES as KNOWN
from ..errors import ArgumentError
from ..loading import load
from .classes import DEFAULTS, TOKENS, plain_name
from .languages import Languages, LanguagesOfCalls
from .piece_classes import CLASSES
from .tokenizer import Backend, PretrainedTokenizer
from .transcripts import Transcripts

#: Tokens and their ids, or a file of them.
Vocabulary = Mapping[str, int] | str | os.PathLike[str]
#: Merges as pairs or with a blank between, or a file of them.
Merges = Sequence[str | tuple[str, str]] | str | os.PathLike[str]

# Where pickles find the classes.
_HOME = "tessella.compat.transformers"


def _of_vocabulary(name: str, vocab: Any, merges: Any, settings: Mapping[str, Any]) -> Any:
    """The tokenizer of a class from its vocabulary: a dict, or the file of one."""
    from ..implementations import BertWordPieceTokenizer, ByteLevelBPETokenizer

    if isinstance(vocab, os.PathLike):
        vocab = os.fspath(vocab)
    made_of = KNOWN[name].vocabulary if name in KNOWN else ""
    if made_of == "words":
        tokens = {role: settings[role] for role in TOKENS[name] if settings.get(role) is not None}
        return BertWordPieceTokenizer(vocab, **tokens)
    if made_of == "merges" and merges is not None:
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

    __module__ = _HOME

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
        plain = "" if cls is PreTrainedTokenizerFast else plain_name(cls.__name__)
        return plain or super()._class_name(settings)

    @classmethod
    def _tokenizer_class(cls) -> str:
        return cls.__name__.removesuffix("Fast") if cls is not PreTrainedTokenizerFast else cls.__name__


_MADE: dict[str, type[PreTrainedTokenizerFast]] = {}


def known_classes() -> list[str]:
    """The names of the classes, without ``Fast``."""
    return sorted({*TOKENS, *CLASSES})


def class_named(name: str) -> type[PreTrainedTokenizerFast] | None:
    """The class of a name, with and without ``Fast``; ``None`` if there is none.

    Example:
        >>> from tessella.batch.model_classes import class_named
        >>> class_named("BertTokenizerFast") is class_named("BertTokenizer")
        True
    """
    plain = plain_name(name)
    if plain not in _MADE:
        roles = TOKENS.get(plain)
        if roles is None and plain in CLASSES:
            roles = {role: str(token) for role, token in CLASSES[plain].roles.items()}
        if roles is None:
            return None
        own = DEFAULTS.get(plain, {})
        text = f"The tokenizer of {plain.removesuffix('Tokenizer')} models."
        members = {**own, "_defaults": {**roles, **own}, "__doc__": text, "__module__": _HOME}
        bases: tuple[type, ...] = (PreTrainedTokenizerFast,)
        if plain in CLASSES and CLASSES[plain].language is not None:
            bases = (LanguagesOfCalls if plain == "SeamlessM4TTokenizer" else Languages, *bases)
            members["_piece_class"] = CLASSES[plain]
        elif plain == "WhisperTokenizer":
            bases = (Transcripts, *bases)
        _MADE[plain] = type(plain, bases, members)
    return _MADE[plain]


_STAND_INS: dict[tuple[type, type], type] = {}


def stand_in(own: type) -> type:
    """What ``isinstance`` is told to be the class: with transformers loaded, a tokenizer of that library too.

    The trainer of that library asks for its base class, and for anything else it silently does not pad.
    """
    module = sys.modules.get("transformers.tokenization_utils_base")
    base = getattr(module, "PreTrainedTokenizerBase", None)
    if base is None:
        return own
    if (own, base) not in _STAND_INS:
        members = {name: getattr(own, name) for name in ("__module__", "__doc__", "__qualname__")}
        # It is asked about, and hands on what makes tokenizers; it has no instances.
        members |= {name: getattr(own, name) for name in ("from_pretrained", "over")}
        members["__new__"] = lambda cls, *args, **options: own(*args, **options)
        _STAND_INS[own, base] = type(own.__name__, (own, base), members)
    return _STAND_INS[own, base]
