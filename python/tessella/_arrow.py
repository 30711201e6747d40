"""Arrow's C data interface for ragged ids, without Arrow.

The interface is two C structures inside capsules. They are filled with ``ctypes``; the arrays behind them are
kept alive until the consumer calls ``release``.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


_ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))
_ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))

_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", _ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", _ReleaseArray),
    ("private_data", ctypes.c_void_p),
]

_NULLABLE = 2

# What exported structures point to, by a number that they carry, until they are released. The consumer may
# have moved a structure, so it cannot be found by its address.
_alive: dict[int, Any] = {}
_next = iter(range(1, 2**62))


def _keep(*things: Any) -> int:
    key = next(_next)
    _alive[key] = things
    return key


def _release(structure: Any) -> None:
    fields = structure.contents
    for index in range(fields.n_children):
        child = fields.children[index]
        if child.contents.release:
            child.contents.release(child)
    _alive.pop(fields.private_data, None)
    ctypes.memset(ctypes.byref(fields, type(fields).release.offset), 0, ctypes.sizeof(ctypes.c_void_p))


_release_schema = _ReleaseSchema(_release)
_release_array = _ReleaseArray(_release)

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_DestroyCapsule = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)

_NAMES = {_Schema: b"arrow_schema", _Array: b"arrow_array"}


def _destroy(kind: type[Any]) -> Any:
    def destroy(capsule: int) -> None:
        structure = ctypes.cast(_capsule_pointer(capsule, _NAMES[kind]), ctypes.POINTER(kind))
        if structure.contents.release:
            structure.contents.release(structure)
        _alive.pop(-ctypes.addressof(structure.contents), None)

    return _DestroyCapsule(destroy)


_destroyers = {_Schema: _destroy(_Schema), _Array: _destroy(_Array)}


def _capsule(structure: Any) -> Any:
    """Hands a structure over; its memory lives as long as the capsule."""
    kind = type(structure)
    _alive[-ctypes.addressof(structure)] = structure
    return _new_capsule(
        ctypes.addressof(structure), _NAMES[kind], ctypes.cast(_destroyers[kind], ctypes.c_void_p)
    )


def _new_schema(format: bytes, name: bytes, flags: int, children: list[Any]) -> _Schema:
    pointers = (ctypes.POINTER(_Schema) * max(1, len(children)))(*map(ctypes.pointer, children))
    structure = _Schema(
        format=format,
        name=name,
        flags=flags,
        n_children=len(children),
        children=pointers if children else None,
        release=_release_schema,
    )
    structure.private_data = _keep(format, name, pointers, children)
    return structure


def _new_array(length: int, buffers: list[Any], children: list[Any], owners: Any) -> _Array:
    addresses = (ctypes.c_void_p * len(buffers))(*buffers)
    pointers = (ctypes.POINTER(_Array) * max(1, len(children)))(*map(ctypes.pointer, children))
    structure = _Array(
        length=length,
        null_count=0,
        offset=0,
        n_buffers=len(buffers),
        buffers=addresses,
        n_children=len(children),
        children=pointers if children else None,
        release=_release_array,
    )
    structure.private_data = _keep(addresses, pointers, children, owners)
    return structure


def schema() -> Any:
    """A capsule with the type ``large_list<item: uint32>``."""
    return _capsule(_new_schema(b"+L", b"", _NULLABLE, [_new_schema(b"I", b"item", 0, [])]))


def array(ids: npt.NDArray[np.uint32], offsets: npt.NDArray[np.int64]) -> Any:
    """A capsule with the lists ``ids[offsets[i]:offsets[i + 1]]``."""
    import numpy as np

    ids = np.ascontiguousarray(ids, dtype=np.uint32)
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    values = _new_array(len(ids), [None, ids.ctypes.data], [], ids)
    return _capsule(_new_array(len(offsets) - 1, [None, offsets.ctypes.data], [values], offsets))
