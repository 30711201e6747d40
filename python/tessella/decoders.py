"""Stage 6: tokens to text.

A decoder turns the texts of tokens into the texts that, joined, read like the original.

Example:
    >>> from tessella.decoders import ByteFallback, Fuse, Replace, Sequence, Strip
    >>> decoder = Sequence([Replace("▁", " "), ByteFallback(), Fuse(), Strip(" ", 1, 0)])
    >>> decoder.decode(["▁Hey", "▁", "<0xC3>", "<0xA9>"])
    'Hey é'
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Sequence_
from typing import Any, ClassVar

from . import _tessella
from ._component import Component, Field, ReadOnly, SequenceMixin
from ._given import check_list
from ._ordered import in_order
from ._repr import Limit
from ._tessella import DecodeStream
from ._types import CustomDecoder, PrependScheme
from .errors import ArgumentError

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "DecodeStream",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "SentencePiece",
    "Sequence",
    "Strip",
    "WordPiece",
]

_Handle = _tessella.DecoderHandle


class Decoder(Component):
    """What all decoders have in common. Make one of the classes below, or wrap your own with ``custom``."""

    __slots__ = ()

    _handles = _Handle
    _title = "Decoder"
    _kinds: ClassVar[dict[str, type[Any]]] = {}

    @staticmethod
    def custom(decoder: CustomDecoder) -> Decoder:
        """A decoder of your own: any object with ``decode_chain(tokens: list[str]) -> list[str]``.

        Example:
            >>> from tessella.decoders import Decoder
            >>> class Spaced:
            ...     def decode_chain(self, tokens):
            ...         return [f" {token}" for token in tokens]
            >>> Decoder.custom(Spaced()).decode(["a", "b"])
            ' a b'
        """
        return Decoder._wrap(_Handle.custom(decoder))

    def decode(self, tokens: Sequence_[str]) -> str:
        """The text of a list of tokens."""
        check_list("tokens", tokens, "tokens")
        return self._handle.decode(list(tokens))  # type: ignore[no-any-return]

    def decode_chain(self, tokens: Sequence_[str]) -> list[str]:
        """The texts that, joined, are the result of ``decode``."""
        check_list("tokens", tokens, "tokens")
        return self._handle.decode_chain(list(tokens))  # type: ignore[no-any-return]


class ByteLevel(Decoder, kind="ByteLevel"):
    """Back from the printable characters that stand for bytes. Broken UTF-8 becomes U+FFFD.

    The keyword arguments are those that files have; they have no effect on decoding.

    Example:
        >>> from tessella.decoders import ByteLevel
        >>> ByteLevel().decode(["My", "Ġname"])
        'My name'
    """

    __slots__ = ()

    def __init__(
        self,
        *,
        add_prefix_space: bool = True,
        trim_offsets: bool = True,
        use_regex: bool = True,
        type: str = "ByteLevel",
    ) -> None:
        if type != "ByteLevel":
            raise ArgumentError(f"the state is that of a {type}, not of a ByteLevel")
        del add_prefix_space, trim_offsets, use_regex
        self._handle = _Handle.make("ByteLevel", add_prefix_space=True, trim_offsets=True)


class WordPiece(Decoder, kind="WordPiece"):
    """Joins word pieces.

    Args:
        prefix: marks the pieces that continue a word.
        cleanup: close the gaps in front of punctuation and inside contractions.

    Example:
        >>> from tessella.decoders import WordPiece
        >>> WordPiece().decode(["Jo", "##hn", "'s"])
        "John's"
    """

    __slots__ = ()

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        self._handle = _Handle.make("WordPiece", prefix=prefix, cleanup=cleanup)

    prefix: Field[str] = Field("Marks the pieces that continue a word.")
    cleanup: Field[bool] = Field("Close the gaps in front of punctuation and inside contractions.")


class Metaspace(Decoder, kind="Metaspace"):
    """Turns the visible spaces of SentencePiece back into spaces.

    Args:
        replacement: the character that was written for a space.
        prepend_scheme: unless this is ``never``, the first token loses its space.
        split: kept for files; without effect.

    Example:
        >>> from tessella.decoders import Metaspace
        >>> Metaspace().decode(["▁My", "▁name"])
        'My name'
    """

    __slots__ = ()

    def __init__(
        self, replacement: str = "▁", prepend_scheme: PrependScheme = "always", split: bool = True
    ) -> None:
        self._handle = _Handle.make(
            "Metaspace", replacement=replacement, prepend_scheme=prepend_scheme, split=split
        )

    replacement: Field[str] = Field("The character that was written for a space.")
    prepend_scheme: Field[str] = Field("`always`, `first` or `never`.")
    split: Field[bool] = Field("Kept for files; without effect.")


class BPEDecoder(Decoder, kind="BPEDecoder"):
    """Turns the mark at the end of words into spaces.

    Args:
        suffix: the mark.

    Example:
        >>> from tessella.decoders import BPEDecoder
        >>> BPEDecoder().decode(["My</w>", "na", "me</w>"])
        'My name'
    """

    __slots__ = ()

    def __init__(self, suffix: str = "</w>") -> None:
        self._handle = _Handle.make("BPEDecoder", suffix=suffix)

    suffix: Field[str] = Field("The mark at the end of words.")


class CTC(Decoder, kind="CTC"):
    """Decodes connectionist temporal classification: repeated tokens count once, padding separates.

    Args:
        pad_token: the padding token.
        word_delimiter_token: the token between words.
        cleanup: turn the delimiter into a space and close the gaps in front of punctuation.

    Example:
        >>> from tessella.decoders import CTC
        >>> CTC().decode(["h", "e", "e", "l", "<pad>", "l", "o"])
        'hello'
    """

    __slots__ = ()

    def __init__(
        self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True
    ) -> None:
        self._handle = _Handle.make(
            "CTC", pad_token=pad_token, word_delimiter_token=word_delimiter_token, cleanup=cleanup
        )

    pad_token: Field[str] = Field("The padding token.")
    word_delimiter_token: Field[str] = Field("The token between words.")
    cleanup: Field[bool] = Field("Turn the delimiter into a space, close gaps.")


class Fuse(Decoder, kind="Fuse"):
    """Joins all tokens into one, for decoders that come after.

    Example:
        >>> from tessella.decoders import Fuse
        >>> Fuse().decode_chain(["a", "b"])
        ['ab']
    """

    __slots__ = ()


class ByteFallback(Decoder, kind="ByteFallback"):
    """Turns tokens like ``<0x61>`` into the bytes that they name. Broken UTF-8 becomes U+FFFD.

    Example:
        >>> from tessella.decoders import ByteFallback
        >>> ByteFallback().decode(["<0xC3>", "<0xA9>"])
        'é'
    """

    __slots__ = ()


class Strip(Decoder, kind="Strip"):
    """Removes a character at the ends of every token.

    Args:
        content: the character.
        left: how often at most in front.
        right: how often at most behind.

    Example:
        >>> from tessella.decoders import Strip
        >>> Strip("_", left=1).decode(["__a", "b_"])
        '_ab_'
    """

    __slots__ = ()

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        self._handle = _Handle.make("Strip", content=content, start=left, stop=right)

    content: Field[str] = Field("The character.")
    start: Field[int] = Field("How often at most in front.")
    stop: Field[int] = Field("How often at most behind.")


class Replace(Decoder, kind="Replace"):
    """Replaces every match of a pattern inside each token.

    Args:
        pattern: a ``str`` is looked for as it is, a ``tessella.Regex`` as an expression.
        content: what to write instead, literally.

    Example:
        >>> from tessella.decoders import Replace
        >>> Replace("▁", " ").decode(["▁my", "▁name"])
        ' my name'
    """

    __slots__ = ()

    def __init__(self, pattern: str | _tessella.Regex, content: str) -> None:
        self._handle = _Handle.make("Replace", pattern=pattern, content=content)

    content: Field[str] = Field("What is written instead of a match.")


class SentencePiece(Decoder, kind="SentencePiece"):
    """The decoder of a SentencePiece model, by SentencePiece's own rules; loaded with the model."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("the decoder of a SentencePiece model is loaded with it: use `tessella.load`")

    _shown = ("add_dummy_prefix", "remove_extra_whitespaces", "unk_surface")

    add_dummy_prefix: ReadOnly[bool] = ReadOnly("Drop the space in front.")
    remove_extra_whitespaces: ReadOnly[bool] = ReadOnly("Spaces were trimmed and collapsed.")
    unk_surface: ReadOnly[str] = ReadOnly("The text of unknown pieces.")


class Sequence(SequenceMixin[Decoder], Decoder, kind="Sequence"):
    """Several decoders, one after the other.

    Args:
        decoders: the decoders, in order. ``sequence[0]`` is the first of them, and changing it changes the
            sequence.

    Example:
        >>> from tessella.decoders import ByteFallback, Fuse, Replace, Sequence
        >>> Sequence([Replace("▁", " "), ByteFallback(), Fuse()]).decode(["▁a", "<0xC3>", "<0xA9>"])
        ' aé'
    """

    __slots__ = ()

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        parts = in_order("decoders", decoders, "a list of decoders")
        self._handle = _Handle.sequence([Decoder._of(one) for one in parts])

    def _render(self, limit: Limit) -> str:
        return f"Sequence(decoders=[{self._parts(limit)}])"
