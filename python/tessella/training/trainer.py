"""What all trainers have in common: their options, a state that is saved, learning from counts."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .._near import meant
from .._repr import REPR, STR, WHOLE, Limit, joined, render
from .option import Count, Flag, Option

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    from .._tessella import PieceCounts
    from ..models import Model
    from ..tracing import Trace
else:

    def dataclass_transform(**_: bool) -> Any:
        return lambda cls: cls


#: Where trainers are to be found, also for pickles.
PUBLIC = "tessella.trainers"


@dataclass_transform(kw_only_default=True)
class Trainer:
    """What all trainers have in common. Make one of the classes below."""

    # The kind of model that is trained.
    _trains: ClassVar[str] = ""
    # The options by their names, in the order of the saved state.
    _options: ClassVar[dict[str, Option[Any, Any]]] = {}

    # Why the last training ended, and the number of different pieces that it learned from.
    _ended: str = ""
    _words: int = 0

    if TYPE_CHECKING:
        show_progress: Flag
        vocab_size: Count

    def __init_subclass__(cls, kw_only: bool = True, **options: object) -> None:
        super().__init_subclass__(**options)
        own = {name: option for name, option in vars(cls).items() if isinstance(option, Option)}
        cls._options = {**cls._options, **own}
        if cls.__module__.startswith(__package__):
            cls.__module__ = PUBLIC
            type.__setattr__(cls, "__init__", _taking(own, cls.__annotations__, kw_only))
            cls.__doc__ = _documented(cls.__doc__ or "", own)

    def __init__(self) -> None:
        raise TypeError(f"cannot create '{type(self).__module__}.{type(self).__qualname__}' instances")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._options and not name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no option `{name}`" + meant(name, self._options))
        object.__setattr__(self, name, value)

    def _kept(self) -> dict[str, Any]:
        """What every option says. Lists are the user's, and may have got something else since."""
        return {name: option.check(name, getattr(self, name)) for name, option in self._options.items()}

    def _saved(self, further: bool) -> dict[str, Any]:
        """The options as a state has them: the reference library's, or what is chosen of the others."""
        return {
            name: option.save(kept)
            for name, kept in self._kept().items()
            if (option := self._options[name]).further is further
            and not (further and option.is_default(kept))
        }

    def _state(self) -> dict[str, Any]:
        return {**self._saved(False), "words": {}, **self._saved(True)}

    def __getstate__(self) -> bytes:
        state = {type(self).__name__: self._state()}
        from json import dumps

        return dumps(state, separators=(",", ":"), ensure_ascii=False).encode("utf-8")

    def __setstate__(self, state: bytes) -> None:
        from json import loads

        (fields,) = loads(state).values()
        self._restore(fields)

    def _restore(self, fields: Mapping[str, Any]) -> None:
        for name, option in self._options.items():
            known = name in fields or not option.further
            setattr(self, name, option.restore(fields[name]) if known else option.default)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_blank, (type(self),), self.__getstate__())

    def _render(self, limit: Limit) -> str:
        name = type(self).__name__
        return f"{name}({_written(name, self._state(), limit)})"

    def __repr__(self) -> str:
        return self._render(REPR)

    def __str__(self) -> str:
        return self._render(STR)

    def train_from_counts(
        self,
        counts: PieceCounts,
        checkpoint: str | os.PathLike[str] | None = None,
        *,
        trace: Trace | None = None,
    ) -> Model:
        """A model learned from counted pieces; see ``tessella.count_pieces``.

        The corpus is read once, when it is counted; counts can be saved, merged and learned from many times.

        Args:
            counts: how often each piece occurs.
            checkpoint: a file for the state of the training, written now and then and when the training is
                interrupted. If it is there, training goes on from it, as if it had never stopped; it is
                removed at the end. Another corpus or other options are an error.
            trace: a ``tessella.tracing.Trace`` that hears of every step. Steps before a checkpoint are not
                told again.

        Example:
            >>> from tessella import PieceCounts
            >>> from tessella.trainers import WordLevelTrainer
            >>> trainer = WordLevelTrainer(vocab_size=2, show_progress=False)
            >>> trainer.train_from_counts(PieceCounts({"low": 5, "lower": 2, "new": 1})).id_to_token(0)
            'low'
        """
        from .run import learn

        model, _ = learn(self, counts, checkpoint, trace=trace)
        return model

    def estimate_memory(self, counts: PieceCounts) -> int:
        """About how many bytes learning from the counts takes at its peak, the counts not included.

        Example:
            >>> from tessella import PieceCounts
            >>> from tessella.trainers import BpeTrainer
            >>> 1e6 < BpeTrainer().estimate_memory(PieceCounts({"low": 5, "lower": 2})) < 1e7
            True
        """
        from .run import estimate_memory

        return estimate_memory(self, counts)


T = TypeVar("T", bound=Trainer)


def _blank(cls: type[T]) -> T:
    return object.__new__(cls)


Trainer.__module__ = _blank.__module__ = PUBLIC


def _taking(options: Mapping[str, Option[Any, Any]], hints: Mapping[str, Any], kw_only: bool) -> Any:
    """The ``__init__`` of a class with such options."""
    kind = inspect.Parameter.KEYWORD_ONLY if kw_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
    shown = [
        inspect.Parameter(name, kind, default=option.default, annotation=hints[name])
        for name, option in options.items()
    ]
    signature = inspect.Signature(shown)

    def __init__(self: Trainer, *values: object, **given: object) -> None:
        try:
            bound = signature.bind(*values, **given).arguments
        except TypeError as error:
            unknown = next((name for name in given if name not in options), None)
            also = "" if unknown is None else meant(unknown, options)
            raise TypeError(f"{type(self).__name__}.__init__() {error}{also}") from None
        for name, option in options.items():
            setattr(self, name, bound.get(name, option.default))

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([itself, *shown])  # type: ignore[attr-defined]
    return __init__


def _documented(doc: str, options: Mapping[str, Option[Any, Any]]) -> str:
    """A docstring with the section that tells the options, before its example."""
    told = [
        textwrap.fill(f"{name}: {option.help}.", 100, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for name, option in options.items()
    ]
    # Python takes the indentation away from 3.13 on.
    before, example, after = inspect.cleandoc(doc).partition("Example:\n")
    return "\n".join([before + "Args:", *told, "", example]) + after


def adopted(trainer: Any) -> Trainer:
    """The trainer; another library's becomes ours, with the settings that its state tells."""
    if isinstance(trainer, Trainer):
        return trainer
    from json import loads

    state = getattr(trainer, "__getstate__", lambda: None)()
    if isinstance(state, (bytes, str)) and not isinstance(trainer, type):
        kinds = {kind.__name__: kind for kind in Trainer.__subclasses__()}
        try:
            ((name, fields),) = loads(state).items()
            made = _blank(kinds[name])
            # The other library keeps what a vocabulary is too small for.
            made._restore({**fields, "strict_budget": False})
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        else:
            return made
    raise TypeError(f"'{type(trainer).__name__}' object is not an instance of 'Trainer'")


def _written(name: str, fields: dict[str, Any], limit: Limit) -> str:
    parts = []
    for key, value in fields.items():
        if key == "special_tokens":
            tokens = [_written("AddedToken", token, WHOLE) for token in value]
            parts.append(f"{key}=[{joined(tokens, limit)}]")
        elif key == "bpe_trainer":
            parts.append(f"{key}={_written('BpeTrainer', value, limit)}")
        else:
            parts.append(f"{key}={render(value, limit, key)}")
    return f"{name}({', '.join(parts)})"
