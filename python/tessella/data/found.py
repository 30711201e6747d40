"""What is read: names, folders and patterns become files with their sizes."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .._formats import LINES_ENDINGS, PACKED_ENDINGS
from .._given import path_name
from .._ordered import in_order
from ..errors import ArgumentError
from .places import is_remote, patiently, stamp, system

#: The name of standard input.
STDIN = "-"
_KINDS = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "csv",
    **dict.fromkeys(LINES_ENDINGS, "lines"),
    ".txt": "text",
    ".text": "text",
}
#: What files end with that are taken from a folder, also with `.gz`, `.zst` or `.zstd` behind it.
ENDINGS = tuple(_KINDS)


class Found(NamedTuple):
    """A file to read."""

    path: str
    #: Bytes as they lie there; -1 for standard input, whose size nobody knows.
    size: int
    #: What changes when the file does.
    stamp: str


def kind(path: str) -> str:
    """What a file holds, by its name: ``"parquet"``, ``"arrow"``, ``"csv"``, ``"lines"`` or ``"text"``.

    Example:
        >>> kind("part.jsonl.zst"), kind("part.parquet"), kind("notes")
        ('lines', 'parquet', 'text')
    """
    return _KINDS.get(_ending(path), "text")


def _ending(path: str) -> str:
    name = path.lower()
    for packed in PACKED_ENDINGS:
        name = name.removesuffix(packed)
    return os.path.splitext(name)[1]


def is_result(name: str) -> bool:
    """Whether a file in the folder of the results may be one of them, by its name.

    Example:
        >>> is_result("shard-00000.parquet"), is_result("manifest.json"), is_result("corpus.jsonl")
        (True, True, False)
    """
    return name.startswith("shard-") or name in ("manifest.json", "index.json")


def find(
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], out: str | None = None
) -> list[Found]:
    """The files of paths, folders, patterns and URLs, in the order given; those of a folder or a pattern by
    their names.

    Args:
        inputs: what the caller names.
        out: the folder of the results, which are left out of folders and patterns that it is in.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("b.txt", "a.jsonl", "README"):
        ...         with open(os.path.join(folder, name), "w") as file:
        ...             _ = file.write("text")
        ...     [os.path.basename(one.path) for one in find(folder)]
        ['a.jsonl', 'b.txt']
    """
    if isinstance(inputs, (str, os.PathLike)):
        given = [inputs]
    else:
        given = in_order("inputs", inputs, "a path or a list of paths")
    if not given:
        raise ArgumentError("there are no inputs: name files, folders or patterns")
    names = [path_name("inputs", one) for one in given]
    if STDIN in names and len(names) > 1:
        raise ArgumentError("standard input is read alone: leave the other inputs or - out")
    return [found for name in names for found in _one(name.removeprefix("file://"), out)]


def _is_own(path: str, out: str | None) -> bool:
    """Whether a file is a result of the run itself, of an earlier start of it for one."""
    folder, _, name = path.replace(os.sep, "/").rpartition("/")
    if out is None or not is_result(name):
        return False
    if is_remote(path) or is_remote(out):
        return folder == out.rstrip("/")
    return os.path.realpath(folder) == os.path.realpath(out)


def _is_loop(path: str) -> bool:
    """Whether a link on the way leads back to a folder that was passed: the file is found without it."""
    passed, folder = set(), os.path.dirname(os.path.abspath(path))
    while folder != os.path.dirname(folder):
        real = os.path.realpath(folder)
        if real in passed:
            return True
        passed.add(real)
        folder = os.path.dirname(folder)
    return False


def _one(name: str, out: str | None) -> Iterator[Found]:
    if name == STDIN:
        yield Found(name, -1, "")
    elif is_remote(name):
        yield from _remote(name, out)
    elif os.path.isdir(name):
        yield from _folder(name, out)
    elif not os.path.exists(name) and glob.has_magic(name):
        paths = [
            path
            for path in sorted(glob.glob(name, recursive=True))
            if os.path.isfile(path) and not _is_own(path, out) and not ("**" in name and _is_loop(path))
        ]
        if not paths:
            raise FileNotFoundError(errno.ENOENT, "no file fits the pattern", name)
        yield from (Found(path, *stamp(path)) for path in paths)
    else:
        if os.path.exists(name) and not os.path.isfile(name):
            raise ArgumentError(
                f"{name} is a pipe or a device, which has no size and is read only once: give it as standard "
                f"input, `- < {name}`"
            )
        yield Found(name, *stamp(name))


def _folder(name: str, out: str | None) -> Iterator[Found]:
    paths: list[str] = []
    for folder, inner, files in os.walk(name):
        # Hidden ones, and what other programs keep there for themselves.
        inner[:] = [one for one in inner if not one.startswith((".", "_"))]
        taken = [os.path.join(folder, one) for one in files if _is_taken(one)]
        paths += [path for path in taken if not _is_own(path, out)]
    if not paths:
        raise ArgumentError(f"the folder {name} has no file that ends with {', '.join(ENDINGS)}")
    yield from (Found(path, *stamp(path)) for path in sorted(paths))


def _is_taken(name: str) -> bool:
    return not name.startswith((".", "_")) and _ending(name) in ENDINGS


def _remote(url: str, out: str | None) -> Iterator[Found]:
    filesystem, inner = system(url)
    scheme = url.partition("://")[0]
    if glob.has_magic(url):
        paths = sorted(patiently(lambda: filesystem.glob(inner)))
    elif scheme in ("http", "https"):
        yield Found(url, *stamp(url))
        return
    elif patiently(lambda: filesystem.isdir(inner)):
        found = patiently(lambda: filesystem.find(inner))
        paths = sorted(path for path in found if _is_taken(path.rpartition("/")[2]))
    else:
        paths = [inner]
    if not paths:
        raise FileNotFoundError(errno.ENOENT, "no such file, folder or pattern", url)
    is_named = paths == [inner]
    for path in paths:
        whole = path if is_remote(path) else f"{scheme}://{path.lstrip('/') if scheme != 'memory' else path}"
        if is_named or not _is_own(whole, out):
            yield Found(whole, *stamp(whole))
