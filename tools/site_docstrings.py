"""Docstrings of compiled classes for the site.

Signatures come from the stub, `_tessella.pyi`; what the members do is said in the compiled module alone. Classes that call
themselves `tessella.Encoding` rather than `tessella._tessella.Encoding` are taken for aliases of what the package
imports, and lose their docstrings on the way. Here they get them back.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import griffe

COMPILED = "_tessella"


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
