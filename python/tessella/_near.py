"""Names that are nearly right: which known one may have been meant."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NoReturn


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most like this one, if one is like it at all.

    Example:
        >>> nearest("vocab_sise", ["vocab_size", "min_frequency"])
        'vocab_size'
    """
    from difflib import get_close_matches

    names = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), names, 1, cutoff)
    if near:
        return names[near[0]]
    # `cl100k` for `cl100k_base` is too short to be like it by its letters.
    longer = [one for low, one in names.items() if name and low.startswith(name.lower())]
    return longer[0] if len(longer) == 1 else None


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: a question, or nothing where no name is near.

    Example:
        >>> "no option `vocab_sise`" + meant("vocab_sise", ["vocab_size"])
        "no option `vocab_sise`; did you mean 'vocab_size'?"
    """
    near = nearest(name, known)
    return "" if near is None else f"; did you mean '{near}'?"


def naming_options(init: Callable[..., None]) -> Callable[..., None]:
    """An ``__init__`` whose error for an unknown option says which one may have been meant.

    Python does so itself from 3.13 on. Nothing is looked at unless the call fails.
    """

    @functools.wraps(init)
    def named(self: Any, *args: Any, **options: Any) -> None:
        try:
            init(self, *args, **options)
        except TypeError as error:
            if "unexpected keyword" in str(error) and "mean" not in str(error):
                _raise_named(init, options, error)
            raise

    return named


def _raise_named(init: Callable[..., None], options: dict[str, Any], error: TypeError) -> NoReturn:
    import inspect

    known = [name for name in inspect.signature(init).parameters if name != "self"]
    unknown = next((name for name in options if name not in known), None)
    raise TypeError(str(error) + ("" if unknown is None else meant(unknown, known))) from None
