"""Lists of numbers to the arrays of NumPy, PyTorch, JAX, TensorFlow and MLX.

Nothing is imported before it is asked for. Values that are arrays of the wanted kind already stay as they
are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal

import numpy as np

from ..errors import ArgumentError, MissingDependencyError

#: What ``return_tensors`` may say.
Tensors = Literal["np", "pt", "jax", "tf", "mlx"]
#: The package that makes such arrays.
KINDS: dict[str, str] = {"np": "numpy", "pt": "torch", "jax": "jax", "tf": "tensorflow", "mlx": "mlx"}


def converter(kind: object) -> Callable[[str, Any], Any]:
    """The function that makes an array of the value under a key.

    Args:
        kind: one of ``KINDS``, or an enum member with such a value.
    """
    name = getattr(kind, "value", kind)
    if not isinstance(name, str) or name not in KINDS:
        raise ArgumentError(
            f"`return_tensors` must be one of {', '.join(map(repr, KINDS))} or None, not {kind!r}"
        )
    if name == "np":
        return _numpy
    try:
        make, is_one = _MAKERS[name]()
    except ImportError as error:
        raise MissingDependencyError(
            f"return_tensors={name!r} needs {KINDS[name]}: pip install {KINDS[name]}"
        ) from error

    def convert(key: str, value: Any) -> Any:
        if is_one(value):
            return value
        return make(_even(key, value))

    return convert


def _lengths(value: Any) -> set[int]:
    if isinstance(value, (list, tuple)):
        return {len(row) for row in value if isinstance(row, (list, tuple, np.ndarray))}
    return set()


def _numpy(key: str, value: Any) -> Any:
    """An array; of rows that differ in length, one of objects, each of them an array."""
    if isinstance(value, np.ndarray):
        return value
    if len(_lengths(value)) > 1:
        rows = np.empty(len(value), dtype=object)
        for place, row in enumerate(value):
            rows[place] = np.asarray(row)
        return rows
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise _uneven(key, value) from error
    return array.astype(np.int64) if array.size == 0 else array


def _even(key: str, value: Any) -> Any:
    """A rectangular array of numbers; other libraries have none of unequal rows."""
    if len(_lengths(value)) > 1:
        raise _uneven(key, value)
    array = _numpy(key, value)
    if array.dtype == object or array.dtype.kind in "SU":
        raise ArgumentError(f"`{key}` cannot be a tensor: it holds {array.dtype} and not numbers")
    return array


def _uneven(key: str, value: Sequence[Any]) -> ArgumentError:
    lengths = sorted(_lengths(value))
    shown = f"{lengths[0]} to {lengths[-1]}" if lengths else "that differ"
    return ArgumentError(
        f"Unable to create tensor: the rows of `{key}` have lengths {shown}; you should probably activate "
        "truncation and/or padding with 'padding=True' 'truncation=True', or leave `return_tensors` out"
    )


_Maker = tuple[Callable[[Any], Any], Callable[[Any], bool]]


def _torch() -> _Maker:
    torch = import_module("torch")
    return (lambda array: torch.tensor(array.tolist() if array.size else array)), torch.is_tensor


def _jax() -> _Maker:
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    return jnp.asarray, lambda value: isinstance(value, jax.Array)


def _tensorflow() -> _Maker:
    tf = import_module("tensorflow")
    return tf.constant, tf.is_tensor


def _mlx() -> _Maker:
    mx = import_module("mlx.core")
    return mx.array, lambda value: isinstance(value, mx.array)


_MAKERS: dict[str, Callable[[], _Maker]] = {"pt": _torch, "jax": _jax, "tf": _tensorflow, "mlx": _mlx}
