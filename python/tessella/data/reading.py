"""Token files as one corpus: documents, windows, masks, whatever framework the files are for.

``open`` looks at a folder that ``tokenize_corpus`` has made, and maps its files; nothing is read before it is
asked for. A corpus is one row of tokens, shard after shard, with documents in it.

Example:
    >>> import os, pathlib, tempfile
    >>> import tessella.data
    >>> from tessella import Tokenizer, models, pre_tokenizers
    >>> tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "</s>": 2}))
    >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     texts, out = os.path.join(folder, "texts.txt"), os.path.join(folder, "out")
    ...     _ = pathlib.Path(texts).write_text("a b\\na a a\\n")
    ...     _ = tessella.data.tokenize_corpus(texts, tokenizer, out, separator="\\n", format="numpy")
    ...     corpus = tessella.data.open(out)
    ...     len(corpus.documents), corpus.tokens, corpus.documents[1].tolist()
    ...     [window.tolist() for window in corpus.windows(3)]
    (2, 7, [0, 0, 0, 2])
    [[0, 1, 2], [0, 0, 0]]
"""

from __future__ import annotations

import itertools
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .._given import path_name
from ..errors import ArgumentError, UnsupportedError
from .layouts import View
from .manifest import MANIFEST, read_manifest, read_run
from .places import LocalPlace, place
from .settings import Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .._types import Path


class Corpus:
    """The tokens of a folder, as one row.

    Attributes:
        path: the folder.
        manifest: what is known of it, as plain data.
        settings: how it was made.
        tokens: the number of tokens; of packed rows, padding included.
    """

    def __init__(self, path: str, manifest: dict[str, Any]) -> None:
        self.path, self.manifest = path, manifest
        self.settings = Settings.from_told(manifest["settings"])
        shape, layout = self.settings.shape(manifest["tokenizer"]), self.settings.layout
        self._parts = [part for entry in manifest["shards"] for part in entry["parts"]]
        self._files = [entry["files"] for entry in manifest["shards"] for _ in entry["parts"]]
        self._views: list[View | None] = [None] * len(self._parts)
        self._shape, self._layout = shape, layout
        self._starts = _running(self._parts, "tokens")
        self._document_starts = _running(self._parts, "documents")
        self.tokens = self._starts[-1]

    def __reduce__(self) -> tuple[Any, ...]:
        # Files are mapped again, not copied.
        return (Corpus, (self.path, self.manifest))

    def __repr__(self) -> str:
        form = f"{self.settings.format} {self.settings.dtype}"
        return (
            f"Corpus({self.path!r}: {self.manifest['documents']:,} documents, {self.tokens:,} tokens, {form})"
        )

    def view(self, number: int) -> View:
        """A part, opened when it is first asked for."""
        found = self._views[number]
        if found is None:
            self._check_sizes(number)
            found = self._layout.view(self.path, self._parts[number], self._shape)
            self._views[number] = found
            if found.tokens != self._parts[number]["tokens"]:
                from ..errors import FormatError

                raise FormatError(
                    f"{self._parts[number]['name']} in {self.path} has {found.tokens} tokens, its manifest "
                    f"tells {self._parts[number]['tokens']}: `tessella data verify` says more"
                )
        return found

    def _check_sizes(self, number: int) -> None:
        """Refuses files that were cut off or written to, before their readers fail in ways of their own.

        One that is missing is told by who opens it.
        """
        for file in self._files[number]:
            try:
                size = os.stat(os.path.join(self.path, file["name"])).st_size
            except FileNotFoundError:
                continue
            if size != file["bytes"]:
                from ..errors import FormatError

                raise FormatError(
                    f"{file['name']} in {self.path} has {size} bytes, its manifest tells {file['bytes']}: "
                    "`tessella data verify` says more"
                )

    @property
    def documents(self) -> Documents:
        """The documents, or the rows that they are packed into."""
        return Documents(self)

    def windows(self, length: int, *, overlap: int = 0) -> Windows:
        """The row cut into windows of so many tokens; what is left at the end is left out.

        Args:
            length: tokens of a window.
            overlap: tokens that a window shares with the one before: 1 where targets are the tokens behind.
        """
        return Windows(self, length, overlap)

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """The tokens from one place of the row to another."""
        import numpy as np

        found = [view.read(first, last) for view, first, last in self._pieces(start, stop)]
        if len(found) == 1:
            return found[0]
        return np.concatenate(found) if found else np.empty(0, self.settings.dtype)

    def mask(self, start: int, stop: int) -> npt.NDArray[np.uint8]:
        """The loss mask from one place of the row to another: 1 for tokens that count."""
        import numpy as np

        if self.settings.mask is None:
            return np.ones(max(0, min(stop, self.tokens) - _place(start)), np.uint8)
        found = [view.mask(first, last) for view, first, last in self._pieces(start, stop)]
        return np.concatenate([one for one in found if one is not None] or [np.empty(0, np.uint8)])

    def _pieces(self, start: int, stop: int) -> Iterator[tuple[View, int, int]]:
        """Parts with what is asked for of each."""
        number = bisect_right(self._starts, _place(start)) - 1
        stop = min(stop, self.tokens)
        while start < stop:
            first, last = self._starts[number], self._starts[number + 1]
            if last > start:
                yield self.view(number), start - first, min(stop, last) - first
                start = min(stop, last)
            number += 1


def _running(parts: list[dict[str, Any]], name: str) -> list[int]:
    """Where each part begins, counted in what the manifest tells of each, and the end."""
    return list(itertools.accumulate((int(part[name]) for part in parts), initial=0))


def _place(start: int) -> int:
    if start < 0:
        raise ArgumentError(f"a place must be 0 or more, found {start}")
    return start


class Documents(Sequence[Any]):
    """The documents of a corpus, by number: arrays of ids, not copied where the files allow it.

    Example:
        >>> from tessella.data import open
        >>> open("missing")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'missing'
    """

    def __init__(self, corpus: Corpus) -> None:
        # `corpus.documents[number]` makes one of these each time.
        self._corpus, self._starts = corpus, corpus._document_starts
        settings = corpus.settings
        if not settings.layout.holds_documents and settings.eos is None and settings.bos is None:
            raise UnsupportedError(
                f"{settings.format} files do not tell where documents end, and no token was put between "
                "these: only windows can be read"
            )

    def __len__(self) -> int:
        return self._starts[-1]

    def _place(self, number: int) -> tuple[int, int]:
        """The part that a document is in, and its number there; negative numbers count from the end."""
        number = number + len(self) if number < 0 else number
        if not 0 <= number < len(self):
            raise IndexError(f"document {number} of {len(self)}")
        part = bisect_right(self._starts, number) - 1
        return part, number - self._starts[part]

    def span(self, number: int) -> tuple[int, int]:
        """Where a document begins and ends in the row of all tokens."""
        _, start, stop, before = self._found(number)
        return before + start, before + stop

    def _found(self, number: int) -> tuple[View, int, int, int]:
        """The part that a document is in, where it begins and ends there, and the tokens before that part."""
        part, inner = self._place(number)
        view = self._corpus.view(part)
        ends = view.ends
        assert ends is not None
        return view, (int(ends[inner - 1]) if inner else 0), int(ends[inner]), self._corpus._starts[part]

    # `Any`: an overload for each would not tell more.
    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        view, start, stop, _ = self._found(number)
        return view.read(start, stop)

    def mask(self, number: int) -> npt.NDArray[np.uint8]:
        """The loss mask of a document."""
        return self._corpus.mask(*self.span(number))

    def lengths(self) -> npt.NDArray[np.int64]:
        """The tokens of each document."""
        import numpy as np

        found = [np.empty(0, np.int64)]
        for number in range(len(self._corpus._parts)):
            ends = self._corpus.view(number).ends
            if ends is not None and len(ends):
                found.append(np.diff(ends, prepend=0))
        return np.concatenate(found)

    def spans(self, number: int) -> npt.NDArray[np.int64]:
        """The lengths of the documents that a packed row is made of; what is left of the row is padding."""
        import numpy as np

        if self._corpus.settings.pack is None:
            return np.array([len(self[number])], np.int64)
        part, inner = self._place(number)
        found = self._corpus.view(part).spans(inner)
        assert found is not None
        return found

    def row(self, number: int) -> dict[str, npt.NDArray[Any]]:
        """A packed row with all that attention needs.

        ``input_ids``; ``position_ids``, which begin with 0 in each document; ``document_ids``, -1 for
        padding; ``cu_seqlens``, where documents begin and the last one ends, as variable-length attention
        takes it; and ``loss_mask``, 0 for padding.
        """
        import numpy as np

        ids, spans = np.asarray(self[number]), self.spans(number)
        ends = spans.cumsum()
        used = int(ends[-1]) if len(ends) else 0
        positions, documents = np.zeros(len(ids), np.int64), np.full(len(ids), -1, np.int64)
        positions[:used] = np.arange(used) - np.repeat(ends - spans, spans)
        positions[used:] = np.arange(len(ids) - used)
        documents[:used] = np.repeat(np.arange(len(spans)), spans)
        mask = self.mask(number).copy()
        mask[used:] = 0
        return {
            "input_ids": ids,
            "position_ids": positions,
            "document_ids": documents,
            "cu_seqlens": np.concatenate([[0], ends]).astype(np.int32),
            "loss_mask": mask,
        }


class Windows(Sequence[Any]):
    """A corpus in windows of one length, by number."""

    def __init__(self, corpus: Corpus, length: int, overlap: int) -> None:
        if length < 1 or not 0 <= overlap < length:
            raise ArgumentError(
                f"a window must have 1 token or more and an overlap below that, found {length} and {overlap}"
            )
        self.corpus, self.length, self.overlap = corpus, length, overlap

    def __len__(self) -> int:
        step = self.length - self.overlap
        return max(0, (self.corpus.tokens - self.overlap) // step)

    def _start(self, number: int) -> int:
        number = number + len(self) if number < 0 else number
        if not 0 <= number < len(self):
            raise IndexError(f"window {number} of {len(self)}")
        return number * (self.length - self.overlap)

    # `Any`: an overload for each would not tell more.
    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        start = self._start(number)
        return self.corpus.read(start, start + self.length)

    def mask(self, number: int) -> npt.NDArray[np.uint8]:
        """The loss mask of a window."""
        start = self._start(number)
        return self.corpus.mask(start, start + self.length)


def open(path: Path) -> Corpus:
    """Opens a folder that ``tokenize_corpus`` has made, on this machine.

    Args:
        path: the folder.
    """
    target = place(path_name("path", path, "a folder of token files"))
    if not isinstance(target, LocalPlace):
        raise UnsupportedError(
            f"{target.path}: token files are mapped, so copy the folder to this machine first"
        )
    manifest = read_manifest(target)
    if manifest is None:
        if not os.path.isdir(target.path):
            raise FileNotFoundError(2, os.strerror(2), os.fsdecode(path))
        run = read_run(target)
        if run is not None:
            raise ArgumentError(
                f"{target.path} is not complete ({len(run['plan'])} shards were planned): run "
                "tokenize_corpus again, which goes on, or merge the tasks"
            )
        raise ArgumentError(f"{target.path} has no {MANIFEST}: it is no folder of tokenize_corpus")
    return Corpus(target.path, manifest)
