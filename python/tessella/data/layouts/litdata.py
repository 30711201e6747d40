"""LitData: chunks of tokens for its ``TokensLoader``, and one ``index.json`` for all.

A chunk has the number of documents (u32), where each begins and the last one ends (u32, from the beginning of
the file), and the tokens. The type of tokens is a number in the index. Its own writer also notes when the
index was made; here it is not, so that equal documents make equal files.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import UnsupportedError
from ..batches import Batch, grouped
from .base import Files, Flat, Layout, Part, Shape, View
from .side import Masks, flat, mapped

#: Bytes of a chunk, and the most that its offsets can tell.
SIZE = 1 << 26
MOST = (1 << 32) - 1
#: The numbers of the types of tokens.
CODES = {"int32": 16, "int64": 18, "uint16": 20}


def write(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    groups = grouped(batches, SIZE // shape.numbers.itemsize)
    parts = [_chunk(files, f"{stem}-{number}.bin", held, shape) for number, held in enumerate(groups)]
    return parts or [_chunk(files, f"{stem}-0.bin", [], shape)]


def _chunk(files: Files, name: str, batches: list[Batch], shape: Shape) -> Part:
    import numpy as np

    lengths = np.concatenate([np.empty(0, np.int64), *(batch.lengths for batch in batches)])
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths * shape.numbers.itemsize, out=offsets[1:])
    begin = 4 + 4 * len(offsets)
    if begin + offsets[-1] > MOST:
        raise UnsupportedError(
            f"{name} would have {begin + int(offsets[-1])} bytes, as a document is not cut, and LitData can "
            f"tell {MOST}: cut the document"
        )
    output = files.open(name)
    output.write(struct.pack("<I", len(lengths)) + (offsets + begin).astype("<u4").tobytes())
    masks = Masks(files, f"{name}.mask", shape)
    for batch in batches:
        output.write(batch.ids)
        masks.write(batch)
    return {"name": name, "documents": len(lengths), "tokens": int(lengths.sum()), "bytes": output.size}


def finish(parts: Sequence[Part], shape: Shape) -> dict[str, bytes]:
    """The index of all chunks; those without documents are left out."""
    chunks = [
        {
            "chunk_bytes": part["bytes"],
            "chunk_size": part["documents"],
            "dim": part["tokens"],
            "filename": part["name"],
        }
        for part in parts
        if part["documents"]
    ]
    config: dict[str, Any] = {
        "chunk_bytes": SIZE,
        "chunk_size": None,
        "compression": None,
        "compression_batch_size": None,
        "compression_level": None,
        "data_format": [f"no_header_tensor:{CODES[shape.dtype]}"],
        "data_spec": '[1, {"type": null, "context": null, "children_spec": []}]',
        "encryption": None,
        "ipc_compression": None,
        "item_loader": "TokensLoader",
        "types": "tensor",
    }
    return {"index.json": json.dumps({"chunks": chunks, "config": config}, sort_keys=True).encode()}


def view(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part."""
    import numpy as np

    path = os.path.join(folder, part["name"])
    count = int(np.fromfile(path, "<u4", 1)[0])
    offsets = np.fromfile(path, "<u4", count + 1, offset=4).astype(np.int64)
    ids = mapped(path, shape.numbers, int(offsets[0]))
    ends = (offsets[1:] - offsets[0]) // shape.numbers.itemsize
    opened: Flat = flat(path, ids, lambda: ends, shape)
    return opened


LAYOUT = Layout(
    "litdata", "LitData: chunks for its TokensLoader", ("int32", "int64", "uint16"), write, view, finish
)
