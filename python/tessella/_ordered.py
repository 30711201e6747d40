"""Lists whose order means something: the id of a token, the rank of a merge, which stage comes first.

A set has an order that changes from run to run, a dict would lose its values, and a text is walked by its
letters: none of them is taken for such a list. The compiled module has the same rule, see ``without_order``
in ``crates/tessella-python``.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, KeysView, Mapping, Set
from typing import TypeVar

T = TypeVar("T")


def in_order(name: str, value: Iterable[T], expected: str) -> list[T]:
    """The entries of a list, or of another iterable that has an order.

    Args:
        name: the argument.
        value: what was given for it.
        expected: what it must be, such as ``a list of tokens``.

    Example:
        >>> from tessella._ordered import in_order
        >>> in_order("merges", iter(["a", "b"]), "a list of merges")
        ['a', 'b']
        >>> in_order("merges", {"b"}, "a list of merges")
        Traceback (most recent call last):
            ...
        TypeError: `merges` must be a list of merges, not set {'b'}: a set has no order; pass sorted(...)
    """
    advice = _why_not(value)
    if advice is None:
        return list(value)
    raise TypeError(f"`{name}` must be {expected}, not {type(value).__name__} {reprlib.repr(value)}{advice}")


def _why_not(value: object) -> str | None:
    """What to do about a value that is no such list; ``None`` of one that is."""
    if isinstance(value, Mapping):
        return ": of a dict only the keys would be read; pass a list"
    # The keys of a dict are a set, too, and have its order.
    if isinstance(value, Set) and not isinstance(value, KeysView):
        return ": a set has no order; pass sorted(...)"
    if isinstance(value, (str, bytes, bytearray)):
        return ": put it into a list"
    if getattr(value, "ndim", None) == 0:
        return ": an array without a dimension holds one value; put it into a list, `[value.item()]`"
    return None if isinstance(value, Iterable) else ""
