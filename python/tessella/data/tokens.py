"""Token files as the input of a run: what was encoded once is packed, or written for another reader, without
the texts.

A shard of the result is made of one shard of the source. Its name is that of the folder with the number of
the shard behind ``#``, its size is told in tokens, and its hash is made of those of its files, as the
source's manifest tells them. Where an order is drawn over all shards, each shard of the result is a stretch
of that order: its input is the whole folder, and its places are numbers of documents.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from .batches import Batch
from .found import Found
from .plan import Shard, Slice
from .reading import Corpus, Documents
from .reading import open as open_corpus
from .training import Permutation

if TYPE_CHECKING:
    from .._types import Path


#: What stands for all shards behind the name of a folder.
ALL = "all"

#: Tokens that are handed on at a time.
PORTION = 1 << 22


def shards_of(path: Path) -> tuple[Corpus, list[Found]]:
    """A folder of token files, and its shards as inputs."""
    corpus = open_corpus(path)
    if corpus.settings.pack is not None:
        raise ArgumentError(f"{corpus.path} holds rows that are packed already: pack what they were made of")
    # Says what is wrong where documents cannot be told from each other.
    Documents(corpus)
    return corpus, [_found(corpus, index) for index in range(len(corpus.manifest["shards"]))]


def _found(corpus: Corpus, index: int) -> Found:
    entry = corpus.manifest["shards"][index]
    digest = hashlib.sha256("".join(file["sha256"] for file in entry["files"]).encode()).hexdigest()
    return Found(f"{corpus.path}#{index}", entry["tokens"], digest)


def shard_found(path: str) -> Found:
    """A shard by its name, as it is now."""
    folder, _, index = path.rpartition("#")
    corpus = open_corpus(folder)
    return _all(corpus) if index == ALL else _found(corpus, int(index))


def _all(corpus: Corpus) -> Found:
    found = (_found(corpus, index) for index in range(len(corpus.manifest["shards"])))
    digest = hashlib.sha256("".join(one.stamp for one in found).encode()).hexdigest()
    return Found(f"{corpus.path}#{ALL}", len(corpus.documents), digest)


def drawn_shards(corpus: Corpus) -> list[Shard]:
    """Stretches of an order over all documents, as many as there are shards and alike to one document."""
    whole, number = _all(corpus), len(corpus.manifest["shards"])
    cuts = [whole.size * place // number for place in range(number + 1)]
    return [
        Shard(index, (Slice(whole.path, start, end, whole.size, whole.stamp),))
        for index, (start, end) in enumerate(itertools.pairwise(cuts))
    ]


def drawn_batches(part: Slice, seed: int) -> Iterator[Batch]:
    """The documents of a stretch of the order that is drawn from a seed, some at a time."""
    import numpy as np

    corpus = open_corpus(part.path.rpartition("#")[0])
    documents = corpus.documents
    order = Permutation(len(documents), seed)
    place = part.start
    while place < part.end:
        numbers: list[int] = []
        ids: list[Any] = []
        size = 0
        while place < part.end and size < PORTION:
            numbers.append(order[place])
            ids.append(documents[numbers[-1]])
            size += len(ids[-1])
            place += 1
        marks = None
        if corpus.settings.mask is not None:
            marks = np.concatenate([documents.mask(number) for number in numbers])
        yield Batch(
            np.concatenate(ids),
            np.array([len(one) for one in ids], np.int64),
            (part.path,),
            rows=np.array(numbers, np.int64),
            mask=marks,
        )


def token_batches(part: Slice) -> Iterator[Batch]:
    """The documents of a shard, some at a time."""
    import numpy as np

    folder, _, index = part.path.rpartition("#")
    corpus = open_corpus(folder)
    before = sum(len(entry["parts"]) for entry in corpus.manifest["shards"][: int(index)])
    row = 0
    for number in range(before, before + len(corpus.manifest["shards"][int(index)]["parts"])):
        view = corpus.view(number)
        ends: Any = np.empty(0, np.int64) if view.ends is None else np.asarray(view.ends)
        first = 0
        while first < len(ends):
            start = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, start + PORTION, "right")))
            stop = int(ends[last - 1])
            lengths = np.diff(ends[first:last], prepend=start)
            rows = np.arange(row, row + last - first, dtype=np.int64)
            yield Batch(
                np.asarray(view.read(start, stop)),
                lengths.astype(np.int64),
                (part.path,),
                rows=rows,
                mask=view.mask(start, stop),
            )
            row += last - first
            first = last
