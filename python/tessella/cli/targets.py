"""What a command writes to: never what it reads, and nothing that its name does not promise.

Both are told before anything is read or written. Options that name files are known by their metavar, those
that are written to by their names; a test keeps both lists whole.
"""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from ..errors import ArgumentError

#: Metavars of arguments that name files, folders or tokenizers.
NAMING = frozenset(
    ("AFTER", "BEFORE", "FILE", "FOLDER", "INPUT", "NAME=FILE", "REPORT", "SOURCE", "TAG=FILE", "TARGET")
) | {"MODEL", "TOKENIZER", "TOKENIZER|CORPUS", "TOKENIZER|FILE"}
#: Of these the ones that are written to, by the names of their values.
WRITTEN = frozenset(
    ("checkpoint", "html", "map", "mend", "model_out", "output", "page", "record", "save_counts", "target")
) | {"trace", "tsv"}
#: What may go to standard output, which ``-`` stands for, by command and value.
_STREAMED = frozenset(
    (("encode", "output"), ("decode", "output"), ("explain", "output"), ("diff", "page"), ("count", "tsv"))
)
#: Outputs that replace the tokenizer's files in a folder.
_REPLACING = ("mend", "target")


class Named(NamedTuple):
    """A name that was typed for an argument."""

    argument: str
    name: str
    written: bool
    #: Values of which one may be another: both options of a report write the same.
    dest: str


def named(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Iterator[Named]:
    """All names of files that were typed."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from named(action.choices[getattr(options, action.dest)], options)
        elif action.metavar in NAMING:
            typed = getattr(options, action.dest, None)
            # The name that says most: `--output` where `-o` was typed.
            spelled = max(action.option_strings, key=len) if action.option_strings else str(action.metavar)
            for name in typed if isinstance(typed, list) else [typed]:
                if not isinstance(name, str):
                    continue
                if name == "-":
                    _check_stream(parser.prog.rpartition(" ")[2], action.dest, spelled)
                    continue
                if "=" in str(action.metavar) and not os.path.exists(name):
                    name = name.partition("=")[2]
                yield Named(spelled, name, action.dest in WRITTEN, action.dest)


def _check_stream(command: str, dest: str, spelled: str) -> None:
    """Refuses ``-`` for what is written as a file: one of that name would come of it."""
    if dest in WRITTEN and (command, dest) not in _STREAMED:
        raise ArgumentError(
            f"{spelled} is -, which stands for standard output, but what is written there is a file of its "
            "own: name one (./- if it shall be called so)"
        )


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuses an output that is also an input, by whatever name, or that two options would write.

    Refuses an empty name too: it comes of a variable of the shell that is not set, and must not count as
    none.
    """
    all = list(named(parser, options))
    for one in all:
        if not one.name:
            raise ArgumentError(f"{one.argument} is empty: give it a name, or leave it out")
    outputs = [one for one in all if one.written]
    inputs = [(one, found) for one in all if not one.written and (found := _kept(one.name)) is not None]
    if _reads_standard_input(options) and (found := _redirected(sys.stdin)) is not None:
        inputs.append((Named("standard input", "", False, ""), found))
    _check_redirected(inputs)
    for place, output in enumerate(outputs):
        target = _kept(output.name)
        for source, found in inputs:
            if target is not None and _is_part(output, target, source, found):
                which = f"{source.argument} {source.name}".rstrip()
                raise ArgumentError(
                    f"{output.argument} {output.name} is the source itself ({which}): it would be "
                    "overwritten; give the result another name"
                )
        for other in outputs[:place]:
            same = {output.dest, other.dest}
            if len(same) == 1 or same == {"html", "output"}:
                continue
            if os.path.realpath(other.name) == os.path.realpath(output.name) and is_ours(output.name):
                raise ArgumentError(
                    f"{other.argument} and {output.argument} both name {output.name}: one would overwrite "
                    "the other; give each its own"
                )


def _kept(name: str) -> os.stat_result | None:
    """What is there under a name, if it can be lost: pipes and devices are written to, not replaced."""
    try:
        found = os.stat(name)
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode) else None


def is_ours(name: str) -> bool:
    """Whether a name is a file, a folder or free: what is written takes it over."""
    return _kept(name) is not None or not os.path.exists(name)


def _is_part(output: Named, target: os.stat_result, source: Named, found: os.stat_result) -> bool:
    """Whether an output is a source, a tokenizer's file in one, or a folder that would replace one."""
    if os.path.samestat(target, found):
        return True
    if stat.S_ISREG(target.st_mode) and stat.S_ISDIR(found.st_mode):
        return _in_folder(output.name, found)
    if stat.S_ISDIR(target.st_mode) and stat.S_ISREG(found.st_mode) and output.dest in _REPLACING:
        return _in_folder(source.name, target)
    return False


def _in_folder(name: str, folder: os.stat_result) -> bool:
    """Whether a file lies in a folder, as one of those that make a tokenizer."""
    from .._formats import FOLDER

    real = os.path.realpath(name)
    own = {*FOLDER.whole, *FOLDER.bare, *FOLDER.settings, *FOLDER.templates}
    return os.path.basename(real) in own and os.path.samestat(os.stat(os.path.dirname(real)), folder)


def _reads_standard_input(options: argparse.Namespace) -> bool:
    """Whether files were asked for and standard input is one of them, or stands for them."""
    if getattr(options, "text", None) or getattr(options, "ids", None):
        return "-" in getattr(options, "files", ())
    for dest in ("files", "inputs"):
        given = getattr(options, dest, None)
        if given is not None and (not given or "-" in given):
            return True
    return False


def _check_redirected(inputs: list[tuple[Named, os.stat_result]]) -> None:
    """Refuses standard output that the shell appends to what is read: there would be ever more to read."""
    target = _redirected(sys.stdout)
    for source, found in inputs:
        if target is not None and os.path.samestat(target, found):
            which = f"{source.argument} {source.name}".rstrip()
            raise ArgumentError(
                f"standard output goes to the source itself ({which}): what is written would be read again; "
                "give the result another name"
            )


def _redirected(stream: TextIO | None) -> os.stat_result | None:
    """The file that standard input comes from or that standard output goes to, if it is one."""
    try:
        found = os.fstat(stream.fileno()) if stream is not None else None
    except (AttributeError, OSError, ValueError):
        return None
    return found if found is not None and stat.S_ISREG(found.st_mode) else None


#: Endings that promise a form, and what that is called.
_PROMISES = {
    ".gz": "gzip",
    ".zst": "Zstandard",
    ".zstd": "Zstandard",
    ".bz2": "bzip2",
    ".xz": "xz",
    ".zip": "a ZIP archive",
    ".parquet": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".npy": "a NumPy array",
    ".npz": "NumPy arrays",
    ".safetensors": "safetensors",
    ".bin": "binary data",
    ".json": "one JSON value",
    ".jsonl": "lines of JSON",
    ".ndjson": "lines of JSON",
    ".csv": "CSV",
    ".tsv": "columns",
    ".txt": "text",
    ".ids": "ids",
    ".counts": "counts",
    ".html": "a page",
    ".htm": "a page",
    ".md": "Markdown",
    ".pdf": "PDF",
    ".model": "a SentencePiece model",
    ".tiktoken": "a table of ranks",
    ".gguf": "a GGUF file",
}
#: What packs standard output under an ending.
_PACKERS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bzip2", ".xz": "xz"}


#: The ending of what is packed here. The engine reads Zstandard, and nothing here writes it.
PACKED = ".gz"
LINES_OF_JSON = (".jsonl", ".ndjson")


def ending_of(name: str | None) -> str:
    """The ending of a name in small letters; of what is packed here, the one before.

    Example:
        >>> ending_of("Out.JSONL"), ending_of("out.jsonl.gz"), ending_of("out.gz"), ending_of(None)
        ('.jsonl', '.jsonl', '', '')
    """
    return os.path.splitext((name or "").lower().removesuffix(PACKED))[1]


def check_ending(name: str | None, option: str, holds: str, fitting: tuple[str, ...], instead: str) -> None:
    """Refuses a name whose ending promises something else than what will be written.

    Args:
        name: what was typed; nothing is promised by standard output, devices and pipes, or unknown endings.
        option: the option it was typed for.
        holds: what is written.
        fitting: the known endings that fit it.
        instead: what to do for another one, which may not be packed either. Where it is empty, lines of text
            are written, packed where the name says so.

    Example:
        >>> check_ending("c.json", "-o", "counts", (".counts",), "use .x")
        Traceback (most recent call last):
        ...
        tessella.errors.ArgumentError: -o c.json promises one JSON value, but counts are written: use .x
    """
    if name is None or name == "-" or not is_ours(name):
        return
    ending = os.path.splitext(name)[1].lower() if instead else ending_of(name)
    if ending not in _PROMISES or ending in fitting:
        return
    stem = name[: name.lower().rindex(ending)]
    if instead:
        step = instead
    elif ending in _PACKERS:
        step = (
            f"leave {option} out and pack them on their way, `| {_PACKERS[ending]} > {name}`; or name it .gz"
        )
    else:
        step = f"give it another name, such as {stem}{fitting[0]}"
        if ending in LINES_OF_JSON:
            step += ", or leave --format out"
    raise ArgumentError(f"{option} {name} promises {_PROMISES[ending]}, but {holds} are written: {step}")
