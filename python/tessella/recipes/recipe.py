"""What a recipe is: everything about a tokenizer but its vocabulary."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..counting import PieceCounts, count_pieces, read_texts
from ..errors import ArgumentError
from ..models import Model
from ..processors import PostProcessor
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from ..trainers import Trainer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import CountOptions, Source
    from ..tracing import Trace

__all__ = ["Ids", "Recipe", "special"]

#: The id of a token, for templates.
Ids = Callable[[str], int]


def special(content: str, **flags: bool) -> AddedToken:
    """A special token that is matched in the raw text."""
    return AddedToken(content, special=True, normalized=False, **flags)


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

    @property
    def special_tokens(self) -> list[AddedToken]:
        """All special tokens in the order of their ids."""
        return [*self.first, *self.last]

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
        size = self.vocab_size if vocab_size is None else vocab_size
        reserved = len(self.last) + self.completed
        if size <= reserved + len(self.first):
            raise ArgumentError(
                f"`vocab_size` is {size}, but {self.name} needs more than {reserved + len(self.first)} "
                "for its special tokens alone"
            )
        return self.make_trainer(size - reserved, special_tokens=list(self.first), **options)

    def count(self, source: Source, **options: Unpack[CountOptions]) -> PieceCounts:
        """Counts a corpus as this recipe's trainer needs it; see ``tessella.count_pieces``."""
        tokenizer = self.tokenizer()
        if self.for_counting is not None:
            self.for_counting(tokenizer)
        if self.prepare is not None:
            of_reading = ("errors", "field", "format")
            reading = {key: value for key, value in options.items() if key in of_reading}
            source = _prepared(source, self.prepare, reading)
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
        trainer = self.trainer(vocab_size, show_progress=progress, **options)
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
        return self.learned(counts, self.trainer(vocab_size, show_progress=progress, **options), checkpoint)

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
        learned = trainer.train_from_counts(counts, checkpoint, trace=trace)
        settings = self.model()
        for setting in (
            "unk_token",
            "fuse_unk",
            "byte_fallback",
            "ignore_merges",
            "max_input_chars_per_word",
        ):
            if hasattr(settings, setting) and hasattr(learned, setting):
                setattr(learned, setting, getattr(settings, setting))
        if self.complete is not None:
            learned = self.complete(learned)
        return self._assembled(learned)


def _prepared(source: Any, prepare: Callable[[str], str], reading: dict[str, Any]) -> Any:
    """A source whose texts are prepared as they are read."""
    if isinstance(source, dict):
        return {name: _prepared(one, prepare, reading) for name, one in source.items()}

    def texts() -> Iterator[str]:
        for text in read_texts(source, **reading):
            yield prepare(text)

    if isinstance(source, (str, os.PathLike, list, tuple)) or hasattr(source, "__iter__"):
        return texts()
    return source
