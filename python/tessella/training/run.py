"""Running a trainer on a tokenizer: count pieces, learn a model, put it in."""

from __future__ import annotations

import errno
import os
import reprlib
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .. import _tessella
from .._corpus import MOST, Pipe, is_special
from .._shown import written
from ..errors import ArgumentError, CustomComponentError, TrainError
from ..models import Model
from ..tokens import AddedToken
from ..tracing import Trace
from .put_in import tell_stale
from .trainer import Trainer, adopted

if TYPE_CHECKING:
    from .._types import Texts
    from ..tokenizer import Tokenizer
    from .parity import ParityBpeTrainer


def _progress(trainer: Trainer) -> str:
    if not trainer.show_progress:
        return "silent"
    shown: str = getattr(trainer, "progress_format", "indicatif")
    return shown


#: Options that make a vocabulary of their own, so that there is one even without a corpus.
_WITHOUT_CORPUS = ("initial_alphabet", "forced_tokens", "initial_vocab")


def _refuse_empty(counts: Iterable[_tessella.PieceCounts], options: dict[str, Any]) -> None:
    """A corpus without pieces is a mistake, unless the options alone make a vocabulary that can encode."""
    counts = list(counts)
    if any(counts) or any(options.get(name) for name in _WITHOUT_CORPUS):
        return
    read = sum(texts for one in counts for _, _, _, texts, _ in one._sources())
    known = [f"`{name}`" for name in _WITHOUT_CORPUS if name in options]
    without = f", or {', '.join(known)} to do without" if known else ""
    again = " (an iterator is used up by its first walk)" if read == 0 else ""
    raise TrainError(f"the corpus holds no pieces: {read} texts were read. Give texts{again}{without}")


_DEVICES = ("/dev", os.path.realpath("/dev/fd"))
#: The file of a checkpoint for which only a folder is named.
CHECKPOINT = "training.checkpoint"


def check_checkpoint(checkpoint: str | os.PathLike[str]) -> str:
    """The name of the file, if it can be written: told before hours of work."""
    name = os.fsdecode(checkpoint)
    if os.path.isdir(name):
        name = os.path.join(name, CHECKPOINT)
    folder = os.path.dirname(os.path.abspath(name))
    # What is open already, like /dev/stdout, is listed among the devices. At the end of the training the file
    # is removed, which no pipe and no device would come back from.
    if is_special(name) or (os.path.lexists(name) and os.path.realpath(folder) in _DEVICES):
        raise ArgumentError(
            f"the checkpoint {written(name)} is a pipe or a device, and a training reads, replaces and "
            "removes its checkpoint: name an ordinary file, or a folder for one"
        )
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "no such folder for the checkpoint", folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "the folder of the checkpoint cannot be written to", folder)
    return name


def _watched(name: str, function: Callable[..., Any], raised: list[str]) -> Callable[..., Any]:
    """The function, which notes its name where it raises."""

    def call(*given: Any) -> Any:
        try:
            return function(*given)
        except BaseException:
            raised.append(name)
            raise

    return call


def learn(
    trainer: Trainer,
    counts: _tessella.PieceCounts,
    checkpoint: str | os.PathLike[str] | None = None,
    once: bool = False,
    trace: Trace | None = None,
) -> tuple[Model, list[AddedToken]]:
    """A model and its special tokens. With ``once`` the counts are used up."""
    options = trainer._kept()
    if checkpoint is not None:
        if trainer._trains == "WordLevel":
            raise ArgumentError("word-level training is over at once: it has no checkpoints")
        options["checkpoint"] = check_checkpoint(checkpoint)
    raised: list[str] = []
    allows = options.get("merge_filter")
    if allows is not None and not isinstance(allows, _tessella.Regex):
        options["merge_filter"] = _watched("`merge_filter`", lambda *pair: bool(allows(*pair)), raised)
    listener = None
    if trace is not None:
        if not isinstance(trace, Trace):
            raise TypeError(f"`trace` must be a tessella.tracing.Trace, not {type(trace).__name__}")
        if trainer._trains == "WordLevel":
            raise ArgumentError("word-level training counts and takes no steps: it has no trace")
        hear, corpus, dropped = trace._listener()
        listener = (_watched("`on_step` of the trace", hear, raised), corpus, dropped)
    _refuse_empty([counts], options)
    words = len(counts)
    try:
        handle, special_tokens, ended = _tessella.learn(
            trainer._trains, options, counts, _progress(trainer), once, listener
        )
    except KeyboardInterrupt as error:
        saved = options.get("checkpoint")
        if saved is None or not os.path.exists(saved):
            raise
        # The same error: what asked for it stays known.
        error.args = (
            f"interrupted; the training is kept in {saved}: the same call with checkpoint={saved!r} goes on "
            "from there",
        )
        raise
    except CustomComponentError as error:
        if not raised:
            raise
        raise CustomComponentError(f"{raised[-1]} raised {error}") from error.__cause__
    object.__setattr__(trainer, "_words", words)
    object.__setattr__(trainer, "_ended", ended)
    return Model._wrap(handle), special_tokens


def estimate_memory(trainer: Trainer, counts: _tessella.PieceCounts) -> int:
    """See ``Trainer.estimate_memory``."""
    return _tessella.estimate_memory(trainer._trains, trainer._kept(), counts)


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
    for name, given in (("train_iterators", train), ("dev_iterators", dev or [])):
        for index, texts in enumerate(given):
            if isinstance(texts, (str, bytes)):
                raise TypeError(
                    f"`{name}[{index}]` must yield the texts of a language, found one "
                    f"{type(texts).__name__}: pass a list of texts"
                )
    if not train:
        raise ArgumentError("`train_iterators` must not be empty: give the texts of each language")
    if dev is not None and len(dev) != len(train):
        raise ArgumentError(
            f"`dev_iterators` has texts of {len(dev)} languages, `train_iterators` of {len(train)}:"
            " give both for each language"
        )
    progress = _progress(trainer)
    options = trainer._kept()
    if ratio is not None:
        options["ratio"] = [float(one) for one in ratio]

    def count(texts: Iterable[Any]) -> _tessella.PieceCounts:
        return _tessella.count_texts_into(_tessella.PieceCounts(), tokenizer, texts, progress=progress)

    languages, development = [count(texts) for texts in train], [count(texts) for texts in dev or ()]
    _refuse_empty(languages, options)
    handle, special_tokens, ended = _tessella.learn_parity(options, languages, development, progress)
    object.__setattr__(trainer, "_ended", ended)
    tokenizer._install(handle, special_tokens)


def _fitting(tokenizer: Tokenizer, trainer: Trainer | None) -> Trainer:
    """The trainer, if it can train the tokenizer's model."""
    model = tokenizer.model
    if trainer is None:
        made: Trainer = model.get_trainer()
        return made
    from .parity import ParityBpeTrainer

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
    tokenizer: Tokenizer,
    trainer: Trainer,
    counts: _tessella.PieceCounts,
    checkpoint: str | os.PathLike[str] | None,
    trace: Trace | None,
) -> None:
    """Learns from counts that nobody else needs."""
    model, special_tokens = learn(trainer, counts, checkpoint, once=True, trace=trace)
    tokenizer._install(model._handle, special_tokens)
    tell_stale(tokenizer)


def _check_walks(name: str, value: Any, expected: str) -> None:
    """Refuses what cannot be walked at all."""
    if not hasattr(value, "__iter__") and not hasattr(value, "__getitem__"):
        raise TypeError(f"`{name}` must {expected}, found {type(value).__name__} {reprlib.repr(value)}")


def train_files(
    tokenizer: Tokenizer,
    files: Iterable[Any],
    trainer: Trainer | None,
    checkpoint: str | os.PathLike[str] | None,
    trace: Trace | None,
) -> None:
    """See ``Tokenizer.train``."""
    if isinstance(files, (str, os.PathLike)):
        raise TypeError("`files` must be a list of paths, not one path")
    _check_walks("files", files, "be a list of paths")
    if checkpoint is not None:
        check_checkpoint(checkpoint)
    trainer = _fitting(tokenizer, trainer)
    counts, how = _tessella.PieceCounts(), _counting(trainer)
    # Files that follow one another are read in one go; a pipe is opened here, where signals end the waiting.
    for special, paths in groupby(list(map(os.fsdecode, files)), is_special):
        if special:
            for path in paths:
                stream = _tessella.TextFiles([(written(path), Pipe(path))], MOST, format="text")
                _tessella.count_texts_into(counts, tokenizer, stream, **how)
        else:
            _tessella.count_files_into(counts, tokenizer, list(paths), format="text", **how)
    _train(tokenizer, trainer, counts, checkpoint, trace)


def train_texts(
    tokenizer: Tokenizer,
    iterator: Iterable[Any],
    trainer: Trainer | None,
    length: int | None,
    checkpoint: str | os.PathLike[str] | None,
    trace: Trace | None,
) -> None:
    """See ``Tokenizer.train_from_iterator``."""
    if checkpoint is not None:
        check_checkpoint(checkpoint)
    if isinstance(iterator, (str, bytes)):
        raise TypeError(
            f"`iterator` must yield texts, found one {type(iterator).__name__}: pass a list of texts"
        )
    _check_walks("iterator", iterator, "yield texts")
    trainer = _fitting(tokenizer, trainer)
    counts = _tessella.count_texts_into(
        _tessella.PieceCounts(), tokenizer, iterator, length=length, **_counting(trainer)
    )
    _train(tokenizer, trainer, counts, checkpoint, trace)


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
    tell_stale(tokenizer)
