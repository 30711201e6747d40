"""Parquet and Arrow: a column ``input_ids``, a row for each document.

Where there are any, ``loss_mask`` and, for packed rows, ``seq_lengths`` stand beside it. The tokenizer's
fingerprint, the size of its vocabulary and its first and last tokens are in the metadata of the schema. An
Arrow file is a stream, which is what ``datasets`` maps from disk.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..._optional import needed
from ...errors import FormatError
from ..batches import Batch, grouped
from .base import Files, Layout, Part, Pieces, Shape, View

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


#: Tokens of a row group or a record batch: tens of megabytes, as readers like them.
GROUP = 1 << 24
#: Tokens that offsets of 32 bits can tell in one batch.
MOST = (1 << 31) - 1


def _schema(shape: Shape) -> Any:
    pyarrow = needed("pyarrow", "arrow", "writing Parquet and Arrow files")
    fields = [pyarrow.field("input_ids", pyarrow.list_(pyarrow.from_numpy_dtype(shape.dtype)))]
    if shape.has_mask:
        fields.append(pyarrow.field("loss_mask", pyarrow.list_(pyarrow.uint8())))
    if shape.length is not None:
        fields.append(pyarrow.field("seq_lengths", pyarrow.list_(pyarrow.int32())))
    told = {"tessella.tokenizer": shape.fingerprint, "tessella.vocab_size": str(shape.vocab_size)}
    told |= {
        f"tessella.{name}": str(id) for name, id in (("bos", shape.bos), ("eos", shape.eos)) if id is not None
    }
    return pyarrow.schema(fields, told)


def _lists(values: Any, lengths: Any) -> Any:
    """Lists of these lengths over one array, which is not copied."""
    import numpy as np

    pyarrow = needed("pyarrow", "arrow", "writing Parquet and Arrow files")
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if offsets[-1] > MOST:
        raise FormatError(f"a document has {int(offsets[-1])} tokens, and a list holds {MOST}: cut it")
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets.astype(np.int32)), pyarrow.array(values))


def _tables(batches: Iterable[Batch], shape: Shape, schema: Any) -> Iterator[Any]:
    """Record batches of about as many tokens as a group shall have, whatever batches come."""
    import numpy as np

    pyarrow = needed("pyarrow", "arrow", "writing Parquet and Arrow files")
    for batch in map(_joined, grouped(batches, GROUP)):
        columns = [_lists(batch.ids, batch.lengths)]
        if shape.has_mask:
            mask = np.ones(len(batch.ids), np.uint8) if batch.mask is None else batch.mask
            columns.append(_lists(mask, batch.lengths))
        if shape.length is not None:
            spans = batch.spans or ()
            flat = np.concatenate([*spans, np.empty(0, np.int64)]).astype(np.int32)
            columns.append(_lists(flat, [len(one) for one in spans]))
        yield pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _joined(batches: list[Batch]) -> Batch:
    import numpy as np

    if len(batches) == 1:
        return batches[0]
    ones = [np.ones(len(one.ids), np.uint8) if one.mask is None else one.mask for one in batches]
    return Batch(
        np.concatenate([one.ids for one in batches]),
        np.concatenate([one.lengths for one in batches]),
        mask=np.concatenate(ones),
        spans=tuple(span for one in batches for span in one.spans or ()),
    )


def _write(files: Files, name: str, batches: Iterable[Batch], shape: Shape, parquet: bool) -> list[Part]:
    schema = _schema(shape)
    output = files.open(name)
    # `pyarrow` closes what it writes to; this file is closed by whom it belongs to.
    pyarrow = needed("pyarrow", "arrow", "writing Parquet and Arrow files")
    sink = pyarrow.PythonFile(_Sink(output), "w")
    if parquet:
        module = needed("pyarrow.parquet", "arrow", "writing Parquet files")
        writer = module.ParquetWriter(sink, schema, compression="zstd", use_dictionary=False)
    else:
        writer = needed("pyarrow.ipc", "arrow", "writing Arrow files").new_stream(sink, schema)
    documents = tokens = 0
    try:
        for table in _tables(batches, shape, schema):
            writer.write_batch(table)
            documents += len(table)
            tokens += len(table.column(0).values)
    finally:
        writer.close()
    return [{"name": name, "documents": documents, "tokens": tokens}]


class _Sink:
    """An output as a file of Python's."""

    closed = False

    def __init__(self, output: Any) -> None:
        self._output = output
        self.write, self.tell = output.write, output.tell

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """The output is closed elsewhere."""


def write_parquet(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    return _write(files, f"{stem}.parquet", batches, shape, True)


def write_arrow(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    return _write(files, f"{stem}.arrow", batches, shape, False)


class _Groups:
    """Row groups or record batches: the one read last is kept, with its columns as arrays."""

    def __init__(self, rows: list[int], group: Any) -> None:
        self._starts = [0]
        for count in rows:
            self._starts.append(self._starts[-1] + count)
        self._group = group
        self._last: tuple[int, Any] = (-1, None)
        #: Of each column of the group where its lists begin, and the numbers in them.
        self._columns: dict[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]] = {}

    def cell(self, name: str, row: int) -> npt.NDArray[Any]:
        """The list in one cell."""
        number = bisect_right(self._starts, row) - 1
        if self._last[0] != number:
            self._last, self._columns = (number, self._group(number)), {}
        if name not in self._columns:
            self._columns[name] = self._arrays(self._last[1].column(name))
        starts, values = self._columns[name]
        place = row - self._starts[number]
        return values[starts[place] : starts[place + 1]]

    @staticmethod
    def _arrays(column: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        # Of several chunks this makes a copy of the whole column, so not for each cell.
        if hasattr(column, "chunks"):
            column = column.combine_chunks()
        starts, values = column.offsets, column.values
        return starts.to_numpy(zero_copy_only=False), values.to_numpy(zero_copy_only=False)


def _view(groups: _Groups, lengths: npt.NDArray[np.int64], shape: Shape) -> View:
    import numpy as np

    mask = (lambda row: groups.cell("loss_mask", row)) if shape.has_mask else None
    spans = (
        (lambda row: groups.cell("seq_lengths", row).astype(np.int64)) if shape.length is not None else None
    )
    return Pieces(lengths, lambda row: groups.cell("input_ids", row), mask, spans)


def _lengths(columns: Iterable[Any]) -> Any:
    import numpy as np

    pyarrow = needed("pyarrow", "arrow", "reading Parquet and Arrow files")
    compute = needed("pyarrow.compute", "arrow", "reading Parquet and Arrow files")
    del pyarrow
    found = [compute.list_value_length(column).to_numpy(zero_copy_only=False) for column in columns]
    return np.concatenate([np.empty(0, np.int64), *found]).astype(np.int64)


def _mapped(folder: str, part: Part) -> Any:
    """A part of a table, mapped; by the bytes of its name, which as a `str` pyarrow takes as UTF-8 alone."""
    pyarrow = needed("pyarrow", "arrow", "reading Parquet and Arrow files")
    return pyarrow.memory_map(os.fsencode(os.path.join(folder, part["name"])))


def view_parquet(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part. Packed values cannot be mapped: a row group is read when one of its rows is asked for."""
    module = needed("pyarrow.parquet", "arrow", "reading Parquet files")
    table = module.ParquetFile(_mapped(folder, part))
    count = table.metadata.num_row_groups
    rows = [table.metadata.row_group(number).num_rows for number in range(count)]
    columns = (batch.column(0) for batch in table.iter_batches(columns=["input_ids"]))
    return _view(_Groups(rows, table.read_row_group), _lengths(columns), shape)


def view_arrow(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part, mapped."""
    ipc = needed("pyarrow.ipc", "arrow", "reading Arrow files")
    batches = list(ipc.open_stream(_mapped(folder, part)))
    lengths = _lengths(batch.column("input_ids") for batch in batches)
    return _view(_Groups([len(batch) for batch in batches], batches.__getitem__), lengths, shape)


_DTYPES = ("int32", "uint32", "uint16", "int64")
PARQUET = Layout(
    "parquet", "Parquet: a column input_ids", _DTYPES, write_parquet, view_parquet, holds_rows=True
)
ARROW = Layout(
    "arrow",
    "Arrow, as datasets maps it: a column input_ids",
    _DTYPES,
    write_arrow,
    view_arrow,
    holds_rows=True,
)
