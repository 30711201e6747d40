"""Transformer-XL: whole words of a fixed list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _tessella
from .._ends import round_each
from ..decoders import Fuse, Replace, Sequence, WordPiece
from ..models import WordLevel
from ..normalizers import Replace as ReplaceNormalizer
from ..normalizers import Sequence as Normalizers
from ..pre_tokenizers import Split
from ..tokenizer import Tokenizer
from ..trainers import Trainer, WordLevelTrainer
from .recipe import Recipe, special, template

#: The joints of numbers as its corpus writes them, words with their apostrophes, single marks.
_PIECES = r"@[-,.]@|\w+(?:['’]\w+)*|[^\w\s]"


def _transformer_xl() -> Recipe:
    def stages(tokenizer: Tokenizer) -> None:
        # 12,000.5 and well-known become 12 @,@ 000 @.@ 5 and well @-@ known.
        tokenizer.normalizer = Normalizers(
            [
                ReplaceNormalizer(_tessella.Regex(r"(?<=\d),(?=\d)"), " @,@ "),
                ReplaceNormalizer(_tessella.Regex(r"(?<=\d)\.(?=\d)"), " @.@ "),
                ReplaceNormalizer(_tessella.Regex(r"(?<=\w)-(?=\w)"), " @-@ "),
            ]
        )
        tokenizer.pre_tokenizer = Split(_tessella.Regex(_PIECES), "removed", invert=True)
        joints = [Replace(f" @{mark}@ ", mark) for mark in ",.-"]
        # No word begins with the prefix, so that each has a blank in front.
        tokenizer.decoder = Sequence([WordPiece(prefix="\u0000", cleanup=True), Fuse(), *joints])

    def trainer(vocab_size: int, **options: Any) -> Trainer:
        return WordLevelTrainer(vocab_size=vocab_size, **options)

    return Recipe(
        name="transformer-xl",
        summary="Transformer-XL: whole words, joints of numbers marked, a token that ends the text",
        vocab_size=267_735,
        first=(special("<eos>"), special("<unk>")),
        last=(),
        model=lambda: WordLevel(unk_token="<unk>"),
        stages=stages,
        make_trainer=trainer,
        template=template(round_each(None, "<eos>"), "<eos>"),
    )


RECIPES: dict[str, Callable[..., Recipe]] = {"transformer-xl": _transformer_xl}
