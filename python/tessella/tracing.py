"""What a training did, step by step.

Give a ``Trace`` to a training, and it keeps a step for each merge (BPE, WordPiece), or for each estimate and
each round of dropping (Unigram). ``print`` shows the steps as a table.

Example:
    >>> from tessella import PieceCounts
    >>> from tessella.tracing import Trace
    >>> from tessella.trainers import BpeTrainer
    >>> counts = PieceCounts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> trace = Trace()
    >>> model = BpeTrainer(vocab_size=10, show_progress=False).train_from_counts(counts, trace=trace)
    >>> print(trace)
    step  joined   makes  count  symbols  next
       1  u + g    ug        20        7  p + u 17
       2  u + n    un        16        6  h + ug 15
       3  h + ug   hug       15        6  p + un 12
    the vocabulary reached its target size
    >>> trace[0].pair, trace[0].count, trace[0].corpus[1]
    (('u', 'g'), 20, (('h', 'ug'), 10))
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import IO, Any, overload

__all__ = ["Candidate", "EstimateStep", "JsonLines", "MergeStep", "PruneStep", "Step", "Trace"]

#: Spelled pieces and how often they occur.
Corpus = tuple[tuple[tuple[str, ...], int], ...]


@dataclass(frozen=True)
class Candidate:
    """A pair of neighbours that could have been joined. ``score`` is what it was compared by."""

    left: str
    right: str
    count: int
    score: float


@dataclass(frozen=True)
class MergeStep:
    """Two symbols were joined.

    ``score`` is what the pair was chosen by: its count, or WordPiece's ratio. ``runner_up`` is the pair that
    came second, if there was one. The rest is as it is after the step: entries of the vocabulary, different
    symbols that the corpus consists of, occurrences of all symbols, and the pieces as they are then spelled
    (``None`` where there are more than the trace keeps).
    """

    number: int
    left: str
    right: str
    made: str
    count: int
    score: float
    runner_up: Candidate | None
    vocab_size: int
    symbols: int
    total_symbols: int
    corpus: Corpus | None = field(repr=False)

    @property
    def pair(self) -> tuple[str, str]:
        """The two symbols that were joined."""
        return self.left, self.right


@dataclass(frozen=True)
class EstimateStep:
    """Probabilities were estimated anew.

    ``loss`` is the negative logarithm of the probability of the corpus before the new estimate, for each
    occurrence of a piece; ``vocab_size`` the entries that are left after it.
    """

    number: int
    vocab_size: int
    loss: float


@dataclass(frozen=True)
class PruneStep:
    """Entries were dropped; ``vocab_size`` are left.

    ``dropped`` holds the entries, each with the loss that dropping it was estimated to cost, the costliest
    first. It is cut where there are more than the trace keeps; ``dropped_count`` counts all of them.
    """

    number: int
    vocab_size: int
    dropped_count: int
    dropped: tuple[tuple[str, float], ...] = field(repr=False)


#: What a trace consists of.
Step = MergeStep | EstimateStep | PruneStep

_NAMES = {MergeStep: "merge", EstimateStep: "estimate", PruneStep: "prune"}


def _told(step: Step) -> dict[str, Any]:
    """A step as data, with the name of its kind."""
    return {"step": _NAMES[type(step)], **asdict(step)}


class JsonLines:
    """Writes each step as a line of JSON. May be the ``on_step`` of a trace, so that nothing need be kept."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def __call__(self, step: Step) -> None:
        self._file.write(json.dumps(_told(step), ensure_ascii=False) + "\n")

    def end(self, ended: str) -> None:
        """Writes why learning ended, if it did."""
        if ended:
            self._file.write(json.dumps({"step": "end", "ended": ended}) + "\n")


class Trace(Sequence[Step]):
    """The steps of a training. Used for another training, it begins anew.

    Memory is bounded by the limits below times the number of steps; with ``keep=False`` nothing is kept.

    Args:
        corpus_up_to: steps hold the corpus if it has at most this many different pieces.
        dropped_up_to: rounds of dropping hold at most this many of the entries that were dropped.
        on_step: called with each step as it is taken. What it raises ends the training.
        keep: whether the steps are kept in this object.

    Example:
        >>> from tessella import PieceCounts
        >>> from tessella.trainers import WordPieceTrainer
        >>> counts = PieceCounts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
        >>> trace = Trace()
        >>> trainer = WordPieceTrainer(vocab_size=10, score="likelihood", tie_break="first_seen")
        >>> trainer.show_progress = False
        >>> model = trainer.train_from_counts(counts, trace=trace)
        >>> print(trace.table(corpus=True))
        step  joined      makes  count     score  symbols  next
           1  ##g + ##s   ##gs       5   0.05000        7  h + ##u 0.02778
              h ##u ##g  x10
              p ##u ##g  x5
              p ##u ##n  x12
              b ##u ##n  x4
              h ##u ##gs  x5
           2  h + ##u     hu        15   0.02778        7  ##u + ##g 0.02778
              hu ##g  x10
              p ##u ##g  x5
              p ##u ##n  x12
              b ##u ##n  x4
              hu ##gs  x5
           3  hu + ##gs   hugs       5   0.06667        7  p + ##u 0.04762
              hu ##g  x10
              p ##u ##g  x5
              p ##u ##n  x12
              b ##u ##n  x4
              hugs  x5
        the vocabulary reached its target size
    """

    def __init__(
        self,
        *,
        corpus_up_to: int = 100,
        dropped_up_to: int = 1000,
        on_step: Callable[[Step], object] | None = None,
        keep: bool = True,
    ) -> None:
        for name, value in (("corpus_up_to", corpus_up_to), ("dropped_up_to", dropped_up_to)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"`{name}` must be an int, not {type(value).__name__}")
            if not 0 <= value < 2**63:
                from .errors import OutOfRangeError

                raise OutOfRangeError(f"`{name}` must be from 0 to {2**63 - 1}, found {value}")
        self.corpus_up_to = corpus_up_to
        self.dropped_up_to = dropped_up_to
        self.on_step = on_step
        self.keep = keep
        #: Why learning ended; empty while it runs, and where it was broken off.
        self.ended: str = ""
        self._steps: list[Step] = []
        self._number = 0

    @property
    def merges(self) -> list[MergeStep]:
        """The steps of BPE and WordPiece."""
        return [step for step in self._steps if isinstance(step, MergeStep)]

    @property
    def estimates(self) -> list[EstimateStep]:
        """The estimates of Unigram."""
        return [step for step in self._steps if isinstance(step, EstimateStep)]

    @property
    def prunings(self) -> list[PruneStep]:
        """The rounds of dropping of Unigram."""
        return [step for step in self._steps if isinstance(step, PruneStep)]

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...

    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._steps)

    def __repr__(self) -> str:
        ended = f", ended={self.ended!r}" if self.ended else ""
        return f"<Trace of {len(self)} steps{ended}>"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        from ._html import trace

        return trace(self)

    def table(self, corpus: bool = False) -> str:
        """The steps as a table; with ``corpus``, each merge is followed by the pieces as they are spelled."""
        lines = [*_merge_table(self.merges, corpus), *_round_table(self._steps)]
        return "\n".join([*lines, *([self.ended] if self.ended else [])])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the steps as lines of JSON, and why learning ended as the last one.

        The file appears under its name only when it is complete.

        Example:
            >>> import os, tempfile
            >>> from tessella import PieceCounts
            >>> from tessella.trainers import BpeTrainer
            >>> trace = Trace(corpus_up_to=0)
            >>> trainer = BpeTrainer(show_progress=False)
            >>> model = trainer.train_from_counts(PieceCounts({"ab": 2}), trace=trace)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "steps.jsonl")
            ...     trace.save(path)
            ...     print(open(path).read().splitlines()[1])
            {"step": "end", "ended": "no candidate was left to learn"}
        """
        from ._files import _replacing

        with _replacing(os.fsdecode(path)) as file:
            lines = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
            write = JsonLines(lines)
            for step in self._steps:
                write(step)
            write.end(self.ended)
            # Flushes, and leaves the file open for whom it belongs to.
            lines.detach()

    # What the engine needs, and what it tells.

    def _listener(self) -> tuple[Callable[[str, tuple[Any, ...]], None], int, int]:
        self._steps = []
        self._number = 0
        self.ended = ""
        return self._hear, self.corpus_up_to, self.dropped_up_to

    def _hear(self, kind: str, told: tuple[Any, ...]) -> None:
        if kind == "end":
            self.ended = told[0]
            return
        self._number += 1
        step = _step(self._number, kind, told)
        if self.keep:
            self._steps.append(step)
        if self.on_step is not None:
            self.on_step(step)


def _candidate(pair: tuple[str, str, int, float | None]) -> Candidate:
    left, right, count, score = pair
    return Candidate(left, right, count, count if score is None else score)


def _step(number: int, kind: str, told: tuple[Any, ...]) -> Step:
    if kind == "estimate":
        return EstimateStep(number, *told)
    if kind == "prune":
        vocab_size, dropped_count, dropped = told
        return PruneStep(number, vocab_size, dropped_count, tuple(dropped))
    pair, made, second, (vocab_size, symbols, total), corpus = told
    best = _candidate(pair)
    return MergeStep(
        number,
        best.left,
        best.right,
        made,
        best.count,
        best.score,
        None if second is None else _candidate(second),
        vocab_size,
        symbols,
        total,
        None if corpus is None else tuple((tuple(spelled), times) for spelled, times in corpus),
    )


def _merge_table(steps: list[MergeStep], corpus: bool) -> Iterable[str]:
    if not steps:
        return
    pairs = [f"{step.left} + {step.right}" for step in steps]
    wide = max([6, *map(len, pairs)]) + 2
    made = max([5, *(len(step.made) for step in steps)]) + 1
    ratio = any(step.score != step.count for step in steps)
    yield f"step  {'joined':<{wide}} {'makes':<{made}} count{'     score' if ratio else ''}  symbols  next"
    for step, pair in zip(steps, pairs, strict=True):
        line = f"{step.number:>4}  {pair:<{wide}} {step.made:<{made}} {step.count:>5}"
        line += f"  {step.score:>8.5f}" if ratio else ""
        line += f"  {step.symbols:>7}"
        if step.runner_up is not None:
            second = step.runner_up
            by = f"{second.score:.5f}" if ratio else str(second.count)
            line += f"  {second.left} + {second.right} {by}"
        yield line
        if corpus and step.corpus is not None:
            yield from (f"      {' '.join(symbols)}  x{count}" for symbols, count in step.corpus)


#: Dropped entries that a table shows of each round.
_SHOWN = 4


def _round_table(steps: list[Step]) -> Iterable[str]:
    rounds = [step for step in steps if not isinstance(step, MergeStep)]
    if rounds:
        yield "step  entries  loss per piece"
    for step in rounds:
        line = f"{step.number:>4}  {step.vocab_size:>7}"
        if isinstance(step, EstimateStep):
            yield f"{line}  {step.loss:>14.6f}"
            continue
        shown = ", ".join(f"{token} {loss:.6f}" for token, loss in step.dropped[:_SHOWN])
        more = ", ..." if step.dropped_count > _SHOWN and shown else ""
        yield f"{line}  dropped {step.dropped_count}: {shown}{more}".rstrip(" :")
