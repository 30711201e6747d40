"""The conductor: text through all stages, and back.

All that a ``Tokenizer`` can be asked, by what it is for. What stands below is in this file. What is marked
``*`` is the engine's own: a method in Python round it would cost a short text 7 to 18 % more (`hello`,
processor time, medians of 101 interleaved runs). Its types stand in ``_tessella.pyi``, its pages are told by
``help``.

- from files and to them: ``from_file``, ``from_str``, ``from_buffer``, ``from_pretrained``, ``save``,
  ``save_folder``, ``save_snapshot``, ``to_str*``, ``fingerprint*``; what the folder said besides:
  ``config``, ``chat_template``
- stages: ``normalizer``, ``pre_tokenizer``, ``model``, ``post_processor``, ``decoder``
- text to an Encoding: ``encode*``, ``encode_batch*``, ``encode_batch_fast``; to columns for a model:
  ``__call__``; awaitable: ``async_encode``, ``async_encode_batch``, ``async_encode_batch_fast``
- text to ids alone: ``encode_ids*``, ``encode_ids_batch``, ``encode_files``; to their number: ``count*``,
  ``count_batch``
- ids to text: ``decode*``, ``decode_batch*``, ``async_decode_batch``, ``decode_bytes*``,
  ``decode_with_offsets*``; as they arrive: ``decode_stream``, ``decode_iter``
- vocabulary: ``token_to_id*``, ``id_to_token*``, ``get_vocab*``, ``get_vocab_size*``, ``add_tokens*``,
  ``add_special_tokens*``, ``get_added_tokens_decoder*``, ``encode_special_tokens*``
- round a sequence: ``post_process*``, ``num_special_tokens_to_add*``; ``enable_truncation*``,
  ``no_truncation*``, ``truncation*``; ``enable_padding*``, ``no_padding*``, ``padding*``
- training: ``train``, ``train_from_iterator``, ``train_from_counts``
- looking inside: ``explain``, ``explain_plan``; memory and chance: ``cache_size*``, ``set_cache_size*``,
  ``clear_cache*``, ``seed*``
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import _repr, _tessella
from ._calls import a_call
from ._notices import warn
from ._plan import Plan, PlanStep
from ._settable import SETTABLE, refused
from ._tessella import TextIterator, TextStream
from ._types import Padding, Path, SaveFormat, Truncation
from .decoders import Decoder
from .errors import FormatError
from .models import Model
from .normalizers import Normalizer
from .pre_tokenizers import PreTokenizer
from .processors import PostProcessor
from .ragged import RaggedIds

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import ParamSpec, Unpack

    from ._types import EncodeInput, Ids, InputSequence, ProgressFormat, Texts
    from .batch import BatchEncoding
    from .batch.calling import CallInput, CallOptions
    from .batch.kept import Kept
    from .explain import Explanation
    from .tracing import Trace
    from .trainers import Trainer

    _P = ParamSpec("_P")

_R = TypeVar("_R")
__all__ = ["Padding", "Plan", "PlanStep", "TextStream", "Tokenizer", "Truncation"]

_T = TypeVar("_T", bound="Tokenizer")


def _is_column(texts: object) -> bool:
    """Whether texts are an array of Arrow's. Where nobody has imported that package, nothing is one."""
    arrow = sys.modules.get("pyarrow")
    return (
        arrow is not None and type(texts) is not list and isinstance(texts, (arrow.Array, arrow.ChunkedArray))
    )


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

    # What a call made of the settings (see `batch/kept.py`) is beside the state: neither copied nor pickled.
    __slots__ = ("__dict__", "_kept")
    _kept: Kept | None

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
        cls = type(self)
        if name not in SETTABLE and (reason := refused(cls, cls is not Tokenizer, name)) is not None:
            raise AttributeError(reason)
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
        warn(*description.notices)
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
            raise FormatError(
                f"{os.fspath(path)} is not a tokenizer.json ({error}); for files of other formats, use "
                "tessella.load",
                filename=os.fspath(path),
            ) from error

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
        from .batch.hub import download_json

        return cls.from_file(download_json(identifier, revision, token))

    #: The settings in the ``tokenizer_config.json`` of the folder that this was loaded from: any JSON.
    config: dict[str, Any] | None = None
    #: The default chat template of that folder.
    chat_template: str | None = None
    # Its special_tokens_map.json as text, and its further chat templates by name.
    _special_tokens_map: str | None = None
    _chat_templates: tuple[tuple[str, str], ...] = ()

    def save(
        self,
        path: Path,
        pretty: bool = True,
        format: SaveFormat | None = None,
        *,
        into: Path | None = None,
        drop_normalizer: bool = False,
        allow_differences: bool = False,
    ) -> None:
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
                beside it, where ``tessella.load`` finds them, and a warning says so. ``"tekken"`` is
                Mistral's ``tekken.json``, ``"snapshot"`` what ``save_snapshot`` writes, ``"gguf"`` a file of
                metadata for llama.cpp, written when it is read back with the same ids on thousands of texts.
            into: for GGUF, the file of a model: a copy of it is written with this tokenizer, its tensors
                byte for byte.
            drop_normalizer: for GGUF, leave out the normalizer, which llama.cpp cannot apply before BPE of
                bytes (NFC of Qwen, for one). A warning shows a text that gives other ids then.
            allow_differences: for GGUF, write the nearest file where llama.cpp would give other ids to some
                texts, which is an error otherwise. A warning shows such a text.

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
        from ._saving import save

        save(self, path, pretty, format, into, drop_normalizer, allow_differences)

    def save_snapshot(self, path: Path) -> None:
        """Writes a file that ``tessella.load`` has ready to run at once: with its finished tables.

        All other formats tell what a tokenizer is, and its tables are made when it is loaded. A snapshot
        holds them as they lie in memory, so the file is mapped and checked, and that is all. What comes back
        is the same in every respect, ``config`` and chat templates included, as from a folder.

        It is a copy to start with, not to keep: another release of Tessella, or a machine with another order
        of bytes, refuses it with a ``FormatError``, as it does a file that is damaged or cut off. While a
        tokenizer that was loaded from it is in use, do not write into the file; saving another snapshot
        under the same name is fine.

        Example:
            >>> import os, tempfile
            >>> import tessella
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.WordLevel({"hello": 0, "<unk>": 1}))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "mine.snapshot")
            ...     tokenizer.save_snapshot(path)
            ...     tessella.load(path).encode("hello").ids
            [0]
        """
        from ._saving import save_snapshot

        save_snapshot(self, path)

    def save_folder(self, path: Path) -> list[str]:
        """Writes a folder that ``tessella.load`` and the transformers library read, and tells its files.

        It holds the tokenizer and, where there are any, ``config``, ``chat_template`` and what else the
        folder held that this was loaded from. A tokenizer by SentencePiece's own rules is written as
        ``tokenizer.model``, with its added tokens in ``tokenizer_config.json``, all others as
        ``tokenizer.json``. What special tokens are for (padding, masking, ...) is part of ``config``; of a
        tokenizer without one, ``tessella.batch.PretrainedTokenizer(tokenizer, pad_token=...)`` says it and
        ``save_pretrained`` writes it.

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
        from ._saving import save_folder

        return save_folder(self, path)

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
        texts: Iterable[str | bytes],
        add_special_tokens: bool = True,
        num_threads: int | None = None,
        *,
        encode_special_tokens: bool | None = None,
    ) -> RaggedIds:
        """The ids of many texts in one buffer, without building an ``Encoding`` for each.

        Truncation and padding do not apply; ``encode_batch`` does both.

        Args:
            texts: the texts, each a ``str`` or ``bytes`` of UTF-8; or an array of strings of Arrow's, which
                is read where it lies.
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
        if _is_column(texts):
            from . import _columns

            return _columns.encode(self, texts, add_special_tokens, num_threads, encode_special_tokens)
        ids, offsets = self._encode_ids_batch(texts, add_special_tokens, num_threads, encode_special_tokens)
        return RaggedIds(ids, offsets)

    def count_batch(
        self,
        texts: Iterable[str | bytes],
        add_special_tokens: bool = True,
        num_threads: int | None = None,
        *,
        encode_special_tokens: bool | None = None,
    ) -> npt.NDArray[np.int64]:
        """The number of ids of each text, as an array. Truncation and padding do not apply; see ``count``.

        Args:
            texts, add_special_tokens, num_threads, encode_special_tokens: as in ``encode_ids_batch``.

        Example:
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE())
            >>> _ = tokenizer.add_tokens(["my", "name"])
            >>> tokenizer.count_batch(["my name", "my"])
            array([2, 1])
        """
        if _is_column(texts):
            found = self.encode_ids_batch(
                texts, add_special_tokens, num_threads, encode_special_tokens=encode_special_tokens
            )
            return found.lengths()
        return self._count_batch(texts, add_special_tokens, num_threads, encode_special_tokens)

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
        progress: bool | ProgressFormat = False,
        encode_special_tokens: bool | None = None,
    ) -> RaggedIds:
        """The ids of the texts of files, which are read as ``tessella.count_pieces`` reads them. Truncation
        and padding do not apply.

        Args:
            paths: one path or several: text or JSON lines (``.jsonl``, ``.ndjson``, ``.json``), also packed
                with gzip or zstd, or Parquet. JSON lines and Parquet files hold a text in each row.
            separator: what stands between the texts of a text file, ``"\\n"`` for one text in each line,
                whether lines end with ``\\n`` or ``\\r\\n``; ``None`` makes every such file one text.
                Separators are left out, and so is an empty text at the end.
            num_threads: how many threads work; ``None`` lets the engine choose.
            out: write the ids to this file, little-endian 32-bit numbers, and the offsets, 64-bit, to one
                with ``.offsets`` behind its name. The result is then mapped from the files instead of held
                in memory. A run that is killed leaves both files of before or both new ones, or no offsets
                until somebody writes in that folder again, and never ids with the offsets of others.
            add_special_tokens: let the post-processor add its special tokens.
            field: the key of the text in JSON lines, the column of the text in Parquet files.
            format: ``"text"`` or ``"jsonl"`` whatever the files' names say.
            errors: what to do with bytes that are not UTF-8: ``"strict"`` raises an error that says where,
                ``"replace"`` puts U+FFFD in their place.
            progress: show a bar on a terminal and a line every ten seconds elsewhere, on standard error;
                ``"json"`` shows lines of JSON.
            encode_special_tokens: whether special tokens in the texts are encoded as ordinary text; ``None``
                for the tokenizer's own setting.

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
        from ._ordered import in_order
        from ._progress import form
        from ._texts import Reading

        if isinstance(paths, (str, os.PathLike)):
            paths = [paths]
        reading = Reading(field, errors, format, separator, "never")
        return encode_files(
            self,
            in_order("paths", paths, "a path or a list of paths"),
            reading,
            num_threads,
            out,
            add_special_tokens,
            encode_special_tokens,
            form(progress),
        )

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

    def decode_iter(
        self, ids: Iterable[int | Iterable[int]], skip_special_tokens: bool = True
    ) -> Iterator[str]:
        """The text of ids as they complete it: as a model writes, piece by piece.

        Each piece comes as soon as it is certain, and no id is drawn before the text of those in front of it
        was given out. What waits for the rest of a character when the ids end comes last, with U+FFFD for it.

        Args:
            ids: ids, one at a time or some of them, from a list, a generator, whatever can be walked through.
            skip_special_tokens: leave special tokens out.

        Example:
            >>> from tessella import Tokenizer, models
            >>> tokenizer = Tokenizer(models.BPE())
            >>> _ = tokenizer.add_tokens(["my", "name"])
            >>> for text in tokenizer.decode_iter(id for id in [0, 1]):
            ...     print(text, end="|")
            my| name|
        """
        return TextIterator(self, ids, skip_special_tokens)

    async def _in_thread(self, call: Callable[_P, _R], *args: _P.args, **named: _P.kwargs) -> _R:
        import asyncio
        from functools import partial

        stop = _tessella.Stop()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(None, stop.run, partial(call, *args, **named))
        except asyncio.CancelledError:
            # A thread goes on by itself, for nobody, and the loop waits for it when it closes.
            stop.stop()
            raise

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

    @a_call
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
        from .batch.kept import settled

        return settled(self)(text, text_pair, **options)

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

    def __repr__(self) -> str:
        return _repr.tokenizer(self, _repr.REPR)

    def __str__(self) -> str:
        return _repr.tokenizer(self, _repr.STR)

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
