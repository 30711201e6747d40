"""Counting a corpus: the artefact that trainers learn from.

``count_pieces`` reads files or any iterable of texts, cuts them as a tokenizer does and counts the pieces
on all threads, within a memory budget. The ``PieceCounts`` that it gives can be saved, loaded without reading
it all, merged in any order with the same result, looked at, and learned from many times.

Example:
    >>> import tessella
    >>> from tessella import models, pre_tokenizers
    >>> tokenizer = tessella.Tokenizer(models.BPE())
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> counts = tessella.count_pieces(["low low lower"], tokenizer)
    >>> counts.items()
    [('low', 2), ('lower', 1)]
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, Union

from . import _tessella
from ._given import check_tokenizer
from ._progress import form
from .errors import ArgumentError, OutOfRangeError
from .models import Model
from .tokenizer import Tokenizer

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    from ._corpus import Part
    from ._texts import Reading, Share
    from ._types import Path, ProgressFormat, Source
    from ._zipf import Zipf

__all__ = ["CountedSource", "PieceCounts", "count_pieces", "memory_size", "read_texts"]

_C = TypeVar("_C", bound="PieceCounts")
#: How many times each occurrence counts: whole, or an exact fraction.
Weight = Union[int, float, str, "Fraction", "Decimal"]


class CountedSource(NamedTuple):
    """A corpus behind counts."""

    #: The name that the caller gave, or an empty one.
    name: str
    #: The language tag that the caller gave, or an empty one.
    language: str
    #: How many times each occurrence was counted.
    weight: int
    #: Texts and bytes of text, each once, whatever the weight.
    texts: int
    bytes: int


class PieceCounts(_tessella.PieceCounts):
    """How often each piece occurs in a corpus.

    Counts are what every trainer learns from: ``trainer.train_from_counts(counts)``. They are 64-bit numbers,
    and one that would not fit is an error. Pieces are ordered by their bytes wherever they are walked.

    Args:
        pieces: a dict, or pairs, of pieces and how often each occurs.

    Example:
        >>> from tessella import PieceCounts
        >>> counts = PieceCounts({"low": 5, "lower": 2})
        >>> counts.top(1), counts.total, len(counts)
        ([('low', 5)], 7, 2)
        >>> counts.merge(PieceCounts({"low": 1}), weight=10)
        >>> counts.get("low"), "high" in counts
        (15, False)
    """

    def save(self, path: Path, progress: bool | ProgressFormat = False) -> None:
        """Writes the counts to one file, which appears under its name only when it is complete.

        Equal counts from equal sources make equal files, byte for byte, however they were put together.
        Checksums show a damaged file when it is loaded.

        Example:
            >>> import os, tempfile
            >>> from tessella import PieceCounts
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "corpus.counts")
            ...     PieceCounts({"low": 5}).save(path)
            ...     counts = PieceCounts.load(path)
            ...     counts.get("low")
            5
        """
        super().save(path, form(progress))

    def save_parts(self, folder: Path, n: int, progress: bool | ProgressFormat = False) -> list[pathlib.Path]:
        """Writes the counts to ``n`` files, which appear when all are complete; gives their names.

        Which part a piece is in hangs on its bytes and on ``n`` alone. So where several machines counted, one
        of them can merge the first parts of all, another the second ones, and nobody needs to hold them all;
        the merged parts together are the merged counts. Each part is a file as ``save`` writes them.
        ``sources`` are noted in the first.

        Args:
            folder: where to; files of parts that are there are replaced.
            n: how many parts, from 1 to 256.
            progress: as for ``save``.

        Example:
            >>> import tempfile
            >>> from tessella import PieceCounts
            >>> counts = PieceCounts({"low": 5, "lower": 2, "lowest": 1})
            >>> together = PieceCounts()
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     for part in counts.save_parts(folder, 2):
            ...         together.merge(PieceCounts.load(part))
            ...     together.items() == counts.items()
            True
        """
        return list(map(pathlib.Path, super().save_parts(folder, n, form(progress))))

    @classmethod
    def load(cls: type[_C], path: Path) -> _C:
        """Opens a file that ``save`` wrote. Pieces are read from it when they are asked for, so that loading
        is quick and takes little memory whatever the size; the file stays open. ``verify`` reads it all.

        Example:
            >>> import os, tempfile
            >>> from tessella import PieceCounts
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "corpus.counts")
            ...     PieceCounts({"low": 2, "lower": 1}).save(path)
            ...     PieceCounts.load(path).get("low")
            2
        """
        counts = cls()
        counts._open(path)
        return counts

    open = load

    @classmethod
    def from_tsv(cls: type[_C], path: Path) -> _C:
        """Reads lines of a piece, a tab and a count, as SentencePiece takes them (``--input_format=tsv``).

        Example:
            >>> import os, tempfile
            >>> from tessella import PieceCounts
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "words.tsv")
            ...     PieceCounts({"low": 2, "lower": 1}).to_tsv(path)
            ...     PieceCounts.from_tsv(path).items()
            [('low', 2), ('lower', 1)]
        """
        from ._corpus import Pipe, is_special

        counts = cls()
        name = os.fsdecode(path)
        counts._read_tsv(name, Pipe(name) if is_special(name) else None)
        return counts

    def to_tsv(self, path: Path) -> None:
        """Writes lines of a piece, a tab and a count, as SentencePiece takes them (``--input_format=tsv``).

        A piece with a line break in it cannot be written so and raises ``UnsupportedError``.
        """
        super().write_tsv(path)

    @property
    def sources(self) -> list[CountedSource]:
        """Where the counts came from, ordered by name, language and weight."""
        return [CountedSource(*source) for source in self._sources()]

    def zipf(self) -> Zipf:
        """How frequency falls with rank, which prints as a picture.

        Example:
            >>> from tessella import PieceCounts
            >>> shape = PieceCounts({f"w{rank}": 1000 // rank for rank in range(1, 200)}).zipf()
            >>> round(shape.slope, 1), shape.distinct
            (-1.0, 199)
            >>> round(shape.coverage(10), 2)
            0.51
        """
        from ._zipf import Zipf

        return Zipf(self.frequencies())

    def _repr_html_(self) -> str:
        from ._html import counts

        return counts(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.items(), self._sources()))


def _rebuild(cls: type[_C], items: list[tuple[str, int]], sources: list[tuple[Any, ...]]) -> _C:
    counts = cls(items)
    for source in sources:
        counts._note_source(*source)
    return counts


def read_texts(
    source: Source,
    *,
    errors: Literal["strict", "replace"] = "strict",
    field: str = "text",
    format: Literal["auto", "text", "jsonl"] = "auto",
    separator: str | None = None,
    only_every: int = 1,
) -> Iterator[str]:
    """The texts that ``count_pieces`` would count, with the same arguments.

    With ``only_every=n``, only every n-th text: those that ``count_pieces`` leaves out with ``hold_out=n``.

    Example:
        >>> import os, tempfile
        >>> from tessella.counting import read_texts
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "corpus.jsonl")
        ...     with open(path, "w", encoding="utf-8") as file:
        ...         _ = file.write('{"text": "low lower"}\\n{"text": "low"}\\n')
        ...     list(read_texts(path))
        ['low lower', 'low']
    """
    from ._corpus import Texts
    from ._texts import Reading, Share

    reading = Reading(field, errors, format, separator)
    return Texts(source, reading, Share(only_every=_whole_number("only_every", only_every, 1))).each()


def _whole_number(name: str, number: Any, least: int, below: int = 1 << 63) -> int:
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"`{name}` must be an int, not {type(number).__name__}")
    whole: int = number.__index__()
    if not least <= whole < below:
        raise OutOfRangeError(f"`{name}` must be from {least} to {below - 1}, found {whole}")
    return whole


_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?\s*", re.ASCII | re.IGNORECASE)


def memory_size(size: int | str, name: str = "memory") -> int:
    """A number of bytes: a whole number, or a text such as ``"512MB"``, ``"1.5GB"``, ``"2GiB"``.

    ``kB``, ``MB``, ``GB``, ``TB`` are powers of 1000, ``KiB``, ``MiB``, ``GiB``, ``TiB`` of 1024.

    Example:
        >>> from tessella.counting import memory_size
        >>> memory_size("2GB"), memory_size("1.5 KiB")
        (2000000000, 1536)
    """
    if isinstance(size, str):
        from fractions import Fraction

        match = _SIZE.fullmatch(size)
        if match is None:
            raise ArgumentError(f"`{name}` must be bytes or a text like '512MB' or '2GiB', found {size!r}")
        number, unit, binary = match.groups()
        bytes = int(Fraction(number) * (1024 if binary else 1000) ** " kmgt".index(unit.lower() or " "))
    elif isinstance(size, bool) or not hasattr(size, "__index__"):
        raise TypeError(f"`{name}` must be an int or a str like '2GB', not {type(size).__name__}")
    else:
        bytes = size.__index__()
    if not 0 <= bytes < 1 << 63:
        raise OutOfRangeError(f"`{name}` must be from 0 to {(1 << 63) - 1} bytes, found {size!r}")
    return bytes


def count_pieces(
    source: Source,
    tokenizer: Tokenizer | None = None,
    *,
    memory: int | str | None = None,
    num_threads: int | None = None,
    weights: Weight | Mapping[str, Weight] | Sequence[Weight] | None = None,
    languages: str | Mapping[str, str] | Sequence[str] | None = None,
    errors: Literal["strict", "replace"] = "strict",
    field: str = "text",
    format: Literal["auto", "text", "jsonl"] = "auto",
    separator: str | None = None,
    progress: bool | ProgressFormat = False,
    spill_folder: Path | None = None,
    hold_out: int = 0,
    engine: Literal["local", "ray"] = "local",
) -> PieceCounts:
    """Counts the pieces of a corpus, cut as a tokenizer cuts them before its model sees them.

    The result is the same for any number of threads, any memory budget, and any way of cutting the corpus
    into files. Each line of a text file is a text, with its line end, as for ``Tokenizer.train``. Files are
    read as ``Tokenizer.encode_files`` and the command line read them.

    Args:
        source: what to count. A path (``str`` or ``Path``); a list of ``Path``; a dict of names and
            paths or texts; or anything that yields texts, lists of texts, or rows (dicts with ``field``).
            Files may be text, JSON lines (``.jsonl``, ``.ndjson``, ``.json``) or Parquet, the first two also
            packed with gzip or zstd. Folders and patterns are not expanded.
        tokenizer: whose added tokens, normalizer and pre-tokenizer cut the texts; without one every text is
            a piece.
        memory: the most that counts may take in memory, in bytes or as ``"2GB"``; more is written to
            ``spill_folder`` and merged from there. ``None`` means no limit.
        num_threads: how many threads work; ``None`` lets the engine choose.
        weights: how many times each occurrence counts: one number for all, one for each file of a list,
            or a dict by the names of ``source``. Fractions are exact: all weights are multiplied with the
            smallest number that makes them whole, ``{"a": 0.5, "b": 1}`` counts as 1 and 2.
        languages: language tags that are noted with the counts, given as weights are.
        errors: what to do with bytes that are not UTF-8: ``"strict"`` raises an error that says where,
            ``"replace"`` puts U+FFFD in their place.
        field: the key of the text in JSON lines and rows, the column of the text in Parquet files.
        format: ``"text"`` or ``"jsonl"`` whatever the files' names say.
        separator: what stands between the texts of a text file, and belongs to none of them; ``"\\n"`` stands
            for ``\\r\\n``, too. ``None`` makes each line a text, with its line end.
        progress: show a bar on a terminal and a line every ten seconds elsewhere, on standard error;
            ``"json"`` writes lines of JSON instead.
        spill_folder: where to write what does not fit in memory; by default the temporary folder. It is
            cleared when the counts are gone.
        hold_out: leave every n-th text of each source out, to measure on: ``read_texts(..., only_every=n)``
            gives those, if the source can be read again. 0 leaves none out.
        engine: ``"local"`` for threads of this process; ``"ray"`` for the cluster that this process is
            connected to, whose nodes must all reach the files and ``spill_folder`` under these names. There
            ``memory`` is for each of its processes, each of which has one thread.

    Example:
        >>> import os, tempfile
        >>> import tessella
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.BPE())
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "corpus.jsonl")
        ...     with open(path, "w", encoding="utf-8") as file:
        ...         _ = file.write('{"text": "low lower"}\\n{"text": "low"}\\n')
        ...     counts = tessella.count_pieces(path, tokenizer, memory="64MB")
        >>> counts.items()
        [('low', 2), ('lower', 1)]
    """
    from ._corpus import parts
    from ._texts import Reading, Share

    if engine not in ("local", "ray"):
        raise ArgumentError(f"`engine` must be 'local' or 'ray', found {engine!r}")
    reading = Reading(field, errors, format, separator)
    share = Share(without_every=_whole_number("hold_out", hold_out, 0))
    if tokenizer is None:
        tokenizer = Tokenizer(Model())
    else:
        check_tokenizer("tokenizer", tokenizer)
    options: dict[str, Any] = {
        "num_threads": num_threads,
        "progress": form(progress),
        **reading.options,
    }
    counts = PieceCounts()
    budget = None
    if memory is not None:
        budget = options["memory"] = memory_size(memory)
        options["spill_folder"] = spill_folder
        threads = num_threads or os.cpu_count() or 1
        # The result has a share like each thread's table.
        counts._limit(max(budget // (threads + 2), _tessella.LEAST_BUDGET), spill_folder)
    found = parts(source, weights, languages, reading)
    if engine == "ray":
        from ._counting_cluster import count_on_cluster

        if not share.is_all:
            raise ArgumentError(
                "`hold_out` counts texts from the first to the last, which a cluster does not: "
                "use engine='local'"
            )
        count_on_cluster(list(found), counts, tokenizer, reading, budget, spill_folder, form(progress))
    else:
        for part in found:
            _add_part(counts, tokenizer, part, reading, options, share)
    if not counts:
        read = sum(one.texts for one in counts.sources)
        raise ArgumentError(f"the corpus holds no pieces: {read} texts were read")
    return counts


def _add_part(
    counts: PieceCounts,
    tokenizer: Tokenizer,
    part: Part,
    reading: Reading,
    options: dict[str, Any],
    share: Share | None = None,
) -> None:
    """Counts a part of a source into counts.

    Args:
        counts: where to.
        tokenizer: how texts are cut.
        part: what is counted.
        reading: how texts are read.
        options: the same and how the engine works, as the engine takes it.
        share: which texts are counted, by default all.
    """
    from ._texts import flat

    noted = {"name": part.name, "language": part.language, "weight": part.weight}
    if part.files:
        which = {} if share is None else share.options
        _tessella.count_files_into(counts, tokenizer, part.files, **which, **options, **noted)
        return
    texts = part.texts
    if share is not None and not share.is_all:
        texts = share.of(part.name, flat(texts, reading.field, reading.errors))
    _tessella.count_texts_into(counts, tokenizer, texts, length=part.length, **options, **noted)
