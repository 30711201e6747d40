"""What all trainers have in common: checked options, a state that is saved, learning from counts.

``tessella.trainers`` has the trainers themselves.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ._near import meant, naming_options
from ._repr import SHOWN, render
from ._trainer_options import alphabet, checked, checked_further, special
from .tokens import AddedToken

if TYPE_CHECKING:
    from ._tessella import PieceCounts
    from .models import Model
    from .tracing import Trace

__all__ = ["Trainer", "adopted"]

_FORMATS = {"indicatif": "Indicatif", "json": "JsonLines", "silent": "Silent"}


class Trainer:
    """What all trainers have in common. Make one of the classes below."""

    _trains: ClassVar[str] = ""
    # Names of the options, in the order of the saved state.
    _options: ClassVar[tuple[str, ...]] = ()
    # Options that the reference library's trainers do not have, with their defaults. They are in the saved
    # state only where they say something else.
    _further: ClassVar[Mapping[str, Any]] = {}

    # Why the last training ended.
    _ended: str = ""

    show_progress: bool
    vocab_size: int

    def __init__(self) -> None:
        raise TypeError(f"cannot create '{type(self).__module__}.{type(self).__qualname__}' instances")

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if cls.__module__ == "tessella.trainers" and "__init__" in cls.__dict__:
            type.__setattr__(cls, "__init__", naming_options(cls.__init__))

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "special_tokens":
            value = special(value)
        elif name == "initial_alphabet":
            value = alphabet(value)
        elif name == "progress_format":
            value = value if value in _FORMATS else "indicatif"
        elif name in self._further:
            value = checked_further(name, value)
        elif name in self._options:
            value = checked(name, value)
        elif not name.startswith("_"):
            known = [*self._options, *self._further]
            raise AttributeError(f"{type(self).__name__} has no option `{name}`" + meant(name, known))
        object.__setattr__(self, name, value)

    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for name in self._options:
            value = getattr(self, name)
            if name == "special_tokens":
                # The list is the user's, and may have got plain texts since.
                value = [token.__getstate__() for token in special(value)]
            elif name == "progress_format":
                value = _FORMATS[value]
            fields[name] = value
        return fields

    def _chosen(self) -> dict[str, Any]:
        """The further options that are not what they are by default."""
        further = {name: getattr(self, name) for name in self._further}
        return {name: value for name, value in further.items() if value != self._further[name]}

    def _state(self) -> dict[str, Any]:
        return {**self._fields(), "words": {}, **self._chosen()}

    def __getstate__(self) -> bytes:
        state = {type(self).__name__: self._state()}
        from json import dumps

        return dumps(state, separators=(",", ":"), ensure_ascii=False).encode("utf-8")

    def __setstate__(self, state: bytes) -> None:
        from json import loads

        (fields,) = loads(state).values()
        self._restore(fields)

    def _restore(self, fields: Mapping[str, Any]) -> None:
        for name in self._options:
            value = fields[name]
            if name == "special_tokens":
                value = [AddedToken(**token) for token in value]
            elif name == "progress_format":
                value = {written: name for name, written in _FORMATS.items()}.get(value, "indicatif")
            setattr(self, name, value)
        for name, default in self._further.items():
            setattr(self, name, fields.get(name, default))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_blank, (type(self),), self.__getstate__())

    def _render(self, limit: int | None) -> str:
        name = type(self).__name__
        return f"{name}({_written(name, self._state(), limit)})"

    def __repr__(self) -> str:
        return self._render(None)

    def __str__(self) -> str:
        return self._render(SHOWN)

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
        from ._training import learn

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
        from ._training import estimate_memory

        return estimate_memory(self, counts)


def _blank(cls: type[Trainer]) -> Trainer:
    return object.__new__(cls)


# Where both are to be found, also for pickles.
Trainer.__module__ = _blank.__module__ = "tessella.trainers"


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


def _written(name: str, fields: dict[str, Any], limit: int | None) -> str:
    parts = []
    for key, value in fields.items():
        if key == "special_tokens":
            tokens = [_written("AddedToken", token, None) for token in value]
            shown = tokens if limit is None or len(tokens) <= limit else [*tokens[:limit], "..."]
            parts.append(f"{key}=[{', '.join(shown)}]")
        elif key == "bpe_trainer":
            parts.append(f"{key}={_written('BpeTrainer', value, limit)}")
        else:
            parts.append(f"{key}={render(value, limit, key)}")
    return f"{name}({', '.join(parts)})"
