"""Conversations: rows of JSON lines with messages, as a model's chat template writes them.

The ids are those of ``apply_chat_template``, the mask is that of its ``{% generation %}`` blocks: 1 for what
the assistant says. So the tokenizer must be one that has a chat template, and the template must have such
blocks.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from .._files import packing
from .._optional import needed
from ..errors import ArgumentError, FormatError
from .batches import Batch
from .documents import Source
from .plan import Slice
from .skipping import Skipped
from .slices import SliceStream
from .tables import RawSlice

#: Conversations that are encoded at a time.
MANY = 256


def conversations(source: Source, part: Slice, stream: SliceStream, skipped: Skipped) -> Iterator[Batch]:
    """The conversations of a part of a file, with their masks."""
    first = 0
    for some in lists(rows(source, part, stream, skipped)):
        batch = _encoded(source, part, stream, some, first, skipped)
        yield batch
        first += len(batch.lengths)


class _Row(NamedTuple):
    """A conversation, its line in the part that is read, and the byte there that the line begins at."""

    messages: Any
    line: int
    byte: int


def _encoded(
    source: Source, part: Slice, stream: SliceStream, rows: list[_Row], first: int, skipped: Skipped
) -> Batch:
    """Conversations as a batch. A template may raise whatever its writer wants."""
    try:
        ids, marks = ids_and_marks(source, [row.messages for row in rows])
    except Exception:
        ids, marks = _one_by_one(source, part, stream, rows, skipped)
        if len(ids) == len(rows):
            # No conversation is to blame alone.
            raise
    return as_batch(part, ids, marks, first)


def as_batch(part: Slice, ids: list[list[int]], marks: list[list[int]], first: int | None = None) -> Batch:
    """Ids and marks as a batch; with ``first`` also the places of the conversations from there on."""
    import numpy as np

    return Batch(
        np.array([id for one in ids for id in one], np.uint32),
        np.array([len(one) for one in ids], np.int64),
        (part.path,),
        rows=None if first is None else np.arange(first, first + len(ids), dtype=np.int64),
        mask=np.array([mark for one in marks for mark in one], np.uint8),
    )


def _one_by_one(
    source: Source, part: Slice, stream: SliceStream, rows: list[_Row], skipped: Skipped
) -> tuple[list[list[int]], list[list[int]]]:
    """The same as ``ids_and_marks`` where some are wrong: passed over, or told with their place."""
    ids: list[list[int]] = []
    marks: list[list[int]] = []
    for row in rows:
        try:
            one, mark = ids_and_marks(source, [row.messages])
        except Exception as wrong:
            if not skipped.left:
                raise FormatError(f"{_where(part, row.line)}: {wrong}", filename=part.path) from wrong
            skipped.add_lines(part, stream.first, [(row.line, row.byte, str(wrong))])
            continue
        ids += one
        marks += mark
    return ids, marks


def ids_and_marks(source: Source, some: list[Any]) -> tuple[list[list[int]], list[list[int]]]:
    """The ids of conversations, and the marks on what the assistant says."""
    for messages in some:
        roles = {one.get("role") for one in messages if isinstance(one, dict)}
        if roles and "assistant" not in roles:
            names = ", ".join(sorted(map(repr, roles)))
            raise ArgumentError(
                "the conversation has no turn of the assistant, whose tokens are to be learned "
                f"(roles: {names})"
            )
    found = source.chat.apply_chat_template(
        some, tokenize=True, return_dict=True, return_assistant_tokens_mask=True
    )
    return list(found["input_ids"]), list(found["assistant_masks"])


def _where(part: Slice, line: int) -> str:
    return f"{part.path}: line {line}" + (f" behind byte {part.start}" if part.start else "")


def lists(rows: Iterator[_Row]) -> Iterator[list[_Row]]:
    """Conversations in lists of some of them."""
    some: list[_Row] = []
    for row in rows:
        some.append(row)
        if len(some) == MANY:
            yield some
            some = []
    if some:
        yield some


def _lines(part: Slice, stream: SliceStream) -> Iterator[bytes]:
    """The lines of a part, unpacked."""
    file: Any = io.BufferedReader(RawSlice(stream), 1 << 20)
    packed = packing(file.peek(4)[:4])
    if packed is None:
        yield from file
        return
    pyarrow = needed("pyarrow", "arrow", f"{part.path} is packed, and reading conversations from it")
    try:
        yield from io.BufferedReader(pyarrow.CompressedInputStream(file, packed))
    except OSError as error:
        if error.errno is not None:
            raise  # of the disk
        raise FormatError(
            f"{part.path} is damaged or cut off ({packed}: {error})", filename=part.path
        ) from error


def rows(source: Source, part: Slice, stream: SliceStream, skipped: Skipped) -> Iterator[_Row]:
    """The messages of each line."""
    if not hasattr(source.chat, "apply_chat_template"):
        raise ArgumentError(
            "mask='assistant' needs a tokenizer with a chat template: tessella.AutoTokenizer.from_pretrained"
        )
    name, byte = source.how.field, 0
    for number, line in enumerate(_lines(part, stream), 1):
        begin, byte = byte, byte + len(line)
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict) or name not in row:
                raise FormatError(f"has no messages under `{name}`: name the key of the conversation")
            messages = row[name]
            if not isinstance(messages, list) or not messages:
                said = "an empty list" if messages == [] else json.dumps(messages)[:20]
                raise FormatError(
                    f"has {said} under `{name}`, expected a list of messages: leave the row out, or have "
                    "such rows skipped (`--skip-errors`, on_error='skip')"
                )
        except (ValueError, RecursionError) as error:
            what = str(error) if isinstance(error, FormatError) else f"is not JSON: {error}"
            if skipped.left:
                skipped.add_lines(part, stream.first, [(number, begin, what)])
                continue
            raise FormatError(f"{_where(part, number)} {what}", filename=part.path) from error
        yield _Row(messages, number, begin)
