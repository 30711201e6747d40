"""How texts are read, from files and from iterables, and the share of them that is kept aside.

`Reading` holds the options that all who read texts share: counting, training, encoding files, the command
line. Files are read by the engine. An iterable yields texts, rows (dicts with a field of text), or lists of
both; where Python looks at each text itself, to leave some out or to hand them on, `flat` reads what the
engine would read, and refuses what it would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, Literal

from .errors import ArgumentError

__all__ = ["Reading", "Share", "flat"]

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
    def options(self) -> dict[str, Any]:
        """The same for the engine."""
        ends = {"cut": self.cut} if self.separator is None else {"separator": self.separator}
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
    """The texts of an iterable, one after the other."""
    for index, item in enumerate(items):
        place = f"iterator[{index}]"
        if isinstance(item, (str, dict)):
            yield from _one(item, field, errors, place)
            continue
        try:
            inside = iter(item)
        except TypeError:
            raise TypeError(
                f"the iterator must yield str or lists of str, found {_shown(item)} for `{place}`"
            ) from None
        for number, one in enumerate(inside):
            yield from _one(one, field, errors, f"{place}[{number}]")


def _one(item: Any, field: str, errors: str, place: str) -> Iterator[str]:
    """The text of a text or a row, of which there is none where the row says ``None``."""
    if isinstance(item, dict):
        if field not in item:
            raise KeyError(f"a row has no `{field}`, it has {list(item)}: name the field of the text")
        item = item[field]
        if item is None:
            return
    if not isinstance(item, str):
        advice = ""
        if isinstance(item, bytes):
            advice = '; decode bytes first, as in `value.decode("utf-8")`'
        elif item is None:
            advice = "; leave out what has no text, or give an empty str"
        raise TypeError(f"TextInputSequence must be str, found {_shown(item)} for `{place}`{advice}")
    try:
        item.encode()
    except UnicodeEncodeError as error:
        if errors != "replace":
            code = ord(item[error.start])
            raise TypeError(
                "TextInputSequence must be str, without lone surrogates; found "
                f"U+{code:04X} at character {error.start} of `{place}`"
            ) from error
        # By way of UTF-16 each lone surrogate becomes one U+FFFD.
        item = item.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    yield item


def _shown(value: Any) -> str:
    return "None" if value is None else f"{type(value).__name__} {short(value)}"
