"""The files of a shard on their way: hashed as they are written, and there all at once.

A layout opens files by name and writes to them. ``commit`` puts all of them under their names, and says how
many bytes each has and their SHA-256. Until then nothing of them can be seen, and when the process dies
nothing stays.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from typing import IO, Any

from .._files import _Replacements
from .places import LocalPlace, Place, RemotePlace, naming

#: Bytes that are read at a time to be hashed again.
PORTION = 1 << 20


class Output:
    """One file on its way."""

    def __init__(self, name: str, target: str, file: IO[bytes]) -> None:
        self.name, self._target, self._file = name, target, file
        self._hash = hashlib.sha256()
        self._patches: list[tuple[int, bytes]] = []
        self.size = 0

    # `Any`: whatever has a buffer.
    def write(self, content: Any) -> int:
        """Appends bytes; an array is written as it lies in memory."""
        view = memoryview(content)
        if view.nbytes:
            view = view.cast("B")
            self._hash.update(view)
            with naming(self._target):
                self._file.write(view)
            self.size += view.nbytes
        return view.nbytes

    def tell(self) -> int:
        """The bytes written so far."""
        return self.size

    def patch(self, offset: int, content: bytes) -> None:
        """Bytes that take the place of others of the same length, when all are written: a count in a head."""
        self._patches.append((offset, content))

    def close(self) -> dict[str, Any]:
        """Ends the writing; gives what the manifest says of the file."""
        with naming(self._target):
            if self._patches:
                for offset, content in self._patches:
                    self._file.seek(offset)
                    self._file.write(content)
                self._file.flush()
                self._hash = self._again()
            self._file.flush()
        return {"name": self.name, "bytes": self.size, "sha256": self._hash.hexdigest()}

    def _again(self) -> Any:
        """The hash of what is there now."""
        hash, descriptor = hashlib.sha256(), self._file.fileno()
        os.lseek(descriptor, 0, os.SEEK_SET)
        while content := os.read(descriptor, PORTION):
            hash.update(content)
        return hash


class Outputs:
    """The files of one shard."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._open: list[Output] = []
        self._local = _Replacements()
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        if isinstance(place, RemotePlace):
            self._scratch = tempfile.TemporaryDirectory(prefix="tessella-")

    def open(self, name: str) -> Output:
        """A new file of this name in the place."""
        if isinstance(self._place, LocalPlace):
            target = local = self._place.of(name)
        else:
            assert self._scratch is not None
            target, local = self._place.of(name), os.path.join(self._scratch.name, name)
        self._open.append(Output(name, target, self._local.open(local)))
        return self._open[-1]

    def commit(self) -> list[dict[str, Any]]:
        """Puts all files under their names; gives what the manifest says of them."""
        told = [output.close() for output in self._open]
        with naming(self._place.path):
            self._local.commit()
        if isinstance(self._place, RemotePlace):
            assert self._scratch is not None
            for output in self._open:
                self._place.upload(os.path.join(self._scratch.name, output.name), output.name)
            self._scratch.cleanup()
        return told

    def abandon(self) -> None:
        """Forgets all files."""
        self._local.abandon()
        if self._scratch is not None:
            self._scratch.cleanup()
