"""Counting on a cluster of Ray.

Files are counted in groups, each by a task that writes its counts to a file; files of counts are merged by
tasks, some at a time, until few are left, which the caller's counts share. Only names travel. Merging reads
sorted runs side by side, so no process holds more than its budget, and since the order of merging changes
nothing, what is saved in the end equals what one machine saves, byte for byte, whatever workers were lost.

Groups and the files that they become are the same for any number of nodes: a task that is made again writes
the same file over its first attempt's.
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
#: Files of counts that one task merges, and that may be left at the end.
FAN = 16


@dataclass(frozen=True)
class _Work:
    """What all tasks share."""

    tokenizer: Tokenizer
    reading: Reading
    budget: int | None
    folder: str


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
        work = _Work(tokenizer, reading, budget, scratch)
        meter = Meter("count", progress)
        total, done = sum(os.path.getsize(one.path) for one in sources), 0
        try:
            for (_, group), _ in called(_counted, work, groups, None, "engine='ray'", _name):
                done += sum(os.path.getsize(one.path) for one in group)
                meter.update(done, total)
        finally:
            meter.end()
        names = [f"count-{number}.counts" for number, _ in groups]
        tier = 0
        while len(names) > FAN:
            merges = [
                (f"merge-{tier}-{at // FAN}.counts", names[at : at + FAN]) for at in range(0, len(names), FAN)
            ]
            for (_, merged), _ in called(_merged, work, merges, None, "engine='ray'", lambda one: one[0]):
                for name in merged:
                    os.remove(os.path.join(scratch, name))
            names, tier = [name for name, _ in merges], tier + 1
        # A loaded file stays open, and is read when somebody asks, also when its name is gone.
        for name in names:
            counts.merge(PieceCounts.load(os.path.join(scratch, name)))


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


def _limited(work: _Work) -> PieceCounts:
    counts = PieceCounts()
    if work.budget is not None:
        counts._limit(work.budget // 2, work.folder)
    return counts


def _counted(work: _Work, numbered: tuple[int, list[_Source]]) -> None:
    """What a worker does: the counts of some files, as a file."""
    number, group = numbered
    counts = _limited(work)
    for one in group:
        for part in parts({one.name: files([one.path])}, one.weight, one.language, work.reading):
            options: dict[str, Any] = {"num_threads": 1, "progress": "silent", **work.reading.options}
            if work.budget is not None:
                options |= {"memory": work.budget // 2, "spill_folder": work.folder}
            _add_part(counts, work.tokenizer, part, work.reading, options)
    counts.save(os.path.join(work.folder, f"count-{number}.counts"))


def _merged(work: _Work, merge: tuple[str, list[str]]) -> None:
    """What a worker does: one file of counts for several."""
    target, names = merge
    counts = _limited(work)
    for name in names:
        counts.merge(PieceCounts.load(os.path.join(work.folder, name)))
    counts.save(os.path.join(work.folder, target))
