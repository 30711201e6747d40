"""The tokenizer of GPT-2."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .. import decoders, pre_tokenizers, processors
from ..models import BPE
from ..normalizers import Lowercase, Normalizer, Sequence, unicode_normalizer_from_str
from ..tokenizer import Tokenizer
from .base import BaseTokenizer, Files, Tokens

if TYPE_CHECKING:
    from .._types import Texts


def one_or_sequence(normalizers: list[Normalizer]) -> Normalizer | None:
    """No normalizer, the only one, or all of them in order."""
    if len(normalizers) > 1:
        return Sequence(normalizers)
    return normalizers[0] if normalizers else None


class ByteLevelBPETokenizer(BaseTokenizer):
    """Byte-pair encoding over bytes: every text can be encoded.

    Args:
        vocab, merges: the model, both or neither.
        add_prefix_space: put a space in front of the text.
        lowercase: lower-case the text.
        dropout: probability of skipping a merge.
        unicode_normalizer: ``nfc``, ``nfd``, ``nfkc`` or ``nfkd``.
        continuing_subword_prefix, end_of_word_suffix: see ``BPE``.
        trim_offsets: leave white space out of the offsets.

    Example:
        >>> from tessella import ByteLevelBPETokenizer
        >>> tokenizer = ByteLevelBPETokenizer()
        >>> tokenizer.train_from_iterator(["low lower lowest"] * 10, vocab_size=262, show_progress=False)
        >>> tokenizer.encode("low lower").tokens
        ['low', 'Ġlower']
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Iterable[tuple[str, str]] | str | None = None,
        add_prefix_space: bool = False,
        lowercase: bool = False,
        dropout: float | None = None,
        unicode_normalizer: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        trim_offsets: bool = False,
    ) -> None:
        parameters = {
            name: value
            for name, value in locals().items()
            if name not in ("self", "vocab", "merges", "__class__")
        }
        if vocab is not None and merges is not None:
            model = BPE(
                vocab,
                merges,
                dropout=dropout,
                continuing_subword_prefix=continuing_subword_prefix or "",
                end_of_word_suffix=end_of_word_suffix or "",
            )
        else:
            model = BPE()
        tokenizer = Tokenizer(model)
        normalizers: list[Normalizer] = []
        if unicode_normalizer:
            normalizers.append(unicode_normalizer_from_str(unicode_normalizer))
        if lowercase:
            normalizers.append(Lowercase())
        tokenizer.normalizer = one_or_sequence(normalizers)
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
        super().__init__(tokenizer, {"model": "ByteLevelBPE", **parameters})

    @staticmethod
    def from_file(
        vocab_filename: str | os.PathLike[str],
        merges_filename: str | os.PathLike[str],
        **kwargs: Any,  # what the class takes besides
    ) -> ByteLevelBPETokenizer:
        """A tokenizer from ``vocab.json`` and ``merges.txt``; other arguments as for the class."""
        return ByteLevelBPETokenizer(*BPE.read_file(vocab_filename, merges_filename), **kwargs)

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Tokens = (),
    ) -> None:
        """Trains on files; the options are those of ``BpeTrainer``."""
        self._train({**locals(), "initial_alphabet": pre_tokenizers.ByteLevel.alphabet()})

    def train_from_iterator(
        self,
        iterator: Texts,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Tokens = (),
        length: int | None = None,
    ) -> None:
        """Trains on texts; the options are those of ``BpeTrainer``."""
        self._train({**locals(), "initial_alphabet": pre_tokenizers.ByteLevel.alphabet()})
