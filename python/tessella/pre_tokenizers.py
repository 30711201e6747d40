"""Stage 2: text to pieces.

A pre-tokenizer cuts a text into the pieces that the model sees one by one. It can be tried alone with
``pre_tokenize_str``, which also tells where each piece stands in the text.

Example:
    >>> from tessella.pre_tokenizers import Digits, Sequence, Whitespace
    >>> Sequence([Whitespace(), Digits(individual_digits=True)]).pre_tokenize_str("Call 911!")
    [('Call', (0, 4)), ('9', (5, 6)), ('1', (6, 7)), ('1', (7, 8)), ('!', (8, 9))]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from . import _tessella
from ._component import Component, Field, SequenceMixin
from ._ordered import in_order
from ._repr import Limit
from ._types import Behavior, CustomPreTokenizer, PrependScheme
from .errors import ArgumentError
from .tokens import SplitDelimiterBehavior

__all__ = [
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "PreTokenizer",
    "Punctuation",
    "Sequence",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
]

_Handle = _tessella.PreTokenizerHandle


class PreTokenizer(Component):
    """What all pre-tokenizers have in common. Make one of the classes below, or ``custom``.

    Example:
        >>> from tessella.pre_tokenizers import PreTokenizer, WhitespaceSplit
        >>> isinstance(WhitespaceSplit(), PreTokenizer), WhitespaceSplit().pre_tokenize_str("a b")
        (True, [('a', (0, 1)), ('b', (2, 3))])
    """

    __slots__ = ()

    _handles = _Handle
    _title = "PreTokenizer"
    _kinds: ClassVar[dict[str, type[Any]]] = {}

    @staticmethod
    def custom(pretok: CustomPreTokenizer) -> PreTokenizer:
        """A pre-tokenizer of your own: any object with ``pre_tokenize(text: PreTokenizedString) -> None``.

        The object that it is handed must not be used after the call. A tokenizer with a custom pre-tokenizer
        can be saved if the object's class can be imported and called without arguments.

        Example:
            >>> from tessella.pre_tokenizers import PreTokenizer
            >>> class Dashes:
            ...     def pre_tokenize(self, text):
            ...         text.split(lambda index, piece: piece.split("-", "removed"))
            >>> PreTokenizer.custom(Dashes()).pre_tokenize_str("a-b")
            [('a', (0, 1)), ('b', (2, 3))]
        """
        return PreTokenizer._wrap(_Handle.custom(pretok))

    def pre_tokenize_str(self, s: str) -> list[tuple[str, tuple[int, int]]]:
        """The pieces of a text, with their start and end in characters of the text."""
        return self._handle.pre_tokenize_str(s)  # type: ignore[no-any-return]

    def pre_tokenize(self, pretok: _tessella.PreTokenizedString) -> None:
        """Cuts the pieces of a ``PreTokenizedString`` in place."""
        self._handle.pre_tokenize(pretok)


class BertPreTokenizer(PreTokenizer, kind="BertPreTokenizer"):
    """Cuts at white space, and makes every punctuation character a piece.

    Example:
        >>> from tessella.pre_tokenizers import BertPreTokenizer
        >>> BertPreTokenizer().pre_tokenize_str("Hey!")
        [('Hey', (0, 3)), ('!', (3, 4))]
    """

    __slots__ = ()


class Whitespace(PreTokenizer, kind="Whitespace"):
    r"""Runs of word characters, and runs of what is neither word character nor white space.

    That is the expression ``\w+|[^\w\s]+``.

    Example:
        >>> from tessella.pre_tokenizers import Whitespace
        >>> Whitespace().pre_tokenize_str("I'm fine.")
        [('I', (0, 1)), ("'", (1, 2)), ('m', (2, 3)), ('fine', (4, 8)), ('.', (8, 9))]
    """

    __slots__ = ()


class WhitespaceSplit(PreTokenizer, kind="WhitespaceSplit"):
    """Cuts at white space, nowhere else.

    Example:
        >>> from tessella.pre_tokenizers import WhitespaceSplit
        >>> WhitespaceSplit().pre_tokenize_str("I'm fine.")
        [("I'm", (0, 3)), ('fine.', (4, 9))]
    """

    __slots__ = ()


class ByteLevel(PreTokenizer, kind="ByteLevel"):
    """The pre-tokenizer of GPT-2: cuts words, then writes bytes as printable characters.

    Args:
        add_prefix_space: put a space in front of a piece that has none, so that the first word looks like
            all the others.
        trim_offsets: for the post-processor of the same name; without effect here.
        use_regex: cut words. Without it, only the bytes are rewritten.

    Example:
        >>> from tessella.pre_tokenizers import ByteLevel
        >>> ByteLevel(add_prefix_space=False).pre_tokenize_str("a b")
        [('a', (0, 1)), ('Ġb', (1, 3))]
    """

    __slots__ = ()

    def __init__(
        self,
        add_prefix_space: bool = True,
        trim_offsets: bool = True,
        use_regex: bool = True,
        *,
        type: str = "ByteLevel",
    ) -> None:
        # `type` makes `ByteLevel(**json.loads(state))` work; it can only be what it is.
        if type != "ByteLevel":
            raise ArgumentError(f"the state is that of a {type}, not of a ByteLevel")
        self._handle = _Handle.make(
            "ByteLevel", add_prefix_space=add_prefix_space, trim_offsets=trim_offsets, use_regex=use_regex
        )

    @staticmethod
    def alphabet() -> list[str]:
        """The characters that stand for the 256 bytes, by byte."""
        return _Handle.alphabet()

    add_prefix_space: Field[bool] = Field("Put a space in front of a piece that has none.")
    trim_offsets: Field[bool] = Field("For the post-processor of the same name.")
    use_regex: Field[bool] = Field("Cut words.")


class CharDelimiterSplit(PreTokenizer, kind="CharDelimiterSplit"):
    """Cuts at one character, which is dropped.

    Args:
        delimiter: the character.

    Example:
        >>> from tessella.pre_tokenizers import CharDelimiterSplit
        >>> CharDelimiterSplit("-").pre_tokenize_str("a-b")
        [('a', (0, 1)), ('b', (2, 3))]
    """

    __slots__ = ()

    def __init__(self, delimiter: str) -> None:
        self._handle = _Handle.make("CharDelimiterSplit", delimiter=delimiter)

    delimiter: Field[str] = Field("The character.")


class Digits(PreTokenizer, kind="Digits"):
    """Separates numbers from the rest.

    Args:
        individual_digits: make every digit a piece.

    Example:
        >>> from tessella.pre_tokenizers import Digits
        >>> Digits().pre_tokenize_str("a12")
        [('a', (0, 1)), ('12', (1, 3))]
    """

    __slots__ = ()

    def __init__(self, individual_digits: bool = False) -> None:
        self._handle = _Handle.make("Digits", individual_digits=individual_digits)

    individual_digits: Field[bool] = Field("Make every digit a piece.")


class FixedLength(PreTokenizer, kind="FixedLength"):
    """Cuts into pieces of equal length.

    Args:
        length: characters of a piece, at least 1; the last piece may be shorter.

    Example:
        >>> from tessella.pre_tokenizers import FixedLength
        >>> FixedLength(2).pre_tokenize_str("abc")
        [('ab', (0, 2)), ('c', (2, 3))]
    """

    __slots__ = ()

    def __init__(self, length: int = 5) -> None:
        self._handle = _Handle.make("FixedLength", length=length)

    length: Field[int] = Field("Characters of a piece.")


class Metaspace(PreTokenizer, kind="Metaspace"):
    """Makes spaces visible and cuts in front of them, as SentencePiece does.

    Args:
        replacement: the character that is written for a space.
        prepend_scheme: whether a piece without a space in front gets one: ``always``, ``first`` (only at the
            start of the text) or ``never``.
        split: cut in front of every replacement.

    Example:
        >>> from tessella.pre_tokenizers import Metaspace
        >>> Metaspace().pre_tokenize_str("my name")
        [('▁my', (0, 2)), ('▁name', (2, 7))]
    """

    __slots__ = ()

    def __init__(
        self, replacement: str = "▁", prepend_scheme: PrependScheme = "always", split: bool = True
    ) -> None:
        self._handle = _Handle.make(
            "Metaspace", replacement=replacement, prepend_scheme=prepend_scheme, split=split
        )

    replacement: Field[str] = Field("The character that is written for a space.")
    prepend_scheme: Field[str] = Field("`always`, `first` or `never`.")
    split: Field[bool] = Field("Cut in front of every replacement.")


class Punctuation(PreTokenizer, kind="Punctuation"):
    """Cuts at punctuation characters.

    Args:
        behavior: what becomes of them: ``removed``, ``isolated``, ``merged_with_previous``,
            ``merged_with_next`` or ``contiguous``.

    Example:
        >>> from tessella.pre_tokenizers import Punctuation
        >>> Punctuation("contiguous").pre_tokenize_str("a!?")
        [('a', (0, 1)), ('!?', (1, 3))]
    """

    __slots__ = ()

    def __init__(self, behavior: Behavior | SplitDelimiterBehavior = "isolated") -> None:
        self._handle = _Handle.make("Punctuation", behavior=behavior)

    behavior: Field[str] = Field("What becomes of punctuation characters.")


class Split(PreTokenizer, kind="Split"):
    """Cuts at the matches of a pattern.

    Args:
        pattern: a ``str`` is looked for as it is, a ``tessella.Regex`` as an expression.
        behavior: what becomes of the matches: ``removed``, ``isolated``, ``merged_with_previous``,
            ``merged_with_next`` or ``contiguous``.
        invert: swap matches and gaps first, so that ``removed`` keeps the matches.

    Example:
        >>> from tessella import Regex
        >>> from tessella.pre_tokenizers import Split
        >>> Split(Regex("[0-9]+"), "removed", invert=True).pre_tokenize_str("a12b3")
        [('12', (1, 3)), ('3', (4, 5))]
    """

    __slots__ = ()

    def __init__(
        self,
        pattern: str | _tessella.Regex,
        behavior: Behavior | SplitDelimiterBehavior,
        invert: bool = False,
    ) -> None:
        self._handle = _Handle.make("Split", pattern=pattern, behavior=behavior, invert=invert)

    behavior: Field[str] = Field("What becomes of the matches.")
    invert: Field[bool] = Field("Swap matches and gaps first.")

    _shown = ("behavior", "invert")


class UnicodeScripts(PreTokenizer, kind="UnicodeScripts"):
    """Cuts where the script changes.

    Args:
        keep_spaces: keep spaces at the start of the text. The reference library drops them, and a
            ``tokenizer.json`` file means it that way, so this is off by default.

    Example:
        >>> from tessella.pre_tokenizers import UnicodeScripts
        >>> UnicodeScripts().pre_tokenize_str("abcжзи")
        [('abc', (0, 3)), ('жзи', (3, 6))]
    """

    __slots__ = ()

    def __init__(self, keep_spaces: bool = False) -> None:
        self._handle = _Handle.make("UnicodeScripts", keep_spaces=keep_spaces)

    keep_spaces: Field[bool] = Field("Keep spaces at the start of the text.")

    _shown = ("keep_spaces",)


class Sequence(SequenceMixin[PreTokenizer], PreTokenizer, kind="Sequence"):
    """Several pre-tokenizers, one after the other; each cuts the pieces of the one before.

    Args:
        pre_tokenizers: the pre-tokenizers, in order. ``sequence[0]`` is the first of them, and changing it
            changes the sequence.

    Example:
        >>> from tessella.pre_tokenizers import Digits, Sequence, WhitespaceSplit
        >>> Sequence([WhitespaceSplit(), Digits(individual_digits=True)]).pre_tokenize_str("in 42")
        [('in', (0, 2)), ('4', (3, 4)), ('2', (4, 5))]
    """

    __slots__ = ()

    def __init__(self, pre_tokenizers: Iterable[PreTokenizer]) -> None:
        parts = in_order("pre_tokenizers", pre_tokenizers, "a list of pre-tokenizers")
        self._handle = _Handle.sequence([PreTokenizer._of(one) for one in parts])

    def _render(self, limit: Limit) -> str:
        return f"Sequence(pretokenizers=[{self._parts(limit)}])"
