"""Id maps as files: JSON to read, tensors for large ones."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import numpy as np

from .._files import _read_file, _replacing, _to_disk
from ..errors import FormatError
from . import safetensors
from .id_map import IdMap

_KIND = "tessella id map"
_VERSION = 1


def write(id_map: IdMap, path: str) -> None:
    """See ``IdMap.save``."""
    with ready(id_map, path):
        pass


@contextlib.contextmanager
def ready(id_map: IdMap, path: str) -> Iterator[None]:
    """A map that is on the disk when the block begins, and takes its place when the block ends well."""
    write = _write_tensors if path.lower().endswith(".safetensors") else _write_json
    with _replacing(path) as file:
        write(id_map, file)
        _to_disk(file)
        yield


def _write_json(id_map: IdMap, file: IO[bytes]) -> None:
    said = {
        "kind": _KIND,
        "version": _VERSION,
        "new_size": id_map.new_size,
        "is_exact": id_map.is_exact,
        "before": id_map.before,
        "after": id_map.after,
        "unsure": sorted(id_map.unsure),
        "new_ids": list(id_map),
        "removed": {str(old): list(id_map.decomposition(old)) for old in id_map.removed_ids},
        "new": {str(new): list(id_map.constituents(new)) for new in id_map.new_ids},
    }
    file.write(json.dumps(said, separators=(",", ":")).encode("utf-8"))


def read(path: str) -> IdMap:
    """See ``IdMap.load``."""
    try:
        if path.lower().endswith(".safetensors"):
            return _read_tensors(path)
        said = json.loads(_read_file(path))
        _check(said)
        return IdMap(
            said["new_ids"],
            removed={int(old): parts for old, parts in said["removed"].items()},
            new={int(new): parts for new, parts in said["new"].items()},
            new_size=said["new_size"],
            is_exact=said["is_exact"],
            unsure=said["unsure"],
            before=said["before"],
            after=said["after"],
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path} holds no id map ({type(error).__name__}: {error})") from error


def _check(said: Mapping[str, Any]) -> None:
    if said["kind"] != _KIND:
        raise ValueError(f"its kind is {said['kind']!r}")
    if int(said["version"]) != _VERSION:
        raise ValueError(f"its version is {said['version']}, known is {_VERSION}")


def _rows(rows: Iterable[tuple[int, ...]]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    listed = list(rows)
    ends = np.cumsum([0, *map(len, listed)]).astype(np.int64)
    return np.array([one for row in listed for one in row], np.int64), ends


def _write_tensors(id_map: IdMap, file: IO[bytes]) -> None:
    removed, removed_at = _rows(map(id_map.decomposition, id_map.removed_ids))
    new, new_at = _rows(map(id_map.constituents, id_map.new_ids))
    arrays = {
        "new_ids": id_map.table,
        "removed": np.array(id_map.removed_ids, np.int64),
        "removed_parts": removed,
        "removed_offsets": removed_at,
        "new": np.array(id_map.new_ids, np.int64),
        "new_parts": new,
        "new_offsets": new_at,
        "unsure": np.array(sorted(id_map.unsure), np.int64),
    }
    metadata = {
        "kind": _KIND,
        "version": str(_VERSION),
        "new_size": str(id_map.new_size),
        "is_exact": str(id_map.is_exact).lower(),
        **{name: value for name in ("before", "after") if (value := getattr(id_map, name)) is not None},
    }
    safetensors.save(file, arrays, metadata)


def _read_tensors(path: str) -> IdMap:
    arrays, metadata = safetensors.load(path)
    _check(metadata)

    def rows(name: str) -> dict[int, list[int]]:
        parts, ends = arrays[f"{name}_parts"].tolist(), arrays[f"{name}_offsets"].tolist()
        return {one: parts[ends[at] : ends[at + 1]] for at, one in enumerate(arrays[name].tolist())}

    return IdMap(
        arrays["new_ids"],
        removed=rows("removed"),
        new=rows("new"),
        new_size=int(metadata["new_size"]),
        is_exact=metadata["is_exact"] == "true",
        unsure=arrays["unsure"].tolist(),
        before=metadata.get("before"),
        after=metadata.get("after"),
    )
