"""What the public classes of all stages share.

A component holds a *handle* of the compiled module. The handle is shared with every tokenizer that uses the
component, so that a change to an attribute reaches them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, NoReturn, TypeVar, overload

from ._near import naming_options
from ._repr import REPR, STR, Limit, joined, render, struct

T = TypeVar("T")
A = TypeVar("A", bound="_Attribute[Any]")
C = TypeVar("C", bound="Component")
P = TypeVar("P", bound="Component")


class _Attribute(Generic[T]):
    """What lives in the handle, to read."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc
        self.name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self: A, instance: None, owner: type) -> A: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else instance._handle.get(self.name)


class Field(_Attribute[T]):
    """An attribute that lives in the handle."""

    def __set__(self, instance: Component, value: T) -> None:
        instance._handle.set(self.name, value)


class ReadOnly(_Attribute[T]):
    """An attribute that is what it is."""

    # No value has the type `NoReturn`, so that type checkers refuse every assignment.
    def __set__(self, instance: Component, value: NoReturn) -> None:
        raise AttributeError(f"`{self.name}` of a {type(instance).__name__} cannot be set")


def _without_settings(cls: type[Component]) -> Callable[[Any], None]:
    """The ``__init__`` of a class that takes nothing: Python's errors tell the class by its name."""

    def __init__(self: Component) -> None:
        Component.__init__(self)

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


class Component:
    """The root of the components of every stage."""

    __slots__ = ("__weakref__", "_handle")

    # Each stage has a class of handles of its own, all used alike.
    _handle: Any
    # Of each stage: the class of its handles, what the stage is called, and its classes by kind.
    _handles: ClassVar[Any]
    _title: ClassVar[str] = ""
    _kinds: ClassVar[dict[str, type[Any]]]
    # The stage's own class.
    _stage: ClassVar[type[Any]]
    # The kind of a class; empty for the stages themselves.
    _kind: ClassVar[str] = ""

    def __init_subclass__(cls, kind: str | None = None, **options: object) -> None:
        super().__init_subclass__(**options)
        if "_handles" in cls.__dict__:
            cls._stage = cls
        if kind is not None:
            cls._kinds[kind] = cls
            cls._kind = kind
            own = cls.__init__ if "__init__" in cls.__dict__ else _without_settings(cls)
            type.__setattr__(cls, "__init__", naming_options(own))

    def __init__(self) -> None:
        # What has no settings is made here.
        if not self._kind:
            raise TypeError(f"cannot create '{type(self).__module__}.{type(self).__qualname__}' instances")
        self._handle = self._handles.make(self._kind)

    @classmethod
    def _wrap(cls: type[C], handle: Any) -> C:
        """The public object for a handle, of the class of its kind."""
        component: C = object.__new__(cls._kinds.get(handle.kind(), cls))
        component._handle = handle
        return component

    @classmethod
    def _of(cls, value: Any) -> Any:
        """The handle of a component; other libraries' components are read from their state."""
        if isinstance(value, cls):
            return value._handle
        state = getattr(value, "__getstate__", None)
        if state is not None and not isinstance(value, (type, Component)):
            state = state()
            if isinstance(state, bytes):
                state = state.decode("utf-8")
            if isinstance(state, str):
                return cls._handles.from_json(state)
        refused = f"'{type(value).__name__}' object is not an instance of '{cls._title}'"
        if isinstance(value, type) and issubclass(value, cls):
            raise TypeError(f"{refused}: pass an object, `{value.__name__}(...)`, not the class")
        raise TypeError(f"{refused}; its classes are in {cls.__module__}")

    def _state(self, most: int | None = None) -> dict[str, Any]:
        # Imported late: it would be a fifth of the time that importing the package takes.
        from json import loads

        state: dict[str, Any] = loads(self._handle.to_json(most))
        return state

    def _render(self, limit: Limit) -> str:
        from .errors import UnsupportedError

        if self._handle.kind() == self._title:
            return f"{self._title}.custom(...)"
        try:
            # One more than is shown tells that there are more.
            state = self._state(None if limit.entries is None else limit.entries + 1)
        except UnsupportedError:
            return self._short()
        return render(state, limit)

    # The attributes that `repr` shows of what JSON cannot express.
    _shown: ClassVar[tuple[str, ...]] = ()

    def _short(self) -> str:
        """A description that needs no JSON."""
        fields = {name: self._handle.get(name) for name in self._shown}
        return struct(type(self).__name__, fields)

    def __getstate__(self) -> bytes:
        state: str = self._handle.to_json()
        return state.encode("utf-8")

    def __setstate__(self, state: bytes | str) -> None:
        text = state.decode("utf-8") if isinstance(state, (bytes, bytearray)) else state
        self._handle = self._handles.from_json(text)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (type(self), *self._handle.pack()))

    def __copy__(self: C) -> C:
        copy: C = object.__new__(type(self))
        copy._handle = self._handle.copy()
        return copy

    def __deepcopy__(self: C, memo: dict[int, Any]) -> C:
        copy = self.__copy__()
        memo[id(self)] = copy
        return copy

    def __repr__(self) -> str:
        return self._render(REPR)

    def __str__(self) -> str:
        return self._render(STR)


def _restore(cls: type[C], packed: tuple[str, Any], import_paths: list[str]) -> C:
    """Makes a component from what ``__reduce__`` stored.

    As unpickling of anything, this may run code that the pickle names: only unpickle what you trust.
    """
    component: C = object.__new__(cls)
    component._handle = cls._handles.unpack(packed, import_paths)
    return component


class SequenceMixin(Generic[P]):
    """Indexing, length and iteration of components that hold others."""

    __slots__ = ()

    _handle: Any
    _stage: ClassVar[type[Any]]

    def __len__(self) -> int:
        length: int = self._handle.len()
        return length

    def __getitem__(self, index: int) -> P:
        """The component at ``index``; changing its attributes changes this sequence."""
        part: P = self._stage._wrap(self._handle.item(index))
        return part

    def __setitem__(self, index: int, value: P) -> None:
        self._handle.set_item(index, self._stage._of(value))

    def _parts(self, limit: Limit) -> str:
        """The components as text."""
        return joined([self[index]._render(limit) for index in range(len(self))], limit)
