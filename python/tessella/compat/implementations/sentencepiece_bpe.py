"""Byte-pair encoding over text in which spaces are characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ..._given import token_text
from ...normalizers import NFKC
from ...recipes.metaspace import blanks
from ...tokens import AddedToken
from .base import Files, MergesTokenizer, Tokens, arguments, merges_model, with_specials

if TYPE_CHECKING:
    from ..._types import Texts


class SentencePieceBPETokenizer(MergesTokenizer):
    """Byte-pair encoding with the spaces of SentencePiece.

    Args:
        vocab, merges: the model, both or neither.
        unk_token: the token for unknown characters.
        replacement: the character that is written for a space.
        add_prefix_space: put a space in front of every text.
        dropout: probability of skipping a merge.
        fuse_unk: make a run of unknown characters one token.

    Example:
        >>> from tessella import SentencePieceBPETokenizer
        >>> tokenizer = SentencePieceBPETokenizer()
        >>> tokenizer.train_from_iterator(["low lower lowest"] * 10, vocab_size=20, show_progress=False)
        >>> tokenizer.decode(tokenizer.encode("low lower").ids)
        'low lower'
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Iterable[tuple[str, str]] | str | None = None,
        unk_token: str | AddedToken = "<unk>",
        replacement: str = "▁",
        add_prefix_space: bool = True,
        dropout: float | None = None,
        fuse_unk: bool | None = False,
    ) -> None:
        parameters = arguments(locals(), "merges", "fuse_unk")
        unknown = token_text("unk_token", unk_token)
        model = merges_model(vocab, merges, dropout=dropout, unk_token=unknown, fuse_unk=fuse_unk)
        tokenizer = with_specials(model, unk_token)
        tokenizer.normalizer = NFKC()
        blanks(tokenizer, replacement, add_prefix_space)
        super().__init__(tokenizer, {"model": "SentencePieceBPE", **parameters})

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Tokens = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Iterable[str] = (),
        show_progress: bool = True,
    ) -> None:
        """Trains on files; the options are those of ``BpeTrainer``."""
        self._train(locals())

    def train_from_iterator(
        self,
        iterator: Texts,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Tokens = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Iterable[str] = (),
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        """Trains on texts; the options are those of ``BpeTrainer``."""
        self._train(locals())
