"""Docstrings of compiled classes and of constants for the site.

Signatures come from the stub, `_tessella.pyi`; what the members do is said in the compiled module alone. Classes that call
themselves `tessella.Encoding` rather than `tessella._tessella.Encoding` are taken for aliases of what the package
imports, and lose their docstrings on the way. Here they get them back. Constants, attributes and names of types are
described by the comments above them that begin with `#:`. What a trainer takes is told by its options, and is in its signature
and docstring when the class is made.
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any

import griffe

COMPILED = "_tessella"


class Comments(griffe.Extension):
    """The comments above a name that begin with `#:` are its docstring."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        if attr.docstring or attr.lineno is None or not isinstance(attr.filepath, Path):
            return
        text: list[str] = []
        for line in reversed(_lines(attr.filepath)[: attr.lineno - 1]):
            if not line.strip().startswith("#:"):
                break
            text.insert(0, line.strip()[2:].strip())
        if text:
            attr.docstring = griffe.Docstring("\n".join(text), parent=attr, parser="google")


@cache
def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


class CompiledDocstrings(griffe.Extension):
    """Asks the compiled module wherever the stub has nothing to say."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        compiled = importlib.import_module(f"{pkg.path}.{COMPILED}")
        for shown in pkg[COMPILED].classes.values():
            own = getattr(compiled, shown.name, None)
            if own is not None:
                self._fill(shown, own)
                for name, member in shown.members.items():
                    self._fill(member, inspect.getattr_static(own, name, None))

    @staticmethod
    def _fill(shown: griffe.Object | griffe.Alias, own: object) -> None:
        text = inspect.getdoc(own)
        if text and not shown.is_alias and not shown.docstring:
            shown.docstring = griffe.Docstring(text, parent=shown, parser="google")


class Trainers(griffe.Extension):
    """Asks the classes of trainers what they take."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        public = importlib.import_module(f"{pkg.path}.trainers")
        for room in pkg["training"].modules.values():
            for shown in room.classes.values():
                own = getattr(public, shown.name, None)
                if own is not None and own._options:
                    text = inspect.getdoc(own) or ""
                    shown.docstring = griffe.Docstring(text, parent=shown, parser="google")
                    shown.set_member("__init__", self._taking(own, shown))

    @staticmethod
    def _taking(own: type, shown: griffe.Class) -> griffe.Function:
        kinds = griffe.ParameterKind
        parameters = [
            griffe.Parameter(
                name,
                kind=kinds.keyword_only if one.kind is one.KEYWORD_ONLY else kinds.positional_or_keyword,
                annotation=None if one.annotation is one.empty else str(one.annotation),
                default=None if one.default is one.empty else repr(one.default),
            )
            for name, one in inspect.signature(own.__init__).parameters.items()
        ]
        return griffe.Function("__init__", parameters=griffe.Parameters(*parameters), parent=shown)
