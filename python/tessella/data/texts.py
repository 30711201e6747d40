"""The documents of a part of a file as they were written, some at a time: what is read to find repeated ones.

Ids cannot tell them: a tokenizer may give two texts the same. Documents that cannot be read are passed over
here as where they are encoded, so that the number of a document is the same whenever it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .._corpus import cells
from .._files import stream_texts
from ..errors import TessellaError
from .documents import Columns, Source, noting, portions
from .plan import Slice
from .skipping import Skipped
from .slices import SliceStream


class Group(NamedTuple):
    """Some documents, neighbours in a file: texts, or the messages of conversations."""

    documents: list[Any]
    #: Notes that the one of this number is passed over and why; nothing where only the engine knows places.
    skip: Callable[[int, Exception], None] | None = None


def texts(
    source: Source,
    part: Slice,
    skipped: Skipped,
    told: Callable[[str], None],
    step: Callable[[int], None],
) -> Iterator[Group]:
    """The documents of a part of a file; the arguments are those of ``documents``."""
    yield from portions(source, part, skipped, told, step, chat=_conversations, lines=_lines, columns=_cells)


def _lines(source: Source, part: Slice, stream: SliceStream, skipped: Skipped) -> Iterator[Group]:
    found = stream_texts(part.path, stream, source.how, skipped.left)
    with noting(source, part, stream, skipped, found):
        yield from map(Group, found)


def _conversations(source: Source, part: Slice, stream: SliceStream, skipped: Skipped) -> Iterator[Group]:
    from .conversations import lists, rows

    for some in lists(rows(source, part, stream, skipped)):

        def skip(number: int, wrong: Exception, some: list[Any] = some) -> None:
            row = some[number]
            skipped.add_lines(part, stream.first, [(row.line, row.byte, str(wrong))])

        yield Group([row.messages for row in some], skip)


def _cells(source: Source, part: Slice, columns: Columns, skipped: Skipped) -> Iterator[Group]:
    for column, first in columns:
        rows = [row for row, is_text in enumerate(column.is_valid().to_pylist()) if is_text]
        try:
            found = cells(column, part.path, first, source.how)
        except TessellaError:
            if not skipped.left:
                raise
            found, rows = _readable(source, part, column, first, rows, skipped)

        def skip(number: int, wrong: Exception, first: int = first, rows: list[int] = rows) -> None:
            skipped.add(part, str(wrong), row=first + rows[number])

        yield Group(found, skip)


def _readable(
    source: Source, part: Slice, column: Any, first: int, rows: list[int], skipped: Skipped
) -> tuple[list[str], list[int]]:
    """The texts that can be read, and their rows in the column."""
    found: list[str] = []
    kept = []
    for row in rows:
        try:
            found += cells(column.slice(row, 1), part.path, first + row, source.how)
        except TessellaError as wrong:
            skipped.take(wrong, part, row=first + row)
            continue
        kept.append(row)
    return found, kept
