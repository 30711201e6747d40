"""Columns of texts as Arrow keeps them, read where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._corpus import cells, spelled_out
from ._files import encode_column
from ._optional import needed
from ._texts import Reading
from .errors import ArgumentError
from .ragged import RaggedIds

if TYPE_CHECKING:
    from .tokenizer import Tokenizer


def plain(column: Any) -> Any:
    """A column without a dictionary and without views, which have no kernels for much.

    Args:
        column: a column of Arrow's.
    """
    pyarrow = needed("pyarrow", "arrow", "a column of texts")
    column = spelled_out(column)
    if column.type in (pyarrow.string_view(), pyarrow.binary_view()):
        is_text = column.type == pyarrow.string_view()
        column = column.cast(pyarrow.large_string() if is_text else pyarrow.large_binary())
    return column


def joined(column: Any) -> Any:
    """The chunks of a column as one array, however many bytes they have together.

    Args:
        column: a chunked column of Arrow's.

    Example:
        >>> import pyarrow
        >>> joined(pyarrow.chunked_array([["low"], ["new"]])).type
        DataType(large_string)
    """
    pyarrow = needed("pyarrow", "arrow", "a column of texts")
    kinds = pyarrow.types

    def widened(chunk: Any) -> Any:
        # Offsets of 32 bits may tell the bytes of each chunk, but not those of all.
        if kinds.is_string(chunk.type):
            return chunk.cast(pyarrow.large_string())
        return chunk.cast(pyarrow.large_binary()) if kinds.is_binary(chunk.type) else chunk

    chunks = column.chunks or [pyarrow.array([], column.type)]
    return pyarrow.concat_arrays([widened(plain(chunk)) for chunk in chunks])


def of_texts(column: Any) -> bool:
    """Whether a column is one of texts, or of nulls alone.

    Args:
        column: a plain column of Arrow's.
    """
    kinds = needed("pyarrow", "arrow", "a column of texts").types
    return any(check(column.type) for check in (kinds.is_string, kinds.is_large_string, kinds.is_null))


def bytes_of(column: Any) -> tuple[Any, Any]:
    """The bytes of the texts of a column, one text after the other, and where each begins and the last ends.

    Rows without a text are left out.

    Args:
        column: a column of Arrow's.

    Example:
        >>> import pyarrow
        >>> content, offsets = bytes_of(pyarrow.array(["low", None, "new"]))
        >>> content.tobytes(), offsets.tolist()
        (b'lownew', [0, 3, 6])
    """
    import numpy as np

    pyarrow = needed("pyarrow", "arrow", "reading tables")
    # First, since a dictionary may have a null that its column does not count.
    column = plain(column)
    if column.null_count:
        column = column.drop_null()
    if not pyarrow.types.is_large_binary(column.type):
        # By way of strings where there are views; what is not UTF-8 is found when it is encoded.
        if not pyarrow.types.is_binary(column.type):
            column = column.cast(pyarrow.large_string())
        column = column.cast(pyarrow.large_binary())
    if not len(column):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    _, offsets, content = column.buffers()
    begin = column.offset
    # Arrow reads numbers wherever they lie, as in a mapped file; here they have to be aligned.
    places = np.require(np.frombuffer(offsets, np.int64)[begin : begin + len(column) + 1], requirements=["A"])
    return np.empty(0, np.uint8) if content is None else np.frombuffer(content, np.uint8), places


def encode(
    tokenizer: Tokenizer,
    column: Any,
    special: bool,
    threads: int | None,
    specials_as_text: bool | None = None,
) -> RaggedIds:
    """The ids of the texts of a column, of which none is null.

    Args:
        tokenizer: the tokenizer.
        column: a column of Arrow's.
        special: whether the post-processor adds its special tokens.
        threads: how many threads work.
        specials_as_text: whether special tokens in the texts are ordinary text; ``None`` for the
            tokenizer's setting.
    """
    pyarrow = needed("pyarrow", "arrow", "a column of texts")
    if isinstance(column, pyarrow.ChunkedArray):
        column = joined(column)
    column = plain(column)
    is_bytes = pyarrow.types.is_binary(column.type) or pyarrow.types.is_large_binary(column.type)
    if not (is_bytes or of_texts(column)):
        raise ArgumentError(f"`texts` is a column of {column.type}, expected strings, or bytes of UTF-8")
    if column.null_count:
        at = column.is_null().index(True).as_py()
        raise ArgumentError(
            f"`texts[{at}]` is null, expected a text; leave out such rows (`drop_null()`), or call "
            "`tessella.data.encode_arrow`, which keeps them"
        )
    content, offsets = bytes_of(column)
    found = encode_column(tokenizer, content, offsets, special, threads, specials_as_text)
    if found is None:
        # What is not UTF-8 is told there.
        texts = cells(column, "the column", 0, Reading())
        return tokenizer.encode_ids_batch(texts, special, threads, encode_special_tokens=specials_as_text)
    return found
