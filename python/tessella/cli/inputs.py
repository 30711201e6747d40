"""Tokenizers, texts and files from what is typed."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._formats import PACKED_ENDINGS
from .._shown import written
from .._texts import Reading
from ..errors import ArgumentError, HubError
from .targets import PACKED, is_ours
from .terminal import harmless, note, visible

if TYPE_CHECKING:
    from .._corpus import Stream, Texts
    from .._progress import Meter
    from .._texts import Cut
    from ..tokenizer import Tokenizer


def load(name: str, pattern: str | None = None) -> Tokenizer:
    """A tokenizer from a file, a folder, or the name of a repository."""
    from ..loading import load

    if pattern is None and not os.path.exists(name):
        _ask_hub(name)
    try:
        return load(name, pattern)
    except ArgumentError as error:
        if pattern is None and "how text is cut" in str(error):
            raise ArgumentError(f"{error}: say it with --pattern NAME, or --pattern EXPRESSION") from None
        raise


#: Seconds that a hub has to say whether it knows a name.
PATIENCE = 5


def _ask_hub(name: str) -> None:
    """Fails soon where a hub does not know a name or cannot be reached: most such names are mistyped ones.

    A download by itself tries again for half a minute, as is right where a program has asked for it.
    """
    from .._formats import ENCODINGS
    from ..loading import _is_hub_name, _similar

    if name in ENCODINGS or not _is_hub_name(name):
        return
    try:
        from huggingface_hub import get_hf_file_metadata, hf_hub_url, try_to_load_from_cache
    except ImportError:
        return
    if isinstance(try_to_load_from_cache(name, "tokenizer.json"), str):
        return
    try:
        get_hf_file_metadata(hf_hub_url(name, "tokenizer.json"), timeout=PATIENCE)
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise HubError(
            f"there is no file or folder `{name}`{_similar(name)}, and no tokenizer.json of such a "
            f"repository on the hub ({reason}); check the name and the connection"
        ) from error


def check_target(name: str) -> None:
    """A target that cannot be written is told before hours of work. Folders are not made for it.

    A device or a pipe is written to where it is: few may write to the folder of ``/dev/null``.
    """
    if not is_ours(name):
        return
    folder = os.path.dirname(os.path.abspath(name))
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, "no such folder; make it first", folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "the folder cannot be written to", folder)


def check_file(name: str) -> None:
    """The same of a target that can only be a file."""
    check_target(name)
    if os.path.isdir(name):
        raise IsADirectoryError(21, "it is a folder; name a file", name)


def differences(options: argparse.Namespace, written: str) -> bool:
    """Whether differences are allowed, which only one format can have."""
    allowed: bool = options.allow_differences
    if allowed and written != "gguf":
        raise ArgumentError("--allow-differences is for GGUF files: what else is written gives the same ids")
    return allowed


def files(given: list[str]) -> list[str]:
    """File names, - where there is none. Waiting for a person to type is announced."""
    names = given or ["-"]
    if "-" in names and sys.stdin is not None and sys.stdin.isatty():
        note("reading standard input until Ctrl-D")
    return names


def is_typed(options: argparse.Namespace) -> bool:
    """Whether a person types the texts."""
    return ("-" in options.files or not options.text) and is_typed_into(options.files)


def is_typed_into(names: Sequence[str]) -> bool:
    """Whether a person types what files of these names hold."""
    return ("-" in names or not names) and sys.stdin is not None and sys.stdin.isatty()


def reading(options: argparse.Namespace, cut: Cut = "lines") -> Reading:
    """How files are read, as it was typed."""
    separator = None if options.separator is None else _unescaped(options.separator)
    return Reading(options.field, options.errors, options.input, separator, cut)


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\"}


def _unescaped(typed: str) -> str:
    r"""What is typed for a separator: shells have no easy way to write a line end."""
    return re.sub(r"\\([nrt0\\])", lambda found: _ESCAPES[found[1]], typed)


def readers(given: list[str], how: Reading, most: int | None = None) -> list[tuple[str, Texts]]:
    """Names of files, - for standard input, each with its texts."""
    from .._corpus import Texts

    return [(name, Texts(source(name), how, most=most)) for name in files(given)]


def source(name: str) -> Path | Stream:
    """A file, or - for standard input."""
    from .._corpus import Stream

    if name != "-":
        return Path(name)
    if sys.stdin is None:
        raise ArgumentError("there is no standard input: name a file")
    return Stream("standard input", sys.stdin.buffer)


@contextlib.contextmanager
def shown_meter(stage: str, shown: bool) -> Iterator[Meter]:
    """Shows how far work is, in bytes of text: a bar on a terminal, a line every ten seconds elsewhere."""
    from .._progress import Meter, form

    meter = Meter(stage, form(shown))
    try:
        yield meter
    finally:
        meter.end()


class Progress:
    """How far reading is, on standard error: a bar on a terminal, a line every ten seconds elsewhere.

    Nothing is shown while results are written on the same terminal, or where a person types.
    """

    def __init__(self, stage: str, found: Sequence[Texts], shown: bool) -> None:
        from .._progress import Meter, form

        self._found = found
        self._total = sum(one.total for one in found) if all(one.total for one in found) else 0
        self._meter = Meter(stage, form(shown))

    def step(self) -> None:
        """Shows what has been read by now."""
        self._meter.update(sum(one.done for one in self._found), self._total)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._meter.end()


def texts(options: argparse.Namespace, stage: str = "", out: Output | None = None) -> Iterator[str]:
    """The texts that were given, without their line ends.

    Args:
        options: what was typed.
        stage: what is done with them, for the progress; without it none is shown.
        out: where results go: on a terminal they are progress enough.
    """
    if options.text:
        yield from options.text
        if not options.files:
            return
    # Someone who types wants an answer to each line.
    typed = is_typed(options)
    found = [one for _, one in readers(options.files, reading(options, "bare lines"), 1 if typed else None)]
    shown = bool(stage) and not typed and not (out is not None and out.is_terminal())
    with Progress(stage, found, shown) as progress:
        for source in found:
            for some in source:
                yield from some
                progress.step()
    if out is not None and (nulls := sum(one.nulls for one in found)):
        rows, have = ("1 row holds", "has") if nulls == 1 else (f"{nulls:,} rows hold", "have")
        note(f"{rows} null instead of a text and {have} no line in the output")


def lines(given: list[str], how: Reading) -> Iterator[str]:
    """The texts of files: lines with their ends, as trainers read."""
    from .._files import check_rows

    if "-" in files(given) and sys.stdin is not None:
        check_rows(sys.stdin.buffer, how)
    for _, found in readers(given, how):
        yield from found.each()


#: Characters of text that are handled at a time.
PORTION = 1 << 20


def portions(texts: Iterable[str], most: int = PORTION) -> Iterator[list[str]]:
    """Texts in lists of about so many characters."""
    from .._corpus import in_lists

    return in_lists(texts, most, most)


def sample_size(options: argparse.Namespace) -> int | None:
    """Bytes of text that are looked at, ``None`` for all."""
    from ..counting import memory_size

    if options.sample is None or options.sample == "all":
        return None
    size = memory_size(options.sample, "--sample")
    if size < 1:
        raise ArgumentError(f"--sample must be 1 byte or more, found {options.sample}")
    return size


def holds_texts(name: str) -> bool:
    """Whether a name is that of texts, where tokenizers are named too."""
    plain = name.lower()
    for packed in PACKED_ENDINGS:
        plain = plain.removesuffix(packed)
    # vocab.txt is a vocabulary by an old habit.
    is_text = plain.endswith((".txt", ".jsonl", ".ndjson", ".parquet", ".md")) or plain != name.lower()
    return name == "-" or (is_text and os.path.basename(plain) != "vocab.txt")


def labels(names: list[str]) -> list[str]:
    """The shortest ends of the names that tell them apart."""
    for parts in range(1, 9):
        short = [written("/".join(name.rstrip("/").split("/")[-parts:])) for name in names]
        if len(set(short)) == len(set(names)):
            return short
    return [written(name) for name in names]


class Sampled:
    """Texts up to about so many bytes, and whether there were more."""

    def __init__(self, texts: Iterable[str], most: int | None) -> None:
        self._texts, self._most = texts, most
        self.is_part = False

    def __iter__(self) -> Iterator[str]:
        size = 0
        for text in self._texts:
            if self._most is not None and size >= self._most:
                self.is_part = True
                return
            yield text
            size += len(text.encode())


class Output:
    """A file that appears when it is complete, or standard output. What is named ``.gz`` is packed by gzip.

    Example:
        >>> from tessella.cli.inputs import Output
        >>> with Output(None) as out:
        ...     out.line("tiles")
        tiles
    """

    def __init__(self, path: str | None) -> None:
        self.path: str | None = None if path in (None, "-") else path
        self._file: Any = None
        self._replacing: Any = None
        self._packing: Any = None

    def __enter__(self) -> Output:
        if self.path is None:
            # UTF-8 whatever the locale says; line ends as they are written.
            if sys.stdout is None:
                raise ArgumentError("there is no standard output: it is closed")
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
        else:
            from .._files import _replacing

            self._replacing = _replacing(self.path)
            self._file = self._replacing.__enter__()
            if self.path.lower().endswith(PACKED):
                from gzip import GzipFile

                # Without name and time in it, so that the same texts give the same file.
                self._packing = self._file = GzipFile("", "wb", 6, self._file, 0)
        return self

    def write(self, text: str) -> None:
        if self._file is None:
            sys.stdout.write(text)
        else:
            self._file.write(text.encode("utf-8", "surrogatepass"))

    def line(self, text: str) -> None:
        self.write(text + "\n")

    def is_terminal(self) -> bool:
        """Whether a person looks at it, on a terminal that obeys control characters."""
        return self._file is None and sys.stdout.isatty()

    def shown(self, token: str) -> str:
        """A token: exactly itself for programs and files, what cannot be seen spelled out on a terminal."""
        return visible(token) if self.is_terminal() else token

    def readable(self, text: str) -> str:
        """A text: exactly itself for programs and files, without what a terminal obeys on one."""
        return harmless(text) if self.is_terminal() else text

    def __exit__(self, *raised: Any) -> None:
        if self._replacing is None:
            return
        try:
            if self._packing is not None:
                self._packing.close()
        except BaseException:
            self._replacing.__exit__(*sys.exc_info())
            raise
        self._replacing.__exit__(*raised)
