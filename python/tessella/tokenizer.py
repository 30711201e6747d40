"""The conductor: text through all stages, and back."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from . import _tessella
from ._near import nearest
from ._repr import SHOWN, joined, render, render_settings
from ._types import Padding, Path, Truncation
from .decoders import Decoder, DecodeStream
from .errors import FormatError, HubError
from .models import Model
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor
from .ragged import RaggedIds

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, Unpack

    from ._types import EncodeInput, Ids, InputSequence, Texts
    from .batch import BatchEncoding
    from .batch.calling import CallInput, CallOptions
    from .explain import Explanation
    from .tracing import Trace
    from .trainers import Trainer

    _P = ParamSpec("_P")

_R = TypeVar("_R")
__all__ = ["Padding", "Plan", "PlanStep", "TextStream", "Tokenizer", "Truncation"]

_T = TypeVar("_T", bound="Tokenizer")
#: The formats that a tokenizer can be written in.
#: What can be written; a test compares it with the engine's table.
SaveFormat = Literal["json", "tiktoken", "model", "txt", "folder"]

# What can be set on a tokenizer; a name that is nearly one of these is a slip.
_SETTABLE = ("decoder", "encode_special_tokens", "model", "normalizer", "post_processor", "pre_tokenizer")


def _warn(notices: list[str]) -> None:
    """Warns where the caller of this package is."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tessella":
        level, frame = level + 1, frame.f_back
    for notice in notices:
        warnings.warn(notice, UserWarning, stacklevel=level)


def _unknown(cls: type, name: str) -> str | None:
    """Why a name cannot be set on a tokenizer of this class; ``None`` where it can.

    On a tokenizer itself only what has a meaning can be set. Subclasses may have attributes of their own, so
    there only names that are nearly those of a property are refused, as slips.
    """
    if hasattr(cls, name) or any(name in getattr(base, "__annotations__", {}) for base in cls.__mro__):
        return None
    own = cls is not Tokenizer
    if own and (name.startswith("_") or name.removesuffix("s") in _SETTABLE):
        return None
    refused = f"'{cls.__name__}' object has no attribute '{name}'"
    settable = _SETTABLE if own else (*_SETTABLE, "chat_template", "config")
    near = nearest(name, settable, 0.9 if own else 0.75)
    if near is not None:
        return f"{refused}. Did you mean: '{near}'?"
    if own:
        return None
    if name.endswith("_token"):
        return (
            f"{refused}; tokens with roles are those of a tessella.batch.PretrainedTokenizer(tokenizer, ...)"
        )
    for start, method in (("pad", "enable_padding"), ("trunc", "enable_truncation")):
        if name.startswith(start):
            return f"{refused}; call `{method}`"
    return f"{refused}; what can be set is {', '.join(settable)}, and anything in a subclass of your own"


class PlanStep(NamedTuple):
    """Which engine runs a stage, and why."""

    stage: str
    engine: str
    reason: str

    def __str__(self) -> str:
        return f"{self.stage}: {self.engine} ({self.reason})"


class Plan(list[PlanStep]):
    """What ``Tokenizer.explain_plan`` gives: steps that print as a table and show themselves in notebooks.

    Example:
        >>> print(Plan([PlanStep("model BPE", "scan", "pieces are short")]))
        stage      engine  why
        model BPE  scan    pieces are short
    """

    def __str__(self) -> str:
        from ._shown import visible

        rows = [("stage", "engine", "why"), *(tuple(map(visible, step)) for step in self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        from ._html import plan

        return plan(self)


class TextStream:
    """Text from ids as they arrive; made by ``Tokenizer.decode_stream``.

    Example:
        >>> from tessella import Tokenizer, decoders, models
        >>> alphabet = {"Ġ": 0, "Ã": 1, "©": 2, "a": 3}
        >>> tokenizer = Tokenizer(models.BPE(alphabet, []))
        >>> tokenizer.decoder = decoders.ByteLevel()
        >>> stream = tokenizer.decode_stream()
        >>> [stream.step(id) for id in [3, 1, 2, 1]], stream.flush()
        (['a', None, 'é', None], '�')
    """

    __slots__ = ("_stream", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer, skip_special_tokens: bool, ids: Ids | None = None) -> None:
        self._tokenizer = tokenizer
        self._stream = DecodeStream(ids, skip_special_tokens)

    def step(self, id: int | Iterable[int]) -> str | None:
        """Takes one id, or several, and gives the text that they complete; ``None`` if they complete none."""
        return self._stream.step(self._tokenizer, id)

    def flush(self) -> str | None:
        """At the end: the text that has been held back, broken characters as U+FFFD."""
        return self._stream.flush(self._tokenizer)

    def __copy__(self) -> TextStream:
        copy = object.__new__(TextStream)
        copy._tokenizer = self._tokenizer
        copy._stream = self._stream.__copy__()
        return copy


def _takes(cls: type[_T], model: Model) -> _T:
    """What signatures show of the class. Its own methods take more, for the sake of subclasses."""
    return cls(model)


class Tokenizer(_tessella.Tokenizer):
    """Text to ids and back, in stages that can be looked at, changed and replaced.

    The components that ``tokenizer.normalizer`` and its like give are live: changing an attribute of one
    changes the tokenizer. A tokenizer may be used by many threads at once, also while it is changed.

    Args:
        model: the model. Everything else is optional and set as a property.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.WordLevel({"hello": 0, "world": 1, "<unk>": 2}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> tokenizer.encode("hello world").ids
        [0, 1]
    """

    # What else it is called with is for a subclass's `__init__`.
    def __new__(cls: type[_T], model: Model, *rest: object, **named: object) -> _T:
        del rest, named
        if isinstance(model, (str, os.PathLike)):
            raise TypeError(
                f"'{type(model).__name__}' object is not an instance of 'Model': `model` must be a model, "
                f"as models.BPE() is, found {os.fspath(model)!r}; to read a file or folder, use tessella.load"
            )
        return super().__new__(cls, Model._of(model))

    if not TYPE_CHECKING:
        # All is done. A subclass may call this with the model, or with nothing.
        def __init__(self, model: Model | None = None) -> None:
            del model

    else:

        def __init__(self, model: Model) -> None: ...

    # What signatures show.
    __new__.__wrapped__ = _takes  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _SETTABLE and (refused := _unknown(type(self), name)) is not None:
            raise AttributeError(refused)
        super().__setattr__(name, value)

    @classmethod
    def _from_description(cls: type[_T], description: _tessella.Description) -> _T:
        return _tessella.Tokenizer.__new__(cls, description)

    # Loading and saving.

    @classmethod
    def from_str(cls: type[_T], json: str, *, allow_custom: Iterable[str] = ()) -> _T:
        """A tokenizer from the text of a ``tokenizer.json``.

        Args:
            json: the text.
            allow_custom: import paths (``package.module:Name``) of components written in Python that the
                file may use. Nothing else is imported.

        Example:
            >>> from tessella import Tokenizer, models
            >>> saved = Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1})).to_str()
            >>> Tokenizer.from_str(saved).encode("hello").ids
            [0]
        """
        if not isinstance(json, str):
            raise TypeError(f"`json` must be the str of a tokenizer.json, not {type(json).__name__}")
        return cls.from_buffer(json.encode("utf-8"), allow_custom=allow_custom)

    @classmethod
    def from_buffer(cls: type[_T], buffer: bytes, *, allow_custom: Iterable[str] = ()) -> _T:
        """A tokenizer from the bytes of a ``tokenizer.json``; see ``from_str``."""
        if isinstance(buffer, (int, str)):
            raise TypeError(f"`buffer` must be the bytes of a tokenizer.json, not {type(buffer).__name__}")
        description = _tessella.Description.from_json(bytes(buffer), list(allow_custom))
        _warn(description.notices)
        return cls._from_description(description)

    @classmethod
    def from_file(cls: type[_T], path: Path, *, allow_custom: Iterable[str] = ()) -> _T:
        """A tokenizer from a ``tokenizer.json`` file; see ``from_str``. For others, ``tessella.load``.

        Example:
            >>> import os, tempfile
            >>> from tessella import Tokenizer, models
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "tokenizer.json")
            ...     Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1})).save(path)
            ...     tokenizer = Tokenizer.from_file(path)
            >>> tokenizer.get_vocab_size()
            2
        """
        from ._files import _read_file

        content = _read_file(path)
        try:
            return cls.from_buffer(content, allow_custom=allow_custom)
        except FormatError as error:
            if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                error.filename = os.fspath(path)
                raise
            refused = FormatError(
                f"{os.fspath(path)} is not a tokenizer.json ({error}); for files of other formats, use "
                "tessella.load"
            )
            refused.filename = os.fspath(path)
            raise refused from error

    @classmethod
    def from_pretrained(
        cls: type[_T], identifier: str, revision: str = "main", token: str | None = None
    ) -> _T:
        """A tokenizer from a model hub: downloads its ``tokenizer.json``, or finds it in the local cache.

        Needs the package ``huggingface_hub``.

        Args:
            identifier: the repository.
            revision: a branch, tag or commit.
            token: an access token, for private repositories.
        """
        try:
            from huggingface_hub import hf_hub_download
        except ImportError as error:
            from ._optional import how_to_install
            from .errors import MissingDependencyError

            raise MissingDependencyError(
                f"loading from a hub needs huggingface_hub: {how_to_install('huggingface_hub', 'hub')}"
            ) from error
        options: dict[str, Any] = {} if token is None else {"token": token}
        try:
            path = hf_hub_download(identifier, "tokenizer.json", revision=revision, **options)
        except Exception as error:
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise HubError(
                f"no tokenizer.json of `{identifier}` from the hub ({reason}); check the name and the "
                "connection, pass `token` for a private repository, or give tessella.load the path of a file"
            ) from error
        return cls.from_file(path)

    #: The settings in the ``tokenizer_config.json`` of the folder that this was loaded from: any JSON.
    config: dict[str, Any] | None = None
    #: The default chat template of that folder.
    chat_template: str | None = None
    # Its special_tokens_map.json as text, and its further chat templates by name.
    _special_tokens_map: str | None = None
    _chat_templates: tuple[tuple[str, str], ...] = ()

    def save(self, path: Path, pretty: bool = True, format: SaveFormat | None = None) -> None:
        """Writes the tokenizer to a file or folder that gives the same tokenizer when it is read.

        The file appears under its name only when it is complete. What the format cannot express raises
        ``UnsupportedError``, and nothing is written. A SentencePiece model is written as ``tokenizer.json``
        where its stages come to the same there, which is tried on thousands of texts; otherwise the error
        shows a text that would differ.

        Args:
            path: where to write.
            pretty: indent JSON.
            format: ``"json"`` for a ``tokenizer.json``, ``"model"`` for a SentencePiece model, ``"tiktoken"``
                for a table of ranks, ``"txt"`` for a ``vocab.txt``, ``"folder"`` for what ``save_folder``
                writes. ``None`` goes by the name: its ending is a promise, so one that is not known, or that
                stands for a format that is only read, is an error that lists what can be written. A name
                without an ending is a ``tokenizer.json``, one that ends in a slash a folder. A table of ranks
                holds neither the pattern nor the special tokens: they are written to ``NAME.tiktoken.json``
                beside it, where ``tessella.load`` finds them, and a warning says so.

        Example:
            >>> import os, tempfile
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "tokenizer.json")
            ...     tokenizer.save(path)
            ...     os.path.exists(path)
            True
        """
        kind = _tessella.format_to_write(path, format)
        if kind == "folder":
            self.save_folder(path)
            return
        written = self
        if type(self.model).__name__ == "SentencePiece" and kind == "json":
            from ._restated import restated

            written = restated(self)
        try:
            notices = _tessella.save_file(written, path, format, pretty)
        except OSError as error:
            if error.errno is None:
                raise
            # The name that the caller knows.
            raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from None
        for notice in notices:
            warnings.warn(notice, UserWarning, stacklevel=2)

    def save_folder(self, path: Path) -> list[str]:
        """Writes a folder that ``tessella.load`` and the transformers library read, and tells its files.

        It holds the tokenizer and, where there are any, ``config``, ``chat_template`` and what else the
        folder held that this was loaded from. A tokenizer by SentencePiece's own rules is written as
        ``tokenizer.model``, with its added tokens in ``tokenizer_config.json``, all others as
        ``tokenizer.json``.

        Example:
            >>> import os, tempfile
            >>> import tessella
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}))
            >>> tokenizer.chat_template = "{{ messages[0].content }}"
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     print(sorted(os.path.basename(file) for file in tokenizer.save_folder(folder)))
            ...     print(tessella.load(folder).chat_template)
            ['chat_template.jinja', 'tokenizer.json']
            {{ messages[0].content }}
        """
        return self._save_folder(path)

    def _save_folder(
        self,
        path: Path,
        prefix: str | None = None,
        templates: bool = True,
        replaces_templates: bool = False,
    ) -> list[str]:
        """Writes a folder; ``prefix`` stands before the names, with a hyphen.

        Without ``templates``, they have no files but stand in ``config``. With ``replaces_templates``, files
        of older ones are part of what is replaced.
        """
        from json import dumps

        config = self.config
        if (
            templates
            and config is not None
            and config.get("chat_template", self.chat_template) != self.chat_template
        ):
            # The template has a file of its own, which is read first.
            config = {key: value for key, value in config.items() if key != "chat_template"}
        if config is not None and type(self.model).__name__ == "SentencePiece":
            # A class would make another tokenizer of the model's file.
            config = {key: value for key, value in config.items() if key != "tokenizer_class"}
        files = _tessella.save_folder(
            self,
            path,
            None if config is None else dumps(config, ensure_ascii=False),
            self._special_tokens_map,
            self.chat_template if templates else None,
            list(self._chat_templates) if templates else [],
            prefix,
            replaces_templates,
        )
        return [os.fspath(file) for file in files]

    def __copy__(self: _T) -> _T:
        copy = _tessella.Tokenizer.__new__(type(self), self)
        copy.__dict__.update(self.__dict__)
        return copy

    def __deepcopy__(self: _T, memo: dict[int, Any]) -> _T:
        from copy import deepcopy

        copy = _tessella.Tokenizer.__new__(type(self), self)
        memo[id(self)] = copy
        copy.__dict__.update(deepcopy(self.__dict__, memo))
        return copy

    def __reduce__(self) -> tuple[object, ...]:
        packed = self._pack()
        packed["encode_special_tokens"] = self.encode_special_tokens
        return (_rebuild, (type(self), packed), self.__dict__ or None)

    def __getstate__(self) -> bytes:
        return self.to_str().encode("utf-8")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # Components.

    @property
    def model(self) -> Model:
        """The model: pieces to ids."""
        return Model._wrap(self._model())

    @model.setter
    def model(self, model: Model) -> None:
        self._set_model(Model._of(model))

    @property
    def normalizer(self) -> Normalizer | None:
        """The normalizer, or ``None``: text to text."""
        handle = self._normalizer()
        return None if handle is None else Normalizer._wrap(handle)

    @normalizer.setter
    def normalizer(self, normalizer: Normalizer | None) -> None:
        self._set_normalizer(None if normalizer is None else Normalizer._of(normalizer))

    @property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """The pre-tokenizer, or ``None``: text to pieces."""
        handle = self._pre_tokenizer()
        return None if handle is None else PreTokenizer._wrap(handle)

    @pre_tokenizer.setter
    def pre_tokenizer(self, pretok: PreTokenizer | None) -> None:
        self._set_pre_tokenizer(None if pretok is None else PreTokenizer._of(pretok))

    @property
    def post_processor(self) -> PostProcessor | None:
        """The post-processor, or ``None``: special tokens round the sequences."""
        handle = self._post_processor()
        return None if handle is None else PostProcessor._wrap(handle)

    @post_processor.setter
    def post_processor(self, processor: PostProcessor | None) -> None:
        self._set_post_processor(None if processor is None else PostProcessor._of(processor))

    @property
    def decoder(self) -> Decoder | None:
        """The decoder, or ``None``: tokens to text. Without one, tokens are joined with spaces."""
        handle = self._decoder()
        return None if handle is None else Decoder._wrap(handle)

    @decoder.setter
    def decoder(self, decoder: Decoder | None) -> None:
        self._set_decoder(None if decoder is None else Decoder._of(decoder))

    # Encoding and decoding.

    def encode_ids_batch(
        self,
        texts: Iterable[str],
        add_special_tokens: bool = True,
        num_threads: int | None = None,
        *,
        encode_special_tokens: bool | None = None,
    ) -> RaggedIds:
        """The ids of many texts in one buffer, without building an ``Encoding`` for each.

        Truncation and padding do not apply; ``encode_batch`` does both.

        Args:
            texts: the texts.
            add_special_tokens: let the post-processor add its special tokens.
            num_threads: how many threads work; ``None`` lets the engine choose.
            encode_special_tokens: whether special tokens in the texts are encoded as ordinary text; ``None``
                for the tokenizer's own setting.

        Example:
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE())
            >>> _ = tokenizer.add_tokens(["my", "name"])
            >>> tokenizer.encode_ids_batch(["my name", "my"]).to_list()
            [[0, 1], [0]]
        """
        return RaggedIds(
            *self._encode_ids_batch(
                texts, add_special_tokens, num_threads, encode_special_tokens=encode_special_tokens
            )
        )

    def encode_files(
        self,
        paths: Path | Iterable[Path],
        separator: str | None = None,
        num_threads: int | None = None,
        out: Path | None = None,
        add_special_tokens: bool = True,
        *,
        field: str = "text",
        format: Literal["auto", "text", "jsonl"] = "auto",
        errors: Literal["strict", "replace"] = "strict",
    ) -> RaggedIds:
        """The ids of the texts of files, which are read as ``tessella.count_pieces`` reads them. Truncation
        and padding do not apply.

        Args:
            paths: one path or several: text or JSON lines (``.jsonl``, ``.ndjson``, ``.json``), also packed
                with gzip or zstd, or Parquet. JSON lines and Parquet files hold a text in each row.
            separator: what stands between the texts of a text file, ``"\\n"`` for one text in each line;
                ``None`` makes every such file one text. Separators are left out, and so is an empty text at
                the end.
            num_threads: how many threads work; ``None`` lets the engine choose.
            out: write the ids to this file, little-endian 32-bit numbers, and the offsets, 64-bit, to one
                with ``.offsets`` behind its name. The result is then mapped from the files instead of held
                in memory.
            add_special_tokens: let the post-processor add its special tokens.
            field: the key of the text in JSON lines, the column of the text in Parquet files.
            format: ``"text"`` or ``"jsonl"`` whatever the files' names say.
            errors: what to do with bytes that are not UTF-8: ``"strict"`` raises an error that says where,
                ``"replace"`` puts U+FFFD in their place.

        Example:
            >>> import os, tempfile
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE())
            >>> _ = tokenizer.add_tokens(["my", "name"])
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "texts.txt")
            ...     with open(path, "w", encoding="utf-8") as file:
            ...         _ = file.write("my name\\nmy\\n")
            ...     ids = tokenizer.encode_files(path, separator="\\n")
            >>> ids.to_list()
            [[0, 1], [0]]
        """
        from ._files import encode_files
        from ._texts import Reading

        if isinstance(paths, (str, os.PathLike)):
            paths = [paths]
        reading = Reading(field, errors, format, separator, "never")
        return encode_files(self, list(paths), reading, num_threads, out, add_special_tokens)

    def encode_batch_fast(
        self,
        input: Iterable[EncodeInput],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[_tessella.Encoding]:
        """As ``encode_batch``. For ids alone, ``encode_ids_batch`` is faster still."""
        return self.encode_batch(input, is_pretokenized, add_special_tokens)

    def decode_stream(self, skip_special_tokens: bool = True, ids: Ids | None = None) -> TextStream:
        """A stream that decodes ids as they arrive.

        Args:
            skip_special_tokens: leave special tokens out.
            ids: ids whose text has been given out already.

        Example:
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE())
            >>> _ = tokenizer.add_tokens(["my", "name"])
            >>> stream = tokenizer.decode_stream()
            >>> [stream.step(id) for id in [0, 1]]
            ['my', ' name']
        """
        return TextStream(self, skip_special_tokens, ids)

    async def _in_thread(self, call: Callable[_P, _R], *args: _P.args, **named: _P.kwargs) -> _R:
        import asyncio
        from functools import partial

        return await asyncio.get_running_loop().run_in_executor(None, partial(call, *args, **named))

    async def async_encode(
        self,
        sequence: InputSequence,
        pair: InputSequence | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> _tessella.Encoding:
        """``encode``, awaitable.

        Example:
            >>> import asyncio
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}))
            >>> asyncio.run(tokenizer.async_encode("hello")).ids
            [0]
        """
        return await self._in_thread(self.encode, sequence, pair, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self, input: Iterable[EncodeInput], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[_tessella.Encoding]:
        """``encode_batch``, awaitable."""
        return await self._in_thread(self.encode_batch, input, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self, input: Iterable[EncodeInput], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[_tessella.Encoding]:
        """``encode_batch_fast``, awaitable."""
        return await self.async_encode_batch(input, is_pretokenized, add_special_tokens)

    async def async_decode_batch(
        self, sequences: Iterable[Ids], skip_special_tokens: bool = True
    ) -> list[str]:
        """``decode_batch``, awaitable."""
        return await self._in_thread(self.decode_batch, sequences, skip_special_tokens)

    def __call__(
        self,
        text: CallInput | None = None,
        text_pair: CallInput | None = None,
        **options: Unpack[CallOptions],
    ) -> BatchEncoding:
        """Encodes one text or a batch of texts into padded and truncated columns, ready for a model.

        It is a call of a ``tessella.batch.PretrainedTokenizer`` round this tokenizer, whose arguments it
        takes. What padding needs to know comes from the folder that this was loaded from, or else from the
        names of the special tokens. Nothing that ``enable_padding`` and ``enable_truncation`` set applies
        here.

        Example:
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE())
            >>> _ = tokenizer.add_special_tokens(["[PAD]"])
            >>> _ = tokenizer.add_tokens(["my", "name"])
            >>> tokenizer(["my name", "my"], padding=True)["input_ids"]
            [[1, 2], [1, 0]]
        """
        from .batch import PretrainedTokenizer

        return PretrainedTokenizer.over(self)(text, text_pair, **options)

    # Training.

    def train(
        self,
        files: Iterable[Path],
        trainer: Trainer | None = None,
        *,
        checkpoint: Path | None = None,
        trace: Trace | None = None,
    ) -> None:
        """Trains the model on text files, line by line. Line ends belong to the lines.

        Args:
            files: paths of UTF-8 files.
            trainer: how to train; by default what ``model.get_trainer()`` gives.
            checkpoint: a file, or a folder for it, that keeps the state of the training once the texts are
                counted; see ``Trainer.train_from_counts``.
            trace: a ``tessella.tracing.Trace`` that hears of every step.

        Example:
            >>> import os, tempfile
            >>> from tessella import Tokenizer, models, pre_tokenizers, trainers
            >>> tokenizer = Tokenizer(models.BPE())
            >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "texts.txt")
            ...     with open(path, "w", encoding="utf-8") as file:
            ...         _ = file.write("low lower lowest\\n" * 10)
            ...     tokenizer.train([path], trainers.BpeTrainer(vocab_size=20, show_progress=False))
            >>> tokenizer.encode("low").tokens
            ['low']
        """
        from .training.run import train_files

        train_files(self, files, trainer, checkpoint, trace)

    def train_from_iterator(
        self,
        iterator: Texts,
        trainer: Trainer | None = None,
        length: int | None = None,
        *,
        checkpoint: Path | None = None,
        trace: Trace | None = None,
    ) -> None:
        """Trains the model on texts.

        Args:
            iterator: yields texts, or lists of texts.
            trainer: how to train; by default what ``model.get_trainer()`` gives.
            length: the number of texts, if known, for the progress display.
            checkpoint: a file, or a folder for it, that keeps the state of the training once the texts are
                counted; see ``Trainer.train_from_counts``.
            trace: a ``tessella.tracing.Trace`` that hears of every step.

        Example:
            >>> from tessella import Tokenizer, models, pre_tokenizers, trainers
            >>> tokenizer = Tokenizer(models.BPE())
            >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
            >>> trainer = trainers.BpeTrainer(vocab_size=20, show_progress=False)
            >>> tokenizer.train_from_iterator(["low lower lowest"] * 10, trainer)
            >>> tokenizer.encode("low").tokens
            ['low']
        """
        from .training.run import train_texts

        train_texts(self, iterator, trainer, length, checkpoint, trace)

    def train_from_counts(
        self,
        counts: _tessella.PieceCounts,
        trainer: Trainer | None = None,
        checkpoint: Path | None = None,
        *,
        trace: Trace | None = None,
    ) -> None:
        """Trains the model on counted pieces; see ``tessella.count_pieces``.

        Args:
            counts: what was counted with this tokenizer, or with one that cuts as it does.
            trainer: how to train; by default what ``model.get_trainer()`` gives.
            checkpoint: a file for the state of the training; see ``Trainer.train_from_counts``.
            trace: a ``tessella.tracing.Trace`` that hears of every step.

        Example:
            >>> import tessella
            >>> from tessella import Tokenizer, models, pre_tokenizers, trainers
            >>> tokenizer = Tokenizer(models.BPE())
            >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
            >>> counts = tessella.count_pieces(["low lower lowest"] * 10, tokenizer)
            >>> tokenizer.train_from_counts(counts, trainers.BpeTrainer(vocab_size=20, show_progress=False))
            >>> tokenizer.encode("low").tokens
            ['low']
        """
        from .training.run import train_counts

        train_counts(self, counts, trainer, checkpoint, trace)

    # Looking inside.

    def explain(
        self, text: str, pair: str | None = None, *, add_special_tokens: bool = True, n_best: int = 3
    ) -> Explanation:
        """Follows a text through all stages: what each made of it, and how the model chose its tokens.

        The result prints, shows itself in a notebook, and becomes plain data with ``to_dict()``. Its ids are
        those of ``encode``.

        Args:
            text: the text.
            pair: a second text.
            add_special_tokens: let the post-processor add its special tokens.
            n_best: how many ways through the lattice of a Unigram model to show.

        Example:
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
            >>> merge = tokenizer.explain("abb").sequences[0].pieces[0].derivation.merges[0]
            >>> merge.chosen.left, merge.chosen.right, merge.chosen.rank
            ('a', 'b', 0)
        """
        from .explain import explain

        return explain(self, text, pair, add_special_tokens=add_special_tokens, n_best=n_best)

    def explain_plan(self) -> Plan:
        """Which engine runs each stage, and why: so that a slow path is never a surprise. ``print`` shows a
        table.

        Example:
            >>> from tessella import recipes
            >>> first = recipes.get("gpt2").tokenizer().explain_plan()[0]
            >>> first.stage, first.engine
            ('added tokens', 'Aho-Corasick automaton')
        """
        return Plan(PlanStep(*step) for step in self._plan())

    def _render(self, limit: int | None) -> str:
        from json import loads

        settings = loads(self._settings())
        added = [render(token, limit) for token in settings["added_tokens"]]
        stages = [
            f"{name}={'None' if stage is None else stage._render(limit)}"
            for name, stage in (
                ("normalizer", self.normalizer),
                ("pre_tokenizer", self.pre_tokenizer),
                ("post_processor", self.post_processor),
                ("decoder", self.decoder),
                ("model", self.model),
            )
        ]
        parts = [
            'version="1.0"',
            f"truncation={render_settings('TruncationParams', settings['truncation'], limit)}",
            f"padding={render_settings('PaddingParams', settings['padding'], limit)}",
            f"added_tokens=[{joined(added, limit)}]",
            *stages,
        ]
        return f"Tokenizer({', '.join(parts)})"

    def __repr__(self) -> str:
        return self._render(None)

    def __str__(self) -> str:
        return self._render(SHOWN)

    def _repr_html_(self) -> str:
        from ._html import tokenizer

        return tokenizer(self)


def _rebuild(cls: type[_T], packed: dict[str, Any]) -> _T:
    """Makes a tokenizer from what ``__reduce__`` stored.

    Components written in Python are imported from the paths in the pickle, and from no others. This is no
    protection: unpickling runs whatever code the pickle names, so only unpickle what you trust.
    """
    tokenizer = cls._from_description(_tessella.Description.unpack(packed))
    tokenizer.encode_special_tokens = packed["encode_special_tokens"]
    return tokenizer
