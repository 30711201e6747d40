"""datatrove: ``.ds`` with bare tokens, ``.ds.index`` with document ends in tokens (u64), ``.ds.metadata`` for
people.

The first line of the metadata names the tokenizer and the bytes of a token, the second tells the number of
tokens, the third tells it shortly. A loss mask is ``.ds.loss``, one byte for each token.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..batches import Batch
from .base import Files, Layout, Part, Shape, View
from .side import flat, mapped, write_all


def shortly(count: int) -> str:
    """A number of tokens in three digits, as ``humanize.metric`` writes it.

    Example:
        >>> shortly(0), shortly(12), shortly(1500), shortly(9_999_999)
        ('0.00 T', '12.0 T', '1.50 kT', '10.0 MT')
    """
    power, over = divmod(len(str(count)) - 1, 3)
    if float(f"{count / 1000**power:.{2 - over}f}") >= 10 ** (over + 1):
        # Rounding makes it longer: 9,999 is ten thousand in three digits.
        power, over = divmod(3 * power + over + 1, 3)
    unit = ("", "k", "M", "G", "T", "P", "E")[power]
    return f"{count / 1000**power:.{2 - over}f} {unit}T"


def write(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    name = f"{stem}.ds"
    ends = write_all(files, name, f"{name}.loss", batches, shape).cumsum()
    count = int(ends[-1]) if len(ends) else 0
    files.open(f"{name}.index").write(ends.astype("<u8"))
    size = shape.numbers.itemsize
    told = f"tessella:{shape.fingerprint[:16]}|{size}\n{count}\n{shortly(count)}"
    files.open(f"{name}.metadata").write(told.encode())
    return [{"name": name, "documents": len(ends), "tokens": count}]


def view(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part."""
    import numpy as np

    path = os.path.join(folder, part["name"])
    ids = mapped(path, shape.numbers)
    return flat(path, ids, lambda: mapped(f"{path}.index", "<u8").astype(np.int64), shape, ".loss")


LAYOUT = Layout("datatrove", "datatrove: .ds with an index", ("uint16", "uint32"), write, view)
