"""What a folder of token files holds: ``manifest.json``.

It tells the tokenizer's fingerprint, all settings, the inputs and what each gave, for every file its size and
SHA-256, and its own, since all else is held to it. No time, machine or number of workers is in it, so that
equal runs make equal manifests. It is written last: a folder with a manifest is complete. Until then a plan
of the run lies in ``.tessella``, with an entry for each shard that is done.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from ..errors import ArgumentError, FormatError
from .job import WORK, Job, entry_name
from .places import Place
from .plan import Shard, Slice
from .settings import UNTOLD

MANIFEST = "manifest.json"
#: The plan of a run that is not complete.
RUN = f"{WORK}/run.json"
KIND = "tessella corpus 1"
#: The key of the manifest's own hash, which is that of all else in it.
SEAL = "sha256"


def run_of(job: Job, shards: Sequence[Shard]) -> dict[str, Any]:
    """What must not change between the start of a run and its end."""
    return {
        "kind": KIND,
        "tokenizer": job.fingerprint,
        "settings": job.settings.told(),
        "plan": [[one.told() | {"size": one.size} for one in shard.slices] for shard in shards],
    }


def read_run(place: Place) -> dict[str, Any] | None:
    """The plan of a run that is not complete, ``None`` where there is none."""
    return parsed(place, RUN)


def read_manifest(place: Place) -> dict[str, Any] | None:
    """The manifest of a folder, ``None`` where there is none."""
    try:
        found = parsed(place, MANIFEST)
    except NotADirectoryError:
        raise ArgumentError(f"{place.path} is a file: name a folder of token files") from None
    if found is not None and found.get("kind") != KIND:
        raise FormatError(
            f"{place.of(MANIFEST)} is no manifest of token files: its kind is {found.get('kind')!r}",
            filename=place.of(MANIFEST),
        )
    if found is not None and found.get(SEAL) != _hash(found):
        raise FormatError(
            f"{place.of(MANIFEST)} is damaged: its own SHA-256 is not the one it tells, so nothing can be "
            "held to it. Take it from a copy, or remove the folder and make it again",
            filename=place.of(MANIFEST),
        )
    return found


def write_manifest(place: Place, manifest: dict[str, Any]) -> dict[str, Any]:
    """Writes the manifest of a folder; gives it with its own hash."""
    sealed = {**manifest, SEAL: _hash(manifest)}
    place.write(MANIFEST, json.dumps(sealed, indent=1).encode())
    return sealed


def _hash(manifest: dict[str, Any]) -> str:
    """The SHA-256 of what a manifest tells, however it is spaced."""
    told = {name: value for name, value in manifest.items() if name != SEAL}
    return hashlib.sha256(json.dumps(told, separators=(",", ":")).encode()).hexdigest()


def parsed(place: Place, name: str) -> dict[str, Any] | None:
    """A file of JSON in a place, ``None`` where there is none."""
    content = place.read(name)
    if content is None:
        return None
    try:
        found = json.loads(content)
        if not isinstance(found, dict):
            raise ValueError(f"it holds a {type(found).__name__}")
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place.of(name)} is damaged: {error}", filename=place.of(name)) from error
    return found


def lost(place: Place, manifest: dict[str, Any]) -> list[str]:
    """The files that a manifest tells and that are not there, or have another size."""
    sizes = place.sizes()
    files = [*manifest["files"], *(file for entry in manifest["shards"] for file in entry["files"])]
    return [file["name"] for file in files if sizes.get(file["name"]) != file["bytes"]]


def reopen(place: Place, manifest: dict[str, Any], run: dict[str, Any]) -> None:
    """Makes a complete folder one whose run goes on: what is lost is made again, and then the manifest.

    The manifest goes last, so that who is killed before begins here again.
    """
    for entry in manifest["shards"]:
        place.write(entry_name(entry["shard"]), json.dumps(entry, indent=1).encode())
    place.write(RUN, json.dumps(run, indent=1).encode())
    place.remove(MANIFEST)


def entries(place: Place, count: int) -> dict[int, dict[str, Any]]:
    """The shards that are done, whose files are there with the sizes that they should have."""
    there, sizes = place.sizes(WORK), place.sizes()
    found = {}
    for index in range(count):
        name = entry_name(index)
        if name.rpartition("/")[2] not in there:
            continue
        entry = parsed(place, name)
        if entry is not None and all(sizes.get(file["name"]) == file["bytes"] for file in entry["files"]):
            found[index] = entry
    return found


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What is not as it was, in words.

    Example:
        >>> one = {"tokenizer": "ab", "settings": {"eos": 1}, "plan": []}
        >>> differences(one, {**one, "settings": {"eos": 2}})
        ['`eos` was 1 and is 2']
    """
    found = []
    if before["tokenizer"] != now["tokenizer"]:
        found.append(
            f"the tokenizer was {before['tokenizer'][:16]} and is {now['tokenizer'][:16]} (fingerprints)"
        )
    old, new = before["settings"], now["settings"]
    for name in {**old, **new}:
        was, now_is = (settings.get(name, UNTOLD.get(name)) for settings in (old, new))
        if was != now_is:
            found.append(f"`{_OPTIONS.get(name, name)}` was {was!r} and is {now_is!r}")
    return found + _inputs(_sizes(before["plan"]), _sizes(now["plan"]))


_OPTIONS = {"form": "input_format", "special": "add_special_tokens"}


def _sizes(plan: list[list[dict[str, Any]]]) -> dict[str, int]:
    return {part["file"]: part["size"] for shard in plan for part in shard}


def _inputs(before: dict[str, int], now: dict[str, int]) -> list[str]:
    found = []
    for path in {**before, **now}:
        if path not in now:
            found.append(f"the input {path} is gone")
        elif path not in before:
            found.append(f"the input {path} is new")
        elif before[path] != now[path]:
            found.append(f"the input {path} had {before[path]} bytes and has {now[path]}")
    if not found and list(before) != list(now):
        found.append("the inputs have another order")
    return found[:5] + ([f"and {len(found) - 5} more inputs"] if len(found) > 5 else [])


def refuse_changes(place: Place, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Raises where a run would go on with something else than it began with."""
    found = differences(before, now)
    if found:
        raise ArgumentError(
            f"{place.path} holds files of another run: {'; '.join(found)}. Choose another folder, "
            "or start anew with resume=False (--anew), which replaces them"
        )


def slices_of(entry: dict[str, Any], plan: Sequence[dict[str, Any]]) -> list[tuple[Slice, str]]:
    """The parts of inputs that a shard was made of, each with its hash."""
    sizes = {part["file"]: part["size"] for part in plan}
    return [
        (Slice(one["file"], one["start"], one["end"], sizes[one["file"]], ""), one["sha256"])
        for one in entry["inputs"]
    ]
