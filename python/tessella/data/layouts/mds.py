"""MosaicML streaming: ``.mds`` files of about 64 MiB, and one ``index.json`` for all.

A file has the number of samples (u32), where each begins and the last one ends (u32, from the beginning of
the file), a description as JSON, and the samples. A sample has the sizes of its columns (u32), then the
columns by
name: ``tokens``, and where there are any ``loss_mask`` and ``seq_lengths``. An array begins with the number
of dimensions times four plus the size of the numbers that tell its shape (0, 1, 2: one, two, four bytes),
then the shape, then the values.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import FormatError
from ..batches import Batch
from .base import Files, Layout, Part, Pieces, Shape, View, little

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


#: Bytes of a file, and the most that its offsets can tell.
SIZE = 1 << 26
MOST = (1 << 32) - 1


def _columns(shape: Shape) -> list[tuple[str, str]]:
    """Names and types of the columns, in the order of the names."""
    columns = [("tokens", shape.dtype)]
    if shape.has_mask:
        columns.append(("loss_mask", "uint8"))
    if shape.length is not None:
        columns.append(("seq_lengths", "int32"))
    return sorted(columns)


def _description(shape: Shape) -> dict[str, Any]:
    columns = _columns(shape)
    return {
        "column_encodings": [f"ndarray:{dtype}" for _, dtype in columns],
        "column_names": [name for name, _ in columns],
        "column_sizes": [None] * len(columns),
        "compression": None,
        "format": "mds",
        "hashes": [],
        "size_limit": SIZE,
        "version": 2,
    }


def _array(values: npt.NDArray[Any]) -> bytes:
    """One array with its shape."""
    count = len(values)
    for kind, (most, form) in enumerate(((0xFF, "<BB"), (0xFFFF, "<BH"), (0xFFFFFFFF, "<BI"))):
        if count <= most:
            return struct.pack(form, 4 | kind, count) + values.tobytes()
    raise FormatError(f"a document has {count} tokens, and an array of MDS holds {0xFFFFFFFF}: cut it")


class _File:
    """The samples of one file, held until it is full."""

    def __init__(self) -> None:
        self.samples: list[bytes] = []
        self.size = self.tokens = 0

    def add(self, columns: list[bytes], tokens: int) -> None:
        # Sizes of columns have 32 bits, as places in the file.
        if (longest := max(map(len, columns))) > MOST:
            raise FormatError(
                f"a document of {tokens} tokens would have {longest} bytes, and MDS can tell {MOST}: cut it"
            )
        sample = struct.pack(f"<{len(columns)}I", *map(len, columns)) + b"".join(columns)
        self.samples.append(sample)
        self.size += len(sample) + 4
        self.tokens += tokens

    def write(self, files: Files, name: str, description: bytes) -> Part:
        import numpy as np

        begin = 4 + 4 * (len(self.samples) + 1) + len(description)
        offsets = np.zeros(len(self.samples) + 1, np.int64)
        np.cumsum([len(one) for one in self.samples], out=offsets[1:])
        if begin + offsets[-1] > MOST:
            raise FormatError(f"{name} would have {begin + int(offsets[-1])} bytes, MDS can tell {MOST}")
        output = files.open(name)
        output.write(struct.pack("<I", len(self.samples)) + (offsets + begin).astype("<u4").tobytes())
        output.write(description)
        output.write(b"".join(self.samples))
        return {"name": name, "documents": len(self.samples), "tokens": self.tokens, "bytes": output.size}


def write(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    description = json.dumps(_description(shape), sort_keys=True).encode()
    parts: list[Part] = []
    held = _File()

    def flush() -> None:
        nonlocal held
        parts.append(held.write(files, f"{stem}.{len(parts):05}.mds", description))
        held = _File()

    for batch in batches:
        for number, values in enumerate(_values(batch, shape)):
            columns = [_array(column) for column in values]
            if held.samples and held.size + sum(map(len, columns)) + len(description) > SIZE:
                flush()
            held.add(columns, int(batch.lengths[number]))
    if held.samples or not parts:
        flush()
    return parts


def _values(batch: Batch, shape: Shape) -> Iterable[list[npt.NDArray[Any]]]:
    """The columns of each document, by their names."""
    import numpy as np

    start = 0
    for number, end in enumerate(batch.ends.tolist()):
        found = {"tokens": batch.ids[start:end]}
        if shape.has_mask:
            found["loss_mask"] = np.ones(end - start, "u1") if batch.mask is None else batch.mask[start:end]
        if batch.spans is not None:
            found["seq_lengths"] = batch.spans[number].astype("<i4")
        yield [found[name] for name in sorted(found)]
        start = end


def finish(parts: Sequence[Part], shape: Shape) -> dict[str, bytes]:
    """The index of all files; those without samples are left out."""
    described = _description(shape)
    shards = [
        {
            **described,
            "raw_data": {"basename": part["name"], "bytes": part["bytes"], "hashes": {}},
            "samples": part["documents"],
            "zip_data": None,
        }
        for part in parts
        if part["documents"]
    ]
    return {"index.json": json.dumps({"shards": shards, "version": 2}, sort_keys=True).encode()}


def _numbers(data: npt.NDArray[np.uint8], places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The numbers of four bytes at some places."""
    import numpy as np

    found = np.empty((len(places), 4), np.uint8)
    for byte in range(4):
        found[:, byte] = data[places + byte]
    return found.view("<u4")[:, 0].astype(np.int64)


def view(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part."""
    import numpy as np

    # As an array of its own kind: each slice of a `memmap` costs several microseconds.
    data = np.asarray(np.memmap(os.path.join(folder, part["name"]), np.uint8, "r"))
    count = int(data[:4].view("<u4")[0])
    begins = data[4 : 8 + 4 * count].view("<u4").astype(np.int64)
    names = [name for name, _ in _columns(shape)]

    def column(name: str, dtype: str) -> Callable[[int], npt.NDArray[Any]]:
        place = names.index(name)

        def values(sample: int) -> npt.NDArray[Any]:
            begin = int(begins[sample])
            sizes = data[begin : begin + 4 * len(names)].tobytes()
            sizes_before = struct.unpack(f"<{len(names)}I", sizes)
            at = begin + 4 * len(names) + sum(sizes_before[:place])
            whole = data[at : at + sizes_before[place]]
            return np.frombuffer(whole, little(dtype), offset=1 + (1 << (int(whole[0]) & 3)))

        return values

    tokens = column("tokens", shape.dtype)
    # From the sizes alone: nothing but heads of samples is read.
    place = names.index("tokens")
    heads = begins[:count]
    sizes = [_numbers(data, heads + 4 * column) for column in range(place + 1)]
    kinds = data[heads + 4 * len(names) + sum(sizes[:place], np.zeros(count, np.int64))] & 3
    lengths = (sizes[place] - 1 - (1 << kinds.astype(np.int64))) // little(shape.dtype).itemsize
    mask = column("loss_mask", "uint8") if shape.has_mask else None
    spans = column("seq_lengths", "int32") if shape.length is not None else None
    return Pieces(lengths, tokens, mask, (lambda row: spans(row).astype(np.int64)) if spans else None)


LAYOUT = Layout(
    "mds",
    "MosaicML streaming, LLM Foundry: .mds and index.json",
    ("int32", "uint32", "uint16", "int64"),
    write,
    view,
    finish,
    holds_rows=True,
)
