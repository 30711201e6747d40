"""The one reader of texts: a source, sorted into what the engine reads and what Python reads.

Text files, JSON lines and streams, packed or not, are read by the engine. Parquet files (through
``pyarrow``) and iterables are read here. Counting, encoding files and all commands take their texts from
``parts`` or ``Texts``.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from . import _tessella
from ._notices import warn
from ._optional import how_to_install
from ._shown import written
from ._texts import Reading, Share, flat
from .errors import ArgumentError, FormatError, MissingDependencyError

if TYPE_CHECKING:
    from ._types import Source


#: Texts, and characters, that are handed on at a time.
MOST = 1 << 12
SIZE = 1 << 18
#: Rows of a Parquet file that are held at a time.
ROWS = 1024
#: The largest number that fractions are multiplied with: far beyond it, counts come near 64 bits.
FINEST = 1_000_000


@dataclass
class Part:
    """What is read in one go: either files for the engine, or texts."""

    name: str
    language: str
    weight: int
    files: list[str] = field(default_factory=list)
    texts: Iterable[Any] = ()
    length: int | None = None
    #: The Parquet file that the texts come from, if it is one.
    table: str = ""
    #: Bytes on disk, where they are known.
    size: int = 0
    #: Rows of the table so far that have no text.
    nulls: int = 0


class Stream:
    """A binary stream as a source, and what messages call it."""

    def __init__(self, name: str, file: Any) -> None:
        self.name, self.file = name, file


class Pipe:
    """A pipe or a device, opened when it is read: that waits for whoever writes, and here signals end it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._file: Any = None

    def read(self, most: int) -> bytes:
        """What is there, at most so many bytes; nothing at the end."""
        if self._file is None:
            self._file = open(self._name, "rb", 0)  # noqa: SIM115
        found: bytes = b"" if self._file.closed else self._file.read(most)
        if not found:
            self._file.close()
        return found


def is_special(name: str) -> bool:
    """Whether a name is that of a pipe, a device or the like, which may keep who opens it waiting."""
    try:
        found = os.stat(name)
    except OSError:
        return False
    return not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode))


class Texts:
    """The texts of a source, in lists of some of them, and how far reading is.

    Args:
        source: as for ``count_pieces``.
        reading: how texts are read.
        share: which of them are given.
        most: the most texts of a list that comes from files; 1 answers a person who types.
    """

    def __init__(
        self, source: Source | Stream, reading: Reading, share: Share | None = None, most: int | None = None
    ) -> None:
        self._reading, self._share, self._most = reading, share or Share(), most
        self._parts = list(parts(source, None, None, reading, most))
        self._before = 0
        self._open: Any = None
        #: Rows so far that hold null in place of a text, and so give none.
        self.nulls = 0
        sizes = [part.size for part in self._parts]
        #: Bytes of all files, 0 where that is not known.
        self.total: int = sum(sizes) if all(sizes) else 0

    @property
    def done(self) -> int:
        """How far reading is: bytes of files on disk, packed as they are, or characters of other texts."""
        return self._before + (0 if self._open is None else self._open.position)

    def __iter__(self) -> Iterator[list[str]]:
        for part in self._parts:
            if part.files:
                how: dict[str, Any] = {**self._reading.options, **self._share.options}
                self._open = _tessella.TextFiles(part.files, self._most or MOST, **how)
                yield from self._open
                self.nulls += self._open.nulls
                self._before, self._open = self.done, None
                continue
            texts = flat(part.texts, self._reading.field, self._reading.errors)
            for some in in_lists(self._share.of(part.name, texts), self._most or MOST):
                yield some
                self._before += sum(map(len, some))
            self.nulls += part.texts.nulls if isinstance(part.texts, _tessella.TextFiles) else part.nulls

    def each(self) -> Iterator[str]:
        """The texts, one after the other."""
        for texts in self:
            yield from texts


def in_lists(texts: Iterable[str], most: int = MOST, largest: int = SIZE) -> Iterator[list[str]]:
    """Texts in lists, none of which is large."""
    some: list[str] = []
    size = 0
    for text in texts:
        some.append(text)
        size += len(text)
        if len(some) >= most or size >= largest:
            yield some
            some, size = [], 0
    if some:
        yield some


def files(paths: Iterable[Any]) -> list[os.PathLike[str]]:
    """Paths, whether they are ``str`` or not, as a source: a list of ``str`` would be one of texts."""
    return [_File(os.fsdecode(path)) for path in paths]


def parts(
    source: Source | Stream, weights: Any, languages: Any, reading: Reading, most: int | None = None
) -> Iterator[Part]:
    """The parts of a source, each with its name, weight and language.

    All files are looked at before the first is read, so that a mistyped name does not end a long job.
    """
    if isinstance(source, Stream):
        stream = _tessella.TextFiles([(source.name, source.file)], most or MOST, **reading.options)
        yield Part("", "", 1, texts=stream)
        return
    named = _named(source)
    keys = [key for key, _, _ in named]
    scaled = _whole([_weight(one) for one in _spread(weights, keys, "weights", 1)])
    tags = _spread(languages, keys, "languages", "")
    for tag in tags:
        if not isinstance(tag, str):
            raise TypeError(f"`languages` must hold str, found {type(tag).__name__}")
    made: list[Part] = []
    for (_, name, payload), weight, tag in zip(named, scaled, tags, strict=True):
        if isinstance(payload, list) and payload and all(isinstance(path, os.PathLike) for path in payload):
            for path in payload:
                _add_file(made, Part(name, tag, weight), path, reading, most)
        else:
            length = len(payload) if isinstance(payload, (list, tuple)) else None
            made.append(Part(name, tag, weight, texts=payload, length=length))
    _tell_unheeded([name for part in made for name in part.files] if _all_files(made) else [], reading)
    yield from made


def _all_files(made: Sequence[Part]) -> bool:
    return all(part.files for part in made)


def _tell_unheeded(names: Sequence[str], reading: Reading) -> None:
    """Warns of an option that none of the files heeds: the texts may be others than were meant."""
    if not names:
        return
    is_json = {"text": False, "jsonl": True}.get(reading.format)
    hold_json = [_tessella.names_json_lines(name) if is_json is None else is_json for name in names]
    if reading.field != "text" and not any(hold_json):
        warn(
            f"`field` is {reading.field!r}, but {names[0]} is read as text, which has no fields: its name "
            "does not end like one of JSON lines (.jsonl, say); if that is what it holds, pass "
            "format='jsonl' (--input jsonl)"
        )
    if reading.separator not in (None, "\n") and all(hold_json):
        warn(
            f"`separator` is {reading.separator!r}, but {names[0]} is read as JSON lines, each of which "
            "holds a text; pass format='text' if it is none"
        )


def _named(source: Any) -> list[tuple[str, str, Any]]:
    """Key, name and content of each source; files are lists of ``PathLike``."""
    if isinstance(source, Mapping):
        if not source:
            raise ArgumentError("`source` is an empty dict: give names and their files or texts")
        found = []
        for name, content in source.items():
            if not isinstance(name, str):
                raise TypeError(f"the names of `source` must be str, found {type(name).__name__}")
            found.append((name, name, _content(content)))
        return found
    content = _content(source)
    if isinstance(content, list) and content and all(isinstance(path, os.PathLike) for path in content):
        return [(os.fspath(path), "", [path]) for path in content]
    return [("", "", content)]


class _File(os.PathLike[str]):
    """A ``str`` that is a path."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path


def _content(source: Any) -> Any:
    """Files as a list of ``PathLike``, all else as it is."""
    if isinstance(source, (bytes, bytearray)):
        raise TypeError("`source` must be a path or yield texts, found bytes: decode them, or pass a path")
    if isinstance(source, str):
        return [_File(source)]
    if isinstance(source, os.PathLike):
        return [source]
    if isinstance(source, (list, tuple)):
        paths = [isinstance(one, os.PathLike) for one in source]
        if paths and all(paths):
            return list(source)
        if any(paths):
            raise TypeError("`source` mixes paths and texts: count them apart and merge, or use a dict")
        if source and all(isinstance(one, str) and _is_file(one) for one in source):
            raise ArgumentError(
                f"a list of str is a list of texts, but {source[0]!r} is also the name of a file: to count "
                "files pass a list of pathlib.Path, to count these texts pass an iterator"
            )
        return source
    if not isinstance(source, Iterable):
        raise TypeError(f"`source` must be a path, a dict, or yield texts, not {type(source).__name__}")
    return source


def _is_file(text: str) -> bool:
    # Names are short; longer texts need no look at the disk.
    try:
        return 0 < len(text) < 1024 and "\n" not in text and os.path.isfile(text)
    except ValueError:
        return False


def _add_file(made: list[Part], like: Part, path: Any, reading: Reading, most: int | None) -> None:
    """Adds a file: to the part before if it can be read in one go with it."""
    name = os.fsdecode(path)
    try:
        found = os.stat(name)
    except FileNotFoundError:
        reason = os.strerror(errno.ENOENT)
        if any(sign in name for sign in "*?["):
            reason += "; patterns are not expanded: pass the files"
        raise FileNotFoundError(errno.ENOENT, reason, name) from None
    if stat.S_ISDIR(found.st_mode):
        reason = f"{os.strerror(errno.EISDIR)}; folders are not walked: pass the files in it"
        raise IsADirectoryError(errno.EISDIR, reason, name)
    if stat.S_ISREG(found.st_mode) and _is_parquet(name, reading):
        table = _parquet(name)
        _check_column(table, name, reading.field)
        like.texts, like.length = _parquet_texts(table, name, reading, like), table.metadata.num_rows
        like.table = name
        made.append(like)
        return
    if not stat.S_ISREG(found.st_mode):
        like.texts = _tessella.TextFiles([(written(name), Pipe(name))], most or MOST, **reading.options)
        made.append(like)
        return
    last = made[-1] if made else None
    if (
        last is not None
        and last.files
        and (last.name, last.language, last.weight) == (like.name, like.language, like.weight)
    ):
        last.files.append(name)
    else:
        like.files = [name]
        made.append(like)
        last = like
    last.size += found.st_size


#: Bytes that tell what a file is, or what stands in its place.
_HEAD = 1024


def _is_parquet(name: str, reading: Reading) -> bool:
    with open(name, "rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        return True
    if reading.format == "auto" and name.lower().endswith(".parquet"):
        _tessella.check_fetched(written(name), head)
        raise FormatError(
            f"{name} is named like a Parquet file, but its first bytes are not those of one: write it again, "
            "or give it a name without that ending if it is text",
            filename=name,
        )
    return False


def _parquet(name: str) -> Any:
    try:
        from pyarrow import ArrowException, OSFile, parquet  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingDependencyError(
            f"{name} is a Parquet file, and reading those needs pyarrow: {how_to_install('pyarrow', 'arrow')}"
        ) from error
    try:
        # By the bytes of its name: pyarrow takes no `str` whose bytes are no UTF-8, and some for a URI.
        return parquet.ParquetFile(OSFile(os.fsencode(name)))
    except ArrowException as error:
        raise FormatError(f"{name} is not a usable Parquet file: {error}", filename=name) from error


def _check_column(table: Any, name: str, column: str) -> None:
    check_column(table.schema_arrow, name, column)


def check_named(columns: Sequence[str], name: str, column: str) -> None:
    """Refuses a table in which this name does not stand for one column."""
    if column not in columns:
        known = ", ".join(f"`{one}`" for one in columns)
        raise ArgumentError(f"{name} has no column `{column}`, it has {known}: name one of them")
    if (count := columns.count(column)) > 1:
        raise ArgumentError(
            f"{name} has {count} columns `{column}`, and which is meant cannot be told: rename them"
        )


def check_column(schema: Any, name: str, column: str) -> None:
    """Refuses a table that has no such column of texts."""
    import pyarrow

    check_named(schema.names, name, column)
    kind = schema.field(column).type
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    is_text = pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)
    if not (is_text or kind == getattr(pyarrow, "string_view", pyarrow.string)()):
        raise ArgumentError(f"the column `{column}` of {name} holds {kind}, expected strings: name another")


def _parquet_texts(table: Any, name: str, reading: Reading, part: Part) -> Iterator[list[str]]:
    first = 0
    for batch in table.iter_batches(batch_size=ROWS, columns=[reading.field]):
        texts = cells(batch.column(0), name, first, reading)
        part.nulls += len(batch) - len(texts)
        yield texts
        first += len(batch)


def spelled_out(column: Any) -> Any:
    """A column with its texts in place of their numbers, where it has a dictionary, as categories have.

    Args:
        column: a column of Arrow's.
    """
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        return column
    texts = column.dictionary
    kinds = pyarrow.types
    # Arrow takes no views by their numbers. And few texts may come to more bytes, once each row has its own,
    # than offsets of 32 bits tell.
    if kinds.is_binary(texts.type):
        texts = texts.cast(pyarrow.large_binary())
    elif kinds.is_string(texts.type) or texts.type == getattr(pyarrow, "string_view", pyarrow.string)():
        texts = texts.cast(pyarrow.large_string())
    return pyarrow.DictionaryArray.from_arrays(column.indices, texts).dictionary_decode()


def cells(column: Any, name: str, first: int, reading: Reading) -> list[str]:
    """The texts of a part of a column of strings; rows without one are left out.

    Args:
        column: the part, of Arrow's.
        name: the file, for messages.
        first: the number of the part's first row.
        reading: how texts are read.
    """
    import pyarrow

    texts = []
    column = spelled_out(column)
    # As bytes, so that what is not UTF-8 is found by us.
    if not (pyarrow.types.is_binary(column.type) or pyarrow.types.is_large_binary(column.type)):
        column = column.cast(pyarrow.large_string()).cast(pyarrow.large_binary())
    for row, cell in enumerate(column.to_pylist()):
        if cell is None:
            continue
        try:
            texts.append(cell.decode("utf-8", reading.errors))
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{name} is not UTF-8: {cell[error.start]:#04x} at byte {error.start} of "
                f"row {first + row}, column `{reading.field}`; convert the file first, "
                "or have what is invalid replaced: errors='replace', --errors replace",
                filename=name,
            ) from error
    return texts


def _spread(given: Any, keys: list[str], name: str, default: Any) -> list[Any]:
    """One value for each source."""
    if given is None:
        return [default] * len(keys)
    if isinstance(given, Mapping):
        unknown = [key for key in given if os.fspath(key) not in keys]
        if unknown:
            known = ", ".join(repr(key) for key in keys if key) or "none: pass a dict of names and sources"
            raise ArgumentError(f"`{name}` has {unknown[0]!r}, which is no source; known are {known}")
        by_key = {os.fspath(key): value for key, value in given.items()}
        return [by_key.get(key, default) for key in keys]
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != len(keys):
            raise ArgumentError(f"`{name}` has {len(given)} entries for {len(keys)} sources")
        return list(given)
    return [given] * len(keys)


def _weight(given: Any) -> Fraction:
    try:
        # By its text, so that 0.1 is a tenth and not the nearest binary number.
        weight = given if isinstance(given, Fraction) else Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"a weight must be a number like 2, 0.5 or '1/3', found {given!r}") from None
    if weight <= 0:
        raise ArgumentError(f"a weight must be more than 0, found {given!r}: leave such a source out")
    return weight


def _whole(weights: list[Fraction]) -> list[int]:
    """Whole numbers in the same proportion: the weights times the smallest number that makes them whole."""
    factor = lcm(*(weight.denominator for weight in weights))
    if factor > FINEST:
        shown = ", ".join(str(weight) for weight in weights[:4])
        raise ArgumentError(
            f"the weights {shown} become whole only when multiplied with {factor} (at most {FINEST}): "
            "use simpler fractions, Fraction(...).limit_denominator(1000) for example"
        )
    return [int(weight * factor) for weight in weights]
