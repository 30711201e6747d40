"""How texts are read, from files and from iterables, and the share of them that is kept aside.

`Reading` holds the options that all who read texts share: counting, training, encoding files, the command
line. Files are read by the engine. An iterable yields texts, rows (dicts with a field of text), or lists of
both; `flat` gives them one by one where Python looks at each text itself, to leave some out or to hand them
on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from . import _tessella
from .errors import ArgumentError

#: What ends a text where there is no separator: a line end that belongs to the text (as trainers read), one
#: that does not, or nothing but the end of the file.
Cut = Literal["lines", "bare lines", "never"]


@dataclass(frozen=True)
class Reading:
    """How texts are read; the arguments are those of ``count_pieces``."""

    field: str = "text"
    errors: str = "strict"
    format: str = "auto"
    separator: str | None = None
    cut: Cut = "lines"

    def __post_init__(self) -> None:
        if self.errors not in ("strict", "replace"):
            raise ArgumentError(f"`errors` must be 'strict' or 'replace', found {self.errors!r}")
        if self.format not in ("auto", "text", "jsonl"):
            raise ArgumentError(f"`format` must be 'auto', 'text' or 'jsonl', found {self.format!r}")
        if not isinstance(self.field, str):
            raise TypeError(f"`field` must be a str, not {type(self.field).__name__}")
        if self.separator is not None and not isinstance(self.separator, str):
            raise TypeError(f"`separator` must be a str or None, not {type(self.separator).__name__}")
        if self.separator == "":
            without = "every file one text" if self.cut == "never" else "every line one text"
            raise ArgumentError(f"`separator` must not be empty; None makes {without}")

    @property
    def arguments(self) -> dict[str, Any]:
        """The same for functions that read texts."""
        return {name: getattr(self, name) for name in ("field", "errors", "format", "separator")}

    @property
    def options(self) -> dict[str, Any]:
        """The same for the engine."""
        ends = {"cut": self.cut} if self.separator is None else {"separator": self.separator}
        if self.separator == "\n":
            # Files from Windows have lines, too: `\r\n` is one end.
            ends = {"cut": "bare lines"}
        return {"field": self.field, "errors": self.errors, "format": self.format, **ends}


class Share:
    """Which texts are given, by their running number in each source: all but every n-th, or only those."""

    def __init__(self, *, without_every: int = 0, only_every: int = 1) -> None:
        self._without, self._only = without_every, only_every
        self._read: dict[str, int] = {}

    @property
    def is_all(self) -> bool:
        """Whether no text is left out."""
        return self._without == 0 and self._only == 1

    @property
    def options(self) -> dict[str, int]:
        """The same for the engine, which counts for itself."""
        return {"without_every": self._without} if self._without else {"only_every": self._only}

    def of(self, name: str, texts: Iterable[str]) -> Iterator[str]:
        """The texts of one source that are given. What comes under a name again is counted on."""
        number = self._read.get(name, 0)
        for text in texts:
            number += 1
            self._read[name] = number
            is_nth = number % (self._without or self._only) == 0
            if is_nth != bool(self._without):
                yield text


def flat(items: Iterable[Any], field: str, errors: str) -> Iterator[str]:
    """The texts of an iterable, one after the other, as the engine reads them."""
    return _tessella.TextsOf(items, field, errors == "replace")
