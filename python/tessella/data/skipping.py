"""Documents that cannot be read or encoded, passed over and listed.

With ``on_error="skip"`` a line that is no JSON, a text that is not UTF-8 and one that the tokenizer refuses
do not end a run: the shard's entry lists each with its file, its place and what is wrong. A file that is
damaged as a whole, one that changes meanwhile, and a full disk stay errors.

A shard passes over so many documents at most: where more are broken, it is the settings that are wrong (the
name of a field, say), and a corpus that lost most of its documents would be worse than an error.
"""

from __future__ import annotations

from typing import Any

from ..errors import FormatError, MissingDependencyError, TessellaError
from .places import opened
from .plan import Slice

#: Documents of a shard that may be passed over.
MOST = 10_000
#: Bytes that are looked through at a time.
PORTION = 1 << 20


class Skipped:
    """The documents of a shard that were passed over.

    Args:
        is_on: whether any may be.
    """

    def __init__(self, is_on: bool) -> None:
        self._is_on = is_on
        #: What the manifest lists: file, place and reason of each.
        self.listed: list[dict[str, Any]] = []

    @property
    def left(self) -> int:
        """How many more may be passed over."""
        return MOST - len(self.listed) if self._is_on else 0

    def add(self, part: Slice, reason: str, **place: int) -> None:
        """Notes a document.

        Args:
            part: the part of the file that it is in.
            reason: what is wrong with it.
            place: where it is: its line from 1 and its byte in the unpacked file, or its row from 0.
        """
        self.listed.append({"file": part.path, **place, "reason": reason})

    def add_lines(self, part: Slice, first: int, found: list[tuple[int, int, str]]) -> None:
        """Notes documents of a part of a file of lines, told by lines and bytes of that part.

        Args:
            part: the part.
            first: the byte of the file that the part's first line begins at.
            found: line, byte and reason of each.
        """
        before = _lines_before(part.path, first) if found and first else 0
        for line, byte, reason in found:
            self.add(part, reason, line=before + line, byte=first + byte)

    def sort(self, first: int) -> None:
        """Brings what was noted of one part, from this number on, into the order of the file.

        Some are found when they are read and some when they are encoded, which is many at a time.
        """
        self.listed[first:] = sorted(self.listed[first:], key=_place)

    def take(self, error: TessellaError, part: Slice, **place: int) -> None:
        """Notes the document that an error is about; raises it again where that cannot be."""
        if self.left == 0 or isinstance(error, MissingDependencyError):
            raise error
        self.add(part, str(error), **place)

    def explained(self, error: FormatError) -> FormatError:
        """An error of a document that could not be passed over any more says why."""
        if not self._is_on or self.left:
            return error
        made = FormatError(
            f"{error} ({MOST:,} documents of this shard were skipped before: that many are no exception, "
            "see whether the field and the form of the files are right)"
        )
        made.filename = getattr(error, "filename", None)
        return made


def _place(one: dict[str, Any]) -> int:
    place: int = one["line"] if "line" in one else one["row"]
    return place


def _lines_before(path: str, end: int) -> int:
    """Line ends before a byte of a file."""
    lines = 0
    with opened(path) as file:
        while end > 0 and (content := file.read(min(PORTION, end))):
            lines += content.count(b"\n")
            end -= len(content)
    return lines
