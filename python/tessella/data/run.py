"""One run: what is in its folder already, what is missing, and its end.

A folder that holds something is gone on with only where plan, settings and tokenizer are those that it was
begun with. Finished shards stay if their inputs are still the same: a file that was not written to since the
plan was made (its *stamp* says so: the time of the last change, or what object storage tells of a version) is
taken at its word, the bytes of any other are read again and compared by their SHA-256. Of a complete folder
that has lost a file, or the end of one, that shard is made again. Anything else is refused, with the way out
in the message. Inputs that change while they are read are a matter of ``slices``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ArgumentError
from .engines import check, run_shards
from .found import STDIN, is_result
from .job import WORK, Job, input_hash
from .locks import only_one
from .manifest import (
    MANIFEST,
    RUN,
    entries,
    lost,
    read_manifest,
    read_run,
    refuse_changes,
    reopen,
    run_of,
    slices_of,
    write_manifest,
)
from .places import Place
from .plan import Shard
from .repeated import find_repeats
from .repeats import hash_name, is_scratch, read_hashed
from .result import Result
from .settings import Settings

#: Who is told what happens, as plain data.
Events = Callable[[dict[str, Any]], None]


class Run:
    """One run: its job, its plan, and the folder that it goes to."""

    def __init__(self, job: Job, shards: Sequence[Shard], target: Place, tell: Events) -> None:
        self.job, self.shards, self.place, self.tell = job, shards, target, tell

    def go(self, workers: int | None, engine: str, task: tuple[int, int] | None, resume: bool) -> Result:
        """Makes what is missing."""
        check(engine, workers)
        self.place.make()
        number, tasks = task or (0, 1)
        with only_one(self.place, f"task-{number}-of-{tasks}"):
            run = run_of(self.job, self.shards)
            if not resume and task is None:
                _clear(self.place)
            complete = read_manifest(self.place)
            if complete is not None:
                refuse_changes(self.place, complete, run)
                self._check_inputs({entry["shard"]: entry for entry in complete["shards"]}, run)
                if not lost(self.place, complete):
                    sweep(self.place)
                    return Result.of(self.place, complete)
                reopen(self.place, complete, self._stamped(run))
            done = self._begun(run)
            missing = [
                shard for shard in self.shards if shard.index not in done and shard.index % tasks == number
            ]
            self.tell(
                {
                    "event": "plan",
                    "shards": len(self.shards),
                    "done": len(done),
                    "missing": len(missing),
                    "bytes": sum(shard.size for shard in missing),
                }
            )
            if self.job.settings.dedup is not None and missing:
                find_repeats(self.job, self.shards, self.place, engine, workers, (number, tasks), self.tell)
            for entry in run_shards(engine, self.job, missing, workers, self.tell):
                done[entry["shard"]] = entry
            if task is not None:
                return Result.of(self.place, {**run, "shards": [done[index] for index in sorted(done)]})
            return Result.of(self.place, finish(self.place))

    def _begun(self, run: dict[str, Any]) -> dict[int, dict[str, Any]]:
        """What an earlier run of the same plan has done."""
        before = read_run(self.place)
        if before is None:
            _refuse_strangers(self.place)
            self.place.write(RUN, json.dumps(self._stamped(run), indent=1).encode())
            return {}
        refuse_changes(self.place, before, run)
        done = entries(self.place, len(self.shards))
        self._check_inputs(done, run, before.get("stamps", {}))
        # What was looked through for repeated documents must not change either.
        there = self.place.sizes(WORK) if self.job.settings.dedup is not None else {}
        looked = [index for index in range(len(self.shards)) if hash_name(index).rpartition("/")[2] in there]
        self._check_inputs(
            {index: read_hashed(self.place, index) for index in looked if index not in done},
            run,
            before.get("stamps", {}),
        )
        return done

    def _stamped(self, run: dict[str, Any]) -> dict[str, Any]:
        """A plan as it lies in the folder: with what says that an input was not written to since."""
        return {**run, "stamps": {one.path: one.stamp for shard in self.shards for one in shard.slices}}

    def _check_inputs(
        self, done: dict[int, dict[str, Any]], run: dict[str, Any], stamps: dict[str, str] | None = None
    ) -> None:
        """Refuses inputs whose bytes are not those that finished shards were made of.

        A file that was not written to since is taken at its word; any other is read again.
        """
        for index, entry in done.items():
            now = {one.path: one.stamp for one in self.shards[index].slices}
            for part, digest in slices_of(entry, run["plan"][index]):
                if part.path == STDIN or (
                    stamps and now[part.path] and stamps.get(part.path) == now[part.path]
                ):
                    continue
                if input_hash(self.job.settings, part) != digest:
                    raise ArgumentError(
                        f"{self.place.path} holds files of another run: the input {part.path} has other "
                        f"bytes than shard {index} was made of. Choose another folder, or start anew with "
                        "resume=False (--anew), which replaces them"
                    )


def _clear(target: Place) -> None:
    """Removes what an earlier run has made, its manifest first: what is left is no corpus."""
    complete = read_manifest(target)
    names = [] if complete is None else [file["name"] for file in complete["files"]]
    if complete is not None:
        names += [file["name"] for entry in complete["shards"] for file in entry["files"]]
    before = read_run(target)
    if before is not None:
        for entry in entries(target, len(before["plan"])).values():
            names += [file["name"] for file in entry["files"]]
    target.remove(MANIFEST)
    for name in names:
        target.remove(name)
    target.remove(RUN)
    for name in target.sizes(WORK):
        if name.endswith(".json") or is_scratch(name):
            target.remove(f"{WORK}/{name}")


def _refuse_strangers(target: Place) -> None:
    """Files that are not ours are never written over."""
    strangers = sorted(name for name in target.sizes() if not name.startswith("."))
    ours = [name for name in strangers if is_result(name)]
    if ours:
        raise ArgumentError(
            f"{target.path} has files that this run would write over, {ours[0]} for one, and no manifest "
            "that says what they are: choose another folder, or remove them"
        )


def run_in(target: Place) -> dict[str, Any]:
    """The run that was begun in a folder."""
    run = read_run(target)
    if run is None:
        raise ArgumentError(f"{target.path} holds no run of tokenize_corpus: nothing to merge")
    return run


def finish(target: Place) -> dict[str, Any]:
    """Writes the manifest of a run whose shards are all there, and removes what is no longer needed."""
    run = run_in(target)
    count = len(run["plan"])
    done = entries(target, count)
    missing = [index for index in range(count) if index not in done]
    if missing:
        shown = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
        raise ArgumentError(
            f"{len(missing)} of {count} shards are not made yet ({shown}): run the tasks that have them again"
        )
    shards = [done[index] for index in range(count)]
    settings = Settings.from_told(run["settings"])
    parts = [part for entry in shards for part in entry["parts"]]
    files = []
    for name, content in settings.layout.finish(parts, settings.shape(run["tokenizer"])).items():
        target.write(name, content)
        files.append({"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()})
    left_out = {}
    if settings.dedup is not None:
        left_out["duplicates"] = sum(entry["duplicates"] for entry in shards)
    if settings.on_error == "skip":
        left_out["skipped"] = sum(len(entry["skipped"]) for entry in shards)
    manifest = {
        "kind": run["kind"],
        "tokenizer": run["tokenizer"],
        "settings": run["settings"],
        "documents": sum(entry["documents"] for entry in shards),
        "empty": sum(entry["empty"] for entry in shards),
        **left_out,
        "tokens": sum(entry["tokens"] for entry in shards),
        "files": files,
        "plan": run["plan"],
        "shards": shards,
    }
    manifest = write_manifest(target, manifest)
    sweep(target)
    return manifest


def sweep(target: Place) -> None:
    """Removes the work folder of a run that has its manifest: also where who wrote that was killed before."""
    target.remove_folder(WORK)
