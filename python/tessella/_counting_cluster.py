"""Counting on a cluster of Ray.

Files are counted in groups, each by a task that writes its counts in parts: where a piece goes hangs on its
bytes alone. Parts of the same number are merged by one task each, side by side; merged parts share no piece,
and the caller's counts are all of them. Only names travel. Merging reads sorted runs side by side, so no
process holds more than its budget, and nobody but who saves them walks all pieces. Since the order of merging
changes nothing, what is saved in the end equals what one machine saves, byte for byte, whatever workers were
lost.

Groups and the files that they become are the same for any number of nodes: a task that is made again writes
the same files over its first attempt's.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._cluster import called
from ._corpus import Part, files, parts
from ._progress import Meter
from .counting import PieceCounts, _add_part
from .errors import ArgumentError

if TYPE_CHECKING:
    from ._texts import Reading
    from ._types import Path, ProgressFormat
    from .tokenizer import Tokenizer

__all__ = ["count_on_cluster"]

#: Bytes of files, as they lie there, that one task counts.
GROUP = 256_000_000
#: Parts of the counts of a group at most: each is merged by a task and becomes a file of the caller's counts.
PARTS = 16


@dataclass(frozen=True)
class _Work:
    """What all tasks share."""

    tokenizer: Tokenizer
    reading: Reading
    budget: int | None
    folder: str
    #: Groups of files, and parts of the counts of each.
    groups: int
    parts: int

    def folder_of(self, group: int) -> str:
        """Where the parts of a group's counts are."""
        return os.path.join(self.folder, f"counted-{group}")

    def merged(self, part: int) -> str:
        """The file of a merged part."""
        return os.path.join(self.folder, f"merged-{part}.counts")


@dataclass(frozen=True)
class _Source:
    """A file, and what is noted of it."""

    path: str
    name: str
    language: str
    weight: int


def count_on_cluster(
    found: Sequence[Part],
    counts: PieceCounts,
    tokenizer: Tokenizer,
    reading: Reading,
    budget: int | None,
    folder: Path | None,
    progress: ProgressFormat,
) -> None:
    """Counts files into ``counts``.

    Args:
        found: the parts of a source, all of which must be files.
        counts: where to.
        tokenizer: how texts are cut.
        reading: how texts are read.
        budget: the most bytes that the counts of one process may take.
        folder: a folder that every node reaches under this name; by default the temporary folder, which suits
            a cluster of one machine.
        progress: the form of what is shown.
    """
    sources = [source for part in found for source in _sources(part)]
    groups = list(_groups(sources))
    with tempfile.TemporaryDirectory(prefix="tessella-cluster-", dir=folder) as scratch:
        work = _Work(tokenizer, reading, budget, scratch, len(groups), min(PARTS, len(groups)))
        meter = Meter("count", progress)
        total, done = sum(os.path.getsize(one.path) for one in sources), 0
        try:
            for (_, group), _ in called(_counted, work, groups, None, "engine='ray'", _name):
                done += sum(os.path.getsize(one.path) for one in group)
                meter.update(done, total)
        finally:
            meter.end()
        for _ in called(_merged, work, range(work.parts), None, "engine='ray'", _part_name):
            pass
        # A loaded file stays open, and is read when somebody asks, also when its name is gone.
        for part in range(work.parts):
            counts.merge(PieceCounts.load(work.merged(part)))


def _sources(part: Part) -> Iterator[_Source]:
    names = [part.table] if part.table else part.files
    if not names:
        raise ArgumentError(
            "a cluster counts files, whose names travel and not their texts: give paths, "
            "or use engine='local'"
        )
    for name in names:
        yield _Source(os.path.abspath(name), part.name, part.language, part.weight)


def _groups(sources: Sequence[_Source]) -> Iterator[tuple[int, list[_Source]]]:
    """Files in groups, numbered: neighbours, until there are so many bytes."""
    group: list[_Source] = []
    held = number = 0
    for one in sources:
        size = os.path.getsize(one.path)
        if group and held + size > GROUP:
            yield number, group
            group, held, number = [], 0, number + 1
        group.append(one)
        held += size
    if group:
        yield number, group


def _name(numbered: tuple[int, list[_Source]]) -> str:
    return f"the counting of {', '.join(one.path for one in numbered[1][:3])}"


def _part_name(part: int) -> str:
    return f"the merging of part {part}"


def _limited(work: _Work) -> PieceCounts:
    counts = PieceCounts()
    if work.budget is not None:
        counts._limit(work.budget // 2, work.folder)
    return counts


def _counted(work: _Work, numbered: tuple[int, list[_Source]]) -> None:
    """What a worker does: the counts of some files, in parts."""
    number, group = numbered
    counts = _limited(work)
    for one in group:
        for part in parts({one.name: files([one.path])}, one.weight, one.language, work.reading):
            options: dict[str, Any] = {"num_threads": 1, "progress": "silent", **work.reading.options}
            if work.budget is not None:
                options |= {"memory": work.budget // 2, "spill_folder": work.folder}
            _add_part(counts, work.tokenizer, part, work.reading, options)
    folder = work.folder_of(number)
    os.makedirs(folder, exist_ok=True)
    counts.save_parts(folder, work.parts)


def _merged(work: _Work, part: int) -> None:
    """What a worker does: one file of the same part of all groups."""
    target = work.merged(part)
    # Made before by an attempt that was lost after it: what it was made of may be gone.
    if os.path.exists(target):
        return
    counts = _limited(work)
    names = [os.path.join(work.folder_of(group), f"part-{part:04}.counts") for group in range(work.groups)]
    for name in names:
        counts.merge(PieceCounts.load(name))
    counts.save(target)
    # The disk holds each count once more only while its part is merged.
    for name in names:
        os.remove(name)
