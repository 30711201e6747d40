"""A part of a file as a stream of whole lines, hashed while it is read.

The hash is that of the bytes from ``start`` to ``end``, whatever lines they cut; a line that begins in the
part is read to its end, and one that began before is left to the part before. So parts that lie side by side
give every line once, and the hash of a part can be told without knowing the others.

A file that is not what it was when the run was planned is refused: half of an old file and half of a new one
would be neither.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Iterator
from typing import IO

from ..errors import FormatError
from .found import STDIN
from .places import opened, stamp
from .plan import Slice

PORTION = 1 << 20


class SliceStream:
    """The lines of a slice, or all of a file.

    Args:
        file: the file, at its beginning.
        part: which part of it.
    """

    def __init__(self, file: IO[bytes], part: Slice) -> None:
        self._file, self._part = file, part
        self._hash = hashlib.sha256()
        self._at = part.start
        # Whether what is left of the last line is still to be read.
        self._is_open_line = False
        #: Bytes read so far.
        self.read_bytes = 0
        if part.start:
            self._skip()
        #: The byte of the file that the first line given begins at.
        self.first = self._at

    def _skip(self) -> None:
        """Leaves the line out that began before."""
        self._file.seek(self._part.start - 1)
        if self._file.read(1) == b"\n":
            return
        while self._at < self._part.end:
            line = self._file.readline(min(PORTION, self._part.end - self._at))
            if not line:
                raise changed(self._part.path, "it is shorter now")
            self._hash.update(line)
            self._at += len(line)
            if line.endswith(b"\n"):
                return

    def read(self, size: int = PORTION) -> bytes:
        """The next bytes, none at the end."""
        size = PORTION if size < 0 else size
        if self._part.end < 0:
            return self._some(size)
        if self._at < self._part.end:
            content = self._some(min(size, self._part.end - self._at))
            if not content:
                raise changed(self._part.path, "it is shorter now")
            self._is_open_line = not content.endswith(b"\n")
            return content
        if self._part.end == self._part.size:
            if self._file.read(1):
                raise changed(self._part.path, "it is longer now")
            return b""
        if not self._is_open_line:
            return b""
        rest = self._file.readline(size)
        self._is_open_line = bool(rest) and not rest.endswith(b"\n")
        self.read_bytes += len(rest)
        return rest

    def _some(self, size: int) -> bytes:
        content = self._file.read(size)
        self._hash.update(content)
        self._at += len(content)
        self.read_bytes += len(content)
        return content

    @property
    def digest(self) -> str:
        """The SHA-256 of the part's bytes, once all is read. What a packed file has behind its end counts."""
        while self._at < self._part.end:
            if not self._some(min(PORTION, self._part.end - self._at)):
                raise changed(self._part.path, "it is shorter now")
        return self._hash.hexdigest()


def changed(path: str, how: str) -> FormatError:
    """An input is not what it was."""
    return FormatError(
        f"{path} changed while it was read: {how}; nothing of this shard was kept. "
        "Run again when nobody writes to it, into a new folder if parts of it are in finished shards",
        filename=path,
    )


def check_unchanged(part: Slice) -> None:
    """Refuses a file that is not what it was when the run was planned."""
    if part.path == STDIN:
        return
    size, now = stamp(part.path)
    if size != part.size:
        raise changed(part.path, f"it had {part.size} bytes and has {size}")
    if part.stamp and now != part.stamp:
        raise changed(part.path, "it was written to")


@contextlib.contextmanager
def reading(part: Slice) -> Iterator[IO[bytes]]:
    """The file of a slice, which must be the same before and after."""
    if part.path == STDIN:
        yield sys.stdin.buffer
        return
    check_unchanged(part)
    try:
        with opened(part.path) as file:
            yield file
    except FormatError:
        # What is wrong with it may be that somebody writes to it.
        check_unchanged(part)
        raise
    check_unchanged(part)


def hash_of(part: Slice) -> str:
    """The SHA-256 of the bytes of a part.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a.txt")
        ...     with open(path, "wb") as file:
        ...         _ = file.write(b"tiles")
        ...     hash_of(Slice(path, 0, 5, 5, ""))[:16]
        'ad9243fa6fb22714'
    """
    digest = hashlib.sha256()
    with opened(part.path) as file:
        file.seek(part.start)
        left = part.end - part.start
        while left > 0 and (content := file.read(min(PORTION, left))):
            digest.update(content)
            left -= len(content)
    return digest.hexdigest()
