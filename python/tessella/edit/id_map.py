"""What became of every id: the map from a tokenizer's ids to those of the tokenizer made from it.

Four things can happen. An id is *kept*, or *moved* to another number, and stands for the same token. It is
*removed*: its text is then spelled by other tokens, its decomposition. And there are *new* ids, which the old
tokenizer spelled by several, their constituents. Ids between that stand for nothing are *unused*.

A map is a value: it is compared, composed (``first.then(second)``), turned round, saved, and applied to ids,
to files of ids, to labels and, with ``resize_embeddings``, to a model.

Example:
    >>> from tessella.edit import IdMap
    >>> id_map = IdMap([0, 1, None, 2], removed={2: [0, 1]})
    >>> id_map[3], id_map[2], id_map.kind(3), id_map.decomposition(2)
    (2, None, 'moved', (0, 1))
    >>> id_map.apply([3, 2, 0], removed="decompose")
    [2, 0, 1, 0]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import ArgumentError, OutOfRangeError

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._types import Path


#: What became of an id.
Kind = Literal["kept", "moved", "removed", "unused"]
#: What is done with removed ids: they are an error, or their decompositions take their places.
Removed = Literal["refuse", "decompose"]


class IdMap:
    """Old ids and what they are now.

    Args:
        new_ids: for every old id the new one; ``None`` where it has none.
        removed: the decompositions of removed ids, in new ids. An id that has no new one and stands here is
            removed, any other is unused.
        new: the constituents of new ids, in old ids.
        new_size: new ids are below this; by default the least that fits.
        is_exact: whether kept ids are what encoding gives: a text whose old ids are all kept or moved is
            encoded as just these. True of what only removes and renumbers; an extended tokenizer has better
            tokens for old texts.
        unsure: old ids of which that cannot be said even then: unknown tokens, whose text the map cannot see.
        before: the fingerprint of the tokenizer of the old ids, where it is known.
        after: that of the new one.

    Example:
        >>> id_map = IdMap([0, None, 1], removed={1: [0]}, new={2: [0, 2]})
        >>> len(id_map), id_map.new_size, id_map.constituents(2), id_map.new_ids
        (3, 3, (0, 2), (2,))
        >>> id_map.inverse()[1], id_map.inverse().decomposition(2)
        (2, (0, 2))
    """

    __slots__ = (
        "_new",
        "_removed",
        "_spelled",
        "_table",
        "after",
        "before",
        "is_exact",
        "new_size",
        "unsure",
    )

    def __init__(
        self,
        new_ids: Iterable[int | None] | npt.NDArray[np.integer],
        *,
        removed: Mapping[int, Iterable[int]] | None = None,
        new: Mapping[int, Iterable[int]] | None = None,
        new_size: int | None = None,
        is_exact: bool = False,
        unsure: Iterable[int] = (),
        before: str | None = None,
        after: str | None = None,
    ) -> None:
        if isinstance(new_ids, np.ndarray):
            if new_ids.size and new_ids.dtype.kind not in "iu":
                raise TypeError(f"`new_ids` must hold ids, not numbers of type {new_ids.dtype}")
            if new_ids.dtype == np.uint64 and int(new_ids.max(initial=0)) > np.iinfo(np.int64).max:
                raise ArgumentError(f"`new_ids` has the number {new_ids.max()}, which is no id")
            table = new_ids.astype(np.int64)
        else:
            try:
                table = np.array([-1 if one is None else index(one) for one in new_ids], np.int64)
            except TypeError as error:
                raise TypeError(f"`new_ids` must hold an id or None for each old id: {error}") from None
            except OverflowError:
                raise ArgumentError("`new_ids` has a number of more than 64 bits, which is no id") from None
        self._table: npt.NDArray[np.int64] = table
        self._removed = {int(old): tuple(map(int, parts)) for old, parts in (removed or {}).items()}
        self._new = {int(one): tuple(map(int, parts)) for one, parts in (new or {}).items()}
        top = max([int(table.max(initial=-1)), *self._new], default=-1) + 1
        self.new_size: int = top if new_size is None else new_size
        self.is_exact = is_exact
        self.unsure: frozenset[int] = frozenset(map(int, unsure))
        self.before, self.after = before, after
        self._spelled: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None = None
        self._check(top)
        table.setflags(write=False)

    def _check(self, top: int) -> None:
        """A map that contradicts itself would give wrong ids without a word."""
        table, size = self._table, len(self._table)
        if table.ndim != 1 or int(table.min(initial=0)) < -1:
            raise ArgumentError("`new_ids` must be one row of ids from 0, or None")
        if self.new_size < top:
            raise ArgumentError(f"`new_size` is {self.new_size}, but the map has the new id {top - 1}")
        taken = set(table[table >= 0].tolist())
        for old, parts in self._removed.items():
            if not 0 <= old < size or table[old] >= 0:
                raise ArgumentError(f"id {old} cannot be removed: it is kept, or not below {size}")
            if not all(0 <= part < self.new_size for part in parts):
                raise ArgumentError(f"the decomposition {parts} of id {old} must be below {self.new_size}")
        for new, parts in self._new.items():
            if new in taken or new < 0:
                raise ArgumentError(f"id {new} cannot be new: an old id has become it")
            if not all(0 <= part < size for part in parts):
                raise ArgumentError(f"the constituents {parts} of id {new} must be below {size}")

    @classmethod
    def identity(cls, size: int) -> IdMap:
        """The map that keeps ``size`` ids."""
        return cls(np.arange(size), is_exact=True)

    # What it says.

    def __len__(self) -> int:
        """Old ids are below this."""
        return len(self._table)

    @property
    def old_size(self) -> int:
        """Old ids are below this: the rows that a model of the old tokenizer needs."""
        return len(self._table)

    @property
    def table(self) -> npt.NDArray[np.int64]:
        """The new id of every old one, -1 where there is none. It cannot be written to."""
        return self._table

    def __getitem__(self, old: int) -> int | None:
        if not 0 <= old < len(self._table):
            raise IndexError(f"old ids are below {len(self._table)}, found {old}")
        new = int(self._table[old])
        return None if new < 0 else new

    def __iter__(self) -> Iterator[int | None]:
        return (None if new < 0 else new for new in self._table.tolist())

    def kind(self, old: int) -> Kind:
        """Whether an old id is kept, moved, removed or unused."""
        new = self[old]
        if new is None:
            return "removed" if old in self._removed else "unused"
        return "kept" if new == old else "moved"

    def decomposition(self, old: int) -> tuple[int, ...]:
        """The new ids that stand for an old one: its own new id, or what spells it now."""
        new = self[old]
        return self._removed.get(old, ()) if new is None else (new,)

    def constituents(self, new: int) -> tuple[int, ...]:
        """The old ids that a new one is made of; the old id itself where it was kept or moved."""
        if new in self._new:
            return self._new[new]
        return tuple(np.flatnonzero(self._table == new).tolist())

    @property
    def removed_ids(self) -> tuple[int, ...]:
        """Old ids that are gone."""
        return tuple(sorted(self._removed))

    @property
    def new_ids(self) -> tuple[int, ...]:
        """Ids that the old tokenizer did not have."""
        return tuple(sorted(self._new))

    @property
    def is_identity(self) -> bool:
        """Whether every id stayed what it was."""
        size = len(self._table)
        same = bool((self._table == np.arange(size)).all())
        return same and not self._removed and not self._new and self.new_size == size

    def _key(self) -> tuple[object, ...]:
        return (self._table.tobytes(), self._removed, self._new, self.new_size, self.is_exact, self.unsure)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, IdMap) else NotImplemented

    def __hash__(self) -> int:
        return hash((self._table.tobytes(), self.new_size))

    def __repr__(self) -> str:
        table = self._table
        moved = int(((table >= 0) & (table != np.arange(len(table)))).sum())
        kept = int((table >= 0).sum()) - moved
        return (
            f"<IdMap {self.old_size} -> {self.new_size} ids: {kept} kept, {moved} moved, "
            f"{len(self._removed)} removed, {len(self._new)} new>"
        )

    # Together and back.

    def then(self, other: IdMap) -> IdMap:
        """One map that does what this one and then the other do.

        Example:
            >>> first, second = IdMap([1, 0]), IdMap([None, 0], removed={0: [0]})
            >>> first.then(second).apply([0, 1], removed="decompose")
            [0, 0]
        """
        if other.old_size != self.new_size or (
            self.after is not None and other.before is not None and self.after != other.before
        ):
            raise ArgumentError(
                f"{other!r} does not go on where {self!r} ends: it belongs to another tokenizer"
            )
        new: dict[int, int] = {}
        removed: dict[int, tuple[int, ...]] = {}
        for old, middle in enumerate(self):
            if middle is None:
                parts = self._removed.get(old)
                # With a part that the other map does not know, the id is known no more either.
                if parts is not None and all(
                    other[part] is not None or part in other._removed for part in parts
                ):
                    removed[old] = tuple(last for part in parts for last in other.decomposition(part))
            elif (last := other[middle]) is not None:
                new[old] = last
            elif middle in other._removed:
                removed[old] = other._removed[middle]
        table = np.full(len(self._table), -1, np.int64)
        table[list(new)] = list(new.values())
        came = {last: middle for middle, last in enumerate(other) if last is not None}
        from_old = {middle: (old,) for old, middle in enumerate(self) if middle is not None} | self._new
        # What an old id became too, where several ids became one, is not new.
        known = set(new.values())
        made = {
            came_to: self._new[middle]
            for came_to, middle in came.items()
            if middle in self._new and came_to not in known
        }
        made |= {
            last: tuple(old for part in parts for old in from_old.get(part, ()))
            for last, parts in other._new.items()
        }
        return IdMap(
            table,
            removed=removed,
            new=made,
            new_size=other.new_size,
            is_exact=self.is_exact and other.is_exact,
            unsure=self.unsure | {old for old, middle in enumerate(self) if middle in other.unsure},
            before=self.before,
            after=other.after,
        )

    def inverse(self) -> IdMap:
        """The map back: what was removed is new, what is new is removed.

        Raises ``ArgumentError`` where two old ids became one: nothing leads back.
        """
        back = np.full(self.new_size, -1, np.int64)
        for old, new in enumerate(self):
            if new is not None:
                if back[new] >= 0:
                    raise ArgumentError(
                        f"the map has no inverse: the old ids {back[new]} and {old} both became {new}"
                    )
                back[new] = old
        return IdMap(
            back,
            removed=self._new,
            new=self._removed,
            new_size=self.old_size,
            before=self.after,
            after=self.before,
        )

    # Applying it.

    def is_exact_for(self, ids: Iterable[int] | npt.NDArray[np.integer]) -> bool:
        """Whether mapping these ids is proven to give what the new tokenizer encodes their text as.

        Example:
            >>> id_map = IdMap([0, None], removed={1: [0, 0]}, is_exact=True)
            >>> id_map.is_exact_for([0, 0]), id_map.is_exact_for([0, 1])
            (True, False)
        """
        if not self.is_exact:
            return False
        from .apply import all_kept, as_array

        met = as_array(ids).ravel()
        return all_kept(self, met) and self.unsure.isdisjoint(met.tolist())

    def apply(self, ids: Any, *, removed: Removed = "refuse", ignore: Iterable[int] = ()) -> Any:
        """New ids for old ones: a list for a list, an array for an array, ``RaggedIds`` for ``RaggedIds``.

        Args:
            ids: ids; a list may hold lists.
            removed: whether a removed id is an error, or replaced by its decomposition. The decomposition has
                the same text; where ``is_exact_for`` the ids is false, encoding the text anew may give fewer
                tokens.
            ignore: numbers that are no ids and stay: ``-100`` in labels.
        """
        from .apply import applied

        return applied(self, ids, removed, ignore)

    def apply_labels(self, labels: Any, *, removed: Removed = "refuse", ignore: int = -100) -> Any:
        """Labels that are ids themselves, as language models have them; ``ignore`` stays.

        Example:
            >>> IdMap([1, 0]).apply_labels([-100, 0, 1])
            [-100, 1, 0]
        """
        return self.apply(labels, removed=removed, ignore=(ignore,))

    def apply_along(
        self, ids: Sequence[int], labels: Sequence[Any], *, inside: Any = None
    ) -> tuple[list[int], list[Any]]:
        """New ids, and a label for each: where an id is decomposed, its label is repeated.

        Args:
            ids: old ids.
            labels: a label for each of them.
            inside: the label of all parts but the first; ``None`` repeats the label itself.

        Example:
            >>> id_map = IdMap([0, 1, None], removed={2: [0, 1]})
            >>> id_map.apply_along([2, 1], ["B-LOC", "O"], inside="I-LOC")
            ([0, 1, 1], ['B-LOC', 'I-LOC', 'O'])
        """
        from .apply import along

        return along(self, ids, labels, inside)

    def apply_file(
        self,
        source: Path,
        target: Path,
        *,
        dtype: str = "uint16",
        target_dtype: str | None = None,
        removed: Removed = "refuse",
    ) -> int:
        """Rewrites a file of bare ids, one after the other without a header, and tells how many it has now.

        Args:
            source: the file; it is read in portions.
            target: where the result appears when it is complete.
            dtype: of the numbers: ``"uint16"``, ``"uint32"``, ``"int32"`` or ``"int64"``, little-endian.
            target_dtype: of the result; by default the same. New ids that do not fit are an error.
            removed: as for ``apply``.
        """
        from .apply import rewrite

        return rewrite(self, os.fspath(source), os.fspath(target), dtype, target_dtype or dtype, removed)

    def spelled(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """All decompositions in one row, and where that of each old id starts; one more entry ends it."""
        if self._spelled is None:
            lengths = np.where(self._table >= 0, 1, 0)
            for old, parts in self._removed.items():
                lengths[old] = len(parts)
            starts = np.concatenate([[0], np.cumsum(lengths)])
            row = np.zeros(int(starts[-1]), np.int64)
            known = np.flatnonzero(self._table >= 0)
            row[starts[known]] = self._table[known]
            for old, parts in self._removed.items():
                row[starts[old] : starts[old + 1]] = parts
            self._spelled = (row, starts)
        return self._spelled

    def check_size(self, numbers: str, bits: int) -> None:
        """New ids must fit where they are written."""
        if self.new_size > 1 << bits:
            raise OutOfRangeError(
                f"ids up to {self.new_size - 1} do not fit into {numbers}: choose a wider `target_dtype`"
            )

    # Files.

    def save(self, path: Path) -> None:
        """Writes the map: as JSON, or as tensors where the name ends in ``.safetensors``.

        Example:
            >>> import os, tempfile
            >>> id_map = IdMap([0, None, 1], removed={1: [0, 1]})
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     for name in ("map.json", "map.safetensors"):
            ...         id_map.save(os.path.join(folder, name))
            ...         print(IdMap.load(os.path.join(folder, name)) == id_map)
            True
            True
        """
        from .map_files import write

        write(self, os.fspath(path))

    @classmethod
    def load(cls, path: Path) -> IdMap:
        """Reads what ``save`` wrote."""
        from .map_files import read

        return read(os.fspath(path))
