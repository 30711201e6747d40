"""Tokenizers as functions over columns: for ``datasets.map``, and for columns of Arrow.

A function for ``datasets.map`` must look the same to it in every process, or the second run would not find
what the first has made. ``encoder`` gives one that is told by the tokenizer's fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._columns import encode, of_texts, plain
from .._optional import needed
from ..errors import ArgumentError
from ._fingerprint import backend_of, bare, fingerprint

if TYPE_CHECKING:
    from .._types import AnyTokenizer


class Encoder:
    """Columns of texts to columns of ids; equal for equal tokenizers, however they came to be.

    Attributes:
        tokenizer: a copy of the tokenizer, without truncation and padding.
        field: the column of the texts.
        column: the column of the ids.
        add_special_tokens: whether the post-processor adds its tokens.
    """

    def __init__(self, tokenizer: AnyTokenizer, field: str, column: str, add_special_tokens: bool) -> None:
        self.tokenizer, self.field, self.column = bare(tokenizer), field, column
        self.add_special_tokens = add_special_tokens
        self.fingerprint = fingerprint(tokenizer)

    def __call__(self, batch: Mapping[str, Any]) -> Any:
        texts = batch[self.field]
        if texts is None or isinstance(texts, str):
            return {self.column: None if texts is None else self._rows([texts])[0].tolist()}
        rows = self._rows(_listed(texts))
        if isinstance(batch, Mapping):
            return {self.column: rows}
        return _with_column(batch, self.column, rows)

    def _rows(self, texts: list[str | None]) -> list[Any]:
        """The ids of texts; what is null stays null."""
        found = iter(
            self.tokenizer.encode_ids_batch(
                [text for text in texts if text is not None], self.add_special_tokens
            )
        )
        return [None if text is None else next(found) for text in texts]


def _listed(texts: Any) -> list[str | None]:
    """The texts of a column as a list, in which what has no text is ``None``."""
    if not isinstance(texts, list) and (
        hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__")
    ):
        found: list[str | None] = _of_arrow(texts).to_pylist()
        return found
    return list(texts)


def _with_column(table: Any, name: str, rows: list[Any]) -> Any:
    """The same table with a column more, as functions over formatted datasets give it back.

    ``datasets`` adds the columns of a dict to rows that are dicts only. Of tables it takes what comes back
    for all there is, and for as many rows as it has: whether one row was meant is not told.
    """
    pyarrow = needed("pyarrow", "arrow", "a dataset of tables")
    column = pyarrow.array(rows, pyarrow.list_(pyarrow.uint32()))
    if isinstance(table, (pyarrow.Table, pyarrow.RecordBatch)):
        if name in table.schema.names:
            return table.set_column(table.schema.get_field_index(name), name, column)
        return table.append_column(name, column)
    if hasattr(table, "with_columns"):
        polars = import_module("polars")
        return table.with_columns(polars.from_arrow(column).alias(name))
    if hasattr(table, "assign"):
        pandas = import_module("pandas")
        # By its type of Arrow, so that rows that all lack a text have it too.
        held = pandas.arrays.ArrowExtensionArray(column)
        return table.assign(**{name: held})
    raise TypeError(
        f"expected a batch of `datasets` or a table of Arrow, pandas or Polars, found {type(table).__name__};"
        f" pass a dict, as in {{{name!r}: texts}}"
    )


def encoder(
    tokenizer: AnyTokenizer,
    field: str = "text",
    column: str = "input_ids",
    *,
    add_special_tokens: bool = True,
) -> Encoder:
    """A function for ``datasets.Dataset.map``, with ``batched=True`` or without.

    Of a dataset whose format is one of tables (``with_format("arrow")``, ``"pandas"``, ``"polars"``) it gets
    tables and gives them back with the column of the ids.

    Args:
        tokenizer: a ``Tokenizer``, or what ``AutoTokenizer`` gives.
        field: the column of the texts.
        column: the column of the ids.
        add_special_tokens: let the post-processor add its special tokens.

    Example:
        >>> from tessella import Tokenizer, models
        >>> from tessella.data import encoder
        >>> encode = encoder(Tokenizer(models.WordLevel({"low": 0})))
        >>> [ids.tolist() for ids in encode({"text": ["low", "low"]})["input_ids"]]
        [[0], [0]]
    """
    return Encoder(tokenizer, field, column, add_special_tokens)


def _of_arrow(texts: Any) -> Any:
    """A column as one of Arrow's, array or chunked array."""
    pyarrow = needed("pyarrow", "arrow", "a column of texts")
    if isinstance(texts, (pyarrow.Array, pyarrow.ChunkedArray)):
        return texts
    return pyarrow.chunked_array(texts) if hasattr(texts, "__arrow_c_stream__") else pyarrow.array(texts)


def encode_arrow(
    tokenizer: AnyTokenizer, texts: Any, *, add_special_tokens: bool = True, num_threads: int | None = None
) -> Any:
    """The ids of a column of texts of Arrow: a ``large_list<uint32>``, null where the text is.

    Args:
        tokenizer: a ``Tokenizer``, or what ``AutoTokenizer`` gives.
        texts: an array or chunked array of strings, or whatever gives its data by Arrow's interface: a column
            of Polars, DuckDB or pandas.
        add_special_tokens: let the post-processor add its special tokens.
        num_threads: how many threads work; ``None`` lets the engine choose.
    """
    if texts is None or isinstance(texts, (str, bytes)):
        raise TypeError(
            f"`texts` must be a column of texts, as of Arrow or Polars, found {type(texts).__name__}; "
            "`encode_ids` takes one text"
        )
    pyarrow = needed("pyarrow", "arrow", "encode_arrow")
    texts = _of_arrow(texts)
    if isinstance(texts, pyarrow.ChunkedArray):
        kind = pyarrow.large_list(pyarrow.uint32())
        chunks = [
            encode_arrow(tokenizer, chunk, add_special_tokens=add_special_tokens, num_threads=num_threads)
            for chunk in texts.chunks
        ]
        return pyarrow.chunked_array(chunks, kind)
    texts = plain(texts)
    if not of_texts(texts):
        raise ArgumentError(f"the column holds {texts.type}, expected strings")
    if pyarrow.types.is_null(texts.type):
        return pyarrow.nulls(len(texts), pyarrow.large_list(pyarrow.uint32()))
    some = texts.drop_null() if texts.null_count else texts
    found = encode(backend_of(tokenizer), some, add_special_tokens, num_threads)
    offsets, ids = pyarrow.array(found.offsets), pyarrow.array(found.ids)
    if not texts.null_count:
        return pyarrow.LargeListArray.from_arrays(offsets, ids)
    import numpy as np

    valid = texts.is_valid().to_numpy(zero_copy_only=False)
    lengths = np.zeros(len(texts) + 1, np.int64)
    lengths[1:][valid] = found.lengths()
    return pyarrow.LargeListArray.from_arrays(
        pyarrow.array(lengths.cumsum()), ids, mask=pyarrow.array(~valid)
    )
