"""Running a trainer on a tokenizer: count pieces, learn a model, put it in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _tessella
from .errors import ArgumentError, TrainError
from .models import Model
from .tokens import AddedToken

if TYPE_CHECKING:
    from ._types import Texts
    from .tokenizer import Tokenizer
    from .tracing import Trace
    from .trainers import ParityBpeTrainer, Trainer


def _progress(trainer: Trainer) -> str:
    if not trainer.show_progress:
        return "silent"
    shown: str = getattr(trainer, "progress_format", "indicatif")
    return shown


def _options(trainer: Trainer) -> dict[str, Any]:
    from ._trainer_options import special

    options = {**trainer._fields(), **{name: getattr(trainer, name) for name in trainer._further}}
    options["special_tokens"] = special(getattr(trainer, "special_tokens", ()))
    return options


def learn(
    trainer: Trainer,
    counts: _tessella.PieceCounts,
    checkpoint: str | os.PathLike[str] | None = None,
    once: bool = False,
    trace: Trace | None = None,
) -> tuple[Model, list[AddedToken]]:
    """A model and its special tokens. With ``once`` the counts are used up."""
    options = _options(trainer)
    if checkpoint is not None:
        if trainer._trains == "WordLevel":
            raise ArgumentError("word-level training is over at once: it has no checkpoints")
        options["checkpoint"] = os.fspath(checkpoint)
    listener = None
    if trace is not None:
        if trainer._trains == "WordLevel":
            raise ArgumentError("word-level training counts and takes no steps: it has no trace")
        listener = trace._listener()
    words = len(counts)
    handle, special_tokens = _tessella.learn(
        trainer._trains, options, counts, _progress(trainer), once, listener
    )
    object.__setattr__(trainer, "_words", words)
    return Model._wrap(handle), special_tokens


def estimate_memory(trainer: Trainer, counts: _tessella.PieceCounts) -> int:
    """See ``Trainer.estimate_memory``."""
    return _tessella.estimate_memory(trainer._trains, _options(trainer), counts)


def train_parity(
    trainer: ParityBpeTrainer,
    tokenizer: Tokenizer,
    train_iterators: Iterable[Texts],
    dev_iterators: Iterable[Texts] | None,
    ratio: Iterable[float] | None,
) -> None:
    """See ``ParityBpeTrainer.train_from_iterator``."""
    kind = tokenizer.model._handle.kind()
    if kind != "BPE":
        raise TrainError(f"ParityBpeTrainer can only train a BPE, not a {kind}")
    for name, iterators in (("train_iterators", train_iterators), ("dev_iterators", dev_iterators)):
        if isinstance(iterators, (str, bytes)):
            raise TypeError(f"`{name}` must be a list with the texts of each language, not one text")
    train, dev = list(train_iterators), None if dev_iterators is None else list(dev_iterators)
    if not train:
        raise ArgumentError("`train_iterators` must not be empty: give the texts of each language")
    if dev is not None and len(dev) != len(train):
        raise ArgumentError(
            f"`dev_iterators` has texts of {len(dev)} languages, `train_iterators` of {len(train)}:"
            " give both for each language"
        )
    progress = _progress(trainer)
    options = _options(trainer)
    if ratio is not None:
        options["ratio"] = [float(one) for one in ratio]

    def count(texts: Iterable[Any]) -> _tessella.PieceCounts:
        return tokenizer._count_texts(iter(texts), progress=progress)

    languages, development = [count(texts) for texts in train], [count(texts) for texts in dev or ()]
    handle, special_tokens = _tessella.learn_parity(options, languages, development, progress)
    tokenizer._install(handle, special_tokens)


def _fitting(tokenizer: Tokenizer, trainer: Trainer | None) -> Trainer:
    """The trainer, if it can train the tokenizer's model."""
    model = tokenizer.model
    if trainer is None:
        made: Trainer = model.get_trainer()
        return made
    from ._trainer import adopted
    from .trainers import ParityBpeTrainer

    if isinstance(trainer, ParityBpeTrainer):
        raise TypeError(
            "ParityBpeTrainer learns from the texts of several languages: call its own"
            " train_from_iterator(tokenizer, [texts, ...])"
        )
    trainer = adopted(trainer)
    kind = model._handle.kind()
    if kind != trainer._trains:
        article = "an" if trainer._trains[0] in "AEIO" else "a"
        raise TrainError(
            f"{type(trainer).__name__} can only train {article} {trainer._trains}, not a {kind}".replace(
                "an Unigram", "a Unigram"
            )
        )
    return trainer


def _counting(trainer: Trainer) -> dict[str, Any]:
    """How to count for a trainer."""
    how: dict[str, Any] = {"progress": _progress(trainer)}
    if getattr(trainer, "tie_break", None) == "first_seen":
        # Only one thread knows which piece came first.
        how["num_threads"] = 1
    return how


def _train(
    tokenizer: Tokenizer, trainer: Trainer, counts: _tessella.PieceCounts, trace: Trace | None
) -> None:
    """Learns from counts that nobody else needs."""
    model, special_tokens = learn(trainer, counts, once=True, trace=trace)
    tokenizer._install(model._handle, special_tokens)


def train_files(
    tokenizer: Tokenizer, files: Iterable[Any], trainer: Trainer | None, trace: Trace | None
) -> None:
    """See ``Tokenizer.train``."""
    if isinstance(files, (str, os.PathLike)):
        raise TypeError("`files` must be a list of paths, not one path")
    trainer = _fitting(tokenizer, trainer)
    paths = [os.fspath(path) for path in files]
    counts = tokenizer._count_files(paths, format="text", **_counting(trainer))
    _train(tokenizer, trainer, counts, trace)


def train_texts(
    tokenizer: Tokenizer,
    iterator: Iterable[Any],
    trainer: Trainer | None,
    length: int | None,
    trace: Trace | None,
) -> None:
    """See ``Tokenizer.train_from_iterator``."""
    if isinstance(iterator, (str, bytes)):
        raise TypeError(
            f"`iterator` must yield texts, found one {type(iterator).__name__}: pass a list of texts"
        )
    trainer = _fitting(tokenizer, trainer)
    counts = tokenizer._count_texts(iter(iterator), length=length, **_counting(trainer))
    _train(tokenizer, trainer, counts, trace)


def train_counts(
    tokenizer: Tokenizer,
    counts: _tessella.PieceCounts,
    trainer: Trainer | None,
    checkpoint: str | os.PathLike[str] | None,
    trace: Trace | None,
) -> None:
    """See ``Tokenizer.train_from_counts``."""
    if not isinstance(counts, _tessella.PieceCounts):
        raise TypeError(
            f"`counts` must be PieceCounts, not {type(counts).__name__}: see tessella.count_pieces"
        )
    model, special_tokens = learn(_fitting(tokenizer, trainer), counts, checkpoint, trace=trace)
    tokenizer._install(model._handle, special_tokens)
