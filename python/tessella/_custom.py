"""Finding components written in Python by the path they can be imported from.

A component is saved as ``package.module:Name``. It can be saved if importing the name gives the object
itself, or its class and the object has no state that would be lost.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import ArgumentError


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
    if not getattr(component, "__dict__", None) and _is(path, cls):
        return path
    return None


def from_import_path(path: str) -> Any:
    """The component at a path: an object as it is, a class called without arguments."""
    if path.count(":") != 1:
        raise ArgumentError(f"{path!r} is not an import path of the form 'package.module:Name'")
    found = _lookup(path)
    return found() if isinstance(found, type) else found
