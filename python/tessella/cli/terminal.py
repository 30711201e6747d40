"""What people see: colours, tables, numbers with units, notes on standard error."""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TextIO

__all__ = ["bold", "colours", "dim", "fail", "note", "pieces", "quoted", "share", "size", "table", "width"]

#: Backgrounds that tell neighbouring tokens apart, of the 256-colour palette, for white letters.
BACKGROUNDS = (24, 22, 54, 94, 60, 30)


def colours(stream: TextIO | None = None) -> bool:
    """Whether a stream wants colours: ``NO_COLOR`` and plain outputs switch them off, ``FORCE_COLOR`` on."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    stream = sys.stdout if stream is None else stream
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns of the terminal, 100 elsewhere."""
    return shutil.get_terminal_size((100, 24)).columns


def _styled(text: str, code: str, stream: TextIO | None = None) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colours(stream) else text


def bold(text: str) -> str:
    return _styled(text, "1")


def dim(text: str) -> str:
    return _styled(text, "2")


def note(message: str) -> None:
    """A line on standard error."""
    # Where standard error is closed, `print` would write among the results.
    if sys.stderr is not None:
        print(message, file=sys.stderr, flush=True)


def fail(message: str) -> None:
    """An error on standard error."""
    note(f"{_styled('error:', '1;31', sys.stderr)} {message}")


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
    """A token on one line: control characters escaped."""
    shown = []
    for character in text:
        kind = unicodedata.category(character)
        if character == " " or kind[0] not in "CZ":
            shown.append(character)
        else:
            shown.append(character.encode("unicode_escape").decode("ascii"))
    return f"`{''.join(shown)}`"


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
    if not colours():
        return "│".join(part.replace("\n", "⏎\n") for part in parts)
    drawn = []
    for index, part in enumerate(parts):
        start = f"\x1b[48;5;{BACKGROUNDS[index % len(BACKGROUNDS)]}m\x1b[97m"
        # A background over a line's end would fill the line.
        drawn.append("\n".join(f"{start}{line}\x1b[0m" if line else "" for line in part.split("\n")))
    return "".join(drawn)
