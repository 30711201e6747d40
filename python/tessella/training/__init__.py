"""Training: what it takes, how it runs, what it gives.

- ``option``: one option of a trainer, told once: name, type, default, help, and how it is typed
- ``shared``: the options that several trainers have
- ``trainer``: what all trainers have in common; ``bpe``, ``parity``, ``wordpiece``, ``wordlevel`` and
  ``unigram`` have one each
- ``run``: from texts, files or counts to a model in a tokenizer
- ``anew``: a tokenizer as a recipe: its stages are kept, its vocabulary is learned anew

The public names are in ``tessella.trainers``.
"""

from __future__ import annotations

from typing import Any

from ..errors import TrainError
from .bpe import BpeTrainer
from .unigram import UnigramTrainer
from .wordlevel import WordLevelTrainer
from .wordpiece import WordPieceTrainer

__all__: list[str] = []

#: The trainer for each kind of model.
BY_MODEL: dict[str, Any] = {
    trainer._trains: trainer for trainer in (BpeTrainer, WordPieceTrainer, UnigramTrainer, WordLevelTrainer)
}


def trainer_of(kind: str) -> Any:
    """The trainer for a kind of model; an error for one that has none."""
    if kind == "SentencePiece":
        raise TrainError(
            "a SentencePiece model cannot be trained anew in place; train a new tokenizer, with "
            "SentencePieceUnigramTokenizer or SentencePieceBPETokenizer for instance"
        )
    if kind not in BY_MODEL:
        raise TrainError(f"a {kind} model has no trainer; those that have one are {', '.join(BY_MODEL)}")
    return BY_MODEL[kind]
