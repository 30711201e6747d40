"""The tokenizer of GPT-2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ... import processors
from ...models import BPE
from ...pre_tokenizers import ByteLevel
from ...recipes.byte_level import stages
from ...tokenizer import Tokenizer
from .base import Files, MergesTokenizer, Tokens, arguments, normalizers

if TYPE_CHECKING:
    from ..._types import Texts


class ByteLevelBPETokenizer(MergesTokenizer):
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
        parameters = arguments(locals(), "merges")
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
        tokenizer.normalizer = normalizers(unicode_normalizer, lowercase)
        stages(tokenizer, add_prefix_space=add_prefix_space)
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
        super().__init__(tokenizer, {"model": "ByteLevelBPE", **parameters})

    def train(
        self,
        files: Files,
        vocab_size: int = 30000,
        min_frequency: int = 2,
        show_progress: bool = True,
        special_tokens: Tokens = (),
    ) -> None:
        """Trains on files; the options are those of ``BpeTrainer``."""
        self._train({**locals(), "initial_alphabet": ByteLevel.alphabet()})

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
        self._train({**locals(), "initial_alphabet": ByteLevel.alphabet()})
