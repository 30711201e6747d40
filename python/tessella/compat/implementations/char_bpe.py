"""The tokenizer of the first GPT."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ... import decoders, pre_tokenizers
from ..._given import token_text
from ...normalizers import BertNormalizer
from ...tokens import AddedToken
from .base import Files, MergesTokenizer, Tokens, arguments, merges_model, normalizers, with_specials

if TYPE_CHECKING:
    from ..._types import Texts


class CharBPETokenizer(MergesTokenizer):
    """Byte-pair encoding over characters, with a mark at the end of every word.

    Args:
        vocab, merges: the model, both or neither.
        unk_token: the token for unknown characters.
        suffix: the mark at the end of words.
        dropout: probability of skipping a merge.
        lowercase: lower-case the text.
        unicode_normalizer: ``nfc``, ``nfd``, ``nfkc`` or ``nfkd``.
        bert_normalizer: clean the text as BERT does, without lower-casing.
        split_on_whitespace_only: leave punctuation with its word.

    Example:
        >>> from tessella import CharBPETokenizer
        >>> tokenizer = CharBPETokenizer()
        >>> tokenizer.train_from_iterator(["low lower lowest"] * 10, vocab_size=20, show_progress=False)
        >>> tokenizer.encode("low").tokens
        ['low</w>']
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Iterable[tuple[str, str]] | str | None = None,
        unk_token: str | AddedToken = "<unk>",
        suffix: str = "</w>",
        dropout: float | None = None,
        lowercase: bool = False,
        unicode_normalizer: str | None = None,
        bert_normalizer: bool = True,
        split_on_whitespace_only: bool = False,
    ) -> None:
        parameters = arguments(locals(), "merges")
        unknown = token_text("unk_token", unk_token)
        model = merges_model(
            vocab,
            merges,
            dropout=dropout,
            unk_token=unknown,
            end_of_word_suffix=suffix,
        )
        tokenizer = with_specials(model, unk_token)
        bert = [BertNormalizer(lowercase=False)] if bert_normalizer else []
        tokenizer.normalizer = normalizers(unicode_normalizer, lowercase, *bert)
        if split_on_whitespace_only:
            tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        else:
            tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.BPEDecoder(suffix=suffix)
        super().__init__(tokenizer, {"model": "BPE", **parameters})

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        special_tokens: Tokens = ("<unk>",),
        limit_alphabet: int = 1000,
        initial_alphabet: Iterable[str] = (),
        suffix: str | None = "</w>",
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
        suffix: str | None = "</w>",
        show_progress: bool = True,
        length: int | None = None,
    ) -> None:
        """Trains on texts; the options are those of ``BpeTrainer``."""
        self._train(locals())
