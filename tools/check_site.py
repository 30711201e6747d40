"""Does the built site show every public name? `make docs` asks after building.

Usage: python tools/check_site.py build/site
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType

import tessella

#: Described by pages of their own, not by their docstrings.
ELSEWHERE = {"cli", "demo"}


def rooms() -> list[ModuleType]:
    """The package, its public modules, and those of `compat`."""
    compat = importlib.import_module("tessella.compat")
    found = [
        (parent.__name__, module.name)
        for parent in (tessella, compat)
        for module in pkgutil.iter_modules(parent.__path__)
        if not module.name.startswith("_") and module.name not in ELSEWHERE
    ]
    return [tessella, *(importlib.import_module(f"{parent}.{name}") for parent, name in found)]


def missing(site: Path) -> list[str]:
    """The public names that no page of the API reference has a place for."""
    pages = sorted((site / "api").glob("*/index.html"))
    shown = {
        name
        for page in pages
        for name in re.findall(r'id="(tessella[\w.]*)"', page.read_text(encoding="utf-8"))
    }
    # A class is found wherever a room shows it; `tessella.AutoTokenizer` is also `tessella.batch.AutoTokenizer`.
    places: dict[int, set[str]] = {}
    names = {}
    for room in rooms():
        for name in room.__all__:
            thing = getattr(room, name)
            if name.startswith("__") or isinstance(thing, ModuleType):
                continue
            path = f"{room.__name__}.{name}"
            names[path] = thing
            defined = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"
            places.setdefault(id(thing), set()).update((path, defined))
    return sorted(path for path, thing in names.items() if not places[id(thing)] & shown)


if __name__ == "__main__":
    absent = missing(Path(sys.argv[1]))
    for name in absent:
        print(f"{name} is public, and docs/api shows it nowhere", file=sys.stderr)
    sys.exit(1 if absent else 0)
