"""Results as Arrow's IPC stream, a batch for each portion of texts."""

from __future__ import annotations

from typing import Any

from ..._optional import needed
from .openapi import ARROW
from .operation import Results


def _types(pyarrow: Any) -> dict[str, Any]:
    """The type of each column; ids have the type of ``RaggedIds``, which is handed over as it is."""
    numbers = pyarrow.large_list(pyarrow.int64())
    part = {
        "start": pyarrow.int64(),
        "end": pyarrow.int64(),
        "tokens": pyarrow.int64(),
        "text": pyarrow.string(),
    }
    return {
        "ids": pyarrow.large_list(pyarrow.field("item", pyarrow.uint32(), nullable=False)),
        "tokens": pyarrow.large_list(pyarrow.string()),
        "offsets": pyarrow.large_list(pyarrow.list_(pyarrow.int64(), 2)),
        "type_ids": numbers,
        "word_ids": numbers,
        "sequence_ids": numbers,
        "special_tokens_mask": numbers,
        "count": pyarrow.int64(),
        "text": pyarrow.large_string(),
        "chunks": pyarrow.large_list(pyarrow.struct(list(part.items()))),
    }


def stream(results: Results) -> bytes:
    """All results; the name of the tokenizer is in the schema's metadata."""
    pyarrow = needed("pyarrow", "arrow", f"an answer of type {ARROW}")
    assert results.columns is not None
    types = _types(pyarrow)
    sink = pyarrow.BufferOutputStream()
    schema = pyarrow.schema([(name, types[name]) for name in results.names])
    with pyarrow.ipc.new_stream(sink, schema.with_metadata({"tokenizer": results.tokenizer})) as writer:
        for columns in results.columns():
            arrays = [pyarrow.array(columns[name], types[name]) for name in results.names]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))
    return bytes(sink.getvalue())
