"""A call: texts in, columns out.

Truncation, padding and the reading of special tokens go to the engine as options of this one call. Nothing is
set on the tokenizer, so calls on several threads never see each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from .._tessella import Encoding, matrix
from .._types import PaddingOptions, Side, TruncationOptions
from ..errors import ArgumentError
from .encoding import BatchEncoding
from .strategies import Strategies
from .tensors import Tensors

if TYPE_CHECKING:
    from .tokenizer import PretrainedTokenizer


#: A text or words, a list of either, or of pairs of either. A ``str`` is a sequence of ``str``, too.
CallInput = str | Sequence[str] | Sequence[Sequence[str]] | Sequence[Sequence[Sequence[str]]]
#: What ``padding`` may say.
PaddingKind = bool | Literal["longest", "max_length", "do_not_pad"]
#: What ``truncation`` may say.
TruncationKind = bool | Literal["longest_first", "only_first", "only_second", "do_not_truncate"]


#: A list that is a batch unless it is told to be words. A ``str`` is no such list.
Batch = list[str] | tuple[str, ...] | list[tuple[str, str]] | list[list[str]]


class EncodedColumns(TypedDict, total=False):
    """Options that leave a row a row."""

    text_target: CallInput | None
    text_pair_target: CallInput | None
    pad_to_multiple_of: int | None
    return_token_type_ids: bool | None
    return_attention_mask: bool | None
    return_special_tokens_mask: bool
    return_offsets_mapping: bool
    return_length: bool
    verbose: bool
    split_special_tokens: bool | None
    max_target_length: int | None


class _Lengths(TypedDict, total=False):
    """How long rows become."""

    padding: PaddingKind
    truncation: TruncationKind | None
    max_length: int | None
    stride: int
    padding_side: Side | None


class EncodeOptions(EncodedColumns, total=False):
    """What ``PretrainedTokenizer.encode`` takes by name only; see ``PretrainedTokenizer.__call__``."""

    is_split_into_words: bool
    return_overflowing_tokens: bool
    tokenizer_kwargs: Mapping[str, object] | None


class PlainOptions(EncodedColumns, _Lengths, total=False):
    """Options that do not decide whether columns are lists, lists of lists, or arrays."""

    add_special_tokens: bool


class TokenizeOptions(EncodeOptions, _Lengths, total=False):
    """What ``PretrainedTokenizer.tokenize`` takes besides its texts."""

    return_tensors: Tensors | None


class CallOptions(TokenizeOptions, total=False):
    """What a call takes besides its texts; see ``PretrainedTokenizer.__call__``."""

    add_special_tokens: bool


class PadToken(TypedDict):
    """What goes where there is nothing, and on which side."""

    direction: Side
    pad_id: int
    pad_token: str
    pad_type_id: int


_KINDS = (
    "text input must be of type `str` (single example), `list[str]` (batch or single pretokenized example) "
    "or `list[list[str]]` (batch of pretokenized examples) or `list[tuple[list[str], list[str]]]` (batch "
    "of pretokenized sequence pairs)"
)


class Columns:
    """Which columns a call returns."""

    __slots__ = ("attention_mask", "length", "offsets", "overflow", "special_mask", "type_ids")

    def __init__(
        self,
        type_ids: bool,
        attention_mask: bool,
        overflow: bool = False,
        special_mask: bool = False,
        offsets: bool = False,
        length: bool = False,
    ) -> None:
        self.type_ids: bool = type_ids
        self.attention_mask: bool = attention_mask
        self.overflow: bool = overflow
        self.special_mask: bool = special_mask
        self.offsets: bool = offsets
        self.length: bool = length

    def of(self, rows: list[Encoding]) -> dict[str, list[Any]]:
        """The columns of these rows, in the order that users know."""
        columns: dict[str, list[Any]] = {"input_ids": [row.ids for row in rows]}
        if self.type_ids:
            columns["token_type_ids"] = [row.type_ids for row in rows]
        if self.attention_mask:
            columns["attention_mask"] = [row.attention_mask for row in rows]
        if self.special_mask:
            columns["special_tokens_mask"] = [row.special_tokens_mask for row in rows]
        if self.offsets:
            columns["offset_mapping"] = [row.offsets for row in rows]
        if self.length:
            columns["length"] = [len(row) for row in rows]
        return columns

    def of_one(self, row: Encoding) -> dict[str, list[Any]]:
        """The same of a single row, without a list round each; its length stays in one."""
        columns: dict[str, list[Any]] = {"input_ids": row.ids}
        if self.type_ids:
            columns["token_type_ids"] = row.type_ids
        if self.attention_mask:
            columns["attention_mask"] = row.attention_mask
        if self.special_mask:
            columns["special_tokens_mask"] = row.special_tokens_mask
        if self.offsets:
            columns["offset_mapping"] = row.offsets
        if self.length:
            columns["length"] = [len(row)]
        return columns

    def arrays_of(self, rows: list[Encoding]) -> dict[str, Any]:
        """The same as arrays, where rows are as long as each other: what tensors are made of."""
        if not rows or len({len(row) for row in rows}) > 1 or not _WIDE:
            return self.of(rows)
        columns: dict[str, Any] = {"input_ids": matrix(rows, "ids")}
        if self.type_ids:
            columns["token_type_ids"] = matrix(rows, "type_ids")
        if self.attention_mask:
            columns["attention_mask"] = matrix(rows, "attention_mask")
        if self.special_mask:
            columns["special_tokens_mask"] = matrix(rows, "special_tokens_mask")
        if self.offsets:
            # Where there are none, nothing tells that they would be two numbers each.
            some = len(rows[0]) > 0
            columns["offset_mapping"] = matrix(rows, "offsets") if some else [row.offsets for row in rows]
        if self.length:
            columns["length"] = [len(row) for row in rows]
        return columns


# Whether an array of Python's numbers is one of 64 bits: some systems' old versions of NumPy make others.
_WIDE = np.dtype(int) == np.int64


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _checked(name: str, value: Any) -> None:
    """A text, words, or a list of either; what is deeper down is checked by the engine."""
    first = value
    for _ in range(4):
        if isinstance(first, str) or (_is_list(first) and not first):
            return
        if not _is_list(first):
            break
        first = first[0]
    way = next((name for name in ("tolist", "to_pylist") if hasattr(value, name)), None)
    hint = f"; convert it with .{way}() first" if way else ""
    if not hint and isinstance(value, Sequence) and not isinstance(value, (list, tuple, bytes, bytearray)):
        hint = "; make it a list first: list(...)"  # a column of `datasets`, say
    raise ArgumentError(f"`{name}`: {_KINDS}, not {type(value).__name__}{_of(value)}{hint}")


def _of(value: Any) -> str:
    return f" of {type(value[0]).__name__}" if _is_list(value) and value else ""


def _inputs(text: Any, pair: Any, words: bool) -> tuple[list[Any], bool]:
    """The rows to encode, and whether the caller gave several."""
    _checked("text", text)
    if pair is not None:
        _checked("text_pair", pair)
    batched = _is_list(text) and (not words or (len(text) > 0 and _is_list(text[0])))
    if not batched:
        return [text if pair is None else (text, pair)], False
    if pair is None:
        return list(text), True
    if isinstance(pair, str):
        raise TypeError(
            "when tokenizing batches of text, `text_pair` must be a list or tuple with the same length as "
            "`text`."
        )
    if len(text) != len(pair):
        raise ArgumentError(
            f"batch length of `text`: {len(text)} does not match batch length of `text_pair`: {len(pair)}."
        )
    return list(zip(text, pair, strict=True)), True


def _told(error: str) -> tuple[str, str]:
    """What the engine found and where, and its advice, without its names for what it wanted."""
    found = error.partition(" found ")[2] or error
    told, _, advice = found.partition("; ")
    return told, "" if "is_pretokenized" in advice or "encode_batch" in advice else advice


def _located(tokenizer: PretrainedTokenizer, rows: Sequence[Any], words: bool, error: TypeError) -> TypeError:
    """The error with the number of the first row that is to blame."""
    for place, row in enumerate(rows):
        try:
            tokenizer.backend_tokenizer.encode_batch([row], words)
        except TypeError as found:
            expected = "a list of str" if words else "a str"
            told, advice = _told(str(found).replace("`input[0]", f"`text[{place}]"))
            if not words and isinstance(row, (list, tuple)):
                advice = "for words, pass is_split_into_words=True"
            kind = type(row).__name__
            return TypeError(
                f"row {place} of the batch, of type {kind}: a row must be {expected}, or a pair of two, "
                f"found {told}" + (f"; {advice}" if advice else "")
            )
    return error


def encode_rows(
    tokenizer: PretrainedTokenizer,
    text: CallInput,
    pair: CallInput | None,
    columns: Columns,
    strategies: Strategies,
    *,
    add_special_tokens: bool,
    stride: int,
    words: bool,
    pad_to_multiple_of: int | None,
    padding_side: Side | None,
    split_special_tokens: bool,
    return_tensors: Tensors | None,
    verbose: bool,
) -> BatchEncoding:
    """Encodes one text or many under the settings of one call."""
    rows, batched = ([text], False) if type(text) is str and pair is None else _inputs(text, pair, words)
    truncation: TruncationOptions | bool = False
    if strategies.truncation != "do_not_truncate" and strategies.max_length is not None:
        truncation = {
            "max_length": strategies.max_length,
            "stride": stride,
            "strategy": strategies.truncation,
            "direction": tokenizer.truncation_side,
        }
    padding: PaddingOptions | bool = False
    if strategies.padding != "do_not_pad":
        padding = {
            "length": strategies.max_length if strategies.padding == "max_length" else None,
            "pad_to_multiple_of": pad_to_multiple_of,
            **tokenizer._pad_settings(padding_side),
        }
    backend = tokenizer.backend_tokenizer
    try:
        if type(text) is str and pair is None and not words:
            one = backend.encode(
                text,
                None,
                False,
                add_special_tokens,
                truncation=truncation,
                padding=padding,
                encode_special_tokens=split_special_tokens,
            )
            encoded = [one]
        else:
            encoded = backend.encode_batch(
                rows,
                words,
                add_special_tokens,
                truncation=truncation,
                padding=padding,
                encode_special_tokens=split_special_tokens,
            )
    except TypeError as error:
        raise _located(tokenizer, rows, words, error) from error
    samples: list[int] = []
    if columns.overflow:
        windows = []
        for place, first in enumerate(encoded):
            more = first.overflowing
            windows += [first, *more]
            samples += [place] * (1 + len(more))
        encoded = windows
    if return_tensors is not None:
        data = columns.arrays_of(encoded)
    elif batched or columns.overflow:
        data = columns.of(encoded)
    else:
        data = columns.of_one(encoded[0])
    if columns.overflow:
        data["overflow_to_sample_mapping"] = samples
    if strategies.max_length is None and verbose:
        tokenizer._warn_if_long(max(map(len, encoded), default=0))
    return BatchEncoding(data, encoded, return_tensors)


def _calls_itself(tokenizer: PretrainedTokenizer) -> bool:
    """Whether what a call does is what this file does: classes may have more to do in theirs."""
    return type(tokenizer).__call__ is _plain_call()


@cache
def _plain_call() -> object:
    from .tokenizer import PretrainedTokenizer

    return PretrainedTokenizer.__call__


def ids_alone(tokenizer: PretrainedTokenizer, text: object, add_special_tokens: bool) -> list[int] | None:
    """The ids of one plain text, neither padded nor cut; ``None`` of others, which a call tells about."""
    if type(text) is not str or not _calls_itself(tokenizer):
        return None
    try:
        ids: list[int] = tokenizer.backend_tokenizer.encode_ids(
            text, add_special_tokens, encode_special_tokens=tokenizer.split_special_tokens
        ).tolist()
    except TypeError:
        return None
    tokenizer._warn_if_long(len(ids))
    return ids


def row_alone(tokenizer: PretrainedTokenizer, text: object, add_special_tokens: bool) -> Encoding | None:
    """The same with all that is known of its tokens."""
    if type(text) is not str or not _calls_itself(tokenizer):
        return None
    try:
        row = tokenizer.backend_tokenizer.encode(
            text,
            None,
            False,
            add_special_tokens,
            truncation=False,
            padding=False,
            encode_special_tokens=tokenizer.split_special_tokens,
        )
    except TypeError:
        return None
    tokenizer._warn_if_long(len(row))
    return row
