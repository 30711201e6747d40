"""Packages that are not needed until they are."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from .errors import MissingDependencyError


def how_to_install(package: str, extra: str) -> str:
    """What to type when a package is missing: its own name works wherever this package came from.

    Args:
        package: its name for pip.
        extra: the extra of this package that installs it.

    Example:
        >>> print(how_to_install("jinja2", "chat"))
        pip install jinja2 (or, in a clone of Tessella: pip install '.[chat]')
    """
    return f"pip install {package} (or, in a clone of Tessella: pip install '.[{extra}]')"


def needed(package: str, extra: str, purpose: str, distribution: str | None = None) -> ModuleType:
    """An optional package, or an error that says what it is for and how to install it.

    Args:
        package: the module to import.
        extra: the extra of this package that installs it.
        purpose: what needs it, to begin a sentence.
        distribution: its name for pip, where that is not the module's.
    """
    try:
        return import_module(package)
    except ImportError as error:
        name = distribution or package.partition(".")[0]
        raise MissingDependencyError(
            f"{purpose} needs {name}, which cannot be imported ({error}): {how_to_install(name, extra)}"
        ) from error
