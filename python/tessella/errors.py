"""What Tessella raises.

::

    TessellaError(Exception)
    ├── ArgumentError(ValueError)            an argument outside of what is allowed
    │   └── OutOfRangeError(OverflowError)   a number that is negative or too large
    ├── FormatError(ValueError)              a file or buffer that is not what it claims to be
    ├── RegexError(ValueError)               an expression that cannot be compiled, or gave up
    ├── ModelError(ValueError)               parts of a tokenizer that do not fit together
    ├── EncodeError(ValueError)              text that a model cannot encode under its settings
    ├── DecodeError(ValueError)              ids that cannot be decoded
    ├── TruncationError(ValueError)          a length that cannot be reached
    ├── UnsupportedError(ValueError)         something that the target format cannot express
    ├── TrainError(ValueError)               training that cannot go on
    ├── CustomComponentError(RuntimeError)   a component of yours raised; see ``__cause__``
    ├── HubError(OSError)                    a model hub that cannot be reached, or does not have the name
    └── MissingDependencyError(ImportError)  an optional package that is not installed

Files that cannot be opened raise the built-in ``OSError`` classes, wrong types raise ``TypeError``, work
that memory has no room for a ``MemoryError``, and a keyboard interrupt stays one.

Example:
    >>> from tessella import Regex
    >>> from tessella.errors import RegexError
    >>> try:
    ...     Regex("(")
    ... except RegexError:
    ...     print("mind the parentheses")
    mind the parentheses
"""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "CustomComponentError",
    "DecodeError",
    "EncodeError",
    "FormatError",
    "HubError",
    "MissingDependencyError",
    "ModelError",
    "OutOfRangeError",
    "RegexError",
    "TessellaError",
    "TrainError",
    "TruncationError",
    "UnsupportedError",
]


class TessellaError(Exception):
    """The root of all errors of this package."""


class ArgumentError(TessellaError, ValueError):
    """An argument or option outside of what is allowed."""


class OutOfRangeError(ArgumentError, OverflowError):
    """A number that is negative or too large. The message names the argument and the value."""


class FormatError(TessellaError, ValueError):
    """A file or buffer that is not what it claims to be. The message says where."""

    #: The file, where it is known.
    filename: str | None = None

    def __init__(self, *told: object, filename: str | None = None) -> None:
        super().__init__(*told)
        if filename is not None:
            self.filename = filename


class RegexError(TessellaError, ValueError):
    """A regular expression that cannot be compiled, or that gave up while running."""


class ModelError(TessellaError, ValueError):
    """A tokenizer's parts do not fit together, a merge whose token is not in the vocabulary for example."""


class EncodeError(TessellaError, ValueError):
    """Text that a model cannot encode under its settings."""


class DecodeError(TessellaError, ValueError):
    """Ids that cannot be decoded."""


class TruncationError(TessellaError, ValueError):
    """A length that truncation cannot reach."""


class UnsupportedError(TessellaError, ValueError):
    """Something that the target format cannot express."""


class TrainError(TessellaError, ValueError):
    """Training that cannot go on.

    Where a vocabulary is too small for special tokens, alphabet and forced tokens, it tells the numbers.
    """

    #: The size that was asked for, and the least that will do.
    vocab_size: int | None = None
    needed: int | None = None
    #: Whether it is the forced tokens that do not fit.
    is_forced: bool = False


class CustomComponentError(TessellaError, RuntimeError):
    """A component written in Python raised; the original exception is the ``__cause__``."""


class HubError(TessellaError, OSError):
    """A model hub that cannot be reached, or that does not have what was asked for; see ``__cause__``."""


class MissingDependencyError(TessellaError, ImportError):
    """An optional package is needed; the message says which, and how to install it."""
