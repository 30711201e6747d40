"""Encoding and decoding with a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError
from . import _decoding
from ._errors import ENGINE_ERRORS, SentencePieceError, as_runtime_errors, runtime_error
from ._messages import NBestSentencePieceText, SentencePieceText
from ._names import Names, Result
from ._options import Inputs, ReturnType
from ._settings import nbest_timeout, next_seed
from ._texts import Input, characters_at, normalized
from ._threads import ThreadPool, threads_of
from ._vocabulary import NOT_LOADED

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Decodable, ProcessorOptions

Sampled = tuple[int, float, int, int] | None
# Text, ids, pieces, begins and ends; bytes where pieces were given that need not be texts.
Parts = tuple[bytes, list[int], list[str], list[int], list[int]]
BytesParts = tuple[bytes, list[int], list[bytes], list[int], list[int]]

_RETURN_TYPES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")
_NO_EXTRAS = (
    "add_bos, add_eos, reverse and emit_unk_piece do not go with messages and offsets: leave them out"
)


def _flag(name: str, value: Any) -> bool:
    """An option that is on or off: what Python itself asks, but no text, which is on whatever it says."""
    if value is True or value is False or hasattr(type(value), "__bool__"):
        return bool(value)
    raise TypeError(f"`{name}` must be a bool, found {type(value).__name__} {value!r:.60}")


def _numpy(ids: list[int]) -> Result:
    import numpy

    # Over bytes, which makes it read-only, as it is in the original.
    return numpy.frombuffer(numpy.array(ids, dtype=numpy.int32).tobytes(), dtype=numpy.int32)


def _encoded(texts: Any) -> Any:
    """A text, or the texts in lists of any depth, as UTF-8."""
    return texts.encode() if isinstance(texts, str) else [_encoded(text) for text in texts]


class SentencePieceProcessor(Names):
    """A loaded model.

    Args:
        model_file: path of a ``.model`` file.
        model_proto: the file's bytes instead.
        out_type: what calls return unless they say otherwise: ``int``, ``str``, ``bytes``, ``"numpy"``,
            ``"proto"``, ``"serialized_proto"`` or ``"offset_mapping"``.
        add_bos: put the begin piece in front.
        add_eos: put the end piece behind; both after reversing.
        reverse: turn the order of the pieces around.
        emit_unk_piece: give the unknown piece instead of the text that is unknown.
        enable_sampling: draw segmentations at random.
        nbest_size: among how many; a negative number means all.
        alpha: Unigram: exponent of the probabilities. BPE: the probability that a merge is skipped.
        num_threads: threads of batches; a negative number means one per processor.
        return_type: the newer name of ``out_type``.

    Example:
        >>> SentencePieceProcessor().piece_size()
        0
    """

    def __init__(
        self,
        model_file: str | None = None,
        model_proto: bytes | None = None,
        out_type: ReturnType | None = None,
        add_bos: bool = False,
        add_eos: bool = False,
        reverse: bool = False,
        emit_unk_piece: bool = False,
        enable_sampling: bool = False,
        nbest_size: int = -1,
        alpha: float = 0.1,
        num_threads: int = -1,
        return_type: ReturnType | None = None,
    ) -> None:
        self._return_type: ReturnType = int
        self._return_type = self._resolve(return_type, out_type, int)
        self._add_bos = add_bos
        self._add_eos = add_eos
        self._reverse = reverse
        self._emit_unk_piece = emit_unk_piece
        self._enable_sampling = enable_sampling
        self._nbest_size = nbest_size
        self._alpha = alpha
        self._num_threads = num_threads
        if model_file or model_proto:
            self.load(model_file=model_file, model_proto=model_proto)

    def _resolve(
        self, return_type: ReturnType | None, out_type: ReturnType | None, default: ReturnType | None = None
    ) -> ReturnType:
        if out_type is not None:
            if return_type is not None:
                raise ArgumentError("both out_type and return_type are given: use return_type only")
            return_type = out_type
        if return_type is None:
            return_type = self._return_type if default is None else default
        if str(return_type) == "immutable_proto":
            raise ArgumentError("immutable_proto is not supported any more: use return_type='proto'")
        if return_type not in _RETURN_TYPES:
            raise ArgumentError(f"invalid return_type {return_type!r}: it must be one of {_RETURN_TYPES}")
        return return_type

    @classmethod
    def from_file(cls, model_file: str, **kwargs: Unpack[ProcessorOptions]) -> SentencePieceProcessor:
        """A processor for a model file, with options as for the class."""
        cls._check_no_model(kwargs)
        processor = cls(**kwargs)
        processor.load_from_file(model_file)
        return processor

    @classmethod
    def from_proto(cls, model_proto: bytes, **kwargs: Unpack[ProcessorOptions]) -> SentencePieceProcessor:
        """A processor for a model in memory, with options as for the class."""
        cls._check_no_model(kwargs)
        processor = cls(**kwargs)
        processor.load_from_serialized_proto(model_proto)
        return processor

    @staticmethod
    def _check_no_model(kwargs: Mapping[str, object]) -> None:
        for name in ("model_file", "model_proto"):
            if name in kwargs:
                raise ArgumentError(f"`{name}` is given twice: leave the keyword out")

    # Encoding

    def encode(
        self,
        input: Inputs,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        enable_sampling: bool | None = None,
        nbest_size: int | None = None,
        alpha: float | None = None,
        num_threads: int | None = None,
        thread_pool: ThreadPool | None = None,
        return_type: ReturnType | None = None,
        out_type: ReturnType | None = None,
        return_bytes: bool | None = None,
    ) -> Result:
        """Cuts a text, or each of a list of texts, into pieces; options as for the class.

        ``return_bytes`` is for ``"offset_mapping"``: pieces as bytes and offsets in bytes, which is the
        default for texts that are bytes.

        Example:
            >>> import io
            >>> from tessella.compat.sentencepiece import SentencePieceTrainer
            >>> file = io.BytesIO()
            >>> texts = iter(["abra", "bar"])
            >>> SentencePieceTrainer.train(
            ...     sentence_iterator=texts, model_writer=file, model_type="char", vocab_size=8
            ... )
            >>> processor = SentencePieceProcessor(model_proto=file.getvalue())
            >>> processor.encode("bra", out_type=str), processor.decode(processor.encode("bra"))
            (['▁', 'b', 'r', 'a'], 'bra')
        """
        if enable_sampling is None and return_bytes is None and thread_pool is None:
            plain = self._plain_encode(
                input, add_bos, add_eos, reverse, emit_unk_piece, num_threads, return_type, out_type
            )
            if plain is not None:
                return plain
        kind = self._resolve(return_type, out_type)
        if return_bytes is not None and kind != "offset_mapping":
            raise ArgumentError("return_bytes is for return_type='offset_mapping' only: leave it out")
        sampling = self._enable_sampling if enable_sampling is None else enable_sampling
        _flag("enable_sampling", sampling)
        nbest_size = self._nbest_size if nbest_size is None else nbest_size
        alpha = self._alpha if alpha is None else alpha
        if sampling is True and (nbest_size is None or nbest_size in (0, 1) or alpha is None):
            raise ArgumentError(
                f"sampling needs a nbest_size above 1, or negative for all, and an alpha; "
                f"nbest_size is {nbest_size}"
            )
        threads = self._num_threads if num_threads is None else num_threads
        if not isinstance(threads, int):
            raise TypeError("num_threads must be int")
        extras = self._extras(add_bos, add_eos, reverse, emit_unk_piece)
        if kind in ("serialized_proto", "proto", "offset_mapping") and any(extras):
            raise SentencePieceError(_NO_EXTRAS)

        def seed() -> Sampled:
            return (nbest_size, alpha, next_seed(), nbest_timeout()) if sampling else None

        if isinstance(input, list):
            for text in input:
                if not isinstance(text, (str, bytes)):
                    raise TypeError("List elements must be str or bytes")
            threads = threads_of(threads, thread_pool)
            as_bytes = bool(input) and isinstance(input[0], bytes) if return_bytes is None else return_bytes
            if input and kind in (int, "numpy") and not sampling:
                model = self._model()
                with as_runtime_errors():
                    rows = model.encode_ids_batch(input, threads)
                rows = [self._finish_ids(ids, extras) for ids in rows]
                return rows if kind is int else [_numpy(ids) for ids in rows]
            return [self._encode_one(text, kind, extras, seed(), as_bytes) for text in input]
        as_bytes = isinstance(input, bytes) if return_bytes is None else return_bytes
        return self._encode_one(input, kind, extras, seed(), as_bytes)

    def _plain_encode(
        self,
        input: Inputs,
        add_bos: bool | None,
        add_eos: bool | None,
        reverse: bool | None,
        emit_unk_piece: bool | None,
        num_threads: int | None,
        return_type: ReturnType | None,
        out_type: ReturnType | None,
    ) -> list[Any] | None:
        """The engine's answer to a call for ids or pieces; ``None`` where more is asked for, or wrong."""
        if return_type is None:
            return_type = self._return_type if out_type is None else out_type
        elif out_type is not None:
            return None
        handle = self._handle
        if handle is None or self._enable_sampling is not False:
            return None
        if return_type is not int and return_type is not str and return_type is not bytes:
            return None
        try:
            plain = handle.plain_encode(
                input,
                return_type is not int,
                self._add_bos if add_bos is None else add_bos,
                self._add_eos if add_eos is None else add_eos,
                self._reverse if reverse is None else reverse,
                self._emit_unk_piece if emit_unk_piece is None else emit_unk_piece,
                self._num_threads if num_threads is None else num_threads,
            )
        except ENGINE_ERRORS as error:
            raise runtime_error(error) from error
        return plain if plain is None or return_type is not bytes else _encoded(plain)

    def _extras(
        self,
        add_bos: bool | None,
        add_eos: bool | None,
        reverse: bool | None,
        emit_unk_piece: bool | None,
    ) -> tuple[bool, bool, bool, bool]:
        return (
            _flag("add_bos", self._add_bos if add_bos is None else add_bos),
            _flag("add_eos", self._add_eos if add_eos is None else add_eos),
            _flag("reverse", self._reverse if reverse is None else reverse),
            _flag("emit_unk_piece", self._emit_unk_piece if emit_unk_piece is None else emit_unk_piece),
        )

    def _encode_one(
        self,
        text: Input,
        kind: ReturnType,
        extras: tuple[bool, bool, bool, bool],
        sampled: Sampled,
        as_bytes: bool,
    ) -> Result:
        if not isinstance(text, (str, bytes)):
            raise TypeError("Input must be str or bytes")
        model = self._model()
        if sampled is not None and (kind is int or kind is str):
            with as_runtime_errors():
                plain = model.plain_sample(text, sampled, kind is str, extras)
            if plain is not None:
                return plain
        if kind == "offset_mapping" and sampled is None:
            with as_runtime_errors():
                mapping = model.plain_mapping(text, bool(as_bytes))
            if mapping is not None:
                return mapping
        if kind in ("serialized_proto", "proto"):
            with as_runtime_errors():
                message = model.encode(text, sampled, True)
            return message if kind == "serialized_proto" else SentencePieceText._written(message)
        if kind in (int, "numpy") and sampled is None:
            with as_runtime_errors():
                ids = model.encode_ids(text)
        else:
            with as_runtime_errors():
                parts = model.encode(text, sampled)
            if kind == "offset_mapping":
                return self._mapping(parts, as_bytes, with_text=False)
            if kind in (str, bytes):
                return self._finish_pieces(parts, extras, kind)
            ids = parts[1]
        ids = self._finish_ids(ids, extras)
        return ids if kind is int else _numpy(ids)

    def _finish_ids(self, ids: list[int], extras: tuple[bool, bool, bool, bool]) -> list[int]:
        add_bos, add_eos, reverse, _ = extras
        if not (add_bos or add_eos or reverse):
            return ids
        first, last = self._ends(add_bos, add_eos)
        return first + (ids[::-1] if reverse else ids) + last

    def _ends(self, add_bos: bool, add_eos: bool) -> tuple[list[int], list[int]]:
        _, bos, eos, _ = self._model().named_ids()
        if add_bos and bos < 0:
            raise ArgumentError("the model has no begin piece among its control symbols: leave add_bos out")
        if add_eos and eos < 0:
            raise ArgumentError("the model has no end piece among its control symbols: leave add_eos out")
        return [bos] if add_bos else [], [eos] if add_eos else []

    def _finish_pieces(
        self, parts: Parts, extras: tuple[bool, bool, bool, bool], kind: ReturnType
    ) -> list[str] | list[bytes]:
        add_bos, add_eos, reverse, emit_unk_piece = extras
        model = self._model()
        pieces = parts[2]
        if add_bos or add_eos or reverse or emit_unk_piece:
            first, last = self._ends(add_bos, add_eos)
            if emit_unk_piece:
                unk = model.named_ids()[0]
                name = model.piece(unk)[0]
                pieces = [name if model.piece_to_id(piece.encode()) == unk else piece for piece in pieces]
            if reverse:
                pieces = pieces[::-1]
            pieces = [model.piece(id)[0] for id in first] + pieces + [model.piece(id)[0] for id in last]
        return pieces if kind is str else [piece.encode() for piece in pieces]

    @staticmethod
    def _mapping(parts: Parts | BytesParts, as_bytes: bool, with_text: bool) -> dict[str, Any]:
        text, ids, pieces, begins, ends = parts
        mapping: dict[str, Any] = {}
        if with_text:
            mapping["text"] = text if as_bytes else text.decode()
        mapping["ids"] = ids
        if as_bytes:
            mapping["pieces"] = [piece if isinstance(piece, bytes) else piece.encode() for piece in pieces]
            mapping["offsets"] = list(zip(begins, ends, strict=True))
        else:
            at = characters_at(text)
            mapping["pieces"] = [piece if isinstance(piece, str) else piece.decode() for piece in pieces]
            mapping["offsets"] = [(at[begin], at[end]) for begin, end in zip(begins, ends, strict=True)]
        return mapping

    def nbest_encode(
        self,
        input: Inputs,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        nbest_size: int | None = None,
        return_type: ReturnType | None = None,
        out_type: ReturnType | None = None,
    ) -> Result:
        """The best segmentations of a text, or of each of a list of texts. Unigram models have them."""
        kind = self._resolve(return_type, out_type)
        extras = self._extras(add_bos, add_eos, reverse, emit_unk_piece)
        size = self._nbest_size if nbest_size is None else nbest_size
        size = max(size, 1)

        def encode(text: Input) -> Result:
            if kind == "offset_mapping":
                raise ArgumentError(f"unknown return_type {kind!r} for n-best lists")
            is_message = kind in ("serialized_proto", "proto")
            if is_message and any(extras):
                raise SentencePieceError(_NO_EXTRAS)
            if not isinstance(text, (str, bytes)):
                raise TypeError("Input must be str or bytes")
            model = self._model()
            with as_runtime_errors():
                if kind is int or kind is str:
                    plain = model.plain_nbest(text, size, nbest_timeout(), kind is str, extras)
                    if plain is not None:
                        return plain
                if is_message:
                    message = model.nbest(text, size, nbest_timeout(), True)
                    return message if kind == "serialized_proto" else NBestSentencePieceText._written(message)
                lists = model.nbest(text, size, nbest_timeout())
            if kind in (str, bytes):
                return [self._finish_pieces(parts, extras, kind) for parts in lists]
            rows = [self._finish_ids(parts[1], extras) for parts in lists]
            return rows if kind is int else [_numpy(ids) for ids in rows]

        return [encode(text) for text in input] if isinstance(input, list) else encode(input)

    def parallel_encode(
        self,
        input: Inputs,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        chunk_len: int | None = None,
        num_threads: int | None = None,
        thread_pool: ThreadPool | None = None,
        return_type: ReturnType | None = None,
        out_type: ReturnType | None = None,
    ) -> Result:
        """Cuts a long text. The result is that of :meth:`encode`, whatever ``chunk_len`` is."""
        kind = self._resolve(return_type, out_type)
        threads = self._num_threads if num_threads is None else num_threads
        if not isinstance(threads, int):
            raise TypeError("num_threads must be int")
        if not isinstance(chunk_len, int) or chunk_len <= 0:
            raise ArgumentError(f"chunk_len is {chunk_len!r}: it must be a number above 0")
        if kind == "offset_mapping":
            raise ArgumentError(f"unknown return_type {kind!r} for parallel encoding")
        extras = self._extras(add_bos, add_eos, reverse, emit_unk_piece)
        threads_of(threads, thread_pool)
        if kind in ("serialized_proto", "proto"):
            extras = (False, False, False, False)
        if isinstance(input, list):
            return [self._encode_one(text, kind, extras, None, False) for text in input]
        return self._encode_one(input, kind, extras, None, False)

    # Decoding

    def decode(
        self,
        input: Decodable,
        return_type: ReturnType | None = None,
        out_type: ReturnType | None = None,
        num_threads: int | None = None,
        thread_pool: ThreadPool | None = None,
        return_bytes: bool | None = None,
    ) -> Result:
        """Puts ids or pieces together; for a list of lists, each of them."""
        handle = self._handle
        wanted = out_type if return_type is None else return_type if out_type is None else int
        if (
            (wanted is None or wanted is str or wanted is bytes)
            and return_bytes is None
            and thread_pool is None
            and handle is not None
            and isinstance(self._num_threads if num_threads is None else num_threads, int)
        ):
            try:
                plain = handle.plain_decode(input)
            except ENGINE_ERRORS as error:
                raise runtime_error(error) from error
            if plain is not None:
                return _encoded(plain) if wanted is bytes else plain
        kind = self._resolve(return_type, out_type, str)
        if return_bytes is not None and kind != "offset_mapping":
            raise ArgumentError("return_bytes is for return_type='offset_mapping' only: leave it out")
        threads = self._num_threads if num_threads is None else num_threads
        if not isinstance(threads, int):
            raise TypeError("num_threads must be int")
        values, holds_pieces, is_batch = _decoding.shape(input)
        if kind in (int, "numpy"):
            raise ArgumentError(f"unknown return_type {kind!r} for decoding")
        if not is_batch:
            return self._decode_one(values, holds_pieces, kind, bool(return_bytes), None)
        threads_of(threads, thread_pool)
        pieces_are_bytes = None
        if holds_pieces:
            first: Any = next((row for row in values if len(row) > 0), [])
            pieces_are_bytes = len(first) > 0 and isinstance(first[0], bytes)
        return [
            self._decode_one(row, holds_pieces, kind, bool(return_bytes), pieces_are_bytes) for row in values
        ]

    def _decode_one(
        self, values: Any, holds_pieces: bool, kind: ReturnType, as_bytes: bool, pieces_are_bytes: bool | None
    ) -> Result:
        handle = self._handle
        is_array = hasattr(values, "dtype") and values.ndim == 1 and values.dtype.kind in "iu"
        if kind is str and is_array and handle is not None:
            plain: str | None = handle.plain_decode(values.tolist())
            if plain is not None:
                return plain
        are_bytes = False
        pieces: list[bytes] = []
        ids: list[int] = []
        parts: Parts | BytesParts
        if holds_pieces:
            pieces, are_bytes = _decoding.pieces_of(values)
            are_bytes = are_bytes if pieces_are_bytes is None else pieces_are_bytes
        else:
            ids = _decoding.ids_of(values, self.piece_size())
        model = self._model()
        if kind is str and ids:
            plain = model.plain_decode(ids)
            if plain is not None:
                return plain
        if kind == "offset_mapping":
            given = list(values) if holds_pieces else ids
            mapping = model.plain_decode_mapping(given, bool(as_bytes) or are_bytes)
            if mapping is not None:
                return mapping
        if kind in ("serialized_proto", "proto"):
            message = model.decode_pieces(pieces, True) if holds_pieces else model.decode_ids(ids, True)
            return message if kind == "serialized_proto" else SentencePieceText._written(message)
        if holds_pieces:
            # The engine tells pieces as texts, which those that were given need not be.
            text, found, _, begins, ends = model.decode_pieces(pieces)
            parts = text, found, pieces, begins, ends
        else:
            parts = model.decode_ids(ids)
        if kind == "offset_mapping":
            return self._mapping(parts, as_bytes or are_bytes, with_text=True)
        return parts[0] if kind is bytes or are_bytes else parts[0].decode()

    # Normalization

    def normalize(self, input: Inputs, with_offsets: bool | None = None) -> Result:
        """The normalized text; with offsets also where each of its characters comes from."""
        handle = self._handle
        if handle is not None:
            try:
                plain = handle.plain_normalize(input, bool(with_offsets))
            except ENGINE_ERRORS as error:
                raise runtime_error(error) from error
            if plain is not None:
                return plain
        if isinstance(input, list):
            return [self._normalize(text, bool(with_offsets)) for text in input]
        return self._normalize(input, bool(with_offsets))

    def _normalize(self, text: Input, offsets: bool) -> Result:
        if self._handle is None and isinstance(text, (str, bytes)):
            if offsets:
                raise SentencePieceError(NOT_LOADED)
            return text[:0]
        return normalized(self._handle, text, offsets)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_handle"}
        state["model_proto"] = self.serialized_model_proto()
        return state

    def __setstate__(self, state: dict[str, Any] | bytes) -> None:
        fields = dict(state) if isinstance(state, dict) else {"model_proto": state}
        SentencePieceProcessor.__init__(self)
        self.load_from_serialized_proto(fields.pop("model_proto"))
        self.__dict__.update(fields)

    # The same under other names

    tokenize = encode
    detokenize = decode
    Encode = encode
    Tokenize = encode
    NBestEncode = nbest_encode
    ParallelEncode = parallel_encode
    Decode = decode
    Detokenize = decode
    Normalize = normalize
