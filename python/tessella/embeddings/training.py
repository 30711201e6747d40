"""Learning vectors: skip-gram with negative sampling.

A model learns to tell the true neighbours of an item from items drawn at random, and the vectors that it
needs for that are the result. The work is done by ``gensim``; with one worker the same seed gives the same
vectors, equal to what gensim itself gives for the same sequences.

Example:
    >>> from tessella.embeddings import train_vectors
    >>> playlists = [["rock1", "rock2", "rock3"], ["jazz1", "jazz2", "jazz3"]] * 200
    >>> songs = train_vectors(playlists, dimensions=8, negatives=2, subsampling=0)
    >>> {key for key, _ in songs.most_similar("jazz1", n=2)} == {"jazz2", "jazz3"}
    True
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from .._given import check_list, whole
from .._optional import needed
from ..errors import ArgumentError, TrainError
from .vectors import Vectors

# gensim silently drops what follows in longer sequences.
_LONGEST = 10_000


class _Numbered:
    """Sequences as lists of numbers in text, to be read as often as there are epochs."""

    def __init__(self, sequences: Iterable[Iterable[Hashable]]) -> None:
        self.keys: list[Hashable] = []
        numbers: dict[Hashable, str] = {}
        self._sequences: list[list[str]] = []
        check_list("sequences", sequences, "lists of items")
        for sequence in sequences:
            if isinstance(sequence, (str, bytes)):
                raise TypeError(
                    f"every sequence must be a list of items, found one {type(sequence).__name__}: "
                    f"{sequence[:40]!r}"
                )
            row: list[str] = []
            for item in sequence:
                try:
                    number = numbers.get(item)
                except TypeError:
                    raise TypeError(
                        "an item must be hashable, as texts, numbers and tuples are, found "
                        f"{type(item).__name__} {item!r:.60}"
                    ) from None
                if number is None:
                    number = numbers[item] = str(len(self.keys))
                    self.keys.append(item)
                row.append(number)
            self._sequences += [row[at : at + _LONGEST] for at in range(0, len(row), _LONGEST)]

    def __iter__(self) -> Iterator[list[str]]:
        yield from self._sequences


def train_vectors(
    sequences: Iterable[Iterable[Hashable]],
    *,
    dimensions: int = 32,
    window: int = 10,
    negatives: int = 50,
    min_count: int = 1,
    epochs: int = 5,
    learning_rate: float = 0.025,
    subsampling: float = 1e-3,
    seed: int = 1,
    workers: int = 1,
) -> Vectors:
    """Vectors of the items of sequences, the most frequent first.

    Args:
        sequences: lists of items. An item is anything that can be a key: tokens, ids, names of songs.
            Sequences of more than 10,000 items are learned from in parts.
        dimensions: the length of a vector.
        window: how far neighbours may be.
        negatives: random items for each true neighbour.
        min_count: rarer items get no vector.
        epochs: how often the sequences are gone through.
        learning_rate: at the start; it falls to nearly nothing.
        subsampling: items more frequent than this share are skipped now and then; 0 for never.
        seed: of all random choices.
        workers: threads; with more than one, results differ from run to run.
    """
    dimensions, window = whole("dimensions", dimensions, 1), whole("window", window, 1)
    negatives, min_count = whole("negatives", negatives, 1), whole("min_count", min_count, 0)
    epochs, workers = whole("epochs", epochs, 1), whole("workers", workers, 1)
    seed = whole("seed", seed, 0)
    # The rate is a number above 0 that is not without end, the share one from 0 to 1.
    if not 0 < learning_rate < float("inf"):
        raise ArgumentError(f"`learning_rate` is {learning_rate}; it must be larger than 0")
    if not 0 <= subsampling <= 1:
        raise ArgumentError(f"`subsampling` is {subsampling}; it must be from 0 to 1")
    word2vec = needed("gensim.models.word2vec", "embeddings", "learning vectors")
    numbered = _Numbered(sequences)
    model = word2vec.Word2Vec(
        vector_size=dimensions,
        window=window,
        negative=negatives,
        min_count=min_count,
        epochs=epochs,
        alpha=learning_rate,
        sample=subsampling,
        sg=1,
        hs=0,
        seed=seed,
        workers=workers,
    )
    model.build_vocab(numbered)
    if not len(model.wv):
        raise TrainError(
            f"there is nothing to learn from: {len(numbered.keys)} different items, none of them at least "
            f"{min_count} times"
        )
    model.train(numbered, total_examples=model.corpus_count, epochs=epochs)
    keys = [numbered.keys[int(number)] for number in model.wv.index_to_key]
    counts = [int(model.wv.get_vecattr(number, "count")) for number in model.wv.index_to_key]
    return Vectors(keys, model.wv.vectors, counts)
