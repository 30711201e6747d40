"""Running a trainer on a tokenizer: count pieces, learn a model, put it in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _tessella
from .models import Model
from .tokens import AddedToken

if TYPE_CHECKING:
    from .tokenizer import Tokenizer
    from .trainers import Trainer


def _progress(trainer: Trainer) -> str:
    if not trainer.show_progress:
        return "silent"
    shown: str = getattr(trainer, "progress_format", "indicatif")
    return shown


def learn(trainer: Trainer, counts: _tessella.PieceCounts) -> tuple[Model, list[AddedToken]]:
    """A model and its special tokens."""
    from .trainers import _special

    options = trainer._fields()
    options["special_tokens"] = _special(getattr(trainer, "special_tokens", ()))
    handle, special_tokens = _tessella.learn(trainer._trains, options, counts, _progress(trainer))
    object.__setattr__(trainer, "_words", len(counts))
    return Model._wrap(handle), special_tokens


def _fitting(tokenizer: Tokenizer, trainer: Trainer | None) -> Trainer:
    """The trainer, if it can train the tokenizer's model."""
    model = tokenizer.model
    if trainer is None:
        made: Trainer = model.get_trainer()
        return made
    from .errors import TrainError
    from .trainers import _adopted

    trainer = _adopted(trainer)
    kind = model._handle.kind()
    if kind != trainer._trains:
        article = "an" if trainer._trains[0] in "AEIO" else "a"
        raise TrainError(
            f"{type(trainer).__name__} can only train {article} {trainer._trains}, not a {kind}".replace(
                "an Unigram", "a Unigram"
            )
        )
    return trainer


def _train(tokenizer: Tokenizer, trainer: Trainer, counts: _tessella.PieceCounts) -> None:
    model, special_tokens = learn(trainer, counts)
    tokenizer._install(model._handle, special_tokens)


def train_files(tokenizer: Tokenizer, files: Iterable[Any], trainer: Trainer | None) -> None:
    """See ``Tokenizer.train``."""
    if isinstance(files, (str, os.PathLike)):
        raise TypeError("`files` must be a list of paths, not one path")
    trainer = _fitting(tokenizer, trainer)
    paths = [os.fspath(path) for path in files]
    _train(tokenizer, trainer, tokenizer._count_files(paths, _progress(trainer)))


def train_texts(
    tokenizer: Tokenizer, iterator: Iterable[Any], trainer: Trainer | None, length: int | None
) -> None:
    """See ``Tokenizer.train_from_iterator``."""
    if isinstance(iterator, (str, bytes)):
        raise TypeError(
            f"`iterator` must yield texts, found one {type(iterator).__name__}: pass a list of texts"
        )
    trainer = _fitting(tokenizer, trainer)
    _train(tokenizer, trainer, tokenizer._count_texts(iter(iterator), length, _progress(trainer)))
