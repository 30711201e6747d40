"""Dolma and OLMo: ``.npy`` that is bare tokens without NumPy's head, ``.csv.gz`` with a line for each
document.

The columns are start and end in tokens, the document's name, the file it comes from and its place there, from
1; there is no head line.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Iterable
from typing import Any

from ..batches import Batch
from .base import Files, Layout, Part, Shape, View
from .side import Masks, flat, mapped


class _Shut:
    """A file of ours for ``gzip``, which also flushes."""

    def __init__(self, output: Any) -> None:
        self.write = output.write

    def flush(self) -> None:
        """Nothing waits here."""


def write(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    tokens = files.open(f"{stem}.npy")
    masks = Masks(files, f"{stem}.npy.mask", shape)
    start = documents = 0
    # Without a time and a name, so that equal documents make equal files.
    packed: Any = _Shut(files.open(f"{stem}.csv.gz"))
    with (
        gzip.GzipFile("", "wb", 6, packed, mtime=0) as unpacked,
        io.TextIOWrapper(unpacked, "utf-8", newline="") as text,
    ):
        rows = csv.writer(text)
        for batch in batches:
            tokens.write(batch.ids)
            masks.write(batch)
            ends = (batch.ends + start).tolist()
            places = range(len(ends)) if batch.rows is None else batch.rows.tolist()
            numbers = [0] * len(ends) if batch.files is None else batch.files.tolist()
            names = [os.path.basename(path) for path in batch.paths]
            for end, place, file in zip(ends, places, numbers, strict=True):
                rows.writerow((start, end, f"{names[file]}:{place + 1}", batch.paths[file], place + 1))
                start = end
            documents += len(ends)
    return [{"name": stem, "documents": documents, "tokens": start}]


def view(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part."""
    path = os.path.join(folder, part["name"])
    return flat(f"{path}.npy", mapped(f"{path}.npy", shape.numbers), lambda: _ends(f"{path}.csv.gz"), shape)


def _ends(path: str) -> Any:
    import numpy as np

    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return np.array([int(row[1]) for row in csv.reader(file)], np.int64)


LAYOUT = Layout("dolma", "Dolma, OLMo: bare .npy with .csv.gz", ("uint16", "uint32"), write, view)
