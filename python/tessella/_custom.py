"""Finding components written in Python by the path they can be imported from.

A component is saved as ``package.module:Name``. It can be saved if importing the name gives the object
itself, or its class and the object has no state that would be lost.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import ArgumentError

#: How pickling makes an object anew.
_MADE = object().__reduce_ex__(2)[0]


def _lookup(path: str) -> Any:
    module, _, name = path.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _is(path: str, thing: Any) -> bool:
    try:
        return _lookup(path) is thing
    except (ImportError, AttributeError, ValueError):
        return False


def import_path(component: Any) -> str | None:
    """The path under which a component can be found again, if there is one."""
    cls = type(component)
    if isinstance(component, type):
        path = f"{component.__module__}:{component.__qualname__}"
        return path if _is(path, component) else None
    path = f"{cls.__module__}:{cls.__qualname__}"
    return path if _is(path, cls) and _is_plain(component) else None


def _is_plain(component: Any) -> bool:
    """Whether calling the class without arguments gives the same.

    Attributes would be lost, those in slots too, and what a tuple, a text or a number holds.
    """
    try:
        how, given, *rest = component.__reduce_ex__(2)
    except (TypeError, ValueError):
        return False
    return how is _MADE and given == (type(component),) and not any(rest)


def from_import_path(path: str) -> Any:
    """The component at a path: an object as it is, a class called without arguments."""
    if path.count(":") != 1:
        raise ArgumentError(f"{path!r} is not an import path of the form 'package.module:Name'")
    found = _lookup(path)
    return found() if isinstance(found, type) else found
