"""What the ready-made tokenizers have in common: a tokenizer inside, and its methods outside."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._tessella import Encoding
from ..decoders import Decoder
from ..errors import ArgumentError
from ..models import Model
from ..normalizers import Normalizer
from ..pre_tokenizers import PreTokenizer
from ..processors import PostProcessor
from ..tokenizer import SaveFormat, Tokenizer
from ..tokens import AddedToken
from ..training import BY_MODEL

if TYPE_CHECKING:
    from .._types import EncodeInput, Ids, InputSequence, Padding, Side, Truncation, TruncationStrategy

Files = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Tokens = Iterable[str | AddedToken]


class BaseTokenizer:
    """A tokenizer with a recipe.

    Args:
        tokenizer: the tokenizer that does the work.
        parameters: the settings of the recipe, for display.
    """

    def __init__(self, tokenizer: Tokenizer, parameters: Mapping[str, object] | None = None) -> None:
        self._tokenizer = tokenizer
        self._parameters = {} if parameters is None else parameters

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self._parameters.items())
        return f"Tokenizer(vocabulary_size={self._tokenizer.get_vocab_size()}, {settings})"

    # Encoding and decoding.

    def encode(
        self,
        sequence: InputSequence,
        pair: InputSequence | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """Encodes one text or pair; see ``Tokenizer.encode``."""
        if sequence is None:
            raise ArgumentError("encode: `sequence` can't be `None`")
        return self._tokenizer.encode(sequence, pair, is_pretokenized, add_special_tokens)

    def encode_batch(
        self, inputs: Iterable[EncodeInput], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """Encodes many texts or pairs; see ``Tokenizer.encode_batch``."""
        if inputs is None:
            raise ArgumentError("encode_batch: `inputs` can't be `None`")
        return self._tokenizer.encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, inputs: Iterable[EncodeInput], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """``encode_batch``, awaitable."""
        return await self._tokenizer.async_encode_batch(inputs, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, inputs: Iterable[EncodeInput], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding]:
        """``encode_batch``, awaitable."""
        return await self._tokenizer.async_encode_batch_fast(inputs, is_pretokenized, add_special_tokens)

    def decode(self, ids: Ids, skip_special_tokens: bool = True) -> str:
        """Ids to text; see ``Tokenizer.decode``."""
        if ids is None:
            raise ArgumentError("None input is not valid. Should be a list of integers.")
        return self._tokenizer.decode(ids, skip_special_tokens)

    def decode_batch(self, sequences: Iterable[Ids], skip_special_tokens: bool = True) -> list[str]:
        """Many lists of ids to their texts."""
        if sequences is None:
            raise ArgumentError("None input is not valid. Should be list of list of integers.")
        return self._tokenizer.decode_batch(sequences, skip_special_tokens)

    async def async_decode_batch(
        self, sequences: Iterable[Ids], skip_special_tokens: bool = True
    ) -> list[str]:
        """``decode_batch``, awaitable."""
        return await self._tokenizer.async_decode_batch(sequences, skip_special_tokens)

    def normalize(self, sequence: str) -> str:
        """The text as the normalizer leaves it."""
        normalizer = self._tokenizer.normalizer
        return sequence if normalizer is None else normalizer.normalize_str(sequence)

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Truncates, post-processes and pads what is already encoded."""
        return self._tokenizer.post_process(encoding, pair, add_special_tokens)

    # The vocabulary.

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, ``None`` if there is no such token."""
        return self._tokenizer.token_to_id(token)

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, ``None`` if there is no such id."""
        return self._tokenizer.id_to_token(id)

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """All tokens with their ids."""
        return self._tokenizer.get_vocab(with_added_tokens)

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """The number of tokens."""
        return self._tokenizer.get_vocab_size(with_added_tokens)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by ascending id."""
        return self._tokenizer.get_added_tokens_decoder()

    def add_tokens(self, tokens: Tokens) -> int:
        """Adds tokens; see ``Tokenizer.add_tokens``."""
        return self._tokenizer.add_tokens(tokens)

    def add_special_tokens(self, special_tokens: Tokens) -> int:
        """Adds special tokens; see ``Tokenizer.add_special_tokens``."""
        return self._tokenizer.add_special_tokens(special_tokens)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many special tokens the post-processor adds."""
        return self._tokenizer.num_special_tokens_to_add(is_pair)

    # Settings.

    def enable_padding(
        self,
        direction: Side = "right",
        pad_to_multiple_of: int | None = None,
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
    ) -> None:
        """Pads everything from here on; see ``Tokenizer.enable_padding``."""
        self._tokenizer.enable_padding(
            direction=direction,
            pad_to_multiple_of=pad_to_multiple_of,
            pad_id=pad_id,
            pad_type_id=pad_type_id,
            pad_token=pad_token,
            length=length,
        )

    def no_padding(self) -> None:
        """Stops padding."""
        self._tokenizer.no_padding()

    @property
    def padding(self) -> Padding | None:
        """The padding setting, or ``None``."""
        return self._tokenizer.padding

    def enable_truncation(
        self, max_length: int, stride: int = 0, strategy: TruncationStrategy = "longest_first"
    ) -> None:
        """Cuts everything from here on; see ``Tokenizer.enable_truncation``."""
        self._tokenizer.enable_truncation(max_length, stride=stride, strategy=strategy)

    def no_truncation(self) -> None:
        """Stops cutting."""
        self._tokenizer.no_truncation()

    @property
    def truncation(self) -> Truncation | None:
        """The truncation setting, or ``None``."""
        return self._tokenizer.truncation

    # Saving.

    def save_model(self, directory: str | os.PathLike[str], prefix: str | None = None) -> list[str]:
        """Writes the model's own files."""
        return self._tokenizer.model.save(directory, prefix=prefix)

    def save(
        self, path: str | os.PathLike[str], pretty: bool = True, format: SaveFormat | None = None
    ) -> None:
        """Writes the tokenizer to a file or folder; see ``Tokenizer.save``."""
        self._tokenizer.save(path, pretty, format)

    def to_str(self, pretty: bool = False) -> str:
        """The tokenizer as ``tokenizer.json`` text."""
        return self._tokenizer.to_str(pretty)

    # Components.

    @property
    def model(self) -> Model:
        """The model."""
        return self._tokenizer.model

    @model.setter
    def model(self, model: Model) -> None:
        self._tokenizer.model = model

    @property
    def normalizer(self) -> Normalizer | None:
        """The normalizer, or ``None``."""
        return self._tokenizer.normalizer

    @normalizer.setter
    def normalizer(self, normalizer: Normalizer | None) -> None:
        self._tokenizer.normalizer = normalizer

    @property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """The pre-tokenizer, or ``None``."""
        return self._tokenizer.pre_tokenizer

    @pre_tokenizer.setter
    def pre_tokenizer(self, pre_tokenizer: PreTokenizer | None) -> None:
        self._tokenizer.pre_tokenizer = pre_tokenizer

    @property
    def post_processor(self) -> PostProcessor | None:
        """The post-processor, or ``None``."""
        return self._tokenizer.post_processor

    @post_processor.setter
    def post_processor(self, post_processor: PostProcessor | None) -> None:
        self._tokenizer.post_processor = post_processor

    @property
    def decoder(self) -> Decoder | None:
        """The decoder, or ``None``."""
        return self._tokenizer.decoder

    @decoder.setter
    def decoder(self, decoder: Decoder | None) -> None:
        self._tokenizer.decoder = decoder

    # Training, for the recipes.

    def _train(self, given: dict[str, Any]) -> None:
        """Trains with the arguments of the method that calls it; those of the trainer go by its names."""
        options = {_RENAMED.get(name, name): value for name, value in given.items() if name not in _OTHERS}
        trainer = BY_MODEL[type(self._tokenizer.model).__name__](**options)
        if "files" in given:
            files = given["files"]
            self._tokenizer.train([files] if isinstance(files, (str, os.PathLike)) else files, trainer)
        else:
            self._tokenizer.train_from_iterator(given["iterator"], trainer, given["length"])


#: What a training takes besides the trainer's options, and which of those are called otherwise here.
_OTHERS = {"self", "files", "iterator", "length"}
_RENAMED = {"suffix": "end_of_word_suffix", "wordpieces_prefix": "continuing_subword_prefix"}
