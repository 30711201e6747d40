"""What the arguments ``padding``, ``truncation`` and ``max_length`` of a call mean together.

The rules are those that users of the transformers library know. Where that library silently does nothing,
for want of a length, there is a warning here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, SupportsIndex, TypeVar

from .._notices import warn
from .._types import TruncationStrategy
from ..errors import ArgumentError

if TYPE_CHECKING:
    from .calling import PaddingKind, TruncationKind


#: The ``model_max_length`` of a model that has none.
NO_LIMIT = int(1e30)
# From here on a length is no limit; files hold several such numbers.
_LARGE = int(1e20)

PADDING: tuple[Literal["longest", "max_length", "do_not_pad"], ...] = ("longest", "max_length", "do_not_pad")
TRUNCATION: tuple[TruncationStrategy | Literal["do_not_truncate"], ...] = (
    "longest_first",
    "only_first",
    "only_second",
    "do_not_truncate",
)
_O = TypeVar("_O", bound=str)


class Strategies(NamedTuple):
    """What to do about lengths."""

    #: ``longest``, ``max_length`` or ``do_not_pad``.
    padding: Literal["longest", "max_length", "do_not_pad"]
    #: ``longest_first``, ``only_first``, ``only_second`` or ``do_not_truncate``.
    truncation: TruncationStrategy | Literal["do_not_truncate"]
    max_length: int | None


_NOTHING = Strategies("do_not_pad", "do_not_truncate", None)


def chosen(name: str, value: object, options: tuple[_O, ...]) -> _O:
    """The option that was named, also by an enum member with it as its value."""
    given = getattr(value, "value", value)
    for option in options:
        if isinstance(given, str) and given == option:
            return option
    raise ArgumentError(f"`{name}` must be a bool or one of {', '.join(sorted(options))}, not {value!r}")


def count(name: str, value: object, least: int) -> None:
    """Refuses what is no whole number, and one that is too small."""
    if value is None or (type(value) is int and value >= least):
        return
    if not isinstance(value, SupportsIndex):
        raise TypeError(f"`{name}` must be an int or None, not {type(value).__name__}")
    if value.__index__() < least:
        raise ArgumentError(f"`{name}` must be a whole number of at least {least}, or None, not {value}")


def resolve(
    padding: PaddingKind | None,
    truncation: TruncationKind | None,
    max_length: int | None,
    pad_to_multiple_of: int | None,
    model_max_length: int,
    verbose: bool,
) -> Strategies:
    """The strategies and the length.

    Args:
        padding, truncation, max_length, pad_to_multiple_of, verbose: as in the call.
        model_max_length: the length to use where the call gives none.
    """
    if (
        max_length is None
        and pad_to_multiple_of is None
        and (padding is False or padding is None)
        and (truncation is None or truncation is False)
    ):
        return _NOTHING
    count("max_length", max_length, 0)
    count("pad_to_multiple_of", pad_to_multiple_of, 0)
    if max_length is not None and padding is False and truncation is None:
        truncation = "longest_first"
    truncating: TruncationStrategy | Literal["do_not_truncate"] = (
        "do_not_truncate"
        if truncation is None or truncation is False
        else "longest_first"
        if truncation is True
        else chosen("truncation", truncation, TRUNCATION)
    )
    padded: Literal["longest", "max_length", "do_not_pad"] = (
        "do_not_pad"
        if padding is False or padding is None
        else "longest"
        if padding is True
        else chosen("padding", padding, PADDING)
    )
    if max_length is not None and max_length > _LARGE:
        # A `model_max_length` that says nothing, handed on.
        model_max_length = max_length
        max_length = None
    if padding is True and max_length is not None and truncating == "do_not_truncate" and verbose:
        warn(
            "`max_length` is ignored when `padding`=`True` and there is no truncation strategy. To pad "
            "to max length, use `padding='max_length'`."
        )
    if max_length is None:
        wanted = [
            name
            for name, on in (
                ("padding='max_length'", padded == "max_length"),
                (f"truncation={truncation!r}", truncating != "do_not_truncate"),
            )
            if on
        ]
        if wanted and model_max_length > _LARGE:
            if verbose:
                warn(
                    f"{' and '.join(wanted)} does nothing: neither `max_length` nor the tokenizer's "
                    "`model_max_length` says how long"
                )
            padded = "do_not_pad" if padded == "max_length" else padded
            truncating = "do_not_truncate"
        elif wanted:
            max_length = model_max_length
    if (
        truncating != "do_not_truncate"
        and padded != "do_not_pad"
        and pad_to_multiple_of
        and max_length is not None
        and max_length % pad_to_multiple_of
    ):
        raise ArgumentError(
            f"Truncation and padding are both activated but truncation length ({max_length}) is not a "
            f"multiple of pad_to_multiple_of ({pad_to_multiple_of})."
        )
    return Strategies(padded, truncating, max_length)
