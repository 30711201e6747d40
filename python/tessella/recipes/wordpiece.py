"""BERT: words and punctuation marks, cut into the longest known parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .._ends import marked
from ..decoders import WordPiece as WordPieceDecoder
from ..models import WordPiece
from ..normalizers import BertNormalizer
from ..pre_tokenizers import BertPreTokenizer
from ..tokenizer import Tokenizer
from ..trainers import Trainer, WordPieceTrainer
from .recipe import Recipe, special, template

#: What puts ``[CLS]`` and ``[SEP]`` round one text and two.
ENDS = template(marked("bert", "[CLS]", "[SEP]"), "[CLS]", "[SEP]")


def stages(tokenizer: Tokenizer, prefix: str = "##", **options: Any) -> None:
    """The stages of BERT; the options are those of ``BertNormalizer``."""
    tokenizer.normalizer = BertNormalizer(**options)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.decoder = WordPieceDecoder(prefix=prefix, cleanup=True)


def _trainer(vocab_size: int, **options: Any) -> Trainer:
    return WordPieceTrainer(vocab_size=vocab_size, **options)


def _bert(name: str, lowercase: bool, vocab_size: int) -> Recipe:
    case = "without case and accents" if lowercase else "with case"
    return Recipe(
        name=name,
        summary=f"BERT {case}: WordPiece over words and punctuation",
        vocab_size=vocab_size,
        first=tuple(special(token) for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")),
        last=(),
        model=lambda: WordPiece(unk_token="[UNK]", max_input_chars_per_word=100),
        stages=partial(stages, lowercase=lowercase),
        make_trainer=_trainer,
        template=ENDS,
    )


RECIPES: dict[str, Callable[..., Recipe]] = {
    "bert-cased": lambda: _bert("bert-cased", False, 28_996),
    "bert-uncased": lambda: _bert("bert-uncased", True, 30_522),
}
