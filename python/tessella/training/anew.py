"""A tokenizer as a recipe: its stages are kept, its vocabulary is learned anew.

Special tokens get other ids by that. What names them by id gets the new ones: post-processor, padding and the
settings of a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..models import Unigram
from ..pre_tokenizers import ByteLevel
from ..processors import PostProcessor
from . import trainer_of
from .put_in import put_in
from .trainer import Trainer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import CountOptions, Source
    from ..counting import PieceCounts
    from ..tokenizer import Tokenizer
    from ..tokens import AddedToken
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
        model = self.tokenizer.model
        if isinstance(model, Unigram) and model.unk_id is not None:
            options.setdefault("unk_token", model.id_to_token(model.unk_id))
        if "special_tokens" not in options:
            options["special_tokens"] = self.special_tokens()
        trainer: Trainer = made(**options)
        return trainer

    def special_tokens(self, first: Iterable[str] = ()) -> list[str | AddedToken]:
        """Those of the tokenizer, and its token for unknown text, without which such text is an error.

        Args:
            first: what comes before them.
        """
        added = sorted(self.tokenizer.get_added_tokens_decoder().items())
        own = {token.content: token for _, token in added if token.special}
        unknown = getattr(self.tokenizer.model, "unk_token", None)
        # A template may put in what is no added token.
        names = [*first, *own, *put_in(self.tokenizer.post_processor)]
        names += [] if unknown is None else [unknown]
        return [own.get(name, name) for name in dict.fromkeys(names)]

    def learned(
        self,
        counts: PieceCounts,
        trainer: Trainer,
        checkpoint: str | os.PathLike[str] | None = None,
        *,
        trace: Trace | None = None,
    ) -> Tokenizer:
        """The tokenizer with the model that the trainer learns from the counts."""
        tokenizer = self.tokenizer
        # Put back with its new ids.
        processor, tokenizer.post_processor = tokenizer.post_processor, None
        try:
            tokenizer.train_from_counts(counts, trainer, checkpoint, trace=trace)
            if processor is not None:
                processor = PostProcessor._wrap(processor._handle.renumbered({}, tokenizer))
        finally:
            tokenizer.post_processor = processor
        # `Any`: the settings as they are given back are those that are taken.
        padding: Any = tokenizer.padding
        if padding is not None and (id := tokenizer.token_to_id(padding["pad_token"])) is not None:
            tokenizer.enable_padding(**{**padding, "pad_id": id})
        listed = (tokenizer.config or {}).get("added_tokens_decoder")
        if tokenizer.config is not None and isinstance(listed, dict):
            ids = [(tokenizer.token_to_id(token["content"]), token) for token in listed.values()]
            renumbered = {str(id): token for id, token in ids if id is not None}
            tokenizer.config = {**tokenizer.config, "added_tokens_decoder": renumbered}
        return tokenizer
