"""Scores of a model as an array of NumPy, wherever they lie.

What a model gives is seldom an array: it has a gradient, lies on a GPU, or is made of numbers that NumPy
does not know.

Example:
    >>> numbers([[0.5, 1.5]]).shape
    (1, 2)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError


def numbers(scores: Any) -> npt.NDArray[Any]:
    """The values of an array, of a tensor, or of a list of them."""
    if isinstance(scores, (list, tuple)) and scores and _lies_elsewhere(scores[0]):
        return np.stack([numbers(one) for one in scores])
    if hasattr(scores, "detach"):
        scores = scores.detach().cpu()
        try:
            return np.asarray(scores)
        except TypeError:
            # bfloat16 and narrower numbers.
            return np.asarray(scores.float())
    if _lies_elsewhere(scores):
        scores = scores.get()
    return np.asarray(scores)


def check_numbers(scores: npt.NDArray[Any]) -> None:
    """Refuses what is no number: the best of it would be anything.

    Example:
        >>> check_numbers(np.array([0.5, float("nan")]))
        Traceback (most recent call last):
        tessella.errors.ArgumentError: the scores hold NaN, at (1,) for one: the model gave no numbers there
    """
    if scores.dtype.kind == "f" and (lost := np.isnan(scores)).any():
        place = tuple(int(at) for at in np.argwhere(lost)[0])
        raise ArgumentError(f"the scores hold NaN, at {place} for one: the model gave no numbers there")


def _lies_elsewhere(scores: Any) -> bool:
    """Tensors of torch and arrays of CuPy, which NumPy cannot always look into."""
    return hasattr(scores, "detach") or (hasattr(scores, "get") and hasattr(scores, "device"))
