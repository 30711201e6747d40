"""The tokenizer of BERT."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .. import decoders
from ..models import WordPiece
from ..normalizers import BertNormalizer
from ..pre_tokenizers import BertPreTokenizer
from ..processors import BertProcessing
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from .base import BaseTokenizer, Files, Tokens

if TYPE_CHECKING:
    from .._types import Texts

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
        parameters = {
            name: value for name, value in locals().items() if name not in ("self", "vocab", "__class__")
        }
        if isinstance(vocab, (str, os.PathLike)):
            vocab = WordPiece.read_file(vocab)
        model = WordPiece(vocab, unk_token=str(unk_token), continuing_subword_prefix=wordpieces_prefix)
        tokenizer = Tokenizer(model)
        specials = [str(one) for one in (unk_token, sep_token, cls_token, pad_token, mask_token)]
        tokenizer.add_special_tokens([one for one in specials if tokenizer.token_to_id(one) is not None])
        tokenizer.normalizer = BertNormalizer(
            clean_text=clean_text,
            handle_chinese_chars=handle_chinese_chars,
            strip_accents=strip_accents,
            lowercase=lowercase,
        )
        tokenizer.pre_tokenizer = BertPreTokenizer()
        if vocab is not None:
            ends = []
            for name, token in (("sep_token", str(sep_token)), ("cls_token", str(cls_token))):
                id = tokenizer.token_to_id(token)
                if id is None:
                    raise TypeError(f"{name} not found in the vocabulary")
                ends.append((token, id))
            tokenizer.post_processor = BertProcessing(*ends)
        tokenizer.decoder = decoders.WordPiece(prefix=wordpieces_prefix)
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
