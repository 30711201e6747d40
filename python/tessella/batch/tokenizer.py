"""A tokenizer with a model's settings: what ``AutoTokenizer`` gives.

It joins a ``tessella.Tokenizer``, which does the work, with what the tokenizer itself does not know: the
roles of special tokens, the side to pad on, the length a model takes, the chat template.

Example:
    >>> from tessella import Tokenizer, models, pre_tokenizers
    >>> from tessella.batch import PretrainedTokenizer
    >>> backend = Tokenizer(models.WordLevel({"[PAD]": 0, "hello": 1, "world": 2, "[UNK]": 3}, "[UNK]"))
    >>> backend.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> tokenizer = PretrainedTokenizer(backend, pad_token="[PAD]", unk_token="[UNK]")
    >>> tokenizer(["hello world", "hello"], padding=True)["input_ids"]
    [[1, 2], [1, 0]]
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from .._calls import a_call, an_encode
from .._formats import ROLES
from .._notices import warn
from ..errors import ArgumentError, OutOfRangeError
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from .calling import CallInput, Columns, PaddingKind, TruncationKind, encode_rows
from .chat import ChatTemplates
from .classes import TOKENS, has_ends, plain_name, shape
from .decoding import Decoding
from .encoding import BatchEncoding
from .files import Files
from .names import OtherNames
from .special import guess
from .strategies import NO_LIMIT, Strategies, count, resolve
from .tensors import Tensors
from .unknown import check_given, warning_of_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import Side, Texts
    from .calling import EncodeOptions, PadToken, TokenizeOptions
    from .padding import Encoded

__all__ = ["PretrainedTokenizer"]

_P = TypeVar("_P", bound="PretrainedTokenizer")
_SIDES = ("left", "right")


class Backend(Protocol):
    """A ``tessella.Tokenizer``, or another library's tokenizer that writes ``tokenizer.json``."""

    def to_str(self) -> str: ...


def _backend(tokenizer: Backend) -> Tokenizer:
    """A tokenizer of our own; another library's is read from its JSON."""
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    write: Callable[[], str] | None = getattr(tokenizer, "to_str", None)
    if write is not None and callable(write):
        return Tokenizer.from_str(write())
    raise TypeError(f"`tokenizer_object` must be a tessella.Tokenizer, not {type(tokenizer).__name__}")


def _whole(name: str, value: Any) -> int:
    """A number of a settings file, from 0; some hold 1e30 where there is no limit."""
    try:
        number = None if isinstance(value, bool) else int(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or (isinstance(value, float) and number != value):
        raise ArgumentError(f"`{name}` must be a whole number, not {value!r}")
    if number < 0:
        raise OutOfRangeError(f"`{name}` must be 0 or more, found {value!r}")
    return number


class PretrainedTokenizer(Files, ChatTemplates, Decoding, OtherNames):
    """A tokenizer together with its model's settings; call it to encode.

    One may be called by many threads at once: whatever a call is told about padding and truncation concerns
    that call alone.

    Args:
        tokenizer_object: the tokenizer; a copy is taken.
        tokenizer_file: or the file to load it from.
        settings: what a ``tokenizer_config.json`` may hold: the special tokens by role (``pad_token`` and so
            on), ``extra_special_tokens``, ``model_max_length``, ``padding_side``, ``truncation_side``,
            ``model_input_names``, ``clean_up_tokenization_spaces``, ``split_special_tokens``,
            ``chat_template``. What is not known is kept, and saved again.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> from tessella.batch import PretrainedTokenizer
        >>> backend = Tokenizer(models.WordLevel({"[PAD]": 0, "hello": 1, "world": 2, "[UNK]": 3}, "[UNK]"))
        >>> backend.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer = PretrainedTokenizer(backend, pad_token="[PAD]", padding_side="left")
        >>> tokenizer(["hello world", "hello"], padding=True, return_tensors="np")["input_ids"].tolist()
        [[1, 2], [0, 1]]
        >>> tokenizer.decode([1, 2]), tokenizer.pad_token_id
        ('hello world', 0)
    """

    #: The columns that a call returns unless it says otherwise.
    model_input_names: list[str] = ["input_ids", "attention_mask"]  # noqa: RUF012
    #: Where padding goes: ``left`` or ``right``.
    padding_side: Side = "right"
    #: Where truncation cuts: ``left`` or ``right``.
    truncation_side: Side = "right"
    #: The most tokens that the model takes.
    model_max_length: int

    # Of subclasses: what holds where the settings do not say.
    _defaults: Mapping[str, object] = {}

    def __init__(
        self,
        tokenizer_object: Backend | None = None,
        *,
        tokenizer_file: str | os.PathLike[str] | None = None,
        **settings: Any,  # any JSON, as the file has it
    ) -> None:
        if tokenizer_object is not None:
            backend = _backend(tokenizer_object).__copy__()
        elif tokenizer_file is not None:
            from ..loading import load

            backend = load(tokenizer_file)
        else:
            raise ArgumentError(
                f"{type(self).__name__} needs a tokenizer: pass `tokenizer_object` or `tokenizer_file`, or "
                "use from_pretrained"
            )
        check_given(type(self).__name__, settings, {})
        if backend.padding is not None:
            own = backend.padding
            settings.setdefault("pad_token", own["pad_token"])
            settings.setdefault("pad_token_type_id", own["pad_type_id"])
            settings.setdefault("padding_side", own["direction"])
        if backend.truncation is not None:
            settings.setdefault("truncation_side", backend.truncation["direction"])
        self._set_up(backend, settings)
        missing = self._special_tokens_to_add()
        if missing:
            backend.add_tokens(missing)
        name = self._class_name(settings)
        self._carried_out = shape(self, name, settings)
        if "add_bos_token" in settings or "add_eos_token" in settings:
            if has_ends(name):
                warn(
                    f"`add_bos_token` and `add_eos_token` say nothing to a {name}, whose texts have ends "
                    "of their own; set them on the tokenizer to replace its post-processor"
                )
            else:
                self.update_post_processor()

    @classmethod
    def _class_name(cls, settings: Mapping[str, Any]) -> str:
        """The class whose arguments the settings are, without ``Fast``."""
        return plain_name(settings.get("tokenizer_class"))

    @classmethod
    def over(cls: type[_P], tokenizer: Tokenizer) -> _P:
        """Round a tokenizer, not a copy, and without changing it.

        The settings are those of the folder that it was loaded from. Without any, special tokens get the
        roles that their names tell (``[PAD]``, ``<s>``, ...).

        Example:
            >>> from tessella import Tokenizer, models
            >>> from tessella.batch import PretrainedTokenizer
            >>> backend = Tokenizer(models.WordLevel({"a": 0}, "a"))
            >>> _ = backend.add_special_tokens(["[PAD]"])
            >>> PretrainedTokenizer.over(backend).pad_token
            '[PAD]'
        """
        made = cls.__new__(cls)
        settings = made._settings_of(tokenizer)
        made._set_up(tokenizer, {**made._usual_roles(tokenizer, settings), **settings})
        return made

    @classmethod
    def _usual_roles(cls, backend: Tokenizer, settings: Mapping[str, Any]) -> dict[str, str]:
        """Roles that the settings leave open: those of the class, or what the tokens' names tell.

        Only tokens that the tokenizer has; a folder of a plain class says all of its roles itself.
        """
        usual = TOKENS.get(cls._class_name(settings))
        if usual is not None:
            return {
                role: token
                for role, token in usual.items()
                if role not in settings and backend.token_to_id(token) is not None
            }
        if settings.get("tokenizer_class") or any(role in settings for role in ROLES):
            return {}
        return guess(backend)

    def _set_up(self, backend: Tokenizer, settings: dict[str, Any]) -> None:
        settings = {**self._defaults, **settings}
        self.backend_tokenizer = backend
        self._set_special_tokens(settings)
        self.init_kwargs = settings
        self.name_or_path: str = str(settings.get("name_or_path", ""))
        limit = settings.get("model_max_length", settings.get("max_len"))
        self.model_max_length = NO_LIMIT if limit is None else _whole("model_max_length", limit)
        names = settings.get("model_input_names", type(self).model_input_names)
        if not isinstance(names, (list, tuple)):
            raise ArgumentError(f"`model_input_names` must be a list of names, not {names!r}")
        self.model_input_names = list(names)
        self.padding_side = settings.get("padding_side", type(self).padding_side)
        self.truncation_side = settings.get("truncation_side", type(self).truncation_side)
        for name in ("padding_side", "truncation_side"):
            if getattr(self, name) not in _SIDES:
                raise ArgumentError(f"`{name}` must be 'left' or 'right', not {getattr(self, name)!r}")
        self.pad_token_type_id: int = _whole("pad_token_type_id", settings.get("pad_token_type_id", 0))
        self.clean_up_tokenization_spaces: bool = bool(settings.get("clean_up_tokenization_spaces", False))
        self.split_special_tokens: bool = bool(settings.get("split_special_tokens", False))
        self._set_ends(settings)
        self._warned_of_length = False
        #: Which warnings other libraries have given about this tokenizer.
        self.deprecation_warnings: dict[str, bool] = {}
        self._set_chat_templates(
            settings.get("chat_template", backend.chat_template), backend._chat_templates
        )

    # What it is made of.

    @property
    def is_fast(self) -> bool:
        """Always true: the look-ups of a ``BatchEncoding`` are there."""
        return True

    @property
    def max_len_single_sentence(self) -> int:
        """How many tokens of a text the model takes."""
        return self.model_max_length - self.num_special_tokens_to_add(False)

    @property
    def max_len_sentences_pair(self) -> int:
        """How many tokens of a pair of texts the model takes."""
        return self.model_max_length - self.num_special_tokens_to_add(True)

    def __repr__(self) -> str:
        added = "".join(f"\n\t{id}: {token!r}," for id, token in self.added_tokens_decoder.items())
        return (
            f"{type(self).__name__}(name_or_path='{self.name_or_path}', vocab_size={self.vocab_size}, "
            f"model_max_length={self.model_max_length}, padding_side='{self.padding_side}', "
            f"truncation_side='{self.truncation_side}', special_tokens={self.special_tokens_map}, "
            f"added_tokens_decoder={{{added}{chr(10) if added else ''}}})"
        )

    def __copy__(self: _P) -> _P:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.__dict__["backend_tokenizer"] = self.backend_tokenizer.__copy__()
        copy.__dict__["_roles"] = dict(self._roles)
        copy.__dict__["_extra"] = list(self._extra)
        return copy

    # Other libraries ask for their own base class where they need a tokenizer.
    @property  # type: ignore[misc]
    def __class__(self) -> type[PretrainedTokenizer]:
        from .model_classes import stand_in

        return stand_in(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_bare, (type(self),), self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # Encoding.

    def _for_targets(self: _P) -> _P:
        """What encodes targets: the same, but for models that translate."""
        return self

    def _pad_settings(self, padding_side: Side | None) -> PadToken:
        side = self.padding_side if padding_side is None else padding_side
        if side not in _SIDES:
            raise ArgumentError(f"`padding_side` must be 'left' or 'right', not {side!r}")
        token, id = self.pad_token, self.pad_token_id
        if token is None or id is None:
            raise ArgumentError(
                "Asking to pad but the tokenizer does not have a padding token. Of a PretrainedTokenizer, "
                "select one of its tokens (tokenizer.pad_token = tokenizer.eos_token, for example) or add a "
                "new one: tokenizer.add_special_tokens({'pad_token': '[PAD]'}). Of a tessella.Tokenizer, "
                "call enable_padding(pad_id=..., pad_token=...) or make a PretrainedTokenizer of it: "
                "tessella.batch.PretrainedTokenizer(tokenizer, pad_token='[PAD]')"
            )
        return {"direction": side, "pad_id": id, "pad_token": token, "pad_type_id": self.pad_token_type_id}

    def _warn_if_long(self, length: int) -> None:
        if length > self.model_max_length > 0 and not self._warned_of_length:
            self._warned_of_length = True
            warn(
                f"a sequence of {length} tokens is longer than the {self.model_max_length} that the "
                "model takes; pass truncation=True to cut it"
            )

    @a_call
    @warning_of_options
    def __call__(
        self,
        text: CallInput | None = None,
        text_pair: CallInput | None = None,
        text_target: CallInput | None = None,
        text_pair_target: CallInput | None = None,
        add_special_tokens: bool = True,
        padding: PaddingKind = False,
        truncation: TruncationKind | None = None,
        max_length: int | None = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        pad_to_multiple_of: int | None = None,
        padding_side: Side | None = None,
        return_tensors: Tensors | None = None,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        verbose: bool = True,
        tokenizer_kwargs: Mapping[str, object] | None = None,
        *,
        split_special_tokens: bool | None = None,
        max_target_length: int | None = None,
    ) -> BatchEncoding:
        """Encodes one text or a batch of texts.

        Args:
            text: a ``str``; a list of them is a batch. With ``is_split_into_words``, a list of words, and a
                list of such lists is a batch.
            text_pair: second sequences, of the same shape.
            text_target, text_pair_target: texts whose ids become the column ``labels``.
            add_special_tokens: let the post-processor add its special tokens.
            padding: ``True`` or ``"longest"`` of the batch, ``"max_length"``, or ``False``.
            truncation: ``True`` or ``"longest_first"``, ``"only_first"``, ``"only_second"``, or ``False``.
                ``max_length`` alone truncates too.
            max_length: the length in tokens, special tokens included; by default ``model_max_length``.
            stride: by how many tokens the windows of a truncated text overlap.
            is_split_into_words: the texts are lists of words; offsets then count inside each word.
            pad_to_multiple_of: round the padded length up to a multiple of this.
            padding_side: ``left`` or ``right``; by default the tokenizer's.
            return_tensors: ``"np"``, ``"pt"``, ``"jax"``, ``"tf"`` or ``"mlx"``; ``None`` gives lists.
            return_token_type_ids, return_attention_mask: whether to return these columns; by default those in
                ``model_input_names``.
            return_overflowing_tokens: return all windows of truncated texts as rows, and the column
                ``overflow_to_sample_mapping``.
            return_special_tokens_mask, return_offsets_mapping, return_length: return these columns.
            verbose: warn of what may be a mistake.
            tokenizer_kwargs: further options of the call, in a dict.
            split_special_tokens: encode special tokens in the texts as ordinary text.
            max_target_length: ``max_length`` of the targets.
        """
        if tokenizer_kwargs:
            given: dict[str, Any] = {name: value for name, value in locals().items() if name in _CALL}
            return self(**{**given, **tokenizer_kwargs})
        if text is None and text_target is None:
            raise ArgumentError("You need to specify either `text` or `text_target`.")
        count("stride", stride, 0)
        strategies = resolve(
            padding, truncation, max_length, pad_to_multiple_of, self.model_max_length, verbose
        )
        names = self.model_input_names
        columns = Columns(
            "token_type_ids" in names if return_token_type_ids is None else return_token_type_ids,
            "attention_mask" in names if return_attention_mask is None else return_attention_mask,
            return_overflowing_tokens,
            return_special_tokens_mask,
            return_offsets_mapping,
            return_length,
        )

        def encoded(
            by: PretrainedTokenizer, text: CallInput, pair: CallInput | None, strategies: Strategies
        ) -> BatchEncoding:
            return encode_rows(
                by,
                text,
                pair,
                columns,
                strategies,
                add_special_tokens=add_special_tokens,
                stride=stride,
                words=is_split_into_words,
                pad_to_multiple_of=pad_to_multiple_of,
                padding_side=padding_side,
                split_special_tokens=(
                    self.split_special_tokens if split_special_tokens is None else split_special_tokens
                ),
                return_tensors=return_tensors,
                verbose=verbose,
            )

        batch = None if text is None else encoded(self, text, text_pair, strategies)
        if text_target is None:
            assert batch is not None
            return batch
        if max_target_length is not None:
            strategies = strategies._replace(max_length=max_target_length)
        target = encoded(self._for_targets(), text_target, text_pair_target, strategies)
        if batch is None:
            return target
        batch["labels"] = target["input_ids"]
        return batch

    # `Any`: a list, a list of lists or an array of some library, as the options say.
    @an_encode
    def encode(
        self,
        text: CallInput,
        text_pair: CallInput | None = None,
        add_special_tokens: bool = True,
        padding: PaddingKind = False,
        truncation: TruncationKind | None = None,
        max_length: int | None = None,
        stride: int = 0,
        padding_side: Side | None = None,
        return_tensors: Tensors | None = None,
        **options: Unpack[EncodeOptions],
    ) -> Any:
        """The ids alone; the options are those of a call."""
        return self(
            text,
            text_pair,
            add_special_tokens=add_special_tokens,
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            stride=stride,
            padding_side=padding_side,
            return_tensors=return_tensors,
            **options,
        )["input_ids"]

    def tokenize(
        self,
        text: CallInput,
        pair: CallInput | None = None,
        add_special_tokens: bool = False,
        **options: Unpack[TokenizeOptions],
    ) -> list[str]:
        """The tokens of one text."""
        return self(text, pair, add_special_tokens=add_special_tokens, **options).tokens()

    def pad(
        self,
        encoded_inputs: Encoded,
        padding: PaddingKind = True,
        max_length: int | None = None,
        pad_to_multiple_of: int | None = None,
        padding_side: Side | None = None,
        return_attention_mask: bool | None = None,
        return_tensors: Tensors | None = None,
        verbose: bool = True,
    ) -> BatchEncoding:
        """Pads rows that are encoded already.

        Columns with an entry for each token are padded: besides the ids and masks also offsets, and
        ``labels`` with -100. Other columns stay as they are.

        Args:
            encoded_inputs: what a call gave, or a list of it.
            padding, max_length, pad_to_multiple_of, padding_side, return_attention_mask, return_tensors,
                verbose: as in a call.

        Example:
            >>> from tessella import Tokenizer, models
            >>> from tessella.batch import PretrainedTokenizer
            >>> backend = Tokenizer(models.WordLevel({"<pad>": 0}, "<pad>"))
            >>> tokenizer = PretrainedTokenizer(backend, pad_token="<pad>")
            >>> rows = [{"input_ids": [5, 6], "labels": [1, 1]}, {"input_ids": [7], "labels": [0]}]
            >>> padded = tokenizer.pad(rows)
            >>> padded["input_ids"], padded["labels"]
            ([[5, 6], [7, 0]], [[1, 1], [0, -100]])
        """
        from .padding import pad

        strategies = resolve(padding, None, max_length, None, self.model_max_length, verbose)
        count("pad_to_multiple_of", pad_to_multiple_of, 0)
        return pad(
            self,
            encoded_inputs,
            strategies.padding,
            strategies.max_length,
            pad_to_multiple_of,
            padding_side,
            return_attention_mask,
            return_tensors,
        )

    # Training.

    def train_new_from_iterator(
        self: _P,
        text_iterator: Texts,
        vocab_size: int,
        length: int | None = None,
        new_special_tokens: Sequence[str | AddedToken] | None = None,
        special_tokens_map: Mapping[str, str] | None = None,
        **trainer_options: Any,  # which ones there are depends on the model
    ) -> _P:
        """A tokenizer of the same kind, with the same stages and special tokens, trained on other texts.

        Args:
            text_iterator: yields texts or lists of texts.
            vocab_size: entries of the new vocabulary.
            length: the number of texts, if known, for the progress display.
            new_special_tokens: further special tokens.
            special_tokens_map: new names of special tokens.
            trainer_options: for the trainer.

        Example:
            >>> from tessella import Tokenizer, models, pre_tokenizers
            >>> from tessella.batch import PretrainedTokenizer
            >>> backend = Tokenizer(models.BPE({"<unk>": 0}, [], unk_token="<unk>"))
            >>> backend.pre_tokenizer = pre_tokenizers.Whitespace()
            >>> tokenizer = PretrainedTokenizer(backend, unk_token="<unk>")
            >>> made = tokenizer.train_new_from_iterator(["low lower"] * 5, 8, show_progress=False)
            >>> made.tokenize("low"), made.unk_token
            (['low'], '<unk>')
        """
        from .retrain import retrained

        made: _P = retrained(
            self, text_iterator, vocab_size, length, new_special_tokens, special_tokens_map, trainer_options
        )
        return made


def _bare(kind: type[_P]) -> _P:
    """A tokenizer whose state comes next, from a copy or a pickle."""
    return kind.__new__(kind)


# The options of a call, for those that come in a dict.
_CALL = frozenset(inspect.signature(PretrainedTokenizer.__call__).parameters) - {"self", "tokenizer_kwargs"}
