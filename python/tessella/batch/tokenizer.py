"""A tokenizer with a model's settings: what ``AutoTokenizer`` gives.

It joins a ``tessella.Tokenizer``, which does the work, with what the tokenizer itself does not know: the
roles of special tokens, the side to pad on, the length a model takes, the chat template. What each method
does, a file beside this one says as a function of what it needs. Two parts are bases: ``special``, since
roles are attributes that settings name, and ``names``, which nobody reads to understand this.

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
from copy import copy as shallow
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from .._calls import a_call, an_encode
from .._given import path_name
from .._notices import warn
from .._prefix import check_prefix
from .._tessella import text_of_tokens
from ..errors import ArgumentError, UnsupportedError
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from .calling import (
    CallInput,
    Columns,
    PaddingKind,
    TruncationKind,
    encode_rows,
    ids_alone,
    row_alone,
)
from .chat import Tool, add_masks, check_together, chosen_template, named_templates, written
from .checks import a_flag, a_name, a_side, a_whole_number
from .classes import DEFAULTS, has_ends, plain_name, shape
from .decoding import decoded, plain_ids
from .encoding import BatchEncoding
from .ends import Ends
from .files import HubOptions, check_names, found, made_from, saved, uploaded
from .names import OtherNames
from .piece_classes import arguments_of
from .settings import settings_of, to_write, usual_further, usual_roles
from .strategies import NO_LIMIT, count, resolve
from .templates import plain
from .tensors import Tensors
from .unknown import check_given, warning_of_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import Ids, Path, Side, Texts
    from .calling import EncodeOptions, PadToken, TokenizeOptions
    from .padding import Encoded


_P = TypeVar("_P", bound="PretrainedTokenizer")


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


class PretrainedTokenizer(OtherNames):
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
    #: The chat template, or templates by name, or ``None``.
    chat_template: str | dict[str, str] | None

    # Of subclasses: what holds where the settings do not say.
    _defaults: Mapping[str, object] = {}
    # The ends of texts that settings ask for, and what the pieces of CLIP models have at the ends of words.
    _ends: Ends = Ends()
    _word_end: str | None = None

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
        settings |= usual_further(self._class_name(settings), backend, settings)
        self._set_up(backend, settings)
        missing = self._special_tokens_to_add()
        if missing:
            backend.add_tokens(missing)
            self._has_more_tokens()
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
        settings = settings_of(tokenizer)
        name = cls._class_name(settings)
        roles = usual_roles(name, tokenizer, settings)
        further = usual_further(name, tokenizer, settings)
        made._set_up(tokenizer, {**DEFAULTS.get(name, {}), **roles, **settings, **further})
        return made

    def _set_up(self, backend: Tokenizer, settings: dict[str, Any]) -> None:
        settings = {**self._defaults, **settings}
        self.backend_tokenizer = backend
        self._set_special_tokens(settings)
        self.init_kwargs = settings
        self.name_or_path: str = str(settings.get("name_or_path", ""))
        limit = settings.get("model_max_length", settings.get("max_len"))
        self.model_max_length = NO_LIMIT if limit is None else a_whole_number("model_max_length", limit)
        names = settings.get("model_input_names", type(self).model_input_names)
        if not isinstance(names, (list, tuple)):
            raise ArgumentError(f"`model_input_names` must be a list of names, not {names!r}")
        self.model_input_names = list(names)
        self.padding_side, self.truncation_side = (
            a_side(name, settings.get(name, getattr(type(self), name)))
            for name in ("padding_side", "truncation_side")
        )
        self.pad_token_type_id: int = a_whole_number(
            "pad_token_type_id", settings.get("pad_token_type_id", 0)
        )
        self.clean_up_tokenization_spaces: bool = bool(settings.get("clean_up_tokenization_spaces", False))
        self.split_special_tokens: bool = bool(settings.get("split_special_tokens", False))
        self._ends = Ends.of({**arguments_of(self._class_name(settings)), **settings})
        self._warned_of_length = False
        #: Which warnings other libraries have given about this tokenizer.
        self.deprecation_warnings: dict[str, bool] = {}
        self.chat_template = named_templates(
            settings.get("chat_template", backend.chat_template), backend._chat_templates
        )

    def _has_more_tokens(self) -> None:
        """Called when roles have got the tokens that they lacked."""

    # To and from files and hubs.

    @classmethod
    def from_pretrained(
        cls: type[_P],
        pretrained_model_name_or_path: Path,
        *,
        revision: str | None = None,
        token: str | bool | None = None,
        cache_dir: Path | None = None,
        force_download: bool = False,
        local_files_only: bool = False,
        subfolder: str = "",
        **settings: Any,  # any JSON, as the files have it
    ) -> _P:
        """Loads a tokenizer with its settings from a folder, a file, or a model hub.

        No code that comes with a model is ever run.

        Args:
            pretrained_model_name_or_path: a folder, a tokenizer file, or the name of a repository on a hub.
            revision: a branch, tag or commit of the repository.
            token: an access token.
            cache_dir: where downloads are kept.
            force_download: download again.
            local_files_only: use what is here or in the cache, and nothing else.
            subfolder: where in the folder or repository the files are.
            settings: win over those in the files.
        """
        name = a_name("pretrained_model_name_or_path", pretrained_model_name_or_path)
        given = check_names(cls, name, settings)
        path = found(
            name,
            isinstance(pretrained_model_name_or_path, os.PathLike),
            subfolder,
            revision=revision,
            token=token,
            cache_dir=cache_dir,
            force_download=force_download,
            local_files_only=local_files_only,
        )
        return made_from(cls, path, name, given)

    @classmethod
    def _for(cls, settings: Mapping[str, Any]) -> Callable[..., Any]:
        """What makes a tokenizer of these settings."""
        del settings
        return cls

    @classmethod
    def _tokenizer_class(cls) -> str:
        """The name by which other libraries know the class."""
        return "PreTrainedTokenizerFast"

    def _config(self) -> dict[str, Any]:
        """What goes into ``tokenizer_config.json``."""
        return to_write(self)

    def save_pretrained(
        self,
        save_directory: Path,
        legacy_format: bool | None = None,
        filename_prefix: str | None = None,
        push_to_hub: bool = False,
        save_format: str | None = None,
        *,
        save_jinja_files: bool = True,
        repo_id: str | None = None,
        **options: Unpack[HubOptions],
    ) -> tuple[str, ...]:
        """Writes a folder that this class and the transformers library load, and tells its files.

        Args:
            save_directory: the folder; it is made if need be.
            legacy_format: only ``None`` and ``False``: vocabulary files of old formats are not written.
            filename_prefix: put before the names of the files, with a hyphen.
            push_to_hub: upload the folder too.
            save_format: only ``None`` and ``"hf"``, this form of folder.
            save_jinja_files: write chat templates as files of their own; else they stand in
                ``tokenizer_config.json``.
            repo_id: the repository to upload to; by default the name of the folder.
            options: further options of ``push_to_hub``.
        """
        if save_format not in (None, "hf"):
            raise UnsupportedError(f"`save_format` is {save_format!r}: only 'hf' is written")
        check_prefix(filename_prefix, "filename_prefix")
        if legacy_format:
            raise ArgumentError("`legacy_format` is True: vocabulary files of old formats are not written")
        folder = path_name("save_directory", save_directory, "a folder")
        files = saved(self, folder, filename_prefix, save_jinja_files)
        if push_to_hub:
            self.push_to_hub(repo_id or os.path.basename(os.path.abspath(folder)), **options)
        return files

    def push_to_hub(
        self,
        repo_id: str,
        *,
        commit_message: str | None = None,
        private: bool | None = None,
        token: str | bool | None = None,
        revision: str | None = None,
        create_pr: bool = False,
        commit_description: str | None = None,
        max_shard_size: object = None,
        tags: object = None,
    ) -> str:
        """Uploads the files that ``save_pretrained`` writes to a repository on a hub.

        Args:
            repo_id: the repository; it is made if need be.
            commit_message, revision, create_pr: what the commit says, to which branch, as a proposal or not.
            private: whether a repository that is made now is private.
            token: an access token.
            commit_description: what the commit says further.
            max_shard_size: of no effect; it concerns weights.
            tags: only ``None``: tags are written in the repository's own page, ``README.md``.
        """
        del max_shard_size
        described = {} if commit_description is None else {"commit_description": commit_description}
        return uploaded(
            self,
            repo_id,
            tags,
            commit_message=commit_message or "Upload tokenizer",
            private=private,
            token=token,
            revision=revision,
            create_pr=create_pr,
            **described,
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
        # What is set on one of the two is not the other's.
        for name in ("init_kwargs", "model_input_names", "chat_template", "deprecation_warnings"):
            if name in self.__dict__:
                copy.__dict__[name] = shallow(self.__dict__[name])
        return copy

    # Other libraries ask for their own base class where they need a tokenizer.
    @property  # type: ignore[misc]
    def __class__(self) -> type[PretrainedTokenizer]:
        from .model_classes import stand_in

        return stand_in(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # Of what has been warned is not what it is: a cache of what it made is still good.
        state = {**self.__dict__, "_warned_of_length": False, "deprecation_warnings": {}}
        return (_bare, (type(self),), state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # What stands round texts.

    @property
    def add_bos_token(self) -> bool:
        """Whether sequences begin with ``bos_token``; setting it replaces the post-processor."""
        return self._ends.bos

    @add_bos_token.setter
    def add_bos_token(self, value: bool) -> None:
        self._ends = self._ends._replace(bos=a_flag("add_bos_token", value))
        self.update_post_processor()

    @property
    def add_eos_token(self) -> bool:
        """Whether sequences end with ``eos_token``; setting it replaces the post-processor."""
        return self._ends.eos

    @add_eos_token.setter
    def add_eos_token(self, value: bool) -> None:
        self._ends = self._ends._replace(eos=a_flag("add_eos_token", value))
        self.update_post_processor()

    def update_post_processor(self) -> None:
        """Makes a post-processor that puts ``bos_token`` and ``eos_token`` where they are wanted."""
        self._ends, self.backend_tokenizer.post_processor = self._ends.carried_out(
            (self.bos_token, self.bos_token_id), (self.eos_token, self.eos_token_id)
        )

    # Encoding.

    def _for_targets(self: _P) -> _P:
        """What encodes targets: the same, but for models that translate."""
        return self

    def _pad_settings(self, padding_side: Side | None) -> PadToken:
        side = a_side("padding_side", self.padding_side if padding_side is None else padding_side)
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

        options: dict[str, Any] = {
            "add_special_tokens": add_special_tokens,
            "stride": stride,
            "words": is_split_into_words,
            "pad_to_multiple_of": pad_to_multiple_of,
            "padding_side": padding_side,
            "split_special_tokens": (
                self.split_special_tokens if split_special_tokens is None else split_special_tokens
            ),
            "return_tensors": return_tensors,
            "verbose": verbose,
        }
        batch = None
        if text is not None:
            batch = encode_rows(self, text, text_pair, columns, strategies, **options)
            if text_target is None:
                return batch
        assert text_target is not None
        if max_target_length is not None:
            strategies = strategies._replace(max_length=max_target_length)
        target = encode_rows(
            self._for_targets(), text_target, text_pair_target, columns, strategies, **options
        )
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
        if return_tensors is None and not options:
            if (
                text_pair is None
                and padding is False
                and (truncation is None or truncation is False)
                and (max_length is None and padding_side is None)
                and (type(stride) is int and not stride)
            ):
                ids = ids_alone(self, text, add_special_tokens)
                if ids is not None:
                    return ids
            # Of no other column is anything seen.
            options = {"return_token_type_ids": False, "return_attention_mask": False}
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
        if pair is None and not options:
            row = row_alone(self, text, add_special_tokens)
            if row is not None:
                return row.tokens
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

    # Ids to text.

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Tokens to text."""
        if isinstance(tokens, str):
            raise TypeError(f"`tokens` must be a list of tokens, not a str: [{tokens!r}]")
        if type(tokens) is list:
            found = text_of_tokens(self.backend_tokenizer, tokens)
            if found is not None:
                return found
        decoder = self.backend_tokenizer.decoder
        text: str = " ".join(tokens) if decoder is None else decoder.decode(tokens)
        return text

    @overload
    def decode(
        self,
        token_ids: int | Sequence[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
    ) -> str: ...

    @overload
    def decode(
        self,
        token_ids: Sequence[Ids],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
    ) -> list[str]: ...

    # `Any`: an array's type does not tell whether it has rows, nor what kind of library it is from.
    @overload
    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
    ) -> Any: ...

    @warning_of_options
    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        *,
        spaces_between_special_tokens: bool | None = None,
    ) -> Any:
        """Ids to text; of several rows, a list of texts.

        Args:
            token_ids: an id, ids or rows of ids, in lists or arrays.
            skip_special_tokens: leave special tokens out.
            clean_up_tokenization_spaces: remove blanks before punctuation and English endings; by default as
                the tokenizer's settings say. It does nothing to byte-pair tokenizers, whose blanks are the
                text's.
            spaces_between_special_tokens: of no effect: blanks are those that the decoder makes.
        """
        del spaces_between_special_tokens
        cleans = self._word_end or (
            self.clean_up_tokenization_spaces
            if clean_up_tokenization_spaces is None
            else clean_up_tokenization_spaces
        )
        if not cleans and type(token_ids) is list and token_ids and type(token_ids[0]) is int:
            try:
                return self.backend_tokenizer.decode(token_ids, skip_special_tokens)
            except TypeError:
                # One of them is no plain number.
                pass
        return decoded(self, token_ids, skip_special_tokens, clean_up_tokenization_spaces, cleans)

    @warning_of_options
    def batch_decode(
        self,
        sequences: Any,  # rows in lists, or an array of some library
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        *,
        spaces_between_special_tokens: bool | None = None,
    ) -> list[str]:
        """Rows of ids to a list of texts; see ``decode``."""
        del spaces_between_special_tokens
        texts: str | list[str] = self.decode(sequences, skip_special_tokens, clean_up_tokenization_spaces)
        if not isinstance(texts, str):
            return texts
        # One row is a text, and so is none at all.
        ids = plain_ids(sequences) if not texts else None
        return [] if isinstance(ids, (list, tuple)) and not ids else [texts]

    # Conversations.

    def get_chat_template(self, chat_template: str | None = None, tools: Sequence[Tool] | None = None) -> str:
        """The template that a conversation goes through.

        Args:
            chat_template: a template, or the name of one of the tokenizer's.
            tools: with tools, the template named ``tool_use`` is taken if there is one.
        """
        return chosen_template(self.chat_template, chat_template, tools)

    def apply_chat_template(
        self,
        conversation: Any,  # messages of other libraries' classes too
        tools: Sequence[Tool] | None = None,
        documents: Sequence[Mapping[str, str]] | None = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: bool = True,
        sanitize_control_tokens: bool = False,
        padding: PaddingKind = False,
        truncation: TruncationKind | None = False,
        max_length: int | None = None,
        return_tensors: Tensors | None = None,
        return_dict: bool = True,
        return_assistant_tokens_mask: bool = False,
        tokenizer_kwargs: Mapping[str, object] | None = None,
        **variables: object,
    ) -> Any:  # a text, ids or a BatchEncoding, as the options say; of several conversations, of each
        """Writes a conversation as the model expects it, and encodes that.

        Needs ``jinja2`` (``pip install 'jinja2>=3.1.6'``).

        Args:
            conversation: a list of messages, dicts with ``role`` and ``content``; a list of such lists is a
                batch.
            tools: JSON schemas, or functions with type hints and docstrings.
            documents: dicts for the template, with ``title`` and ``text``.
            chat_template: a template, or the name of one of the tokenizer's.
            add_generation_prompt: end with what begins the assistant's answer.
            continue_final_message: end right after the text of the last message; a str names the field with
                it.
            tokenize: ``False`` gives the text.
            sanitize_control_tokens: only ``False``.
            padding, truncation, max_length, return_tensors: as in a call.
            return_dict: ``False`` gives the ids alone.
            return_assistant_tokens_mask: also return ``assistant_masks``: 1 for the tokens of the template's
                ``{% generation %}`` blocks. A conversation whose mask would be empty raises.
            tokenizer_kwargs: further arguments of the call.
            variables: further variables of the template.

        Example:
            >>> from tessella import Tokenizer, models, pre_tokenizers
            >>> from tessella.batch import PretrainedTokenizer
            >>> backend = Tokenizer(models.WordLevel({"hi": 0, "user": 1, ":": 2, "?": 3}, "?"))
            >>> backend.pre_tokenizer = pre_tokenizers.Whitespace()
            >>> tokenizer = PretrainedTokenizer(
            ...     backend, chat_template="{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}"
            ... )
            >>> chat = [{"role": "user", "content": "hi"}]
            >>> tokenizer.apply_chat_template(chat, tokenize=False)
            'user: hi'
            >>> tokenizer.apply_chat_template(chat)["input_ids"]
            [1, 2, 0]
        """
        masked = return_assistant_tokens_mask
        check_together(
            masked,
            tokenize and return_dict,
            continue_final_message,
            add_generation_prompt,
            sanitize_control_tokens,
        )
        texts, spans, batched = written(
            self.get_chat_template(chat_template, tools),
            conversation,
            {
                **self.special_tokens_map,
                **plain(variables),
                "add_generation_prompt": add_generation_prompt,
            },
            tools,
            documents,
            continue_final_message,
            masked,
        )
        rendered = texts if batched else texts[0]
        if not tokenize:
            return rendered
        options: dict[str, Any] = {
            "padding": padding,
            "truncation": truncation,
            "max_length": max_length,
            "return_tensors": return_tensors,
            "add_special_tokens": False,
            **(tokenizer_kwargs or {}),
        }
        made = self(rendered, **options)
        if masked:
            add_masks(made, spans, batched, options["return_tensors"])
        return made if return_dict else made["input_ids"]

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
