"""What the ready-made tokenizers have in common: a tokenizer inside, and its methods outside."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar, overload

from ..._types import Padding, Path, Truncation
from ...decoders import Decoder
from ...errors import ArgumentError
from ...models import BPE, Model
from ...normalizers import Lowercase, Normalizer, Sequence, unicode_normalizer_from_str
from ...pre_tokenizers import PreTokenizer
from ...processors import PostProcessor
from ...tokenizer import Tokenizer
from ...tokens import AddedToken
from ...training import trainer_of

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ..._tessella import Encoding
    from ..._types import BpeOptions, EncodeInput, Side

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Kept = TypeVar("_Kept")
_Given = TypeVar("_Given")

Files = Path | Iterable[Path]
Tokens = Iterable[str | AddedToken]


def _same(
    method: Callable[Concatenate[Tokenizer, _P], _R], needed: str = "", without: str = ""
) -> Callable[Concatenate[BaseTokenizer, _P], _R]:
    """The tokenizer's method. What is ``needed`` comes first; ``without`` is said of ``None``."""

    @functools.wraps(method)
    def call(self: BaseTokenizer, /, *args: _P.args, **named: _P.kwargs) -> _R:
        if without and (args[0] if args else named.get(needed, ())) is None:
            raise ArgumentError(without)
        return method(self._tokenizer, *args, **named)

    return call


class _Part(Generic[_Kept, _Given]):
    """A property of the tokenizer."""

    def __init__(self, name: str, can_be_set: bool = True) -> None:
        self._name, self._can_be_set = name, can_be_set
        self.__doc__ = getattr(Tokenizer, name).__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: BaseTokenizer, kind: type) -> _Kept: ...

    def __get__(self, owner: BaseTokenizer | None, kind: type) -> Any:
        return self if owner is None else getattr(owner._tokenizer, self._name)

    def __set__(self, owner: BaseTokenizer, value: _Given) -> None:
        if not self._can_be_set:
            raise AttributeError(f"`{self._name}` cannot be set; call `enable_{self._name}`")
        setattr(owner._tokenizer, self._name, value)


def arguments(given: Mapping[str, Any], *others: str) -> dict[str, Any]:
    """The settings among the arguments of an ``__init__``, which are its ``locals()`` as it begins."""
    return {
        name: value for name, value in given.items() if name not in ("self", "vocab", "__class__", *others)
    }


class BaseTokenizer:
    """A tokenizer with a recipe. What is not listed here, it does as a ``Tokenizer`` does.

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

    # What the tokenizer does, under the same names.

    encode = _same(Tokenizer.encode, "sequence", "encode: `sequence` can't be `None`")
    decode = _same(Tokenizer.decode, "ids", "None input is not valid. Should be a list of integers.")
    decode_batch = _same(
        Tokenizer.decode_batch, "sequences", "None input is not valid. Should be list of list of integers."
    )
    async_decode_batch = _same(Tokenizer.async_decode_batch)
    post_process = _same(Tokenizer.post_process)
    token_to_id = _same(Tokenizer.token_to_id)
    id_to_token = _same(Tokenizer.id_to_token)
    get_vocab = _same(Tokenizer.get_vocab)
    get_vocab_size = _same(Tokenizer.get_vocab_size)
    get_added_tokens_decoder = _same(Tokenizer.get_added_tokens_decoder)
    add_tokens = _same(Tokenizer.add_tokens)
    num_special_tokens_to_add = _same(Tokenizer.num_special_tokens_to_add)
    no_padding = _same(Tokenizer.no_padding)
    enable_truncation = _same(Tokenizer.enable_truncation)
    no_truncation = _same(Tokenizer.no_truncation)
    save = _same(Tokenizer.save)
    to_str = _same(Tokenizer.to_str)

    padding = _Part[Padding | None, NoReturn]("padding", False)
    truncation = _Part[Truncation | None, NoReturn]("truncation", False)
    model = _Part[Model, Model]("model")
    normalizer = _Part[Normalizer | None, Normalizer | None]("normalizer")
    pre_tokenizer = _Part[PreTokenizer | None, PreTokenizer | None]("pre_tokenizer")
    post_processor = _Part[PostProcessor | None, PostProcessor | None]("post_processor")
    decoder = _Part[Decoder | None, Decoder | None]("decoder")

    # What it does not have, or has with arguments of other names or in another order.

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

    async_encode_batch_fast = async_encode_batch

    def add_special_tokens(self, special_tokens: Tokens) -> int:
        """Adds special tokens; see ``Tokenizer.add_special_tokens``."""
        return self._tokenizer.add_special_tokens(special_tokens)

    def normalize(self, sequence: str) -> str:
        """The text as the normalizer leaves it."""
        normalizer = self._tokenizer.normalizer
        return sequence if normalizer is None else normalizer.normalize_str(sequence)

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
        self._tokenizer.enable_padding(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)

    def save_model(self, directory: Path, prefix: str | None = None) -> list[str]:
        """Writes the model's own files."""
        return self._tokenizer.model.save(directory, prefix=prefix)

    # Training, for the recipes.

    def _train(self, given: dict[str, Any]) -> None:
        """Trains with the arguments of the method that calls it; those of the trainer go by its names."""
        options = {_RENAMED.get(name, name): value for name, value in given.items() if name not in _OTHERS}
        trainer = trainer_of(type(self._tokenizer.model).__name__)(**options)
        if "files" in given:
            files = given["files"]
            self._tokenizer.train([files] if isinstance(files, (str, os.PathLike)) else files, trainer)
        else:
            self._tokenizer.train_from_iterator(given["iterator"], trainer, given["length"])


#: What a training takes besides the trainer's options, and which of those are called otherwise here.
_OTHERS = {"self", "files", "iterator", "length"}
_RENAMED = {"suffix": "end_of_word_suffix", "wordpieces_prefix": "continuing_subword_prefix"}


def merges_model(
    vocab: Mapping[str, int] | str | None,
    merges: Iterable[tuple[str, str]] | str | None,
    **settings: Unpack[BpeOptions],
) -> BPE:
    """A model of both, and without both an empty one."""
    both = vocab is not None and merges is not None
    return BPE(vocab if both else None, merges if both else None, **settings)


class MergesTokenizer(BaseTokenizer):
    """One whose model is a vocabulary with merges, both or neither."""

    @classmethod
    def from_file(
        cls,
        vocab_filename: Path,
        merges_filename: Path,
        **kwargs: Any,  # what the class takes besides
    ) -> Self:
        """A tokenizer from ``vocab.json`` and ``merges.txt``; other arguments as for the class."""
        made: Any = cls
        return made(*BPE.read_file(vocab_filename, merges_filename), **kwargs)  # type: ignore[no-any-return]


def with_specials(model: Model, *tokens: str | AddedToken) -> Tokenizer:
    """A tokenizer in which those of the tokens that the model has are special."""
    tokenizer = Tokenizer(model)
    names = [str(token) for token in tokens]
    tokenizer.add_special_tokens([name for name in names if tokenizer.token_to_id(name) is not None])
    return tokenizer


def normalizers(form: str | None, lowercase: bool, *between: Normalizer) -> Normalizer | None:
    """A Unicode form, these, and lower case: none, the only one, or all of them in order."""
    steps = [*([unicode_normalizer_from_str(form)] if form else []), *between]
    if lowercase:
        steps.append(Lowercase())
    return Sequence(steps) if len(steps) > 1 else next(iter(steps), None)
