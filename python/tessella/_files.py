"""Files of texts to ids, and files that appear whole."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from . import _tessella
from ._corpus import _lists, files, parts
from ._texts import Reading, flat
from .ragged import RaggedIds

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

#: Text is encoded in portions of about this many bytes, so that memory stays bounded.
PORTION = 1 << 24


def _batches(
    tokenizer: Tokenizer, paths: list[Any], reading: Reading, special: bool, threads: int | None
) -> Iterator[RaggedIds]:
    """The ids of the texts of files, portion by portion."""
    for part in parts(files(paths), None, None, reading):
        if part.files:
            texts = _tessella.TextFiles(part.files, **reading.options)
            while (found := texts.encode(tokenizer, PORTION, special, threads)) is not None:
                yield RaggedIds(*found)
            continue
        for some in _lists(flat(part.texts, reading.field, reading.errors), PORTION, PORTION):
            yield tokenizer.encode_ids_batch(some, special, threads)


def _beside(folder: str, name: str, mode: int) -> tuple[int, str]:
    """A new file in a folder, open for writing, and its path; the process's mask is taken off its mode."""
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        # As `tempfile` names its files; those are only for their owner, and the permissions of a new file
        # cannot be asked for without changing them for all threads.
        path = os.path.join(folder, f".{name}.{secrets.token_hex(6)}")
        with contextlib.suppress(FileExistsError):
            return os.open(path, flags, mode), path


@contextlib.contextmanager
def _replacing(target: str) -> Iterator[IO[bytes]]:
    """A file that takes the place of `target` when the block ends well, and vanishes when it does not.

    Who may read and write it stays as it was for the file that it replaces.

    What is there and no ordinary file, a device or a pipe, is written to: a file must not take its place.
    """
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            yield file
        return
    folder, name = os.path.split(os.path.realpath(target))
    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
    if mode is not None and not mode & 0o222:
        raise PermissionError(errno.EACCES, "the file is read-only", target)
    try:
        # Never more open to others than what it replaces, not even while it is written.
        handle, temporary = _beside(folder, name, 0o666 if mode is None else mode & 0o777)
    except OSError as error:
        # The name that the caller knows.
        raise OSError(error.errno, os.strerror(error.errno or 0), target) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, os.path.join(folder, name))
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def encode_files(
    tokenizer: Tokenizer,
    paths: list[Any],
    reading: Reading,
    num_threads: int | None,
    out: Any,
    add_special_tokens: bool,
) -> RaggedIds:
    """See ``Tokenizer.encode_files``."""
    import numpy as np

    batches = _batches(tokenizer, paths, reading, add_special_tokens, num_threads)
    if out is None:
        ids, offsets = [np.empty(0, np.uint32)], [np.zeros(1, np.int64)]
        for batch in batches:
            ids.append(batch.ids)
            offsets.append(batch.offsets[1:] + offsets[-1][-1])
        return RaggedIds(np.concatenate(ids), np.concatenate(offsets))
    target = os.fsdecode(out)
    end = 0
    # Written beside the target and moved there when whole: a failed run leaves nothing, and a result that
    # still maps an older file of the same name keeps it.
    with _replacing(target) as ids_file, _replacing(f"{target}.offsets") as offsets_file:
        offsets_file.write(np.zeros(1, "<i8").tobytes())
        for batch in batches:
            ids_file.write(batch.ids.astype("<u4", copy=False).data)
            offsets_file.write((batch.offsets[1:] + end).astype("<i8", copy=False).data)
            end += int(batch.offsets[-1])
    mapped = np.memmap(target, "<u4", "r") if end else np.empty(0, np.uint32)
    return RaggedIds(mapped, np.memmap(f"{target}.offsets", "<i8", "r"))
