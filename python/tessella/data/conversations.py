"""Conversations: rows of JSON lines with messages, as a model's chat template writes them.

The ids are those of ``apply_chat_template``, the mask is that of its ``{% generation %}`` blocks: 1 for what
the assistant says. So the tokenizer must be one that has a chat template, and the template must have such
blocks.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from .._optional import needed
from ..errors import ArgumentError, FormatError
from .batches import Batch
from .documents import Source
from .plan import Slice
from .slices import SliceStream
from .tables import RawSlice

__all__ = ["conversations"]

#: Conversations that are encoded at a time.
MANY = 256


def conversations(source: Source, part: Slice, stream: SliceStream) -> Iterator[Batch]:
    """The conversations of a part of a file, with their masks."""
    import numpy as np

    if not hasattr(source.chat, "apply_chat_template"):
        raise ArgumentError(
            "mask='assistant' needs a tokenizer with a chat template: tessella.AutoTokenizer.from_pretrained"
        )
    first = 0
    for some in _lists(_rows(source, part, stream)):
        found = source.chat.apply_chat_template(
            some, tokenize=True, return_dict=True, return_assistant_tokens_mask=True
        )
        ids, marks = found["input_ids"], found["assistant_masks"]
        lengths = np.array([len(one) for one in ids], np.int64)
        yield Batch(
            np.array([id for one in ids for id in one], np.uint32),
            lengths,
            (part.path,),
            rows=np.arange(first, first + len(ids), dtype=np.int64),
            mask=np.array([mark for one in marks for mark in one], np.uint8),
        )
        first += len(some)


def _lists(rows: Iterator[Any]) -> Iterator[list[Any]]:
    some: list[Any] = []
    for row in rows:
        some.append(row)
        if len(some) == MANY:
            yield some
            some = []
    if some:
        yield some


def _rows(source: Source, part: Slice, stream: SliceStream) -> Iterator[Any]:
    """The messages of each line."""
    file: Any = io.BufferedReader(RawSlice(stream), 1 << 20)
    begin = file.peek(4)[:4]
    if begin[:2] == b"\x1f\x8b" or begin == b"\x28\xb5\x2f\xfd":
        pyarrow = needed("pyarrow", "arrow", f"{part.path} is packed, and reading conversations from it")
        file = io.BufferedReader(
            pyarrow.CompressedInputStream(file, "gzip" if begin[:2] == b"\x1f\x8b" else "zstd")
        )
    name = source.how.field
    for number, line in enumerate(file, 1):
        where = f"{part.path}: line {number}" + (f" behind byte {part.start}" if part.start else "")
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            refused = FormatError(f"{where} is not JSON: {error}")
            refused.filename = part.path
            raise refused from error
        if not isinstance(row, dict) or not isinstance(row.get(name), list) or not row[name]:
            raise FormatError(f"{where} has no messages under `{name}`: name the key of the conversation")
        yield row[name]
