"""Stage 4: special tokens round the sequences.

Example:
    >>> from tessella import Tokenizer, models
    >>> from tessella.processors import TemplateProcessing
    >>> tokenizer = Tokenizer(models.BPE())
    >>> _ = tokenizer.add_special_tokens(["[CLS]", "[SEP]"])
    >>> _ = tokenizer.add_tokens(["hello"])
    >>> tokenizer.post_processor = TemplateProcessing(
    ...     single="[CLS] $A [SEP]",
    ...     pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    ...     special_tokens=[("[CLS]", 0), ("[SEP]", 1)],
    ... )
    >>> tokenizer.encode("hello").tokens
    ['[CLS]', 'hello', '[SEP]']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from . import _tessella
from ._component import Component, Field, SequenceMixin
from ._ordered import in_order
from ._repr import Limit
from .errors import ArgumentError

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "TemplateProcessing",
]

_Handle = _tessella.PostProcessorHandle

#: A special token of a template: ``(token, id)``, ``(id, token)`` or a dict with ``id``, ``ids``, ``tokens``.
SpecialToken = tuple[str, int] | tuple[int, str] | Mapping[str, object]


class PostProcessor(Component):
    """What all post-processors have in common. Make one of the classes below."""

    __slots__ = ()

    _handles = _Handle
    _title = "PostProcessor"
    _kinds: ClassVar[dict[str, type[Any]]] = {}

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many special tokens are added to one sequence, or to a pair."""
        return self._handle.num_special_tokens_to_add(is_pair)  # type: ignore[no-any-return]

    def process(
        self,
        encoding: _tessella.Encoding,
        pair: _tessella.Encoding | None = None,
        add_special_tokens: bool = True,
    ) -> _tessella.Encoding:
        """Joins the sequence, or the pair, into one encoding."""
        return self._handle.process(encoding, pair, add_special_tokens)  # type: ignore[no-any-return]


def _first(cls: tuple[str, int] | None, cls_token: tuple[str, int] | None) -> tuple[str, int]:
    """The first token, under whichever of its two names it was given."""
    if (cls is None) == (cls_token is None):
        raise TypeError("the first token and its id are needed once, as `cls` or as `cls_token`")
    return cls if cls is not None else cls_token  # type: ignore[return-value]


class BertProcessing(PostProcessor, kind="BertProcessing"):
    """``[CLS] A [SEP]``, or ``[CLS] A [SEP] B [SEP]`` with type 1 from B on.

    Args:
        sep: the separator and its id.
        cls: the first token and its id; ``cls_token`` is another name of it.

    Example:
        >>> from tessella import Tokenizer, models
        >>> from tessella.processors import BertProcessing
        >>> tokenizer = Tokenizer(models.WordLevel({"[CLS]": 0, "[SEP]": 1, "hey": 2}, "hey"))
        >>> tokenizer.post_processor = BertProcessing(("[SEP]", 1), ("[CLS]", 0))
        >>> tokenizer.encode("hey").tokens, tokenizer.encode("hey", "hey").type_ids
        (['[CLS]', 'hey', '[SEP]'], [0, 0, 0, 1, 1])
    """

    __slots__ = ()

    def __init__(
        self,
        sep: tuple[str, int],
        cls: tuple[str, int] | None = None,
        *,
        cls_token: tuple[str, int] | None = None,
    ) -> None:
        self._handle = _Handle.make("BertProcessing", sep=sep, cls=_first(cls, cls_token))

    sep: Field[tuple[str, int]] = Field("The separator and its id.")
    cls: Field[tuple[str, int]] = Field("The first token and its id.")


class RobertaProcessing(PostProcessor, kind="RobertaProcessing"):
    """``<s> A </s>``, or ``<s> A </s> </s> B </s>``, all of type 0.

    Args:
        sep: the separator and its id.
        cls: the first token and its id; ``cls_token`` is another name of it.
        trim_offsets: leave white space out of the offsets.
        add_prefix_space: the first word had a space put in front, which offsets keep.

    Example:
        >>> from tessella import Tokenizer, models
        >>> from tessella.processors import RobertaProcessing
        >>> tokenizer = Tokenizer(models.WordLevel({"<s>": 0, "</s>": 1, "hey": 2}, "hey"))
        >>> tokenizer.post_processor = RobertaProcessing(("</s>", 1), ("<s>", 0))
        >>> tokenizer.encode("hey", "hey").tokens
        ['<s>', 'hey', '</s>', '</s>', 'hey', '</s>']
    """

    __slots__ = ()

    def __init__(
        self,
        sep: tuple[str, int],
        cls: tuple[str, int] | None = None,
        trim_offsets: bool = True,
        add_prefix_space: bool = True,
        *,
        cls_token: tuple[str, int] | None = None,
    ) -> None:
        self._handle = _Handle.make(
            "RobertaProcessing",
            sep=sep,
            cls=_first(cls, cls_token),
            trim_offsets=trim_offsets,
            add_prefix_space=add_prefix_space,
        )

    sep: Field[tuple[str, int]] = Field("The separator and its id.")
    cls: Field[tuple[str, int]] = Field("The first token and its id.")
    trim_offsets: Field[bool] = Field("Leave white space out of the offsets.")
    add_prefix_space: Field[bool] = Field("The first word had a space put in front.")


class ByteLevel(PostProcessor, kind="ByteLevel"):
    """Leaves white space out of the offsets of byte-level tokens.

    Args:
        add_prefix_space: the first word had a space put in front, which offsets keep.
        trim_offsets: do it; without it nothing happens.
        use_regex: kept for files; without effect.
    """

    __slots__ = ()

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        *,
        type: str = "ByteLevel",
    ) -> None:
        # `type` makes `ByteLevel(**json.loads(state))` work; it can only be what it is.
        if type != "ByteLevel":
            raise ArgumentError(f"the state is that of a {type}, not of a ByteLevel")
        flags = {"add_prefix_space": add_prefix_space, "trim_offsets": trim_offsets, "use_regex": use_regex}
        given = {name: True if flag is None else flag for name, flag in flags.items()}
        self._handle = _Handle.make("ByteLevel", **given)

    add_prefix_space: Field[bool] = Field("The first word had a space put in front.")
    trim_offsets: Field[bool] = Field("Leave white space out of the offsets.")
    use_regex: Field[bool] = Field("Kept for files; without effect.")


class TemplateProcessing(PostProcessor, kind="TemplateProcessing"):
    """Special tokens and sequences in the order that a template gives.

    A template is a text of pieces with a space between them, or a list of pieces. ``$A`` and ``$B`` are the
    sequences, anything else a special token; ``:1`` behind a piece gives it the type 1.

    Args:
        single: the template for one sequence.
        pair: the template for two; it must use both.
        special_tokens: every special token in the templates, as ``(token, id)`` or, for one that stands for
            several tokens, as ``{"id": ..., "ids": [...], "tokens": [...]}``.

    Example:
        >>> from tessella.processors import TemplateProcessing
        >>> template = TemplateProcessing("[CLS] $A", special_tokens=[("[CLS]", 0)])
        >>> template.num_special_tokens_to_add(False)
        1
    """

    __slots__ = ()

    def __init__(
        self,
        single: str | Iterable[str] | None = None,
        pair: str | Iterable[str] | None = None,
        special_tokens: Iterable[SpecialToken] | None = None,
    ) -> None:
        def template(value: str | Iterable[str] | None, default: str) -> str | list[str]:
            if value is None or isinstance(value, str):
                return default if value is None else value
            return in_order("single" if default == "$0" else "pair", value, "a template")

        self._handle = _Handle.make(
            "TemplateProcessing",
            single=template(single, "$0"),
            pair=template(pair, "$A:0 $B:1"),
            special_tokens=in_order("special_tokens", special_tokens or (), "a list of special tokens"),
        )

    # `Any`: what is read is data as in a file, and what may be set is whatever the constructor takes.
    single: Field[Any] = Field("The template for one sequence, as a list of pieces.")
    pair: Field[Any] = Field("The template for two sequences, as a list of pieces.")
    special_tokens: Field[Any] = Field("The special tokens of the templates.")


class Sequence(SequenceMixin[PostProcessor], PostProcessor, kind="Sequence"):
    """Several post-processors, one after the other.

    Args:
        processors: the post-processors, in order. ``sequence[0]`` is the first of them, and changing it
            changes the sequence.

    Example:
        >>> from tessella.processors import ByteLevel, Sequence, TemplateProcessing
        >>> sequence = Sequence([ByteLevel(), TemplateProcessing("<s> $A", special_tokens=[("<s>", 0)])])
        >>> sequence[0].trim_offsets, sequence.num_special_tokens_to_add(False)
        (True, 1)
    """

    __slots__ = ()

    def __init__(self, processors: Iterable[PostProcessor]) -> None:
        parts = in_order("processors", processors, "a list of post-processors")
        self._handle = _Handle.sequence([PostProcessor._of(one) for one in parts])

    def _render(self, limit: Limit) -> str:
        return f"Sequence(processors=[{self._parts(limit)}])"
