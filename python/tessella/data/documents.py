"""The documents of a part of a file, as ids.

Text and JSON lines, packed or not, are read and encoded by the engine, portion by portion, so that what is
held is bounded by the longest document. Columns of Parquet, Arrow and CSV files are read by ``pyarrow``
(``tables``) and go to the engine as they lie, conversations are read by ``conversations``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from .._corpus import Stream, cells
from .._files import StreamIds, check_packing, check_rows, encode_column
from .._texts import Reading
from ..errors import FormatError, TessellaError
from ..ragged import RaggedIds
from .batches import Batch
from .found import kind
from .places import opened
from .plan import Slice
from .skipping import Skipped
from .slices import SliceStream, hash_of, reading

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


T = TypeVar("T")
_PARQUET = b"PAR1"
#: A part of a file with so many bytes is read by the thread that asks for it.
SMALL = 1 << 16

#: The texts of a table, as parts of a column, each with the number of its first row.
Columns: TypeAlias = Iterator[tuple[Any, int]]


@dataclass(frozen=True)
class Source:
    """How documents are read and encoded."""

    tokenizer: Tokenizer
    how: Reading
    #: Whether the post-processor adds its special tokens.
    special: bool
    threads: int | None
    #: What makes ids and masks of conversations, where documents are conversations.
    chat: Any = None


def documents(
    source: Source,
    part: Slice,
    skipped: Skipped,
    told: Callable[[str], None],
    step: Callable[[int], None],
) -> Iterator[Batch]:
    """The documents of a part of a file.

    Args:
        source: how they are read.
        part: which part of which file.
        skipped: gets the documents that are passed over, where that is asked for.
        told: is given the SHA-256 of the part's bytes when all is read.
        step: is told with each batch how many bytes of the part were read for it.
    """
    from .conversations import conversations

    before = len(skipped.listed)
    yield from portions(source, part, skipped, told, step, chat=conversations, lines=_lines, columns=_encoded)
    skipped.sort(before)


def portions(
    source: Source,
    part: Slice,
    skipped: Skipped,
    told: Callable[[str], None],
    step: Callable[[int], None],
    *,
    chat: Callable[[Source, Slice, SliceStream, Skipped], Iterator[T]],
    lines: Callable[[Source, Slice, SliceStream, Skipped], Iterator[T]],
    columns: Callable[[Source, Slice, Columns, Skipped], Iterator[T]],
) -> Iterator[T]:
    """What is made of a part of a file, some documents at a time; other arguments are those of ``documents``.

    Args:
        chat: reads conversations.
        lines: reads text and JSON lines.
        columns: reads the columns of a table.
    """
    form = kind(part.path) if source.how.format == "auto" else "lines"
    with reading(part) as file:
        if part.size >= 0:
            begin = file.read(4)
            file.seek(0)
            if begin == _PARQUET:
                form = "parquet"
            elif begin == b"ARRO":
                form = "arrow"
            else:
                check_packing(part.path, begin)
        elif source.chat is None:
            check_rows(file, source.how)
        if form in ("parquet", "arrow"):
            yield from columns(source, part, _columns(source, part, form, file), skipped)
            told(hash_of(part))
            return
        stream = SliceStream(file, part)
        if source.chat is not None:
            found = chat(source, part, stream, skipped)
        elif form == "csv":
            found = columns(source, part, _columns(source, part, form, stream), skipped)
        else:
            found = lines(source, part, stream, skipped)
        for one in found:
            step(stream.read_bytes)
            yield one
        told(stream.digest)


def _columns(source: Source, part: Slice, form: str, content: Any) -> Columns:
    from . import tables

    return {"parquet": tables.parquet, "arrow": tables.arrow, "csv": tables.csv}[form](
        content, part, source.how
    )


def _lines(source: Source, part: Slice, stream: SliceStream, skipped: Skipped) -> Iterator[Batch]:
    name = "standard input" if part.size < 0 else part.path
    # Once as many were passed over as may be, the next one is an error.
    texts = StreamIds(
        source.tokenizer,
        Stream(name, stream),
        source.how,
        source.special,
        source.threads,
        skipped.left,
        is_small=0 <= part.end - part.start <= SMALL and part.size >= 0,
    )
    first = 0
    with noting(source, part, stream, skipped, texts):
        for ids in texts:
            yield _batch(ids, part, first)
            first += len(ids)


class Skipping(Protocol):
    """Reads texts and knows which it has passed over."""

    def skipped(self) -> list[tuple[int, int, str]]: ...


@contextmanager
def noting(
    source: Source, part: Slice, stream: SliceStream, skipped: Skipped, texts: Skipping
) -> Iterator[None]:
    """Lists what the engine has passed over, also where an error ends the reading."""
    passes_over = skipped.left
    try:
        yield
    except FormatError as error:
        if not passes_over:
            _say_where(source, part)
        skipped.add_lines(part, stream.first, texts.skipped())
        raise skipped.explained(error) from error
    skipped.add_lines(part, stream.first, texts.skipped())


def _say_where(source: Source, part: Slice) -> None:
    """Raises what is wrong with a file of which a part was read, with lines and bytes from its beginning."""
    from .._corpus import Texts

    if part.start:
        with opened(part.path) as file:
            for _ in Texts(Stream(part.path, file), source.how):
                pass


def _batch(found: RaggedIds, part: Slice, first: int) -> Batch:
    import numpy as np

    rows = np.arange(first, first + len(found), dtype=np.int64)
    return Batch(found.ids, found.lengths(), (part.path,), rows=rows)


def _encoded(source: Source, part: Slice, columns: Columns, skipped: Skipped) -> Iterator[Batch]:
    """The texts of a table as ids."""
    first = 0
    for column, row in columns:
        try:
            found = _column(source, part, column, row)
        except TessellaError as error:
            if not skipped.left:
                raise
            found = _one_by_one(source, part, column, row, skipped, error)
        yield _batch(found, part, first)
        first += len(found)


def _column(source: Source, part: Slice, column: Any, row: int) -> RaggedIds:
    """The ids of a part of a column; rows without a text have none."""
    from . import tables

    content, offsets = tables.bytes_of(column)
    found = encode_column(source.tokenizer, content, offsets, source.special, source.threads)
    if found is None:
        texts = cells(column, part.path, row, source.how)
        return source.tokenizer.encode_ids_batch(texts, source.special, source.threads)
    return found


def _one_by_one(
    source: Source, part: Slice, column: Any, row: int, skipped: Skipped, error: TessellaError
) -> RaggedIds:
    """The same where some rows are to be passed over."""
    import numpy as np

    ids, lengths, before = [np.empty(0, np.uint32)], [0], len(skipped.listed)
    for place in range(len(column)):
        try:
            found = _column(source, part, column.slice(place, 1), row + place)
        except TessellaError as wrong:
            skipped.take(wrong, part, row=row + place)
            continue
        ids.append(found.ids)
        lengths += found.lengths().tolist()
    if len(skipped.listed) == before:
        # No row is to blame alone.
        raise error
    return RaggedIds(np.concatenate(ids), np.array(lengths, np.int64).cumsum())
