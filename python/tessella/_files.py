"""Text files to ids."""

from __future__ import annotations

import codecs
import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

from .errors import ArgumentError, FormatError
from .ragged import RaggedIds

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

# Text is encoded in portions of about this many characters, so that memory stays bounded.
PORTION = 1 << 24


def _not_utf8(path: Any) -> FormatError:
    """The error for a file that is not UTF-8, with the place of the first byte that is wrong."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    place = lines = 0
    found = "its end is missing"
    with open(path, "rb") as file:
        while portion := file.read(1 << 20):
            # Bytes that the decoder holds back from the portion before.
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(portion)
            except UnicodeDecodeError as error:
                lines += portion.count(b"\n", 0, max(error.start - held, 0))
                place += error.start - held
                found = f"{error.object[error.start]:#04x} at byte {place}, line {lines + 1}"
                break
            place += len(portion)
            lines += portion.count(b"\n")
    refused = FormatError(f"{os.fspath(path)} is not UTF-8: {found}; convert the file first")
    refused.filename = os.fspath(path)
    return refused


def _texts(path: Any, separator: str | None) -> Iterator[str]:
    """The texts of one file."""
    try:
        yield from _decoded(path, separator)
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error


def _decoded(path: Any, separator: str | None) -> Iterator[str]:
    if separator is None:
        with open(path, encoding="utf-8", newline="") as file:
            yield file.read()
        return
    if not separator:
        raise ArgumentError("`separator` must not be empty; None makes every file one text")
    with open(path, encoding="utf-8", newline="") as file:
        rest = ""
        while portion := file.read(PORTION):
            *whole, rest = (rest + portion).split(separator)
            yield from whole
        if rest:
            yield rest


def _portions(paths: list[Any], separator: str | None) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path in paths:
        for text in _texts(path, separator):
            batch.append(text)
            size += len(text) + 1
            if size >= PORTION:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _read_file(path: Any) -> bytes:
    """The content of an ordinary file; a number is no path, though ``open`` would take it for an open file."""
    from . import _tessella

    return _tessella.read_file(os.fsdecode(path))


def _write_together(folder: Any, files: Mapping[str, bytes]) -> list[str]:
    """Writes files of one folder, of which a reader sees all or none; gives their paths."""
    from . import _tessella

    _tessella.write_together(os.fsdecode(folder), list(files.items()))
    return [os.path.join(os.fsdecode(folder), *name.split("/")) for name in files]


@contextlib.contextmanager
def _replacing_together(*targets: str) -> Iterator[tuple[IO[bytes], ...]]:
    """Files that take the places of ``targets`` when the block ends well, and vanish when it does not.

    What is there and no ordinary file, a device or a pipe, is written to: a file must not take its place. The
    engine's writer does all this, see ``atomic`` in ``crates/tessella-formats``.
    """
    from ._tessella import Replacing, commit

    made: list[Replacing] = []
    try:
        with contextlib.ExitStack() as stack:
            files = []
            for target in targets:
                made.append(Replacing(target))
                files.append(stack.enter_context(os.fdopen(made[-1].descriptor(), "wb")))
            yield tuple(files)
        commit(made)
    except BaseException:
        for one in made:
            one.abandon()
        raise


@contextlib.contextmanager
def _replacing(target: str) -> Iterator[IO[bytes]]:
    """A file that takes the place of ``target`` when the block ends well; see ``_replacing_together``."""
    with _replacing_together(target) as (file,):
        yield file


def encode_files(
    tokenizer: Tokenizer,
    paths: list[Any],
    separator: str | None,
    num_threads: int | None,
    out: Any,
    add_special_tokens: bool,
) -> RaggedIds:
    """See ``Tokenizer.encode_files``."""
    import numpy as np

    paths = [os.fspath(path) for path in paths]
    batches = (
        tokenizer.encode_ids_batch(texts, add_special_tokens, num_threads)
        for texts in _portions(paths, separator)
    )
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
    with _replacing_together(target, f"{target}.offsets") as (ids_file, offsets_file):
        offsets_file.write(np.zeros(1, "<i8").tobytes())
        for batch in batches:
            ids_file.write(batch.ids.astype("<u4", copy=False).data)
            offsets_file.write((batch.offsets[1:] + end).astype("<i8", copy=False).data)
            end += int(batch.offsets[-1])
    mapped = np.memmap(target, "<u4", "r") if end else np.empty(0, np.uint32)
    return RaggedIds(mapped, np.memmap(f"{target}.offsets", "<i8", "r"))
