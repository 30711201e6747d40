"""What a call says besides what it gives."""

import warnings
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")


def told(call: Callable[[], R]) -> tuple[R, list[str]]:
    """What a call gives, and the texts of its warnings, also of those that were given before."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(one.message) for one in caught]
