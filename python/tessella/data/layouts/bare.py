"""nanoGPT and llm.c: tokens one after the other, without an index.

nanoGPT's ``.bin`` is nothing but tokens. llm.c and modded-nanoGPT have a head of 256 numbers of 32 bits
before them: a magic number, a version and how many tokens follow, below 2^31; where ids need 32 bits, the
numbers are those of its Llama 3 variant. Documents are told from each other by the token at their end alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import FormatError
from ..batches import Batch, taken
from .base import Files, Layout, Part, Shape, View
from .side import Masks, flat, mapped, write_all

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


#: Magic number and version of llm.c's files, by the type of tokens.
MAGIC = {"uint16": (20240520, 1), "uint32": (20240801, 7)}
HEAD = 1024
#: Tokens that a head can tell.
MOST = (1 << 31) - 1


def by_mark(ids: npt.NDArray[Any], eos: int | None, bos: int | None) -> npt.NDArray[np.int64] | None:
    """Where documents end, by the token that ends or begins each; ``None`` where there is none."""
    import numpy as np

    if eos is not None:
        return np.flatnonzero(ids == eos).astype(np.int64) + 1
    if bos is not None:
        return np.append(np.flatnonzero(ids == bos)[1:], len(ids)).astype(np.int64)
    return None


def write_nanogpt(files: Files, stem: str, batches: Iterable[Batch], shape: Shape) -> list[Part]:
    """Writes a shard."""
    lengths = write_all(files, f"{stem}.bin", f"{stem}.bin.mask", batches, shape)
    return [{"name": f"{stem}.bin", "documents": len(lengths), "tokens": int(lengths.sum())}]


def view_nanogpt(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part."""
    path = os.path.join(folder, part["name"])
    ids = mapped(path, shape.numbers)
    return flat(path, ids, lambda: by_mark(ids, shape.eos, shape.bos), shape)


def head(count: int, dtype: str) -> bytes:
    """The head of a file of so many tokens.

    Example:
        >>> head(5, "uint16")[:12].hex()
        '88d834010100000005000000'
    """
    import numpy as np

    numbers = np.zeros(HEAD // 4, "<i4")
    numbers[:3] = *MAGIC[dtype], count
    return numbers.tobytes()


def write_llmc(
    files: Files, stem: str, batches: Iterable[Batch], shape: Shape, most: int = MOST
) -> list[Part]:
    """Writes a shard: one file, and further ones where its head could not tell so many tokens."""
    parts: list[Part] = []
    output: Any = None
    masks: Any = None
    for whole in batches:
        for batch in _fitting(whole, parts, most):
            if output is None or parts[-1]["tokens"] + len(batch.ids) > most:
                name = f"{stem}.bin" if not parts else f"{stem}-{len(parts):03}.bin"
                parts.append({"name": name, "documents": 0, "tokens": 0})
                output = files.open(name)
                masks = Masks(files, f"{name}.mask", shape)
                output.write(head(0, shape.dtype))
                parts[-1]["output"] = output
            output.write(batch.ids)
            masks.write(batch)
            parts[-1]["documents"] += len(batch.lengths)
            parts[-1]["tokens"] += len(batch.ids)
    for part in parts:
        part.pop("output").patch(0, head(part["tokens"], shape.dtype))
    if not parts:
        files.open(f"{stem}.bin").write(head(0, shape.dtype))
        Masks(files, f"{stem}.bin.mask", shape)
        parts.append({"name": f"{stem}.bin", "documents": 0, "tokens": 0})
    return parts


def _fitting(batch: Batch, parts: list[Part], most: int) -> Iterable[Batch]:
    """The documents of a batch in portions, none of which crosses the end of a file."""
    import numpy as np

    start = 0
    while start < len(batch.lengths):
        room = most - (parts[-1]["tokens"] if parts else 0)
        ends = batch.lengths[start:].cumsum()
        count = int(np.searchsorted(ends, room, "right"))
        if not count:
            room, count = most, int(np.searchsorted(ends, most, "right"))
        if not count:
            raise FormatError(
                f"a document has {int(ends[0])} tokens, and a file of llm.c holds {most}: cut it"
            )
        yield taken(batch, start, start + count)
        start += count


def view_llmc(folder: str, part: Part, shape: Shape) -> View:
    """Opens a part."""
    import numpy as np

    path = os.path.join(folder, part["name"])
    magic, version, count = (int(number) for number in np.fromfile(path, "<i4", 3))
    known = {value: name for name, value in MAGIC.items()}
    if (magic, version) not in known:
        raise FormatError(f"{path} is no file of llm.c: it begins with {magic}, {version}; known are {known}")
    ids = mapped(path, np.dtype(known[magic, version]).newbyteorder("<"), HEAD, count)
    return flat(path, ids, partial(by_mark, ids, shape.eos, shape.bos), shape)


NANOGPT = Layout(
    "nanogpt",
    "nanoGPT: bare tokens",
    ("uint16", "uint32"),
    write_nanogpt,
    view_nanogpt,
    holds_documents=False,
)
LLMC = Layout(
    "llm.c",
    "llm.c, modded-nanoGPT: tokens behind a head",
    ("uint16", "uint32"),
    write_llmc,
    view_llmc,
    holds_documents=False,
)
