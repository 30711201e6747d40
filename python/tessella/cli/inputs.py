"""Tokenizers, texts and files from what is typed."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, FormatError, HubError
from .terminal import harmless, note, visible

if TYPE_CHECKING:
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
    "sample",
    "texts",
]

# Names by which the engine, too, knows JSON lines.
_JSON_LINES = re.compile(r"\.(jsonl|ndjson|json)(\.(gz|zst|zstd))?$", re.IGNORECASE)


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
        help=f"{what}, one a line, or JSON lines, also .gz and .zst; - for standard input (the default)",
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


def texts(options: argparse.Namespace) -> Iterator[str]:
    """The texts that were given, without their line ends."""
    if options.text:
        yield from options.text
        if not options.files:
            return
    for of_lines, found in _sources(options.files, options.field, options.input, options.errors):
        if of_lines:
            yield from (text[:-1].removesuffix("\r") if text.endswith("\n") else text for text in found)
        else:
            yield from found


def lines(given: list[str], field: str, form: Any, errors: Any) -> Iterator[str]:
    """The lines of files, or the texts of their JSON lines."""
    for _, found in _sources(given, field, form, errors):
        yield from found


def _sources(given: list[str], field: str, form: Any, errors: Any) -> Iterator[tuple[bool, Iterator[str]]]:
    """Neighbouring files of one kind: whether their texts are lines, with line ends, and the texts."""
    from ..counting import read_texts

    for (is_input, of_lines), names in groupby(files(given), lambda name: _kind(name, form)):
        if is_input:
            yield from ((of_lines, _standard_input(field, form, errors)) for _ in names)
        else:
            yield of_lines, read_texts([*map(Path, names)], field=field, format=form, errors=errors)


def _kind(name: str, form: str) -> tuple[bool, bool]:
    """Whether a name means standard input, and whether texts there are lines."""
    if name == "-":
        return True, form != "jsonl"
    if form == "jsonl" or (form == "auto" and _JSON_LINES.search(name)):
        return False, False
    from .._corpus import _begins_like_parquet

    return False, not (os.path.isfile(name) and _begins_like_parquet(name))


def _standard_input(field: str, form: str, errors: str) -> Iterator[str]:
    import json

    if sys.stdin is None:
        raise ArgumentError("there is no standard input: name a file")
    place = 0
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            text = line.decode("utf-8", errors)
        except UnicodeDecodeError as error:
            raise FormatError(
                f"standard input is not UTF-8: {line[error.start]:#04x} at byte {place + error.start}, line "
                f"{number}; convert it first, or pass --errors replace"
            ) from error
        place += len(line)
        if form != "jsonl":
            yield text
        elif text.strip():
            try:
                line_text = text.rstrip("\r\n")
                row = json.loads(line_text.removeprefix("\ufeff") if number == 1 else line_text)
            except json.JSONDecodeError as error:
                raise FormatError(
                    f"standard input, line {number}, column {error.colno}: {error.msg}"
                ) from error
            except (ValueError, RecursionError) as error:
                raise FormatError(f"standard input, line {number}: {error}") from error
            if not isinstance(row, dict) or field not in row:
                raise FormatError(f"standard input, line {number}: expected an object with the key `{field}`")
            found = row[field]
            if isinstance(found, str):
                yield found
            elif found is not None:
                raise FormatError(
                    f"standard input, line {number}: the value of `{field}` must be a string, "
                    f"not {json.dumps(found)[:60]}"
                )


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
