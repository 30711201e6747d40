"""Keys and their vectors, side by side.

Example:
    >>> from tessella.embeddings import Vectors
    >>> vectors = Vectors(["a", "b"], [[3.0, 4.0], [0.0, 2.0]])
    >>> vectors["a"].tolist(), round(vectors.similarity("a", "b"), 2)
    ([3.0, 4.0], 0.8)
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from .._given import whole
from ..errors import ArgumentError, OutOfRangeError

if TYPE_CHECKING:
    from .. import Tokenizer


#: The formats of files with vectors.
VectorFormat = Literal["text", "binary", "safetensors"]
_Matrix = npt.NDArray[np.float32]


#: The squares of numbers between have 32 bits.
_SQUARED = (1e-15, 1e15)


def _directions(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Rows at length 1; rows of zeros stay."""
    with np.errstate(over="ignore", under="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units: npt.NDArray[np.floating] = rows / np.maximum(lengths, np.finfo(np.float32).tiny)
    # Of very large or small numbers the squares are infinite or 0, and that length with them.
    odd = np.flatnonzero(~((lengths > _SQUARED[0]) & (lengths < _SQUARED[1])))
    if len(odd):
        some = rows[odd].astype(np.float64)
        some /= np.abs(some).max(axis=1, keepdims=True, initial=np.finfo(np.float64).tiny)
        units[odd] = some / np.maximum(np.linalg.norm(some, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return units


class Vectors:
    """One vector for each key.

    Args:
        keys: the keys, each once.
        vectors: as many vectors, all of one length.
        counts: how often each key was seen, if that is known.

    Example:
        >>> vectors = Vectors(["up", "down"], [[0.0, 1.0], [0.0, -1.0]])
        >>> vectors["up"].tolist(), vectors.similarity("up", "down"), vectors.dimensions
        ([0.0, 1.0], -1.0, 2)
    """

    def __init__(
        self, keys: Iterable[Hashable], vectors: npt.ArrayLike, counts: Sequence[int] | None = None
    ) -> None:
        self.keys: list[Hashable] = list(keys)
        self.vectors: _Matrix = np.array(vectors, dtype=np.float32, order="C")
        # Similarities are worked out once, so the numbers must stay what they are.
        self.vectors.setflags(write=False)
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.keys):
            raise ArgumentError(
                f"there are {len(self.keys)} keys; `vectors` must have as many rows, found the shape "
                f"{self.vectors.shape}"
            )
        self.counts: list[int] | None = None if counts is None else list(counts)
        self._places = {key: place for place, key in enumerate(self.keys)}
        if len(self._places) < len(self.keys):
            twice = next(key for place, key in enumerate(self.keys) if self._places[key] != place)
            raise ArgumentError(f"the key {twice!r} is there more than once")
        self._units: npt.NDArray[np.floating] | None = None

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.keys)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._places

    def __getitem__(self, key: Hashable) -> _Matrix:
        row: _Matrix = self.vectors[self._place(key)]
        return row

    def __repr__(self) -> str:
        return f"Vectors({len(self)} keys, {self.dimensions} dimensions)"

    def _place(self, key: Hashable) -> int:
        place = self._places.get(key)
        if place is None:
            from difflib import get_close_matches

            near = get_close_matches(str(key), (k for k in self.keys[:50_000] if isinstance(k, str)), 3)
            hint = f"; near to it are {', '.join(map(repr, near))}" if near else ""
            raise KeyError(f"there is no vector of {key!r}{hint}")
        return place

    def _directions(self) -> npt.NDArray[np.floating]:
        """All vectors at length 1."""
        if self._units is None:
            self._units = _directions(self.vectors)
        return self._units

    def similarity(self, one: Hashable, other: Hashable) -> float:
        """The cosine of the angle between two vectors: 1 for the same direction, -1 for the opposite."""
        units = self._directions()
        return float(units[self._place(one)] @ units[self._place(other)])

    def most_similar(
        self,
        to: Hashable | Sequence[Hashable] | npt.NDArray[np.floating],
        *,
        unlike: Iterable[Hashable] = (),
        n: int = 10,
    ) -> list[tuple[Hashable, float]]:
        """The nearest keys by cosine, best first, without those that were asked about.

        Args:
            to: a key, a list of keys whose directions are averaged, or a vector.
            unlike: keys to be far from.
            n: how many.

        Example:
            >>> vectors = Vectors(["up", "down", "left"], [[0, 1], [0, -1], [-1, 0]])
            >>> vectors.most_similar("up", unlike=["left"], n=1)[0][0]
            'down'
        """
        n = whole("n", n, 0)
        if isinstance(unlike, (str, bytes)):
            raise TypeError(f"`unlike` must be a list of keys, not one: [{unlike!r:.60}]")
        units = self._directions()
        asked: list[int] = []
        if isinstance(to, np.ndarray):
            if to.shape != (self.dimensions,):
                raise ArgumentError(f"the vector has the shape {to.shape}; expected ({self.dimensions},)")
            with np.errstate(over="ignore", under="ignore"):
                length = float(np.linalg.norm(to))
            is_plain = _SQUARED[0] < length < _SQUARED[1]
            rows = [to / length] if is_plain else list(_directions(to.astype(np.float64)[np.newaxis]))
        else:
            asked = [self._place(key) for key in (to if isinstance(to, list) else [to])]
            rows = [units[place] for place in asked]
        for key in unlike:
            asked.append(self._place(key))
            rows.append(-units[asked[-1]])
        if not rows:
            raise ArgumentError("`to` is empty: give a key, keys or a vector")
        mean = np.mean(rows, axis=0)
        mean /= max(float(np.linalg.norm(mean)), float(np.finfo(np.float32).tiny))
        similarity = units @ mean.astype(np.float32)
        wanted = min(len(self), n + len(asked))
        if wanted < len(self):
            nearest = np.argpartition(-similarity, wanted - 1)[:wanted] if wanted else np.empty(0, np.intp)
        else:
            nearest = np.arange(len(self))
        order = nearest[np.lexsort((nearest, -similarity[nearest]))]
        found = [place for place in order.tolist() if place not in asked][:n]
        return [(self.keys[place], float(similarity[place])) for place in found]

    def matrix(
        self,
        vocabulary: Tokenizer | Mapping[str, int] | Sequence[Hashable],
        *,
        missing: Literal["zeros", "mean", "random"] = "zeros",
        seed: int = 0,
    ) -> _Matrix:
        """One row for each id of a vocabulary: the weights of ``torch.nn.Embedding``.

        ``torch.nn.Embedding.from_pretrained(torch.from_numpy(vectors.matrix(tokenizer)))`` makes the layer.

        Args:
            vocabulary: a tokenizer, tokens with their ids, or keys in id order.
            missing: what ids without a vector get: zeros, the mean of all vectors, or random numbers that
                spread as the vectors do.
            seed: of the random numbers.

        Example:
            >>> Vectors(["b"], [[1.0, 2.0]]).matrix({"a": 0, "b": 1}).tolist()
            [[0.0, 0.0], [1.0, 2.0]]
        """
        if missing not in ("zeros", "mean", "random"):
            raise ArgumentError(f"`missing` is {missing!r}; it must be 'zeros', 'mean' or 'random'")
        # Pairs, since keys in id order may come twice.
        ids: list[tuple[Hashable, int]]
        if isinstance(vocabulary, Mapping):
            ids = list(vocabulary.items())
        elif isinstance(vocabulary, Sequence):
            ids = [(key, id) for id, key in enumerate(vocabulary)]
        else:
            ids = list(vocabulary.get_vocab().items())
        for key, id in ids:
            if id < 0:
                raise OutOfRangeError(f"the id of {key!r} is {id}; it must be 0 or more")
        size = max((id for _, id in ids), default=-1) + 1
        rows = np.zeros((size, self.dimensions), dtype=np.float32)
        if missing == "mean" and len(self):
            rows[:] = self.vectors.mean(axis=0)
        elif missing == "random" and len(self):
            spread = np.random.default_rng(seed).normal(size=rows.shape) * self.vectors.std(axis=0)
            rows[:] = spread + self.vectors.mean(axis=0)
        for key, id in ids:
            place = self._places.get(key)
            if place is None and isinstance(key, str):
                # Vectors that were learned from ids have ids as keys. Keys that are numbers mean themselves.
                place = self._places.get(id)
            if place is not None:
                rows[id] = self.vectors[place]
        return rows

    def save(self, path: str | os.PathLike[str], format: VectorFormat | None = None) -> None:
        """Writes the vectors; ``load_vectors`` reads them.

        Args:
            path: where to.
            format: ``"text"`` or ``"binary"`` as word2vec has them, or ``"safetensors"``. ``None`` goes by
                the name: ``.bin`` is binary, ``.safetensors`` that, all others text.
        """
        from .files import save_vectors

        save_vectors(self, path, format)

    def picture(self, keys: Iterable[Hashable] | None = None, n: int = 60, width: int = 800) -> str:
        """The vectors in two dimensions, as SVG text.

        Args:
            keys: which ones; by default the first ``n``, which are the most frequent after learning.
            n: how many, where ``keys`` is not given.
            width: of the picture, in pixels.
        """
        from .picture import draw

        chosen = self.keys[:n] if keys is None else list(keys)
        return draw(chosen, self.vectors[[self._place(key) for key in chosen]], width)
