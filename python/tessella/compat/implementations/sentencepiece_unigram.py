"""Unigram over text in which spaces are characters."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...loading import load
from ...models import Unigram
from ...normalizers import NFKC, Nmt, Sequence
from ...recipes.metaspace import blanks, single_blanks
from ...tokenizer import Tokenizer
from .base import BaseTokenizer, Files, Tokens, arguments

if TYPE_CHECKING:
    from ..._types import Texts


class SentencePieceUnigramTokenizer(BaseTokenizer):
    """Unigram with the spaces of SentencePiece.

    Args:
        vocab: pieces with their log-probabilities.
        replacement: the character that is written for a space.
        add_prefix_space: put a space in front of every text.

    Example:
        >>> from tessella import SentencePieceUnigramTokenizer
        >>> tokenizer = SentencePieceUnigramTokenizer()
        >>> tokenizer.train_from_iterator(["low lower"] * 10, vocab_size=9, show_progress=False)
        >>> tokenizer.encode("low lower").tokens
        ['▁low', '▁low', 'e', 'r']
    """

    def __init__(
        self,
        vocab: Iterable[tuple[str, float]] | None = None,
        replacement: str = "▁",
        add_prefix_space: bool = True,
    ) -> None:
        parameters = arguments(locals())
        tokenizer = Tokenizer(Unigram(vocab))
        tokenizer.normalizer = Sequence([Nmt(), NFKC(), single_blanks()])
        blanks(tokenizer, replacement, add_prefix_space)
        super().__init__(tokenizer, {"model": "SentencePieceUnigram", **parameters})

    @staticmethod
    def from_spm(filename: str | os.PathLike[str]) -> SentencePieceUnigramTokenizer:
        """A tokenizer from a SentencePiece ``.model`` file, by SentencePiece's own rules."""
        wrapped = object.__new__(SentencePieceUnigramTokenizer)
        BaseTokenizer.__init__(wrapped, load(os.fspath(filename)), {"model": "SentencePieceUnigram"})
        return wrapped

    def train(
        self,
        files: Files,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Tokens | None = None,
        initial_alphabet: Iterable[str] | None = None,
        unk_token: str | None = None,
    ) -> None:
        """Trains on files; the options are those of ``UnigramTrainer``."""
        self._train(locals())

    def train_from_iterator(
        self,
        iterator: Texts,
        vocab_size: int = 8000,
        show_progress: bool = True,
        special_tokens: Tokens | None = None,
        initial_alphabet: Iterable[str] | None = None,
        unk_token: str | None = None,
        length: int | None = None,
    ) -> None:
        """Trains on texts; the options are those of ``UnigramTrainer``."""
        self._train(locals())
