"""Tokenizers, texts and files from what is typed."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._texts import Reading
from ..errors import ArgumentError, HubError
from .terminal import harmless, note, visible

if TYPE_CHECKING:
    from .._corpus import Stream, Texts
    from .._texts import Cut
    from ..tokenizer import Tokenizer

__all__ = [
    "Output",
    "add_reading",
    "add_texts",
    "check_target",
    "files",
    "is_typed",
    "lines",
    "load",
    "readers",
    "reading",
    "sample",
    "texts",
]


def load(name: str, pattern: str | None = None) -> Tokenizer:
    """A tokenizer from a file, a folder, or the name of a repository."""
    from ..loading import load

    if pattern is None and not os.path.exists(name):
        _ask_hub(name)
    return load(name, pattern)


#: Seconds that a hub has to say whether it knows a name.
PATIENCE = 5


def _ask_hub(name: str) -> None:
    """Fails soon where a hub does not know a name or cannot be reached: most such names are mistyped ones.

    A download by itself tries again for half a minute, as is right where a program has asked for it.
    """
    from ..loading import _ENCODINGS, _is_hub_name, _similar

    if name in _ENCODINGS or not _is_hub_name(name):
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
    """A target that cannot be written is told before hours of work. Folders are not made for it."""
    folder = os.path.dirname(os.path.abspath(name))
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, "no such folder; make it first", folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "the folder cannot be written to", folder)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--field", default="text", metavar="NAME", help="key or column of the text (default: text)"
    )
    group.add_argument(
        "--input",
        choices=("auto", "text", "jsonl"),
        default="auto",
        help="what files are, whatever their names say",
    )
    group.add_argument(
        "--separator",
        metavar="TEXT",
        help=r"what stands between texts instead of line ends; \n, \r, \t, \0 and \\ are known",
    )
    group.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that are not UTF-8: an error that says where, or U+FFFD",
    )


def add_texts(parser: argparse.ArgumentParser, what: str = "texts") -> None:
    """Files, standard input or texts on the command line."""
    parser.add_argument(
        "files",
        nargs="*",
        # `argparse` would say that one is required.
        default=[],
        metavar="FILE",
        help=f"{what}, one a line, JSON lines (.gz, .zst) or Parquet; - for standard input (the default)",
    )
    parser.add_argument("-t", "--text", action="append", help="a text; may be given again")
    add_reading(parser)


def files(given: list[str]) -> list[str]:
    """File names, - where there is none. Waiting for a person to type is announced."""
    names = given or ["-"]
    if "-" in names and sys.stdin is not None and sys.stdin.isatty():
        note("reading standard input until Ctrl-D")
    return names


def is_typed(options: argparse.Namespace) -> bool:
    """Whether a person types the texts."""
    reads_input = "-" in options.files or not (options.files or options.text)
    return reads_input and sys.stdin is not None and sys.stdin.isatty()


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

    return [(name, Texts(_source(name), how, most=most)) for name in files(given)]


def _source(name: str) -> Path | Stream:
    from .._corpus import Stream

    if name != "-":
        return Path(name)
    if sys.stdin is None:
        raise ArgumentError("there is no standard input: name a file")
    return Stream("standard input", sys.stdin.buffer)


def texts(options: argparse.Namespace) -> Iterator[str]:
    """The texts that were given, without their line ends."""
    if options.text:
        yield from options.text
        if not options.files:
            return
    # Someone who types wants an answer to each line.
    most = 1 if is_typed(options) else None
    for _, found in readers(options.files, reading(options, "bare lines"), most):
        yield from found.each()


def lines(given: list[str], how: Reading) -> Iterator[str]:
    """The texts of files: lines with their ends, as trainers read."""
    for _, found in readers(given, how):
        yield from found.each()


def sample(options: argparse.Namespace, most: int = 16 << 20) -> list[str]:
    """Texts to measure with, at most about so many bytes; an error where there are none."""
    found, size = [], 0
    for text in texts(options):
        found.append(text)
        size += len(text.encode())
        if size >= most:
            break
    if not any(found):
        raise ArgumentError("there is no text to look at: the input is empty")
    return found


class Output:
    """A file that appears when it is complete, or standard output.

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
        if self._replacing is not None:
            self._replacing.__exit__(*raised)
