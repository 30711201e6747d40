"""Options that were typed and that nobody would heed: an error that says so, before anything is done.

Whoever types `--weight 3` counts on it. What is passed over without a word is taken for done.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from ..errors import ArgumentError

#: How files are read: of no use where none are.
READING = ("field", "input", "separator", "errors")


def typed(parser: argparse.ArgumentParser, options: argparse.Namespace) -> dict[str, str]:
    """The options that have another value than their default, by the names of their values, as spelled."""
    return {
        action.dest: max(action.option_strings, key=len)
        for action in parser._actions
        if action.option_strings
        and hasattr(options, action.dest)
        and getattr(options, action.dest) != action.default
    }


def refuse(options: argparse.Namespace, names: Iterable[str], where: str) -> None:
    """Refuses options of these names.

    Args:
        options: what was typed.
        names: the names of their values.
        where: what they say nothing to, and what to do.

    Example:
        >>> refuse(argparse.Namespace(typed={"top": "--top"}), ["top"], "to a tokenizer: leave it out")
        Traceback (most recent call last):
        ...
        tessella.errors.ArgumentError: --top says nothing to a tokenizer: leave it out
    """
    found = [options.typed[name] for name in names if name in options.typed]
    if found:
        raise ArgumentError(f"{' and '.join(found)} {'say' if len(found) > 1 else 'says'} nothing {where}")


def refuse_reading(options: argparse.Namespace, where: str) -> None:
    """Refuses options that say how files are read, where no file is."""
    refuse(options, READING, where)
