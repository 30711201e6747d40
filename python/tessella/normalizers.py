"""Stage 1: text to text.

A normalizer rewrites a text and keeps the way back to the original, so that offsets stay right. Normalizers
can be tried alone with ``normalize_str`` and joined with ``Sequence``.

Example:
    >>> from tessella.normalizers import NFD, Lowercase, Sequence, StripAccents
    >>> Sequence([NFD(), StripAccents(), Lowercase()]).normalize_str("Héllò")
    'hello'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from . import _tessella
from ._component import Component, Field, ReadOnly, SequenceMixin
from ._ordered import in_order
from ._repr import Limit
from ._types import CustomNormalizer
from .errors import ArgumentError

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "NORMALIZERS",
    "BertNormalizer",
    "ByteLevel",
    "Lowercase",
    "Nmt",
    "Normalizer",
    "Precompiled",
    "Prepend",
    "Replace",
    "SentencePiece",
    "Sequence",
    "Strip",
    "StripAccents",
    "unicode_normalizer_from_str",
]


class Normalizer(Component):
    """What all normalizers have in common. Make one of the classes below, or ``custom``.

    Example:
        >>> from tessella.normalizers import Lowercase, Normalizer
        >>> isinstance(Lowercase(), Normalizer), Lowercase().normalize_str("HEY")
        (True, 'hey')
    """

    __slots__ = ()

    _handles = _tessella.NormalizerHandle
    _title = "Normalizer"
    _kinds: ClassVar[dict[str, type[Any]]] = {}

    @staticmethod
    def custom(obj: CustomNormalizer) -> Normalizer:
        """A normalizer of your own: any object with ``normalize(text: NormalizedString) -> None``.

        The string that it is handed must not be used after the call. A tokenizer with a custom normalizer
        can be saved if the object's class can be imported and called without arguments.

        Example:
            >>> from tessella.normalizers import Normalizer
            >>> class Shout:
            ...     def normalize(self, text):
            ...         text.uppercase()
            >>> Normalizer.custom(Shout()).normalize_str("hey")
            'HEY'
        """
        return Normalizer._wrap(_tessella.NormalizerHandle.custom(obj))

    def normalize_str(self, sequence: str) -> str:
        """The text after normalisation."""
        return self._handle.normalize_str(sequence)  # type: ignore[no-any-return]

    def normalize(self, normalized: _tessella.NormalizedString) -> None:
        """Changes a ``NormalizedString`` in place."""
        self._handle.normalize(normalized)


class NFC(Normalizer, kind="NFC"):
    """Unicode normalization form C: canonical composition.

    Example:
        >>> from tessella.normalizers import NFC
        >>> NFC().normalize_str("e" + chr(0x301))
        'é'
    """

    __slots__ = ()


class NFD(Normalizer, kind="NFD"):
    """Unicode normalization form D: canonical decomposition.

    Example:
        >>> from tessella.normalizers import NFD
        >>> len(NFD().normalize_str("é"))
        2
    """

    __slots__ = ()


class NFKC(Normalizer, kind="NFKC"):
    """Unicode normalization form KC: compatibility composition.

    Example:
        >>> from tessella.normalizers import NFKC
        >>> NFKC().normalize_str("ﬁ ①")
        'fi 1'
    """

    __slots__ = ()


class NFKD(Normalizer, kind="NFKD"):
    """Unicode normalization form KD: compatibility decomposition.

    Example:
        >>> from tessella.normalizers import NFKD
        >>> len(NFKD().normalize_str("ﬁé"))
        4
    """

    __slots__ = ()


class Lowercase(Normalizer, kind="Lowercase"):
    """Lower-cases every character, without regard to language or position in the word.

    Example:
        >>> from tessella.normalizers import Lowercase
        >>> Lowercase().normalize_str("HELLO")
        'hello'
    """

    __slots__ = ()


class StripAccents(Normalizer, kind="StripAccents"):
    """Drops combining marks. It does not decompose: put ``NFD`` or ``NFKD`` in front.

    Example:
        >>> from tessella.normalizers import NFD, Sequence, StripAccents
        >>> Sequence([NFD(), StripAccents()]).normalize_str("é")
        'e'
    """

    __slots__ = ()


class Nmt(Normalizer, kind="Nmt"):
    """The clean-up of machine translation corpora: control characters vanish, odd spaces become spaces."""

    __slots__ = ()


class ByteLevel(Normalizer, kind="ByteLevel"):
    """Writes every UTF-8 byte as the printable character that stands for it.

    Example:
        >>> from tessella.normalizers import ByteLevel
        >>> ByteLevel().normalize_str("a b")
        'aĠb'
    """

    __slots__ = ()


class BertNormalizer(Normalizer, kind="BertNormalizer"):
    """The normalisation of BERT.

    Args:
        clean_text: drop control characters, make all white space a space.
        handle_chinese_chars: put spaces round Chinese characters.
        strip_accents: drop accents, leaving the text decomposed; ``None`` does what ``lowercase`` says.
        lowercase: lower-case the text.

    Example:
        >>> from tessella.normalizers import BertNormalizer
        >>> BertNormalizer().normalize_str("Héllò")
        'hello'
    """

    __slots__ = ()

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        self._handle = _tessella.NormalizerHandle.make(
            "BertNormalizer",
            clean_text=clean_text,
            handle_chinese_chars=handle_chinese_chars,
            strip_accents=strip_accents,
            lowercase=lowercase,
        )

    clean_text: Field[bool] = Field("Drop control characters, make all white space a space.")
    handle_chinese_chars: Field[bool] = Field("Put spaces round Chinese characters.")
    strip_accents: Field[bool | None] = Field("Drop accents; `None` does what `lowercase` says.")
    lowercase: Field[bool] = Field("Lower-case the text.")


class Strip(Normalizer, kind="Strip"):
    """Removes white space at the ends.

    Args:
        left: in front.
        right: behind.

    Example:
        >>> from tessella.normalizers import Strip
        >>> Strip(right=False).normalize_str("  a  ")
        'a  '
    """

    __slots__ = ()

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self._handle = _tessella.NormalizerHandle.make("Strip", left=left, right=right)

    left: Field[bool] = Field("Remove white space in front.")
    right: Field[bool] = Field("Remove white space behind.")


class Precompiled(Normalizer, kind="Precompiled"):
    """A character map of SentencePiece.

    Args:
        precompiled_charsmap: the map, as it stands in a SentencePiece model.
        matching: ``grapheme`` looks whole grapheme clusters up, as ``tokenizer.json`` files expect;
            ``longest_match`` scans as SentencePiece itself does.
    """

    __slots__ = ()

    def __init__(
        self,
        precompiled_charsmap: bytes | Iterable[int],
        matching: Literal["grapheme", "longest_match"] = "grapheme",
    ) -> None:
        if not isinstance(precompiled_charsmap, (str, bytes)) and hasattr(precompiled_charsmap, "__iter__"):
            precompiled_charsmap = list(precompiled_charsmap)
        self._handle = _tessella.NormalizerHandle.make(
            "Precompiled", precompiled_charsmap=precompiled_charsmap, matching=matching
        )
        # A broken map is refused here, and not at the first text.
        self._handle.normalize_str("")

    matching: Field[Literal["grapheme", "longest_match"]] = Field("`grapheme` or `longest_match`.")

    _shown = ("matching",)


class Replace(Normalizer, kind="Replace"):
    """Replaces every match of a pattern.

    Args:
        pattern: a ``str`` is looked for as it is, a ``tessella.Regex`` as an expression.
        content: what to write instead, literally.

    Example:
        >>> from tessella.normalizers import Replace
        >>> Replace("``", '"').normalize_str("``a``")
        '"a"'
    """

    __slots__ = ()

    def __init__(self, pattern: str | _tessella.Regex, content: str) -> None:
        self._handle = _tessella.NormalizerHandle.make("Replace", pattern=pattern, content=content)

    content: Field[str] = Field("What is written instead of a match.")


class Prepend(Normalizer, kind="Prepend"):
    """Puts a text in front, unless the text is empty.

    Args:
        prepend: what to put in front.

    Example:
        >>> from tessella.normalizers import Prepend
        >>> Prepend("▁").normalize_str("hello")
        '▁hello'
    """

    __slots__ = ()

    def __init__(self, prepend: str = "▁") -> None:
        self._handle = _tessella.NormalizerHandle.make("Prepend", prepend=prepend)

    prepend: Field[str] = Field("What is put in front.")


class SentencePiece(Normalizer, kind="SentencePiece"):
    """The normalizer of a SentencePiece model, by SentencePiece's own rules; loaded with the model."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("the normalizer of a SentencePiece model is loaded with it: use `tessella.load`")

    _shown = ("name", "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")

    name: ReadOnly[str] = ReadOnly("The name of the rules, such as `nmt_nfkc`.")
    add_dummy_prefix: ReadOnly[bool] = ReadOnly("Put a space in front.")
    remove_extra_whitespaces: ReadOnly[bool] = ReadOnly("Trim and collapse spaces.")
    escape_whitespaces: ReadOnly[bool] = ReadOnly("Write spaces as `▁`.")
    blanks_before_words: ReadOnly[bool] = ReadOnly("Set spaces as llama.cpp does, in front of words.")


class Sequence(SequenceMixin[Normalizer], Normalizer, kind="Sequence"):
    """Several normalizers, one after the other.

    Args:
        normalizers: the normalizers, in order. ``sequence[0]`` is the first of them, and changing it changes
            the sequence.

    Example:
        >>> from tessella.normalizers import Lowercase, Sequence, Strip
        >>> Sequence([Lowercase(), Strip()]).normalize_str("  HELLO  ")
        'hello'
    """

    __slots__ = ()

    def __init__(self, normalizers: Iterable[Normalizer]) -> None:
        parts = in_order("normalizers", normalizers, "a list of normalizers")
        self._handle = _tessella.NormalizerHandle.sequence([Normalizer._of(one) for one in parts])

    def _render(self, limit: Limit) -> str:
        return f"Sequence(normalizers=[{self._parts(limit)}])"


#: The Unicode normalization forms by name.
NORMALIZERS: dict[str, type[Normalizer]] = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """The Unicode normalization form of a name: ``nfc``, ``nfd``, ``nfkc`` or ``nfkd``.

    Example:
        >>> from tessella.normalizers import unicode_normalizer_from_str
        >>> unicode_normalizer_from_str("nfkc").normalize_str("①")
        '1'
    """
    if normalizer not in NORMALIZERS:
        raise ArgumentError(
            f"{normalizer} is not a known unicode normalizer. Available are {NORMALIZERS.keys()}"
        )
    return NORMALIZERS[normalizer]()
