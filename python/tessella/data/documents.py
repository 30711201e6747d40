"""The documents of a part of a file, as ids.

Text and JSON lines, packed or not, are read and encoded by the engine, portion by portion, so that what is
held is bounded by the longest document. Columns of Parquet, Arrow and CSV files are read by ``pyarrow``
(``tables``), conversations by ``conversations``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._corpus import Stream
from .._files import _encoded_stream
from .._texts import Reading
from ..errors import FormatError
from .batches import Batch
from .found import kind
from .places import opened
from .plan import Slice
from .slices import SliceStream, hash_of, reading

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["Source", "documents"]

_PARQUET = b"PAR1"


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
    source: Source, part: Slice, told: Callable[[str], None], step: Callable[[int], None]
) -> Iterator[Batch]:
    """The documents of a part of a file.

    Args:
        source: how they are read.
        part: which part of which file.
        told: is given the SHA-256 of the part's bytes when all is read.
        step: is told with each batch how many bytes of the part were read for it.
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
        if form in ("parquet", "arrow"):
            yield from _columns(source, part, form, file)
            told(hash_of(part))
            return
        stream = SliceStream(file, part)
        for batch in _streamed(source, part, form, stream):
            step(stream.read_bytes)
            yield batch
        told(stream.digest)


def _streamed(source: Source, part: Slice, form: str, stream: SliceStream) -> Iterator[Batch]:
    if source.chat is not None:
        from .conversations import conversations

        yield from conversations(source, part, stream)
    elif form == "csv":
        from . import tables

        yield from _encoded(source, part, tables.csv(stream, part, source.how))
    else:
        yield from _lines(source, part, stream)


def _lines(source: Source, part: Slice, stream: SliceStream) -> Iterator[Batch]:
    name = "standard input" if part.size < 0 else part.path
    try:
        first = 0
        for found in _encoded_stream(
            source.tokenizer, Stream(name, stream), source.how, source.special, source.threads
        ):
            yield _batch(found, part, first)
            first += len(found)
    except FormatError:
        if part.start:
            _say_where(part, source.how)
        raise


def _say_where(part: Slice, how: Reading) -> None:
    """Raises what is wrong with the file, with lines and bytes counted from its beginning."""
    from .._corpus import Texts

    with opened(part.path) as file:
        for _ in Texts(Stream(part.path, file), how):
            pass


def _batch(found: Any, part: Slice, first: int) -> Batch:
    import numpy as np

    rows = np.arange(first, first + len(found), dtype=np.int64)
    return Batch(found.ids, found.lengths(), (part.path,), rows=rows)


def _columns(source: Source, part: Slice, form: str, file: Any) -> Iterator[Batch]:
    from . import tables

    read = tables.parquet if form == "parquet" else tables.arrow
    yield from _encoded(source, part, read(file, part, source.how))


def _encoded(source: Source, part: Slice, texts: Iterator[list[str]]) -> Iterator[Batch]:
    first = 0
    for some in texts:
        found = source.tokenizer.encode_ids_batch(some, source.special, source.threads)
        yield _batch(found, part, first)
        first += len(some)
