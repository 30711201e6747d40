"""Id maps on ids: arrays, lists, ragged batches, and files of bare numbers, in portions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import _replacing
from ..errors import ArgumentError, FormatError, OutOfRangeError
from ..ragged import RaggedIds

if TYPE_CHECKING:
    import numpy.typing as npt

    from .id_map import IdMap, Removed


#: Numbers of a file that are mapped at a time.
PORTION = 1 << 20
#: What files of bare ids hold, and the bits that an id may have there.
NUMBERS = {"uint16": 16, "uint32": 32, "int32": 31, "int64": 63}


def as_array(ids: Any) -> npt.NDArray[np.int64]:
    """Ids as a row of numbers; what is no whole number is an error."""
    return _numbers(ids if isinstance(ids, np.ndarray) else np.asarray(list(ids)))


def _numbers(found: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    if isinstance(found, np.ma.MaskedArray):
        raise TypeError("a masked array has places without an id: pass its rows, or `filled` with `ignore`")
    if found.size and found.dtype.kind not in "iu":
        raise TypeError(f"ids must be whole numbers, found {found.dtype}")
    return found.astype(np.int64)


def all_kept(id_map: IdMap, ids: npt.NDArray[np.int64]) -> bool:
    """Whether every id has a new one; what was no id of the old tokenizer is an error."""
    _check_range(id_map, ids)
    return not bool((id_map.table[ids] < 0).any())


def _known(id_map: IdMap, ids: npt.NDArray[np.int64], removed: Removed) -> None:
    """Refuses what has no new id."""
    if removed not in ("refuse", "decompose"):
        raise ArgumentError(f"`removed` must be 'refuse' or 'decompose', found {removed!r}")
    _check_range(id_map, ids)
    for place in np.flatnonzero(id_map.table[ids] < 0).tolist():
        old = int(ids[place])
        if id_map.kind(old) == "unused":
            raise ArgumentError(f"id {old} at position {place} stood for no token in the old tokenizer")
        if removed == "refuse":
            raise ArgumentError(
                f"id {old} at position {place} was removed: encode the text anew, or pass "
                "removed='decompose' to put what spells it in its place"
            )


def _check_range(id_map: IdMap, ids: npt.NDArray[np.int64]) -> None:
    outside = np.flatnonzero((ids < 0) | (ids >= id_map.old_size))
    if len(outside):
        place = int(outside[0])
        raise OutOfRangeError(
            f"id {ids[place]} at position {place} is none of the old tokenizer's, which are below "
            f"{id_map.old_size}"
        )


def _mapped(
    id_map: IdMap, ids: npt.NDArray[np.int64], removed: Removed
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The new ids, and how many each old one has become."""
    _known(id_map, ids, removed)
    row, starts = id_map.spelled()
    lengths = starts[ids + 1] - starts[ids]
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    places = np.repeat(starts[ids] - (ends - lengths), lengths) + np.arange(total)
    return row[places], lengths


def _with_ignored(
    id_map: IdMap, ids: npt.NDArray[np.int64], removed: Removed, ignore: frozenset[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """As ``_mapped``; numbers that are no ids stay."""
    if not ignore:
        return _mapped(id_map, ids, removed)
    is_id = ~np.isin(ids, list(ignore))
    found, lengths = _mapped(id_map, ids[is_id], removed)
    sizes = np.ones(len(ids), np.int64)
    sizes[is_id] = lengths
    out = np.repeat(ids, sizes)
    out[np.repeat(is_id, sizes)] = found
    return out, sizes


def applied(id_map: IdMap, ids: Any, removed: Removed, ignore: Iterable[int]) -> Any:
    """See ``IdMap.apply``."""
    left = frozenset(ignore)
    if isinstance(ids, RaggedIds):
        found, lengths = _with_ignored(id_map, as_array(ids.ids), removed, left)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        id_map.check_size("uint32", 32)
        return RaggedIds(found.astype(np.uint32), ends[ids.offsets])
    if isinstance(ids, np.ndarray):
        return _array(id_map, ids, removed, left)
    rows = list(ids)
    if rows and isinstance(rows[0], (list, tuple, np.ndarray)):
        return [applied(id_map, row, removed, left) for row in rows]
    return _with_ignored(id_map, as_array(rows), removed, left)[0].tolist()


def _array(id_map: IdMap, ids: npt.NDArray[Any], removed: Removed, ignore: frozenset[int]) -> Any:
    if ids.dtype.kind not in "iu":
        raise TypeError(f"ids must be whole numbers, found {ids.dtype}")
    found, _ = _with_ignored(id_map, _numbers(ids).ravel(), removed, ignore)
    if ids.ndim != 1 and len(found) != ids.size:
        raise ArgumentError(
            "decompositions change the lengths of rows, which an array of several rows cannot hold: pass a "
            "list"
        )
    bits = 8 * ids.dtype.itemsize - (ids.dtype.kind == "i")
    if len(found) and int(found.max()) >= 1 << bits:
        raise OutOfRangeError(
            f"the new id {int(found.max())} does not fit into {ids.dtype}: pass wider numbers"
        )
    return found.astype(ids.dtype).reshape(ids.shape if ids.ndim != 1 else -1)


def along(
    id_map: IdMap, ids: Sequence[int], labels: Sequence[Any], inside: Any
) -> tuple[list[int], list[Any]]:
    """See ``IdMap.apply_along``."""
    if len(ids) != len(labels):
        raise ArgumentError(f"there are {len(ids)} ids and {len(labels)} labels")
    found, lengths = _mapped(id_map, as_array(ids), "decompose")
    spread: list[Any] = []
    for label, length in zip(labels, lengths.tolist(), strict=True):
        spread += [label if place == 0 or inside is None else inside for place in range(length)]
    return found.tolist(), spread


def rewrite(id_map: IdMap, source: str, target: str, dtype: str, target_dtype: str, removed: Removed) -> int:
    """See ``IdMap.apply_file``."""
    for name in (dtype, target_dtype):
        if name not in NUMBERS:
            raise ArgumentError(f"a file of ids holds one of {', '.join(NUMBERS)}, found {name!r}")
    id_map.check_size(target_dtype, NUMBERS[target_dtype])
    read, written = np.dtype(dtype).newbyteorder("<"), np.dtype(target_dtype).newbyteorder("<")
    number = before = 0
    with open(source, "rb") as file, _replacing(target) as out:
        while portion := file.read(PORTION * read.itemsize):
            if len(portion) % read.itemsize:
                raise FormatError(
                    f"{source} ends in the middle of a number: it is no file of {dtype} (byte "
                    f"{before * read.itemsize + len(portion)})"
                )
            ids = np.frombuffer(portion, read).astype(np.int64)
            try:
                found, _ = _mapped(id_map, ids, removed)
            except ArgumentError as error:
                raise type(error)(f"{error} (in {source}, positions from number {before})") from None
            out.write(found.astype(written).tobytes())
            number, before = number + len(found), before + len(ids)
    return number
