"""Files of texts to ids, and files that appear whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
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


def _read_file(path: Any) -> bytes:
    """The content of an ordinary file. A number is no path, though ``open`` takes one for an open file."""
    return _tessella.read_file(os.fsdecode(path))


def _write_together(folder: Any, files: Mapping[str, bytes]) -> list[str]:
    """Writes files of one folder, of which a reader sees all or none; gives their paths."""
    _tessella.write_together(os.fsdecode(folder), list(files.items()))
    return [os.path.join(os.fsdecode(folder), *name.split("/")) for name in files]


@contextlib.contextmanager
def _replacing_together(*targets: str) -> Iterator[tuple[IO[bytes], ...]]:
    """Files that take the places of ``targets`` when the block ends well, and vanish when it does not.

    What is there and no ordinary file, a device or a pipe, is written to: a file must not take its place. The
    engine's writer does all this, see ``atomic`` in ``crates/tessella-formats``.
    """
    made: list[_tessella.Replacing] = []
    try:
        with contextlib.ExitStack() as stack:
            files = []
            for target in targets:
                made.append(_tessella.Replacing(target))
                files.append(stack.enter_context(os.fdopen(made[-1].descriptor(), "wb")))
            yield tuple(files)
        _tessella.commit(made)
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
    with _replacing_together(target, f"{target}.offsets") as (ids_file, offsets_file):
        offsets_file.write(np.zeros(1, "<i8").tobytes())
        for batch in batches:
            ids_file.write(batch.ids.astype("<u4", copy=False).data)
            offsets_file.write((batch.offsets[1:] + end).astype("<i8", copy=False).data)
            end += int(batch.offsets[-1])
    mapped = np.memmap(target, "<u4", "r") if end else np.empty(0, np.uint32)
    return RaggedIds(mapped, np.memmap(f"{target}.offsets", "<i8", "r"))
