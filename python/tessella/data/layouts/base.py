"""What every layout has: a way to write a shard, a way to read it back, and what it cannot hold.

A layout is a file here with one ``Layout``. ``write`` gets batches of documents and opens files under the
stem of its shard; it tells of each *part*, one file of tokens with what belongs to it, what reading needs.
``view`` opens a part. ``finish`` makes the files that stand for all shards, such as an ``index.json``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..batches import Batch
    from ..outputs import Output


#: What the manifest says of a part: its name, numbers of documents and tokens, and what the layout adds.
Part = dict[str, Any]


class Files(Protocol):
    """Where a layout writes to: ``Outputs``, or whatever opens files by name."""

    def open(self, name: str) -> Output: ...


@dataclass(frozen=True)
class Shape:
    """What a layout must know of a corpus."""

    #: The type of numbers in files, by NumPy's name.
    dtype: str
    #: The number that follows the largest id.
    vocab_size: int
    fingerprint: str
    bos: int | None = None
    eos: int | None = None
    #: Whether each token has a mark that says whether it counts for the loss.
    has_mask: bool = False
    #: The length of rows that documents are packed into.
    length: int | None = None

    @property
    def numbers(self) -> np.dtype[Any]:
        """The type of numbers, little-endian."""
        return little(self.dtype)


def little(name: str) -> np.dtype[Any]:
    """NumPy's type of a name, little-endian, as all files here are.

    Example:
        >>> little("uint16").itemsize
        2
    """
    import numpy as np

    return np.dtype(name).newbyteorder("<")


class View(Protocol):
    """A part that was opened: its tokens as one row of numbers, and where documents end in it."""

    tokens: int

    @property
    def ends(self) -> npt.NDArray[np.int64] | None:
        """Where each document ends; ``None`` where the files do not tell."""
        ...

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """The tokens from one place to another."""
        ...

    def mask(self, start: int, stop: int) -> npt.NDArray[np.uint8] | None:
        """The loss mask from one place to another."""
        ...

    def spans(self, row: int) -> npt.NDArray[np.int64] | None:
        """The lengths of the documents that a row is packed of."""
        ...


class Flat:
    """A part whose tokens lie in one piece."""

    def __init__(
        self,
        ids: npt.NDArray[Any],
        ends: Callable[[], npt.NDArray[np.int64] | None],
        mask: npt.NDArray[np.uint8] | None = None,
        spans: Callable[[int], npt.NDArray[np.int64]] | None = None,
    ) -> None:
        self._ids, self._find_ends, self._mask, self._spans = ids, ends, mask, spans
        self._ends: Any = ()
        self.tokens = len(ids)

    @property
    def ends(self) -> npt.NDArray[np.int64] | None:
        """Where each document ends."""
        if isinstance(self._ends, tuple):
            self._ends = self._find_ends()
        found: npt.NDArray[np.int64] | None = self._ends
        return found

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """The tokens from one place to another, without a copy."""
        return self._ids[start:stop]

    def mask(self, start: int, stop: int) -> npt.NDArray[np.uint8] | None:
        """The loss mask from one place to another."""
        return None if self._mask is None else self._mask[start:stop]

    def spans(self, row: int) -> npt.NDArray[np.int64] | None:
        """The lengths of the documents that a row is packed of."""
        return None if self._spans is None else self._spans(row)


class Pieces:
    """A part whose documents lie apart: each is read by its number and joined to what is asked for.

    Args:
        lengths: tokens of each document.
        document: the ids of one document.
        mask: the loss mask of one document.
        spans: the lengths of the documents that one row is packed of.
    """

    def __init__(
        self,
        lengths: npt.NDArray[np.int64],
        document: Callable[[int], npt.NDArray[Any]],
        mask: Callable[[int], npt.NDArray[np.uint8]] | None = None,
        spans: Callable[[int], npt.NDArray[np.int64]] | None = None,
    ) -> None:
        self._ends = lengths.cumsum()
        self._document, self._document_mask, self._document_spans = document, mask, spans
        self.tokens = int(self._ends[-1]) if len(lengths) else 0

    @property
    def ends(self) -> npt.NDArray[np.int64] | None:
        """Where each document ends."""
        return self._ends

    def _joined(self, of: Callable[[int], npt.NDArray[Any]], start: int, stop: int) -> npt.NDArray[Any]:
        import numpy as np

        first = int(np.searchsorted(self._ends, start, "right"))
        parts: list[npt.NDArray[Any]] = []
        at = int(self._ends[first - 1]) if first else 0
        for number in range(first, len(self._ends)):
            if at >= stop and parts:
                break
            found = of(number)
            parts.append(found[max(0, start - at) : max(0, stop - at)])
            at += len(found)
        return np.concatenate(parts) if len(parts) != 1 else parts[0]

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """The tokens from one place to another."""
        return self._joined(self._document, start, stop)

    def mask(self, start: int, stop: int) -> npt.NDArray[np.uint8] | None:
        """The loss mask from one place to another."""
        return None if self._document_mask is None else self._joined(self._document_mask, start, stop)

    def spans(self, row: int) -> npt.NDArray[np.int64] | None:
        """The lengths of the documents that a row is packed of."""
        return None if self._document_spans is None else self._document_spans(row)


#: Opens a part: the layout's files lie in a folder of this machine.
Opener = Callable[[str, Part, Shape], View]


@dataclass(frozen=True)
class Layout:
    """How one kind of file is written and read."""

    name: str
    #: What it is for, in a few words.
    summary: str
    #: Types of numbers that its readers know. ``dtype="auto"`` takes the first that holds every id.
    dtypes: tuple[str, ...]
    write: Callable[[Files, str, Iterable[Batch], Shape], list[Part]]
    view: Opener
    #: Files that stand for all shards, by name.
    finish: Callable[[Sequence[Part], Shape], dict[str, bytes]] = lambda parts, shape: {}
    #: Whether rows of packed documents can be told from each other.
    holds_rows: bool = False
    #: Whether its readers find documents again; where not, a token must stand between them.
    holds_documents: bool = True
