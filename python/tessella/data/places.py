"""Where files lie: folders of this machine, and object storage.

A ``Place`` is the folder that results go to. On this machine files go through Tessella's one writer, so that
a name stands for a whole file or for none. In object storage (``s3://``, ``gs://``, ``hf://`` and whatever
else ``fsspec`` knows) a file is made here first and uploaded when it is whole, which is atomic there: an
object exists when its upload has ended.

``fsspec`` and not ``obstore``: it knows every place that data lies in, with the credentials that users have
set up already, and ``obstore`` can be plugged in behind it.

Requests that fail since the other side is busy are made again, with longer and longer pauses.
"""

from __future__ import annotations

import abc
import contextlib
import errno
import io
import os
import re
import time
from collections.abc import Callable, Iterator
from typing import IO, Any, TypeVar

from .._files import _read_file, _replacing
from .._optional import needed

T = TypeVar("T")

#: How often a request is made, and the first pause in seconds, which doubles.
ATTEMPTS = 6
PAUSE = 0.25
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_remote(path: str) -> bool:
    """Whether a path is a URL of another place than this machine's disk.

    Example:
        >>> is_remote("s3://bucket/corpus"), is_remote("/data/corpus"), is_remote("C:\\\\data")
        (True, False, False)
    """
    return _SCHEME.match(path) is not None and not path.startswith("file://")


def system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    fsspec = needed("fsspec", "storage", f"{url}: object storage")
    scheme = url.partition("://")[0]
    try:
        filesystem, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        from ..errors import MissingDependencyError

        raise MissingDependencyError(f"reading {scheme}:// needs another package: {error}") from error
    return filesystem, path


#: What says that the other side is busy or gone for a moment, in the names and texts of its errors.
_BUSY = re.compile(
    r"slow.?down|throttl|too many requests|service.?unavailable|internal.?error|bad gateway|gateway time"
    r"|timeout|timed out|connection (reset|closed|aborted)|endpoint|\b(429|500|502|503|504)\b",
    re.IGNORECASE,
)


def patiently(request: Callable[[], T]) -> T:
    """Makes a request again while the other side is busy. What it refuses for good is raised at once."""
    for attempt in range(ATTEMPTS):
        try:
            return request()
        except (FileNotFoundError, PermissionError, IsADirectoryError):
            raise
        except Exception as error:
            said = f"{type(error).__name__} {error} {error.__cause__ or ''}"
            if attempt + 1 == ATTEMPTS or not _BUSY.search(said):
                raise
            time.sleep(PAUSE * 2**attempt)
    raise AssertionError("the last attempt returns or raises")


def stamp(path: str) -> tuple[int, str]:
    """The size of a file, and what changes when the file does."""
    if not is_remote(path):
        found = os.stat(path)
        return found.st_size, str(found.st_mtime_ns)
    filesystem, inner = system(path)
    # A listing that was remembered would hide a change.
    filesystem.invalidate_cache()
    info = patiently(lambda: filesystem.info(inner))
    signs = [info.get(key) for key in ("ETag", "etag", "md5Hash", "LastModified", "last_modified", "mtime")]
    return int(info["size"]), str(next((sign for sign in signs if sign), ""))


@contextlib.contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """A file to read, wherever it lies."""
    if not is_remote(path):
        with open(path, "rb") as file:
            yield file
        return
    filesystem, inner = system(path)
    file = patiently(lambda: filesystem.open(inner, "rb", block_size=8 << 20))
    with file, io.BufferedReader(_Patient(file), 1 << 20) as buffered:
        yield buffered


class _Patient(io.RawIOBase):
    """A file elsewhere, whose reads are made again while the other side is busy."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    # `Any`: whatever has a buffer that can be written to.
    def readinto(self, buffer: Any) -> int:
        before = self._file.tell()

        def attempt() -> bytes:
            self._file.seek(before)
            return bytes(self._file.read(len(buffer)))

        content = patiently(attempt)
        buffer[: len(content)] = content
        return len(content)


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """What the system refuses names the file, also where it was told of an open one only."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), path) from None


class Place(abc.ABC):
    """A folder that results lie in."""

    def __init__(self, path: str) -> None:
        self.path = path

    @abc.abstractmethod
    def of(self, name: str) -> str:
        """The path or URL of a file in it."""

    @abc.abstractmethod
    def make(self) -> None:
        """Makes the folder."""

    @abc.abstractmethod
    def read(self, name: str) -> bytes | None:
        """The content of a small file, ``None`` where there is none."""

    @abc.abstractmethod
    def write(self, name: str, content: bytes) -> None:
        """Writes a small file as a whole."""

    @abc.abstractmethod
    def sizes(self, folder: str = "") -> dict[str, int]:
        """The files in it, or in a folder in it, with their sizes."""

    @abc.abstractmethod
    def remove(self, name: str) -> None:
        """Removes a file; it may be missing."""

    @abc.abstractmethod
    def remove_folder(self, name: str) -> None:
        """Removes a folder in it with all of its files; it may be missing."""


class LocalPlace(Place):
    """A folder of this machine."""

    def of(self, name: str) -> str:
        return os.path.join(self.path, *name.split("/"))

    def make(self) -> None:
        try:
            os.makedirs(self.path, exist_ok=True)
        except FileExistsError:
            said = "a file stands where the folder of the results would be made; name another"
            raise FileExistsError(errno.EEXIST, said, self.path) from None

    def read(self, name: str) -> bytes | None:
        try:
            return _read_file(self.of(name))
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        path = self.of(name)
        with naming(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with _replacing(path) as file:
                file.write(content)

    def sizes(self, folder: str = "") -> dict[str, int]:
        found: dict[str, int] = {}
        with (
            contextlib.suppress(FileNotFoundError),
            os.scandir(self.of(folder) if folder else self.path) as all,
        ):
            for entry in all:
                if entry.is_file():
                    found[entry.name] = entry.stat().st_size
        return found

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.of(name))

    def remove_folder(self, name: str) -> None:
        import shutil

        # Two processes may remove one folder; what one of them has open may have to stay (Windows).
        shutil.rmtree(self.of(name), ignore_errors=True)


class RemotePlace(Place):
    """A prefix of an object storage."""

    def __init__(self, path: str) -> None:
        super().__init__(path.rstrip("/"))
        self.system, self._root = system(self.path)

    def of(self, name: str) -> str:
        return f"{self.path}/{name}"

    def inner(self, name: str) -> str:
        """The path of a file in its file system."""
        return f"{self._root}/{name}"

    def make(self) -> None:
        """Nothing: a prefix needs no making."""

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(patiently(lambda: self.system.cat_file(self.inner(name))))
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        patiently(lambda: self.system.pipe_file(self.inner(name), content))

    def upload(self, local: str, name: str) -> None:
        """A file of this machine, as a whole."""
        patiently(lambda: self.system.put_file(local, self.inner(name)))

    def sizes(self, folder: str = "") -> dict[str, int]:
        self.system.invalidate_cache()
        inner = self.inner(folder) if folder else self._root
        try:
            found = patiently(lambda: self.system.ls(inner, detail=True))
        except FileNotFoundError:
            return {}
        return {
            one["name"].rpartition("/")[2]: int(one["size"] or 0) for one in found if one["type"] == "file"
        }

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            patiently(lambda: self.system.rm(self.inner(name)))

    def remove_folder(self, name: str) -> None:
        for one in self.sizes(name):
            self.remove(f"{name}/{one}")


def place(path: str) -> Place:
    """The place of a path or URL."""
    if is_remote(path):
        return RemotePlace(path)
    return LocalPlace(os.path.abspath(path.removeprefix("file://")))
