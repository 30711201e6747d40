"""Packages that are not needed until they are."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from .errors import MissingDependencyError


def needed(package: str, extra: str, purpose: str) -> ModuleType:
    """An optional package, or an error that says what it is for and how to install it.

    Args:
        package: the module to import.
        extra: the extra of this package that installs it.
        purpose: what needs it, to begin a sentence.
    """
    try:
        return import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        raise MissingDependencyError(
            f"{purpose} needs {name}, which cannot be imported ({error}): pip install 'tessella[{extra}]'"
        ) from error
