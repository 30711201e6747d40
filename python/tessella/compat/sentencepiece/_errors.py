"""Exceptions, each of the built-in class that the original raises.

``ValueError``s are :class:`tessella.errors.ArgumentError`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import ArgumentError, TessellaError

__all__ = ["PieceIndexError", "SentencePieceError"]


class SentencePieceError(TessellaError, RuntimeError):
    """A model, a file or a request that the library cannot serve."""


class PieceIndexError(TessellaError, IndexError):
    """A piece id that the model does not have."""


@contextmanager
def as_runtime_errors(keep_argument_errors: bool = False) -> Iterator[None]:
    """The engine's errors as :class:`SentencePieceError`; wrong types and interrupts pass.

    With ``keep_argument_errors``, values that cannot be read stay a ``ValueError``.
    """
    try:
        yield
    except (TessellaError, OSError) as error:
        if isinstance(error, SentencePieceError) or (
            keep_argument_errors and isinstance(error, ArgumentError)
        ):
            raise
        raise SentencePieceError(str(error)) from error
