"""The plan of a run: which part of the inputs makes which shard.

A plan depends on the inputs, their sizes and the size of a shard alone, so that any number of workers, on one
machine or on many, makes the same shards, and a run that was interrupted goes on where it was. A shard is a
few small files, or a part of a large one. Files of lines and Parquet files can be cut: the lines, or the row
groups, that begin in a part belong to it. Packed files (gzip, zstd) and others are one part each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._files import packing
from .found import STDIN, Found, kind
from .places import opened

#: Bytes that a shard is made of where nobody says.
SHARD_SIZE = 256_000_000


class Slice(NamedTuple):
    """A part of a file: what begins at byte ``start`` or behind it, and before ``end``."""

    path: str
    start: int
    #: -1 where the size is not known.
    end: int
    size: int
    stamp: str

    def told(self) -> dict[str, Any]:
        """For the manifest; when a file was written last is not told, so that a copy makes an equal one."""
        return {"file": self.path, "start": self.start, "end": self.end}


@dataclass(frozen=True)
class Shard:
    """What becomes one shard of the output."""

    index: int
    slices: tuple[Slice, ...]

    @property
    def size(self) -> int:
        """Bytes that are read for it."""
        return sum(max(0, one.end - one.start) for one in self.slices)


def plan(found: Sequence[Found], shard_size: int, lines: bool) -> list[Shard]:
    """The shards of some files.

    Args:
        found: the files.
        shard_size: bytes, as they lie there, that a shard is made of: no more unless one file that cannot be
            cut has more. Below 0 each file is one shard.
        lines: whether the texts of files that are plain text are lines, so that these can be cut.

    Example:
        >>> found = [Found("a", 10, ""), Found("b", 20, ""), Found("c", 5, "")]
        >>> [shard.size for shard in plan(found, 25, False)]
        [10, 25]
    """
    return [Shard(index, tuple(slices)) for index, slices in enumerate(_groups(found, shard_size, lines))]


def _groups(found: Sequence[Found], shard_size: int, lines: bool) -> Iterator[list[Slice]]:
    group: list[Slice] = []
    held = 0
    for one in found:
        parts = _parts(one, shard_size, lines)
        if group and (held + one.size > shard_size or len(parts) > 1):
            yield group
            group, held = [], 0
        if len(parts) > 1:
            yield from ([part] for part in parts)
        else:
            group += parts
            held += one.size
    if group:
        yield group


def _parts(one: Found, shard_size: int, lines: bool) -> list[Slice]:
    if shard_size < 0 or one.size <= shard_size or not _can_be_cut(one.path, lines):
        return [Slice(one.path, 0, one.size, one.size, one.stamp)]
    number = -(-one.size // shard_size)
    cuts = [one.size * place // number for place in range(number + 1)]
    return [Slice(one.path, start, end, one.size, one.stamp) for start, end in itertools.pairwise(cuts)]


def _can_be_cut(path: str, lines: bool) -> bool:
    if path == STDIN:
        return False
    if kind(path) in ("arrow", "csv"):
        return False
    with opened(path) as file:
        begin = file.read(4)
    if begin == b"PAR1":
        return True
    return (lines or kind(path) == "lines") and packing(begin) is None
