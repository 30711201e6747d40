"""Files of texts to ids, and files that appear whole."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

from . import _tessella
from ._ahead import PORTION, Encoding
from ._corpus import Stream, files, in_lists, parts
from ._progress import Meter
from ._shown import written
from ._texts import Reading, flat
from .errors import ArgumentError, TessellaError
from .ragged import RaggedIds

if TYPE_CHECKING:
    from ._types import ProgressFormat
    from .tokenizer import Tokenizer


def _batches(
    tokenizer: Tokenizer,
    paths: list[Any],
    reading: Reading,
    special: bool,
    as_text: bool | None,
    threads: int | None,
    progress: ProgressFormat,
) -> Iterator[RaggedIds]:
    """The ids of the texts of files, portion by portion."""
    read = list(parts(files(paths), None, None, reading))
    sizes = [part.size for part in read]
    total = sum(sizes) if all(sizes) else 0
    before = 0
    meter = Meter("encode", progress)
    try:
        for part in read:
            if part.files:
                texts = _tessella.TextFiles(part.files, **reading.options)
                for found in Encoding(tokenizer, special, threads, as_text).of(texts):
                    meter.update(before + texts.position, total)
                    yield found
            else:
                for some in in_lists(flat(part.texts, reading.field, reading.errors), PORTION, PORTION):
                    yield tokenizer.encode_ids_batch(some, special, threads, encode_special_tokens=as_text)
            before += part.size
            meter.update(before, total)
    finally:
        meter.end()


class StreamIds:
    """The ids of the texts of one binary stream, portion by portion; its name says what form they have.

    Args:
        tokenizer: the tokenizer.
        stream: the stream.
        reading: how texts are read.
        special: whether the post-processor adds its special tokens.
        threads: how many threads work.
        skips: how many texts may be passed over that cannot be read or encoded.
        is_small: whether the stream is known to be short.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        stream: Stream,
        reading: Reading,
        special: bool,
        threads: int | None,
        skips: int,
        is_small: bool = False,
    ) -> None:
        self._texts = stream_texts(stream.name, stream.file, reading, skips)
        self._how, self._is_small = Encoding(tokenizer, special, threads), is_small

    def __iter__(self) -> Iterator[RaggedIds]:
        return self._how.of(self._texts, self._is_small)

    def skipped(self) -> list[tuple[int, int, str]]:
        """Line, byte and what is wrong of each text that was passed over since this was last asked."""
        return self._texts.skipped()


def stream_texts(name: str, file: Any, reading: Reading, skips: int) -> _tessella.TextFiles:
    """The texts of one binary stream, lists of them one after the other; arguments as for ``StreamIds``."""
    # Names of files may hold bytes that are no UTF-8; the reader tells a name and does not open it.
    return _tessella.TextFiles([(written(name), file)], skips=skips, **reading.options)


def check_packing(path: str, head: bytes) -> None:
    """Refuses a file whose name says that it is packed when its first bytes say that it is not.

    Example:
        >>> check_packing("a.jsonl.gz", b"\\x1f\\x8b\\x08\\x00")
        >>> check_packing("a.jsonl.gz", b'{"te')
        Traceback (most recent call last):
        tessella.errors.FormatError: a.jsonl.gz is named like a gzip file, but its first bytes are not \
those of one: unpack it again, or give it a name without that ending if it is text
    """
    _tessella.check_packing(written(path), head)


def check_fetched(path: str, head: bytes) -> None:
    """Refuses a pointer of Git LFS, by the first bytes of a file.

    Example:
        >>> check_fetched("a.jsonl", b'{"te')
        >>> check_fetched("a", b"version https://git-lfs.github.com/spec/v1\\noid sha256:a5\\nsize 62\\n")
        Traceback (most recent call last):
        tessella.errors.FormatError: this is a pointer of Git LFS, not the file itself, which has 62 bytes: \
fetch it with `git lfs pull`, or download it (at a)
    """
    _tessella.check_fetched(written(path), head)


def packing(head: bytes) -> str | None:
    """How a file is packed, by its first bytes: ``"gzip"``, ``"zstd"``, or not at all.

    Example:
        >>> packing(b"\\x1f\\x8b\\x08\\x00"), packing(b'{"te')
        ('gzip', None)
    """
    return _tessella.packing(head)


def check_rows(stream: Any, how: Reading) -> None:
    """Refuses standard input that begins with a row of JSON and would be read as text, braces and keys.

    A file says by its name that it holds rows, a stream has none.

    Args:
        stream: standard input, of which nothing was read.
        how: how it is about to be read.
    """
    peek = getattr(stream, "peek", None)
    if how.format != "auto" or peek is None or stream.isatty():
        return
    # Packed streams are looked into as well; what is cut off behind the first line does not matter.
    lines = Reading(errors="replace", separator="\n").options
    try:
        first = next(iter(_tessella.TextFiles([("standard input", io.BytesIO(peek(1)))], 1, **lines)))[0]
        is_row = isinstance(json.loads(first), dict)
    except (StopIteration, ValueError, OSError, RecursionError, TessellaError):
        return
    if is_row:
        raise ArgumentError(
            "standard input begins with an object of JSON: say `--input jsonl` (from Python format='jsonl', "
            "of `tokenize_corpus` input_format='jsonl') if each line holds a document, or 'text' if the JSON "
            "itself is the text"
        )


def encode_column(
    tokenizer: Tokenizer,
    content: Any,
    offsets: Any,
    special: bool,
    threads: int | None,
    specials_as_text: bool | None = None,
) -> RaggedIds | None:
    """The ids of texts whose bytes lie one after the other; ``None`` where some are not UTF-8.

    Args:
        tokenizer: the tokenizer.
        content: the bytes, an array.
        offsets: where each text begins, and the end.
        special: whether the post-processor adds its special tokens.
        threads: how many threads work.
        specials_as_text: whether special tokens in the texts are ordinary text; ``None`` for the
            tokenizer's setting.
    """
    found = _tessella.encode_column(tokenizer, content, offsets, special, threads, specials_as_text)
    return None if found is None else RaggedIds(*found)


def _read_file(path: Any) -> bytes:
    """The content of an ordinary file. A number is no path, though ``open`` takes one for an open file."""
    return _tessella.read_file(os.fsdecode(path))


def _write_together(folder: Any, files: Mapping[str, bytes], makes_folder: bool = False) -> list[str]:
    """Writes files of one folder, of which a reader sees all or none; gives their paths.

    With ``makes_folder``, one that is missing is made, and goes again if the files cannot be written.
    """
    _tessella.write_together(os.fsdecode(folder), list(files.items()), makes_folder)
    return [os.path.join(os.fsdecode(folder), *name.split("/")) for name in files]


@contextlib.contextmanager
def _made_folder(path: str) -> Iterator[None]:
    """A folder for what the block writes, made if it is missing, with those that it lies in.

    What was made goes again if the block fails, unless somebody has put something into it.
    """
    missing, above = [], os.path.abspath(path)
    while not os.path.lexists(above):
        missing.append(above)
        above = os.path.dirname(above)
    os.makedirs(path, exist_ok=True)
    try:
        yield
    except BaseException:
        for folder in missing:
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        raise


#: Bytes that are written to a file at a time; Python's own choice is the block of the disk, mostly 4 kB.
ROOM = 1 << 16


def _is_file(number: int) -> bool:
    """Whether what is open under a number is an ordinary file."""
    return stat.S_ISREG(os.fstat(number).st_mode)


class _Replacements:
    """Files on their way, opened as they are needed, that take their places together or not at all.

    What is there and no ordinary file, a device or a pipe, is written to: a file must not take its place. The
    engine's writer does all this, see ``atomic`` in ``crates/tessella-formats``.
    """

    def __init__(self) -> None:
        self._made: list[_tessella.Replacing] = []
        self._files = contextlib.ExitStack()

    def open(self, target: str) -> IO[bytes]:
        """A file that will be at ``target``."""
        self._made.append(_tessella.Replacing(target))
        number = self._made[-1].descriptor()
        # Who reads a pipe gets what is there as soon as ever.
        room = ROOM if _is_file(number) else -1
        return self._files.enter_context(os.fdopen(number, "wb", room))

    def commit(self) -> None:
        """Brings all to the disk and under their names."""
        self._files.close()
        _tessella.commit(self._made)

    def abandon(self) -> None:
        """Removes all."""
        # A full disk is full for what is still in a buffer, too.
        with contextlib.suppress(OSError):
            self._files.close()
        for one in self._made:
            one.abandon()


#: What is said where there is no room for more: these come from writing alone.
_FULL = {getattr(errno, name, errno.ENOSPC) for name in ("ENOSPC", "EDQUOT", "EFBIG")}


@contextlib.contextmanager
def _replacing_together(*targets: str) -> Iterator[tuple[IO[bytes], ...]]:
    """Files that take the places of ``targets`` when the block ends well, and vanish when it does not.

    Where there is no room for them the error names the one, or the folder of several: the system was asked
    with the number of an open file and does not say.
    """
    all = _Replacements()
    try:
        yield tuple([all.open(target) for target in targets])
        all.commit()
    except BaseException as error:
        all.abandon()
        number = error.errno if isinstance(error, OSError) and error.filename is None else None
        if number is not None and number in _FULL:
            where = targets[0] if len(targets) == 1 else os.path.dirname(os.path.abspath(targets[0]))
            raise OSError(number, os.strerror(number), where) from error
        raise


def _to_disk(*files: IO[bytes]) -> None:
    """Brings what was written to the disk: a full one is told before other files take their places."""
    for file in files:
        file.flush()
        if _is_file(file.fileno()):
            os.fsync(file.fileno())


@contextlib.contextmanager
def _replacing(target: str) -> Iterator[IO[bytes]]:
    """A file that takes the place of ``target`` when the block ends well; see ``_replacing_together``."""
    with _replacing_together(target) as (file,):
        yield file


def _check_apart(paths: Iterable[Any], targets: Iterable[str]) -> None:
    """Refuses a target that is one of the files that are read, whose texts would be lost."""
    read = files(paths)
    for target in targets:
        # A device is written to, not replaced.
        there = [one for one in read if os.path.exists(one)]
        if os.path.isfile(target) and any(os.path.samefile(one, target) for one in there):
            raise ArgumentError(
                f"{written(target)} is one of the files that are read: write the ids elsewhere"
            )


def encode_files(
    tokenizer: Tokenizer,
    paths: list[Any],
    reading: Reading,
    num_threads: int | None,
    out: Any,
    add_special_tokens: bool,
    encode_special_tokens: bool | None,
    progress: ProgressFormat,
) -> RaggedIds:
    """See ``Tokenizer.encode_files``."""
    import numpy as np

    specials = (add_special_tokens, encode_special_tokens)
    batches = _batches(tokenizer, paths, reading, *specials, num_threads, progress)
    if out is None:
        ids, offsets = [np.empty(0, np.uint32)], [np.zeros(1, np.int64)]
        for batch in batches:
            ids.append(batch.ids)
            offsets.append(batch.offsets[1:] + offsets[-1][-1])
        return RaggedIds(np.concatenate(ids), np.concatenate(offsets))
    target = os.fsdecode(out)
    _check_apart(paths, (target, f"{target}.offsets"))
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
