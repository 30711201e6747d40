"""A tokenizer as a recipe: its stages are kept, its vocabulary is learned anew."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..models import WordLevel, WordPiece
from ..pre_tokenizers import ByteLevel
from . import trainer_of
from .trainer import Trainer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import CountOptions, Source
    from ..counting import PieceCounts
    from ..tokenizer import Tokenizer
    from ..tracing import Trace


class Anew:
    """What is trained like another tokenizer. ``tessella.recipes.Recipe`` is used alike."""

    reserved = 0
    prepare = None

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer

    @property
    def kind(self) -> str:
        """The kind of model, as its class is called."""
        return type(self.tokenizer.model).__name__

    def count(self, source: Source, **options: Unpack[CountOptions]) -> PieceCounts:
        """Counts a corpus as the tokenizer cuts it."""
        from ..counting import count_pieces

        return count_pieces(source, self.tokenizer, **options)

    def _spells_bytes(self) -> bool:
        cut = self.tokenizer.pre_tokenizer
        return cut is not None and cut._handle.spells_bytes()

    def trainer(self, vocab_size: int | None = None, **options: Any) -> Trainer:
        """The trainer. Special tokens, marks of parts of words and bytes that are spelled stay."""
        made = trainer_of(self.kind)
        if vocab_size is not None:
            options["vocab_size"] = vocab_size
        if "initial_alphabet" in made._options and self._spells_bytes():
            options.setdefault("initial_alphabet", ByteLevel.alphabet())
        for mark in ("continuing_subword_prefix", "end_of_word_suffix"):
            said = getattr(self.tokenizer.model, mark, None)
            if said is not None and mark in made._options:
                options.setdefault(mark, said)
        if "special_tokens" not in options:
            added = self.tokenizer.get_added_tokens_decoder()
            special: list[Any] = [token for _, token in sorted(added.items()) if token.special]
            model = self.tokenizer.model
            if not special and isinstance(model, (WordPiece, WordLevel)):
                special = [model.unk_token]
            options["special_tokens"] = special
        trainer: Trainer = made(**options)
        return trainer

    def learned(
        self,
        counts: PieceCounts,
        trainer: Trainer,
        checkpoint: str | os.PathLike[str] | None = None,
        *,
        trace: Trace | None = None,
    ) -> Tokenizer:
        """The tokenizer with the model that the trainer learns from the counts."""
        self.tokenizer.train_from_counts(counts, trainer, checkpoint, trace=trace)
        return self.tokenizer
