"""Counting on a cluster of Ray.

Files are counted in groups, each by a task that writes its counts in parts: where a piece goes hangs on its
bytes alone. Parts of the same number are merged by one task each, side by side; merged parts share no piece,
and a last task puts them in one order. Only names travel: the process that asked opens one file, and reads
none of it. Merging reads sorted runs side by side, so no process holds more than its budget. Since the order
of merging changes nothing, what is saved in the end equals what one machine saves, byte for byte, whatever
workers were lost.

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


#: Bytes of files, as they lie there, that one task counts.
GROUP = 256_000_000
#: Parts of the counts of a group at most: each is merged by a task.
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

    def of_part(self, part: int) -> _Merge:
        """The same part of all groups becomes one file."""
        folders = map(self.folder_of, range(self.groups))
        return _Merge(
            f"part {part}",
            tuple(os.path.join(folder, f"part-{part:04}.counts") for folder in folders),
            os.path.join(self.folder, f"merged-{part}.counts"),
        )

    def of_all(self) -> _Merge:
        """The merged parts become one file."""
        names = tuple(self.of_part(part).target for part in range(self.parts))
        return _Merge("all parts", names, os.path.join(self.folder, "all.counts"))


@dataclass(frozen=True)
class _Merge:
    """Files of counts that become one."""

    what: str
    names: tuple[str, ...]
    target: str


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
        steps = [[work.of_part(part) for part in range(work.parts)], [work.of_all()]]
        for step in steps:
            for _ in called(_merged, work, step, None, "engine='ray'", _merge_name):
                pass
        # A loaded file stays open, and is read when somebody asks, also when its name is gone.
        counts.merge(PieceCounts.load(work.of_all().target))


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


def _merge_name(merge: _Merge) -> str:
    return f"the merging of {merge.what}"


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


def _merged(work: _Work, merge: _Merge) -> None:
    """What a worker does: one file of several."""
    # Made before by an attempt that was lost after it: what it was made of may be gone.
    if os.path.exists(merge.target):
        return
    # A single file, as that of a corpus of one group, is what comes out already.
    if len(merge.names) == 1:
        os.rename(merge.names[0], merge.target)
        return
    counts = _limited(work)
    for name in merge.names:
        counts.merge(PieceCounts.load(name))
    counts.save(merge.target)
    # The disk holds each count once more only while it is merged.
    for name in merge.names:
        os.remove(name)
