"""What a recipe is: everything about a tokenizer but its vocabulary."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .._corpus import Texts
from .._ends import Pieces
from .._texts import Reading, Share
from ..counting import PieceCounts, _whole_number, count_pieces
from ..errors import ArgumentError, TrainError
from ..models import Model
from ..processors import PostProcessor, TemplateProcessing
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from ..trainers import Trainer
from ..training.marks import MARKS
from ..training.option import a_count
from ..training.run import check_checkpoint
from .roles import ROLES

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import CountOptions, Source
    from ..tracing import Trace


#: The id of a token, for templates.
Ids = Callable[[str], int]


def special(content: str, **flags: bool) -> AddedToken:
    """A special token that is matched in the raw text."""
    return AddedToken(content, special=True, normalized=False, **flags)


def template(pieces: Pieces, *tokens: str) -> Callable[[Ids], PostProcessor]:
    """A post-processor that waits for the ids of its tokens; for the pieces see ``_ends``."""
    return lambda ids: TemplateProcessing(*pieces, [(token, ids(token)) for token in tokens])


@dataclass(frozen=True)
class Recipe:
    """A pipeline that waits for its vocabulary. Get one with ``tessella.recipes.get``.

    Example:
        >>> from tessella import recipes
        >>> recipe = recipes.get("gpt2")
        >>> recipe.tokenizer().pre_tokenizer.pre_tokenize_str("Tiles, tiles")
        [('Tiles', (0, 5)), (',', (5, 6)), ('Ġtiles', (6, 12))]
        >>> tokenizer = recipe.train(["Tiles, tiles"] * 20, vocab_size=270)
        >>> tokenizer.encode("Tiles tiles").tokens
        ['Tiles', 'Ġtiles']
    """

    name: str
    #: In one line.
    summary: str
    #: Entries of the published vocabulary.
    vocab_size: int
    #: Special tokens that take the first ids, and those that come after everything learned.
    first: tuple[AddedToken, ...]
    last: tuple[AddedToken, ...]
    #: An untrained model with all of its settings.
    model: Callable[[], Model]
    #: Sets normalizer, pre-tokenizer and decoder.
    stages: Callable[[Tokenizer], None]
    #: The trainer for so many entries, with further options.
    make_trainer: Callable[..., Trainer]
    #: Options of that trainer that the pipeline depends on.
    fixed: Mapping[str, object] = dataclasses.field(default_factory=dict)
    #: The post-processor, which knows tokens by their ids.
    template: Callable[[Ids], PostProcessor] | None = None
    #: Changes the pipeline for the time of counting only.
    for_counting: Callable[[Tokenizer], None] | None = None
    #: Pieces that are counted once on top of the corpus, so that their symbols are in the vocabulary.
    always: tuple[str, ...] = ()
    #: Puts into a learned model what is not learned. Its entries are not the trainer's to fill.
    complete: Callable[[Model], Model] | None = None
    completed: int = 0
    #: What texts need before they are counted or encoded.
    prepare: Callable[[str], str] | None = None
    #: Makes the recipe again, in another process: functions inside of functions cannot be sent there. A
    #: recipe that was changed has it no more.
    again: Callable[[], Recipe] | None = dataclasses.field(
        default=None, init=False, repr=False, compare=False
    )

    def __reduce__(self) -> str | tuple[Any, ...]:
        return super().__reduce__() if self.again is None else (self.again, ())

    @property
    def kind(self) -> str:
        """The kind of model, as its class is called."""
        return type(self.model()).__name__

    @property
    def special_tokens(self) -> list[AddedToken]:
        """All special tokens in the order of their ids."""
        return [*self.first, *self.last]

    @property
    def reserved(self) -> int:
        """Entries of the tokenizer that are not the trainer's to fill."""
        return len(self.last) + self.completed

    def tokenizer(self) -> Tokenizer:
        """The untrained tokenizer: all stages and special tokens, an empty model."""
        return self._assembled(self.model())

    def _assembled(self, model: Model) -> Tokenizer:
        tokenizer = Tokenizer(model)
        self.stages(tokenizer)
        tokenizer.add_special_tokens(list(self.first))
        tokenizer.add_special_tokens(list(self.last))
        if self.template is not None:

            def known(token: str) -> int:
                found = tokenizer.token_to_id(token)
                if found is None:
                    raise ArgumentError(f"the recipe {self.name} has no special token {token!r}")
                return found

            tokenizer.post_processor = self.template(known)
        return tokenizer

    def trainer(
        self,
        vocab_size: int | None = None,
        **options: Any,  # those of this kind's trainer
    ) -> Trainer:
        """The trainer. The special tokens at the end, which ``train`` adds, are taken off its size.

        Args:
            vocab_size: entries of the whole tokenizer; by default the published number.
            options: further options of the trainer.
        """
        size: int = self.vocab_size if vocab_size is None else a_count("vocab_size", vocab_size)
        if size <= self.reserved + len(self.first):
            raise ArgumentError(
                f"`vocab_size` is {size}, but {self.name} needs more than {self.reserved + len(self.first)} "
                "for its special tokens alone"
            )
        self._refuse_fixed(options)
        fixed = {"special_tokens": list(self.first), **self.fixed}
        return self.make_trainer(size - self.reserved, **{**options, **fixed})

    def _refuse_fixed(self, options: Mapping[str, object]) -> None:
        """An error for an option that would make another tokenizer than this recipe's."""
        if "special_tokens" in options:
            raise ArgumentError(
                f"`special_tokens` belong to the recipe {self.name}, which puts its own ones where its model "
                "has them: leave the option out, and add yours to what was trained with "
                "tokenizer.add_special_tokens([...])"
            )
        model = self.tokenizer().model
        marks = {name: getattr(model, name, None) for name in MARKS if name not in self.fixed}
        for name, value in {**marks, **self.fixed}.items():
            if name in options and options[name] != value:
                raise ArgumentError(
                    f"`{name}` is {options[name]!r}, but it is {value!r} in the recipe {self.name}, whose "
                    "other parts depend on it: leave the option out, or train recipe.tokenizer() with a "
                    "trainer of your own"
                )

    def count(self, source: Source, **options: Unpack[CountOptions]) -> PieceCounts:
        """Counts a corpus as this recipe's trainer needs it; see ``tessella.count_pieces``."""
        tokenizer = self.tokenizer()
        if self.for_counting is not None:
            self.for_counting(tokenizer)
        if self.prepare is not None:
            # Texts are left out by whoever reads them: the numbers of the others are gone.
            share = _whole_number("hold_out", options.pop("hold_out", 0), 0)
            given: Any = {name: value for name, value in options.items() if name in _READING}
            reading = Reading(**given)
            source = _prepared(source, self.prepare, reading, share)
        return count_pieces(source, tokenizer, **options)

    def train(
        self,
        source: Source,
        vocab_size: int | None = None,
        *,
        memory: int | str | None = None,
        num_threads: int | None = None,
        errors: Literal["strict", "replace"] = "strict",
        field: str = "text",
        progress: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        **options: Any,  # those of this kind's trainer
    ) -> Tokenizer:
        """A tokenizer of this kind, learned from a corpus.

        Args:
            source: files or texts, as for ``tessella.count_pieces``.
            vocab_size: entries of the whole tokenizer, special tokens included; by default the published
                number.
            memory, num_threads, errors, field: as for ``tessella.count_pieces``.
            progress: show how far it is.
            checkpoint: a file for the state of the training; see ``Trainer.train_from_counts``.
            options: further options of the trainer.
        """
        trainer = self.trainer(vocab_size, **{"show_progress": progress, **options})
        if checkpoint is not None:
            check_checkpoint(checkpoint)
        if options.get("tie_break") == "first_seen":
            num_threads = 1  # the only one that knows which piece came first
        counts = self.count(
            source, memory=memory, num_threads=num_threads, errors=errors, field=field, progress=progress
        )
        return self.learned(counts, trainer, checkpoint)

    def train_from_counts(
        self,
        counts: PieceCounts,
        vocab_size: int | None = None,
        *,
        progress: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        **options: Any,  # those of this kind's trainer
    ) -> Tokenizer:
        """A tokenizer of this kind, learned from what ``count`` has counted.

        Example:
            >>> from tessella import recipes
            >>> recipe = recipes.get("gpt2")
            >>> counts = recipe.count(["Tiles, tiles"] * 20)
            >>> recipe.train_from_counts(counts, vocab_size=270).encode("Tiles tiles").tokens
            ['Tiles', 'Ġtiles']
        """
        trainer = self.trainer(vocab_size, **{"show_progress": progress, **options})
        return self.learned(counts, trainer, checkpoint)

    def learned(
        self,
        counts: PieceCounts,
        trainer: Trainer,
        checkpoint: str | os.PathLike[str] | None = None,
        *,
        trace: Trace | None = None,
    ) -> Tokenizer:
        """The tokenizer that one of this recipe's trainers learns from what ``count`` has counted."""
        if self.always:
            extended = PieceCounts()
            extended.merge(counts)
            for piece in self.always:
                extended.add(piece)
            counts = extended
        try:
            learned = trainer.train_from_counts(counts, checkpoint, trace=trace)
        except TrainError as error:
            raise self._budget(error) or error from None
        learned = Model._wrap(self.model()._handle.settings_on(learned._handle))
        if self.complete is not None:
            learned = self.complete(learned)
        tokenizer = self._assembled(learned)
        # Folders say what the special tokens are for, without which other libraries cannot pad.
        tokenizer.config = {"tokenizer_class": "PreTrainedTokenizerFast", **ROLES.get(self.name, {})}
        return tokenizer

    def _budget(self, error: TrainError) -> TrainError | None:
        """The trainer's error about a small vocabulary, whose numbers are those of the whole tokenizer."""
        if error.vocab_size is None or error.needed is None:
            return None
        size, least = error.vocab_size + self.reserved, error.needed + self.reserved
        specials = len(self.first) + len(self.last)
        bytes = f"{self.completed} bytes + " if self.completed else ""
        alphabet = least - specials - self.completed
        forced = " and forced tokens" if error.is_forced else ""
        tokens = "special token" if specials == 1 else "special tokens"
        return TrainError(
            f"a vocabulary of {size} cannot hold what {self.name} must hold: {specials} {tokens} + "
            f"{bytes}{alphabet} characters of the alphabet{forced} = {least}, before anything is learned. "
            f"Ask for {least} or more"
        )


#: Options of counting that are about reading.
_READING = ("field", "errors", "format", "separator")


def _prepared(source: Any, prepare: Callable[[str], str], reading: Reading, hold_out: int) -> Any:
    """A source whose texts are prepared as they are read."""
    if isinstance(source, dict):
        return {name: _prepared(one, prepare, reading, hold_out) for name, one in source.items()}

    def texts() -> Iterator[str]:
        for text in Texts(source, reading, Share(without_every=hold_out)).each():
            yield prepare(text)

    if isinstance(source, (str, os.PathLike, list, tuple)) or hasattr(source, "__iter__"):
        return texts()
    return source
