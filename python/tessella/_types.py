"""Names for what functions take and give."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, List, Literal, Protocol, Tuple, TypeAlias, TypedDict, Union  # noqa: UP035

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from ._tessella import NormalizedString, PreTokenizedString
    from .batch.tokenizer import PretrainedTokenizer
    from .counting import Weight
    from .tokenizer import Tokenizer

#: Start and end.
Offsets = Tuple[int, int]  # noqa: UP006
#: One text.
TextInputSequence = str

if TYPE_CHECKING:
    # Wider than the names that programs see at run time: arrays too, and lists of lists of any kind.
    #: One text that is cut into words already.
    PreTokenizedInputSequence = list[str] | tuple[str, ...] | npt.NDArray[np.str_] | npt.NDArray[np.object_]
    #: A text or a pair of texts.
    TextEncodeInput = str | tuple[str, str] | list[str] | npt.NDArray[np.str_] | npt.NDArray[np.object_]
    #: A list of words or a pair of them.
    PreTokenizedEncodeInput = (
        PreTokenizedInputSequence
        | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]
        | list[list[str]]
        | list[tuple[str, ...]]
        | list[PreTokenizedInputSequence]
    )
else:
    # Evaluated at run time, also on Python 3.10.
    PreTokenizedInputSequence = Union[List[str], Tuple[str, ...]]  # noqa: UP006, UP007
    TextEncodeInput = Union[  # noqa: UP007
        TextInputSequence,
        Tuple[TextInputSequence, TextInputSequence],  # noqa: UP006
        List[TextInputSequence],  # noqa: UP006
    ]
    PreTokenizedEncodeInput = Union[  # noqa: UP007
        PreTokenizedInputSequence,
        Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence],  # noqa: UP006
        List[PreTokenizedInputSequence],  # noqa: UP006
    ]
#: One sequence of either kind.
InputSequence = Union[TextInputSequence, PreTokenizedInputSequence]  # noqa: UP007
#: Whatever ``encode_batch`` takes for one entry.
EncodeInput = Union[TextEncodeInput, PreTokenizedEncodeInput]  # noqa: UP007

#: A file or folder.
Path = Union[str, "os.PathLike[str]"]
#: What can be written; a test compares it with the engine's table.
SaveFormat = Literal["json", "tekken", "tiktoken", "model", "gguf", "snapshot", "txt", "folder"]
#: The side that padding and truncation work on.
Side = Literal["left", "right"]
#: What to cut where a pair is too long.
TruncationStrategy = Literal["longest_first", "only_first", "only_second"]
#: Where Metaspace puts its mark in front: at the first piece of a text, at every piece, or nowhere.
PrependScheme = Literal["first", "always", "never"]
#: What becomes of the text that a pattern matched; also a member of ``SplitDelimiterBehavior``.
Behavior = Literal["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
#: How progress is told.
ProgressFormat = Literal["indicatif", "json", "silent"]

if TYPE_CHECKING:
    #: Ids in a list, an array, or anything that can be walked.
    Ids = Iterable[int] | npt.NDArray[np.integer]
    #: What training reads: texts, or lists of texts.
    Texts = Iterable[str] | Iterable[Iterable[str]]
    #: What can be counted: a path or several, texts, batches of texts, rows with a text in one column.
    OneSource = (
        Path
        | Iterable[str]
        | Iterable[os.PathLike[str]]
        | Iterable[Iterable[str]]
        | Iterable[Mapping[str, object]]
    )
    #: A tokenizer, or one with a model's settings, as ``AutoTokenizer`` gives it.
    AnyTokenizer: TypeAlias = "Tokenizer | PretrainedTokenizer"
    #: One of them, or several by name.
    Source = OneSource | Mapping[str, OneSource]


class _TruncationLength(TypedDict):
    max_length: int


class TruncationOptions(_TruncationLength, total=False):
    """The options of ``enable_truncation``, for one call: only the length must be there."""

    stride: int
    strategy: TruncationStrategy
    direction: Side


class PaddingOptions(TypedDict, total=False):
    """The options of ``enable_padding``, for one call."""

    length: int | None
    pad_to_multiple_of: int | None
    pad_id: int
    pad_token: str
    pad_type_id: int
    direction: Side


class Truncation(TypedDict):
    """What ``Tokenizer.truncation`` tells: all options of ``enable_truncation``."""

    max_length: int
    stride: int
    strategy: TruncationStrategy
    direction: Side


class Padding(TypedDict):
    """What ``Tokenizer.padding`` tells: all options of ``enable_padding``."""

    length: int | None
    pad_to_multiple_of: int | None
    pad_id: int
    pad_token: str
    pad_type_id: int
    direction: Side


class CustomNormalizer(Protocol):
    """What ``Normalizer.custom`` takes: it changes the string in place."""

    def normalize(self, text: NormalizedString, /) -> object: ...


class CustomPreTokenizer(Protocol):
    """What ``PreTokenizer.custom`` takes: it cuts the pieces in place."""

    def pre_tokenize(self, text: PreTokenizedString, /) -> object: ...


class CustomDecoder(Protocol):
    """What ``Decoder.custom`` takes: tokens to the texts that, joined, are the result."""

    def decode_chain(self, tokens: list[str], /) -> list[str] | tuple[str, ...]: ...


class BpeOptions(TypedDict, total=False):
    """What ``BPE`` takes besides vocabulary and merges."""

    cache_capacity: int | None
    dropout: float | None
    unk_token: str | None
    continuing_subword_prefix: str | None
    end_of_word_suffix: str | None
    fuse_unk: bool | None
    byte_fallback: bool
    ignore_merges: bool


class WordPieceOptions(TypedDict, total=False):
    """What ``WordPiece`` takes besides the vocabulary."""

    unk_token: str
    max_input_chars_per_word: int
    continuing_subword_prefix: str


class CountOptions(TypedDict, total=False):
    """What ``count_pieces`` takes besides a source and a tokenizer."""

    memory: int | str | None
    num_threads: int | None
    weights: Weight | Mapping[str, Weight] | Sequence[Weight] | None
    languages: str | Mapping[str, str] | Sequence[str] | None
    errors: Literal["strict", "replace"]
    field: str
    format: Literal["auto", "text", "jsonl"]
    separator: str | None
    progress: bool | ProgressFormat
    spill_folder: Path | None
    hold_out: int
    engine: Literal["local", "ray"]
