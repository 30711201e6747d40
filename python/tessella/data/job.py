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
from .slices import hash_of

if TYPE_CHECKING:
    from .._types import AnyTokenizer
    from .layouts import Shape

__all__ = ["WORK", "Job", "entry_name", "input_found", "input_hash", "make"]

#: Is told how far a shard is: bytes of its inputs, and tokens.
Step = Callable[[int, int], None]

#: The folder of a run that is not complete, in the folder of its results.
WORK = ".tessella"


@dataclass(frozen=True)
class Job:
    """All that a worker needs to make any shard of a run."""

    #: A ``Tokenizer``, or what ``AutoTokenizer`` gives; none where nothing is encoded.
    tokenizer: AnyTokenizer | None
    fingerprint: str
    settings: Settings
    out: str
    threads: int | None = None

    @property
    def shape(self) -> Shape:
        """What the layout must know."""
        return self.settings.shape(self.fingerprint)


def entry_name(index: int) -> str:
    """The file that says that a shard is done."""
    return f"{WORK}/shard-{index:05}.json"


def stem(index: int) -> str:
    """What the names of a shard's files begin with."""
    return f"shard-{index:05}"


class Tally:
    """What is counted on the way."""

    def __init__(self, skips: bool) -> None:
        self.documents = self.empty = self.tokens = 0
        self.inputs: list[dict[str, Any]] = []
        self.skipped = Skipped(skips)


def make(job: Job, shard: Shard, step: Step = lambda done, tokens: None) -> dict[str, Any]:
    """Makes a shard and its entry, which is also given.

    Args:
        job: the run.
        shard: which shard.
        step: is told now and then how far the shard is.
    """
    target = place(job.out)
    outputs, tally = Outputs(target), Tally(job.settings.on_error == "skip")
    try:
        batches = _batches(job, shard, tally, step)
        if job.settings.shuffle is not None and not job.settings.across:
            from .shuffling import shuffled

            batches = shuffled(batches, job.settings.shuffle, shard.index)
        packed: dict[str, Any] = {}
        if job.settings.pack is not None:
            from .packing import packed_rows

            batches = packed_rows(batches, job.settings, packed)
        parts = job.settings.layout.write(outputs, stem(shard.index), batches, job.shape)
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


def _batches(job: Job, shard: Shard, tally: Tally, step: Step) -> Iterator[Batch]:
    settings = job.settings
    if settings.source == "tokens":
        yield from _tokens(job, shard, tally, step)
        return
    if job.tokenizer is None:
        raise TypeError("a job without a tokenizer packs tokens that are there; it encodes no texts")
    chat = job.tokenizer if settings.mask is not None else None
    source = Source(backend_of(job.tokenizer), settings.reading, settings.special, job.threads, chat)
    before = 0
    for part in shard.slices:
        hashes: list[str] = []
        for batch in documents(
            source, part, tally.skipped, hashes.append, partial(_from, step, before, tally)
        ):
            tally.documents += len(batch.lengths)
            found = framed(batch, settings.bos, settings.eos, job.shape.numbers)
            tally.empty += len(batch.lengths) - len(found.lengths)
            tally.tokens += found.ids.size
            yield found
        tally.inputs.append({**part.told(), "sha256": hashes[-1]})
        before += max(0, part.end - part.start)
        step(before, tally.tokens)
