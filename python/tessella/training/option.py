"""One option of a trainer: its name, what it takes, its default, what it does, how it is typed.

A trainer's class names its options as attributes, and that is their only description. The signature, the
checks, the saved state, the section ``Args`` of the documentation and the options of ``tessella train`` are
read off it::

    class WordLevelTrainer(Trainer):
        vocab_size: Count = count(30000, "entries of the vocabulary, special tokens included")

Type checkers see what ``__set__`` takes and what ``__get__`` gives: an option may take more than it keeps.
"""

from __future__ import annotations

import copy
import reprlib
from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

from ..errors import ArgumentError, OutOfRangeError

if TYPE_CHECKING:
    from typing_extensions import Self


Given = TypeVar("Given", contravariant=True)
Kept = TypeVar("Kept", covariant=True)
Checked = Callable[[str, Any], Any]


class Typed:
    """How an option is written on a command line.

    Args:
        type: what a value is read as: ``int``, ``float``, ``str``, or ``bool`` for an option without a value.
        metavar: what stands for the value in the help.
        choices: all values that there are.
        many: may be given again, and each adds to a list.
        spelled: its name where that is not the option's own.
        note: what the help adds.
    """

    def __init__(
        self,
        type: type = str,
        metavar: str | None = None,
        choices: tuple[str, ...] | None = None,
        many: bool = False,
        spelled: tuple[str, ...] = (),
        note: str = "",
    ) -> None:
        self.type, self.metavar, self.choices = type, metavar, choices
        self.many, self.spelled, self.note = many, spelled, note


class Option(Generic[Given, Kept]):
    """An option, as an attribute of a trainer's class.

    Args:
        default: what it is where nothing is given.
        help: what it does, in a line or two, without a full stop.
        check: given its name and a value, the value in the form in which it is kept, or an error.
        typed: how it is typed; without it, it is not.
        save, restore: between what is kept and what the saved state has, where they differ.
        further: not an option of the reference library's trainers, so that the saved state has it only where
            it says something else than the default.
    """

    def __init__(
        self,
        default: Any,  # what `Given` is
        help: str,
        check: Checked | None = None,
        typed: Typed | None = None,
        *,
        save: Callable[[Any], Any] | None = None,
        restore: Callable[[Any], Any] | None = None,
        further: bool = False,
    ) -> None:
        self.name = ""
        self.default, self.help, self.check = default, help, check or as_given
        self.typed, self.further = typed, further
        self.save, self.restore = save or _same, restore or _same

    def but(
        self,
        **changes: Any,  # whatever is changed
    ) -> Any:  # with another check it takes something else
        """This option with another default, help or check."""
        changed = copy.copy(self)
        for name, value in changes.items():
            setattr(changed, name, value)
        return changed

    @property
    def spelled(self) -> str:
        """Its name on a command line."""
        own = self.typed.spelled if self.typed else ()
        return own[-1] if own else "--" + self.name.replace("_", "-")

    def is_default(self, kept: Any) -> bool:
        """Whether a trainer that was told nothing would keep the same."""
        return bool(kept == self.check(self.name, self.default))

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, trainer: None, owner: type) -> Self: ...

    @overload
    def __get__(self, trainer: object, owner: type) -> Kept: ...

    def __get__(self, trainer: Any, owner: type) -> Any:
        if trainer is None:
            return self
        try:
            return vars(trainer)[self.name]
        except KeyError:
            raise AttributeError(f"`{self.name}` of a {owner.__name__} is not set") from None

    def __set__(self, trainer: object, value: Given) -> None:
        vars(trainer)[self.name] = self.check(self.name, value)


def as_given(name: str, value: Any) -> Any:
    """What takes anything."""
    return value


def _same(value: Any) -> Any:
    return value


Count = Option[SupportsIndex, int]
CountOrNone = Option["SupportsIndex | None", "int | None"]
Number = Option[float, float]
Flag = Option[bool, bool]
Text = Option["str | None", "str | None"]


def a_count(name: str, value: Any) -> int:
    """A whole number, not negative."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"`{name}` must be an int, not {type(value).__name__}")
    number = value.__index__()
    if number < 0:
        raise OutOfRangeError(f"`{name}` must not be negative, found {number}")
    if number >= 1 << 63:
        raise OutOfRangeError(f"`{name}` must be less than 2 to the power of 63, found {number}")
    return number


def _a_count_or_none(name: str, value: Any) -> int | None:
    return None if value is None else a_count(name, value)


def a_number(name: str, value: Any) -> float:
    """A float, or a whole number that becomes one."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"`{name}` must be a float, not {type(value).__name__}")
    return float(value)


def _a_bool(name: str, value: Any) -> bool:
    # A text such as "no" is true to Python.
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"`{name}` must be a bool, not {type(value).__name__} {reprlib.repr(value)}")
    return bool(value)


def _a_text_or_none(name: str, value: Any) -> str | None:
    if not (value is None or isinstance(value, str)):
        raise TypeError(f"`{name}` must be a str or None, not {type(value).__name__} {reprlib.repr(value)}")
    return value


def count(default: int, help: str) -> Count:
    """An option that is a whole number."""
    return Option(default, help, a_count, Typed(int, "N"))


def count_or_none(help: str) -> CountOrNone:
    """An option that is a whole number, or ``None`` for no limit."""
    return Option(None, help, _a_count_or_none, Typed(int, "N"))


def number(default: float, help: str, check: Checked = a_number) -> Number:
    """An option that is a float."""
    return Option(default, help, check, Typed(float, "X"))


def flag(default: bool, help: str, *, further: bool = False) -> Flag:
    """An option that is on or off."""
    return Option(default, help, _a_bool, Typed(bool), further=further)


def text(default: str | None, help: str) -> Text:
    """An option that is a text, or ``None``."""
    return Option(default, help, _a_text_or_none, Typed(str, "TEXT"))


def choice(*choices: str, help: str) -> Any:
    """One of several words, the first by default. The reference library has no such options."""

    def check(name: str, value: Any) -> Any:
        if value not in choices:
            raise ArgumentError(f"`{name}` must be {' or '.join(map(repr, choices))}, found {value!r}")
        return value

    return Option(choices[0], help, check, Typed(choices=choices), further=True)
