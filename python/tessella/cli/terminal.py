"""What people see: colours, tables, numbers with units, notes on standard error.

Nothing here sends a terminal the control characters that a text, a token or a file's name may hold.
"""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from .._shown import colours, harmless, visible

__all__ = [
    "bold",
    "coloured_help",
    "colours",
    "dim",
    "fail",
    "harmless",
    "json",
    "note",
    "pieces",
    "quoted",
    "share",
    "size",
    "table",
    "visible",
    "width",
]

#: Backgrounds that tell neighbouring tokens apart, of the 256-colour palette, for white letters.
BACKGROUNDS = (24, 22, 54, 94, 60, 30)


def width() -> int:
    """Columns of the terminal, 100 elsewhere."""
    return shutil.get_terminal_size((100, 24)).columns


def _styled(text: str, code: str, stream: TextIO | None = None) -> str:
    shown = visible(text)
    return f"\x1b[{code}m{shown}\x1b[0m" if colours(stream) else shown


def bold(text: str) -> str:
    return _styled(text, "1")


def dim(text: str) -> str:
    return _styled(text, "2")


_HEADING = re.compile(r"^(\w[^\n]*:)$|^(usage:)", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")
_EXAMPLE = re.compile(r"^  \$ .*(?:\\\n.*)*$", re.MULTILINE)
_COMMAND = re.compile(r"^  ([a-z]+)(?=  +\S)", re.MULTILINE)


def coloured_help(text: str, stream: TextIO | None = None) -> str:
    """A help text with its headings, options, commands and examples told apart."""
    if not colours(stream):
        return text

    def paint(code: str) -> Callable[[re.Match[str]], str]:
        return lambda found: f"\x1b[{code}m{found[0]}\x1b[0m"

    parts = []
    end = 0
    for example in _EXAMPLE.finditer(text):
        parts += [text[end : example.start()], f"\x1b[32m{example[0]}\x1b[0m"]
        end = example.end()
    parts.append(text[end:])
    for place in range(0, len(parts), 2):
        parts[place] = _OPTION.sub(paint("36"), _HEADING.sub(paint("1"), parts[place]))
        parts[place] = _COMMAND.sub(paint("36"), parts[place])
    return "".join(parts)


def note(message: str) -> None:
    """A line on standard error."""
    _say(harmless(message))


def _say(message: str) -> None:
    # Where standard error is closed, `print` would write among the results.
    if sys.stderr is not None:
        print(message, file=sys.stderr, flush=True)


def fail(message: str) -> None:
    """An error on standard error."""
    _say(f"{_styled('error:', '1;31', sys.stderr)} {harmless(message)}")


def json(value: object, indent: int | None = None) -> str:
    """A value as JSON that shows letters as they are, and holds no character that a terminal obeys."""
    from json import dumps

    # What JSON itself does not ask to be escaped: delete, the second row of control characters, and halves of
    # characters, which cannot be written.
    return dumps(value, indent=indent, ensure_ascii=False).translate(_CONTROLS)


_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *range(0xD800, 0xE000))}


def size(bytes: float) -> str:
    """Bytes with a unit: powers of 1000."""
    for unit in ("B", "kB", "MB", "GB"):
        if bytes < 1000:
            return f"{bytes:.0f} {unit}" if unit == "B" else f"{bytes:.1f} {unit}"
        bytes /= 1000
    return f"{bytes:.1f} TB"


def share(part: float, whole: float) -> str:
    """A part in percent."""
    return f"{part / whole:.1%}" if whole else "none"


def quoted(text: str) -> str:
    """A token on one line: what cannot be seen is spelled out."""
    return f"`{visible(text)}`"


def _columns(text: str) -> int:
    """Columns that a text takes, colours not counted."""
    taken, escaped = 0, False
    for character in text:
        if escaped:
            escaped = character != "m"
        elif character == "\x1b":
            escaped = True
        elif not unicodedata.combining(character):
            taken += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return taken


def table(rows: Sequence[Sequence[str]], *, right: Iterable[int] = (), head: bool = True) -> str:
    """Rows as aligned columns; the first row names them.

    Args:
        rows: the cells.
        right: columns that are aligned to the right: numbers.
        head: whether the first row is a head.
    """
    aligned = set(right)
    widths = [max(_columns(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for index, row in enumerate(rows):
        cells = []
        for column, cell in enumerate(row):
            space = " " * (widths[column] - _columns(cell))
            shown = bold(cell) if head and index == 0 else cell
            cells.append(space + shown if column in aligned else shown + space)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def pieces(parts: Iterable[str]) -> str:
    """Neighbouring parts of a text told apart: by background, or by bars where there are no colours."""
    parts = (visible(part, keep="\n") for part in parts)
    if not colours():
        return "│".join(part.replace("\n", "⏎\n") for part in parts)
    drawn = []
    for index, part in enumerate(parts):
        start = f"\x1b[48;5;{BACKGROUNDS[index % len(BACKGROUNDS)]}m\x1b[97m"
        # A background over a line's end would fill the line.
        drawn.append("\n".join(f"{start}{line}\x1b[0m" if line else "" for line in part.split("\n")))
    return "".join(drawn)
