"""The tokenizer of BERT."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..._given import token_text
from ...models import WordPiece
from ...processors import BertProcessing
from ...recipes.wordpiece import stages
from ...tokens import AddedToken
from .base import BaseTokenizer, Files, Tokens, arguments, with_specials

if TYPE_CHECKING:
    from ..._types import Texts

_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class BertWordPieceTokenizer(BaseTokenizer):
    """WordPiece with the normalisation and the special tokens of BERT.

    Args:
        vocab: tokens and their ids. With a vocabulary, it must hold the separator and the first token.
        unk_token, sep_token, cls_token, pad_token, mask_token: the special tokens.
        clean_text, handle_chinese_chars, strip_accents, lowercase: see ``BertNormalizer``.
        wordpieces_prefix: marks the tokens that do not begin a word.

    Example:
        >>> from tessella import BertWordPieceTokenizer
        >>> tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "##s"]
        >>> tokenizer = BertWordPieceTokenizer({token: id for id, token in enumerate(tokens)})
        >>> tokenizer.encode("Hellos").tokens
        ['[CLS]', 'hello', '##s', '[SEP]']
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        unk_token: str | AddedToken = "[UNK]",
        sep_token: str | AddedToken = "[SEP]",
        cls_token: str | AddedToken = "[CLS]",
        pad_token: str | AddedToken = "[PAD]",
        mask_token: str | AddedToken = "[MASK]",
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        parameters = arguments(locals())
        if isinstance(vocab, (str, os.PathLike)):
            vocab = WordPiece.read_file(vocab)
        model = WordPiece(
            vocab, unk_token=token_text("unk_token", unk_token), continuing_subword_prefix=wordpieces_prefix
        )
        tokenizer = with_specials(model, unk_token, sep_token, cls_token, pad_token, mask_token)
        stages(
            tokenizer,
            wordpieces_prefix,
            clean_text=clean_text,
            handle_chinese_chars=handle_chinese_chars,
            strip_accents=strip_accents,
            lowercase=lowercase,
        )
        if vocab is not None:
            ends = []
            for name, given in (("sep_token", sep_token), ("cls_token", cls_token)):
                token = token_text(name, given)
                id = tokenizer.token_to_id(token)
                if id is None:
                    raise TypeError(f"{name} not found in the vocabulary")
                ends.append((token, id))
            tokenizer.post_processor = BertProcessing(*ends)
        super().__init__(tokenizer, {"model": "BertWordPiece", **parameters})

    @staticmethod
    def from_file(
        vocab: str | os.PathLike[str],
        **kwargs: Any,  # what the class takes besides
    ) -> BertWordPieceTokenizer:
        """A tokenizer from ``vocab.txt``; other arguments as for the class."""
        return BertWordPieceTokenizer(WordPiece.read_file(vocab), **kwargs)

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Iterable[str] = (),
        special_tokens: Tokens = _SPECIALS,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
    ) -> None:
        """Trains on files; the options are those of ``WordPieceTrainer``."""
        self._train(locals())

    def train_from_iterator(
        self,
        iterator: Texts,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        limit_alphabet: int = 1000,
        initial_alphabet: Iterable[str] = (),
        special_tokens: Tokens = _SPECIALS,
        show_progress: bool = True,
        wordpieces_prefix: str = "##",
        length: int | None = None,
    ) -> None:
        """Trains on texts; the options are those of ``WordPieceTrainer``."""
        self._train(locals())
