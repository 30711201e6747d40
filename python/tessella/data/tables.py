"""A column of texts in Parquet, Arrow and CSV files, some rows at a time: columns of Arrow, whose bytes the
engine reads where they lie.

A part of a Parquet file has the row groups that begin in it. Errors name the file, the row and, where it is a
text that is wrong, the byte in it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from .._columns import bytes_of
from .._corpus import ROWS, check_column, check_named
from .._optional import needed
from .._texts import Reading
from ..errors import FormatError
from .plan import Slice
from .slices import SliceStream

__all__ = ["RawSlice", "arrow", "bytes_of", "csv", "parquet"]

#: Bytes of a CSV file that are parsed at a time; no row may have more.
BLOCK = 1 << 24


def _refused(part: Slice, what: str, error: BaseException) -> FormatError:
    return FormatError(f"{part.path} is not a usable {what}: {error}", filename=part.path)


def parquet(file: Any, part: Slice, how: Reading) -> Iterator[tuple[Any, int]]:
    """The texts of the row groups that begin in a part of a Parquet file, each column with its first row."""
    pyarrow = needed("pyarrow", "arrow", f"{part.path} is a Parquet file, which")
    module = needed("pyarrow.parquet", "arrow", "reading Parquet files")
    try:
        table = module.ParquetFile(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise _refused(part, "Parquet file", error) from error
    check_column(table.schema_arrow, part.path, how.field)
    first = 0
    for group in range(table.metadata.num_row_groups):
        described = table.metadata.row_group(group)
        if part.start <= _begin(described) < part.end:
            yield from _group(table, group, first, part, how)
        first += described.num_rows


def _begin(group: Any) -> int:
    """The first byte of a row group."""
    column = group.column(0)
    pages = [column.data_page_offset]
    if column.has_dictionary_page and column.dictionary_page_offset is not None:
        pages.append(column.dictionary_page_offset)
    return int(min(pages))


def _group(table: Any, group: int, first: int, part: Slice, how: Reading) -> Iterator[tuple[Any, int]]:
    pyarrow = needed("pyarrow", "arrow", "reading Parquet files")
    rows = table.iter_batches(batch_size=ROWS, row_groups=[group], columns=[how.field])
    while True:
        try:
            batch = next(rows, None)
        except (pyarrow.ArrowException, OSError) as error:
            where = f"Parquet file (row group {group}, row {first} or one behind it)"
            raise _refused(part, where, error) from error
        if batch is None:
            return
        yield batch.column(0), first
        first += len(batch)


def arrow(file: Any, part: Slice, how: Reading) -> Iterator[tuple[Any, int]]:
    """The texts of an Arrow file, or of a stream in a file, which is what ``datasets`` writes."""
    pyarrow = needed("pyarrow", "arrow", f"{part.path} is an Arrow file, which")
    ipc = needed("pyarrow.ipc", "arrow", "reading Arrow files")
    first = 0
    try:
        begin = file.read(6)
        file.seek(0)
        reader = ipc.open_file(file) if begin == b"ARROW1" else ipc.open_stream(file)
        check_column(reader.schema, part.path, how.field)
        batches = (
            map(reader.get_batch, range(reader.num_record_batches)) if begin == b"ARROW1" else iter(reader)
        )
        for batch in batches:
            column = batch.column(batch.schema.get_field_index(how.field))
            for start in range(0, len(column), ROWS):
                yield column.slice(start, ROWS), first + start
            first += len(column)
    except (pyarrow.ArrowException, OSError, EOFError) as error:
        raise _refused(part, f"Arrow file (row {first} or one behind it)", error) from error


class RawSlice(io.RawIOBase):
    """A slice as a file of Python's own kind, unpacked where it is packed."""

    def __init__(self, stream: SliceStream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    # `Any`: whatever has a buffer that can be written to.
    def readinto(self, buffer: Any) -> int:
        content = self._stream.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


def csv(stream: SliceStream, part: Slice, how: Reading) -> Iterator[tuple[Any, int]]:
    """The texts of a column of a CSV file, whose first line names the columns; ``.tsv`` has tabs."""
    pyarrow = needed("pyarrow", "arrow", f"{part.path} is a CSV file, which")
    module = needed("pyarrow.csv", "arrow", "reading CSV files")
    raw: Any = io.BufferedReader(RawSlice(stream), 1 << 20)
    lower = part.path.lower()
    first = 0
    try:
        if lower.endswith(".gz"):
            raw = pyarrow.CompressedInputStream(raw, "gzip")
        elif lower.endswith((".zst", ".zstd")):
            raw = pyarrow.CompressedInputStream(raw, "zstd")
        is_tabbed = ".tsv" in lower.rpartition("/")[2]
        reader = module.open_csv(
            raw,
            read_options=module.ReadOptions(block_size=BLOCK),
            parse_options=module.ParseOptions(delimiter="\t" if is_tabbed else ",", newlines_in_values=True),
            convert_options=module.ConvertOptions(
                column_types={how.field: pyarrow.large_binary()}, strings_can_be_null=False
            ),
        )
        check_named(reader.schema.names, part.path, how.field)
        place = reader.schema.get_field_index(how.field)
        for batch in reader:
            column = batch.column(place)
            for start in range(0, len(column), ROWS):
                yield column.slice(start, ROWS), first + start
            first += len(column)
    except (pyarrow.ArrowException, OSError, EOFError) as error:
        raise _refused(part, f"CSV file (row {first} or one behind it)", error) from error
