"""A look at token files: what is in a folder, and whether it is still what was written.

``verify`` reads every file again and compares its SHA-256 with the manifest. With the tokenizer it also makes
some shards again from their inputs, in a folder of its own, and compares what comes out: that shows a
manifest that belongs to other inputs, and a tokenizer that is not the one.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._given import path_name
from ..errors import ArgumentError
from ._fingerprint import fingerprint
from .found import STDIN
from .job import Job, input_found, make, repeats_name
from .manifest import read_manifest
from .places import Place, opened, place
from .plan import Shard, Slice
from .settings import Settings
from .shuffling import drawn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .._types import AnyTokenizer, Path


PORTION = 1 << 20


@dataclass(frozen=True)
class Verified:
    """What ``verify`` has found.

    Attributes:
        files: files that were read again.
        bytes: their bytes.
        remade: shards that were made again.
        problems: what is not as it should be, in words; empty where all is well.
    """

    files: int
    bytes: int
    remade: list[int]
    problems: list[str]

    def __bool__(self) -> bool:
        return not self.problems


def manifest_of(path: Path) -> tuple[Place, dict[str, Any]]:
    """The place of a folder of token files, and its manifest."""
    target = place(path_name("path", path, "a folder of token files"))
    manifest = read_manifest(target)
    if manifest is None:
        raise ArgumentError(
            f"{target.path} has no manifest.json: it is no complete folder of tokenize_corpus"
        )
    return target, manifest


def verify(path: Path, tokenizer: AnyTokenizer | None = None, *, sample: int = 1, seed: int = 0) -> Verified:
    """Compares the files of a folder with its manifest.

    Args:
        path: the folder, or a URL.
        tokenizer: the tokenizer that made them; with it some shards are made again and compared.
        sample: how many shards, drawn from the seed.
        seed: the seed.
    """
    target, manifest = manifest_of(path)
    files = [*manifest["files"], *(file for entry in manifest["shards"] for file in entry["files"])]
    problems = [found for file in files for found in _file(target, file)]
    remade: list[int] = []
    if tokenizer is not None:
        now = fingerprint(tokenizer)
        if now != manifest["tokenizer"]:
            problems.append(f"made with the tokenizer {manifest['tokenizer'][:16]}, this one is {now[:16]}")
        else:
            remade = drawn(len(manifest["shards"]), sample, seed)
            for index in remade:
                problems += _again(target, tokenizer, manifest, index)
    return Verified(len(files), sum(file["bytes"] for file in files), remade, problems)


def _file(target: Place, file: dict[str, Any]) -> list[str]:
    name = target.of(file["name"])
    digest, size = hashlib.sha256(), 0
    try:
        with opened(name) as content:
            while some := content.read(PORTION):
                digest.update(some)
                size += len(some)
    except FileNotFoundError:
        return [f"{name} is missing"]
    if size != file["bytes"]:
        return [f"{name} has {size} bytes, the manifest tells {file['bytes']}"]
    if digest.hexdigest() != file["sha256"]:
        return [f"{name} has other bytes than were written: its SHA-256 is {digest.hexdigest()}"]
    return []


def _again(target: Place, tokenizer: AnyTokenizer, manifest: dict[str, Any], index: int) -> list[str]:
    """Makes a shard again and compares it with what the manifest tells."""
    entry = manifest["shards"][index]
    settings = Settings.from_told(manifest["settings"])
    slices = []
    for one in manifest["plan"][index]:
        if one["file"] == STDIN:
            return [f"shard {index} came from standard input and cannot be made again"]
        try:
            found = input_found(settings, one["file"])
        except FileNotFoundError:
            return [f"the input {one['file']} of shard {index} is missing"]
        if found.size != one["size"]:
            return [f"the input {one['file']} had {one['size']} bytes and has {found.size}"]
        slices.append(Slice(one["file"], one["start"], one["end"], found.size, found.stamp))
    with tempfile.TemporaryDirectory(prefix="tessella-") as folder:
        job = Job(tokenizer, manifest["tokenizer"], settings, folder)
        made = make(job, Shard(index, tuple(slices)), left_out=_left_out(target, settings, index))
    found_problems = []
    counts = (entry.get("duplicates"), made.get("duplicates"))
    if counts[0] != counts[1]:
        found_problems.append(f"shard {index} has {counts[1]} duplicates, the manifest tells {counts[0]}")
    for before, now in zip(entry["inputs"], made["inputs"], strict=True):
        if before["sha256"] != now["sha256"]:
            found_problems.append(
                f"the input {before['file']} has other bytes than shard {index} was made of"
            )
    if not found_problems and made["files"] != entry["files"]:
        found_problems.append(f"shard {index}, made again, is not what was written")
    return found_problems


def _left_out(target: Place, settings: Settings, index: int) -> npt.NDArray[np.uint64] | None:
    """The documents of a shard that were left out, as a file beside it tells."""
    import numpy as np

    if settings.dedup is None:
        return None
    with opened(target.of(repeats_name(index))) as file:
        rows: npt.NDArray[np.uint64] = np.load(io.BytesIO(file.read()), allow_pickle=False)
        return rows
