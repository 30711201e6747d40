"""One shard, from its plan to its files and the entry that says that it is done.

``make`` is a pure function of a job, a shard and the inputs: wherever and however often it runs, the same
bytes come out. Files appear under their names first, then the entry; without one the shard is not done, and
whoever makes it again writes the same files. So engines only have to see to it that every shard is made at
least once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ._fingerprint import backend_of
from .batches import Batch, framed
from .documents import Source, documents
from .found import Found
from .outputs import Outputs
from .places import place, stamp
from .plan import Shard, Slice
from .settings import Settings
from .skipping import Skipped
from .slices import changed, hash_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .._types import AnyTokenizer
    from .layouts import Shape

__all__ = [
    "FIND",
    "HASH",
    "WORK",
    "Job",
    "Step",
    "entry_name",
    "input_found",
    "input_hash",
    "make",
    "repeats_name",
    "source_of",
    "steps",
]

#: Is told how far a shard is: bytes of its inputs, and tokens.
Step = Callable[[int, int], None]

#: The folder of a run that is not complete, in the folder of its results.
WORK = ".tessella"
#: What workers do before shards are made, where repeated documents are left out (``repeats``).
HASH, FIND = "hash", "find"


@dataclass(frozen=True)
class Job:
    """All that a worker needs to make any shard of a run."""

    #: A ``Tokenizer``, or what ``AutoTokenizer`` gives; none where nothing is encoded.
    tokenizer: AnyTokenizer | None
    fingerprint: str
    settings: Settings
    out: str
    threads: int | None = None
    #: What is done with a shard: it is made, or ``HASH`` or ``FIND``.
    stage: str = "make"

    @property
    def shape(self) -> Shape:
        """What the layout must know."""
        return self.settings.shape(self.fingerprint)


def entry_name(index: int) -> str:
    """The file that says that a shard is done."""
    return f"{WORK}/shard-{index:05}.json"


def repeats_name(index: int) -> str:
    """The file, hidden from readers of token files, that says which documents of a shard were left out."""
    return f".{stem(index)}.repeats.npy"


def stem(index: int) -> str:
    """What the names of a shard's files begin with."""
    return f"shard-{index:05}"


class Tally:
    """What is counted on the way."""

    def __init__(self, skips: bool) -> None:
        self.documents = self.empty = self.tokens = self.duplicates = 0
        self.inputs: list[dict[str, Any]] = []
        self.skipped = Skipped(skips)
        #: What the inputs were when repeated documents were looked for, where that is known.
        self.hashed: list[dict[str, Any]] = []


def make(
    job: Job,
    shard: Shard,
    step: Step = lambda done, tokens: None,
    left_out: npt.NDArray[np.uint64] | None = None,
) -> dict[str, Any]:
    """Makes a shard and its entry, which is also given.

    Args:
        job: the run.
        shard: which shard.
        step: is told now and then how far the shard is.
        left_out: the numbers of documents that are repeated, where such are left out; by default what the run
            has found.
    """
    if job.stage != "make":
        from .repeats import make_stage

        return make_stage(job, shard, step)
    target = place(job.out)
    outputs, tally = Outputs(target), Tally(job.settings.on_error == "skip")
    try:
        is_deduplicated = job.settings.dedup is not None
        if is_deduplicated and left_out is None:
            from . import repeats

            left_out = repeats.left_out(target, shard.index)
            tally.hashed = repeats.read_hashed(target, shard.index)["inputs"]
        batches = _batches(job, shard, tally, step, left_out)
        if job.settings.shuffle is not None and not job.settings.across:
            from .shuffling import shuffled

            batches = shuffled(batches, job.settings.shuffle, shard.index)
        packed: dict[str, Any] = {}
        if job.settings.pack is not None:
            from .packing import packed_rows

            batches = packed_rows(batches, job.settings, packed)
        parts = job.settings.layout.write(outputs, stem(shard.index), batches, job.shape)
        if left_out is not None:
            from .repeats import packed as as_file

            outputs.open(repeats_name(shard.index)).write(as_file(left_out))
        files = outputs.commit()
    except BaseException:
        outputs.abandon()
        raise
    entry = {
        "shard": shard.index,
        "inputs": tally.inputs,
        "documents": tally.documents,
        "empty": tally.empty,
        **({"skipped": tally.skipped.listed} if job.settings.on_error == "skip" else {}),
        **({"duplicates": tally.duplicates} if is_deduplicated else {}),
        "tokens": tally.tokens,
        **packed,
        "parts": parts,
        "files": files,
    }
    target.write(entry_name(shard.index), json.dumps(entry, indent=1).encode())
    return entry


def _tokens(job: Job, shard: Shard, tally: Tally, step: Step) -> Iterator[Batch]:
    """The documents of token files, which have their first and last tokens already."""
    from .tokens import drawn_batches, shard_found, token_batches

    seed = job.settings.shuffle if job.settings.across else None
    for part in shard.slices:
        digest = shard_found(part.path).stamp
        for batch in token_batches(part) if seed is None else drawn_batches(part, seed):
            tally.documents += len(batch.lengths)
            tally.tokens += batch.ids.size
            yield framed(batch, None, None, job.shape.numbers)
            step(tally.tokens, tally.tokens)
        tally.inputs.append({**part.told(), "sha256": digest})


def input_hash(settings: Settings, part: Slice) -> str:
    """The hash of an input as it is now."""
    if settings.source == "tokens":
        from .tokens import shard_found

        return shard_found(part.path).stamp
    return hash_of(part)


def input_found(settings: Settings, path: str) -> Found:
    """The size of an input as it is now, and what changes when it does."""
    if settings.source == "tokens":
        from .tokens import shard_found

        return shard_found(path)
    return Found(path, *stamp(path))


def _from(step: Step, before: int, tally: Tally, done: int) -> None:
    step(before + done, tally.tokens)


def source_of(job: Job) -> Source:
    """How a run's documents are read."""
    settings = job.settings
    if job.tokenizer is None:
        raise TypeError("a job without a tokenizer packs tokens that are there; it encodes no texts")
    chat = job.tokenizer if settings.mask is not None else None
    return Source(backend_of(job.tokenizer), settings.reading, settings.special, job.threads, chat)


def steps(shard: Shard) -> Iterator[tuple[Slice, list[str], int]]:
    """The parts of a shard, each with a list for the hash of its bytes and the bytes of those before it."""
    before = 0
    for part in shard.slices:
        yield part, [], before
        before += max(0, part.end - part.start)


def _batches(
    job: Job, shard: Shard, tally: Tally, step: Step, left_out: npt.NDArray[np.uint64] | None
) -> Iterator[Batch]:
    settings = job.settings
    if settings.source == "tokens":
        yield from _tokens(job, shard, tally, step)
        return
    source, unique = source_of(job), None
    if left_out is not None:
        from .unique import Unique

        unique = Unique(source, tally.skipped, left_out)
    for part, hashes, before in steps(shard):
        told = partial(_from, step, before, tally)
        if unique is None:
            found = documents(source, part, tally.skipped, hashes.append, told)
        else:
            found = unique.batches(part, hashes.append, told)
        for batch in found:
            tally.documents += len(batch.lengths)
            whole = framed(batch, settings.bos, settings.eos, job.shape.numbers)
            tally.empty += len(batch.lengths) - len(whole.lengths)
            tally.tokens += whole.ids.size
            yield whole
        tally.inputs.append({**part.told(), "sha256": hashes[-1]})
        step(before + max(0, part.end - part.start), tally.tokens)
    if unique is not None:
        tally.duplicates = unique.duplicates
        _check_hashed(tally)


def _check_hashed(tally: Tally) -> None:
    """Refuses inputs that are not those in which repeated documents were looked for."""
    for now, before in zip(tally.inputs, tally.hashed, strict=False):
        if now["sha256"] != before["sha256"]:
            raise changed(now["file"], "it is not what it was when repeated documents were looked for")
