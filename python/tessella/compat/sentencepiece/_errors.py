"""Exceptions, each of the built-in class that the original raises.

``ValueError``s are :class:`tessella.errors.ArgumentError`.
"""

from __future__ import annotations

from types import TracebackType

from ...errors import ArgumentError, TessellaError

__all__ = ["PieceIndexError", "SentencePieceError"]


class SentencePieceError(TessellaError, RuntimeError):
    """A model, a file or a request that the library cannot serve."""


class PieceIndexError(TessellaError, IndexError):
    """A piece id that the model does not have."""


#: What the engine raises.
ENGINE_ERRORS = (TessellaError, OSError)


def runtime_error(error: BaseException) -> SentencePieceError:
    """An error of the engine as one of this package."""
    return SentencePieceError(str(error))


def _as_runtime_error(error: BaseException, keep_argument_errors: bool) -> SentencePieceError | None:
    if not isinstance(error, ENGINE_ERRORS) or isinstance(error, SentencePieceError):
        return None
    if keep_argument_errors and isinstance(error, ArgumentError):
        return None
    return runtime_error(error)


class as_runtime_errors:
    """The engine's errors as :class:`SentencePieceError`; wrong types and interrupts pass.

    With ``keep_argument_errors``, values that cannot be read stay a ``ValueError``.
    """

    # A class and no generator: it stands around every call, and takes a tenth of the time.
    __slots__ = ("_keep_argument_errors",)

    def __init__(self, keep_argument_errors: bool = False) -> None:
        self._keep_argument_errors = keep_argument_errors

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            raised = _as_runtime_error(error, self._keep_argument_errors)
            if raised is not None:
                raise raised from error
