"""What is typed, which command it means, and how errors and interrupts end.

Exit statuses: 0 for success, 1 for a failure, which is explained on standard error, 2 for a command line that
cannot be read, 141 when whoever reads the output has gone; after Ctrl-C it is the signal's, which shells tell
as 130.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Sequence

from .._start import heeded
from ..errors import EncodeError, ModelError, TessellaError
from . import signals, targets, terminal
from .command import PLAIN, Command, Help, find, names
from .roomy import roomy_output
from .waiting import streams_that_wait

FAILED, USAGE, NO_READER = 1, 2, 141

_EPILOG = """\
Every command explains itself and gives examples: tessella COMMAND --help
Progress is shown on terminals; colours heed NO_COLOR and FORCE_COLOR."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and gives its exit status.

    Args:
        arguments: what is typed after ``tessella``; by default what this process was started with.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    heeded()
    signals.heed()
    _spell_what_is_missing()
    try:
        with streams_that_wait(), roomy_output():
            return _run(given)
    except KeyboardInterrupt as error:
        terminal.note(str(error) or "interrupted")
        return signals.end_by(error)
    except BrokenPipeError:
        _let_go()
        return NO_READER


def _spell_what_is_missing() -> None:
    """Writes characters that the encoding of standard output lacks with backslashes, as standard error does.

    Pipes on Windows have some two hundred characters, and the locale ``C`` without Python's UTF-8 mode those
    of ASCII and the bytes of broken names; a report that shows a token is printed when the work is done.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        narrow = sys.stdout.encoding.lower() not in ("utf-8", "utf8")
        if sys.stdout.errors == "strict" or (narrow and sys.stdout.errors == "surrogateescape"):
            sys.stdout.reconfigure(errors="backslashreplace")


def _let_go() -> None:
    """Lets standard output go nowhere: Python would complain once more when it closes what takes nothing."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(given: list[str]) -> int:
    if os.environ.get("TESSELLA_TRACEBACK"):
        return _done(given)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return _done(given)
    except BrokenPipeError:
        raise
    except OSError as error:
        terminal.fail(_os_error(error))
        if error.filename is None and not _takes_more():
            _let_go()
    except (TessellaError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        terminal.fail(str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error))
    return FAILED


def _done(given: list[str]) -> int:
    """What is typed, done; gives the exit status."""
    meant = _command(given)
    if isinstance(meant, int):
        return meant
    command, rest = meant
    parser = command.parser()
    try:
        options = parser.parse_args(rest)
    except SystemExit as ended:
        return _flushed(int(ended.code or 0))
    targets.check(parser, options)
    try:
        return _flushed(command.run(options))
    except (EncodeError, ModelError) as error:
        named = _tokenizers(parser, options)
        # Of several the command knows which; a file that does not load has its name in what is told.
        if len(named) != 1 or str(error).startswith("the tokenizer ") or named[0] in str(error):
            raise
        raise type(error)(f"the tokenizer {named[0]!r}: {error}") from error


def _tokenizers(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[str]:
    """The names of the tokenizers that were typed."""
    kinds = ("TOKENIZER", "SOURCE", "--tokenizer", "--like")
    return [one.name for one in targets.named(parser, options) if one.argument in kinds]


def _takes_more() -> bool:
    """Whether standard output can be written to: a full disk has no room for the rest, either."""
    try:
        _flushed(0)
    except (OSError, ValueError):
        return False
    return True


def _command(given: list[str]) -> tuple[Command, list[str]] | int:
    """The command and its own arguments, or the exit status of what needs none."""
    if not given or given[0] in ("-h", "--help", "help"):
        known = names()
        if len(given) > 1 and given[0] == "help" and given[1] in known:
            return find(given[1]), ["--help"]
        print(terminal.coloured_help(_overview(known)), end="")
        return _flushed(0 if given else USAGE)
    if given[0] in ("-V", "--version"):
        from .. import __version__

        print(f"tessella {__version__}")
        return _flushed(0)
    name, known = given[0], names()
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, 1)
        meant = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
        kind = "option" if name.startswith("-") else "command"
        terminal.fail(f"there is no {kind} `{name}`: {meant}")
        return USAGE
    return find(name), given[1:]


def _overview(known: list[str]) -> str:
    parser = argparse.ArgumentParser(
        prog="tessella",
        usage="tessella COMMAND ...",
        description="Tokenization, exact and fast: count, train, encode, explain, compare, convert.",
        epilog=_EPILOG,
        formatter_class=Help,
        **PLAIN,
    )
    parser.add_argument("-V", "--version", action="store_true", help="show the version and exit")
    group = parser.add_argument_group("commands")
    for name in known:
        group.add_argument(name, nargs="?", help=find(name).summary.rstrip(".").replace("%", "%%"))
    return parser.format_help()


def _flushed(status: int) -> int:
    """Writes what is left now, where a missing reader is still noticed quietly."""
    if sys.stdout is not None:
        sys.stdout.flush()
    return status


def _os_error(error: OSError) -> str:
    if isinstance(error, TessellaError) or error.strerror is None:
        return str(error)
    reason = error.strerror[:1].lower() + error.strerror[1:]
    return f"{error.filename}: {reason}" if error.filename else reason


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    terminal.note(f"note: {message}")
