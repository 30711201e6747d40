"""A loaded model and its vocabulary."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from ... import _tessella
from ..._files import _read_file
from ...errors import ArgumentError, FormatError
from . import _decoding
from ._errors import PieceIndexError, SentencePieceError, as_runtime_errors
from ._messages import written

if TYPE_CHECKING:
    from ._options import Ids, Message
    from ._texts import Input

# `Any`: one value for one id or piece, a list for a list.
Result = Any

NOT_LOADED = "Model is not initialized: load one first"


class Vocabulary:
    """What a model knows about its pieces.

    Calls with plain arguments are answered by the engine alone (its ``plain_`` methods, which give ``None``
    for all others): so short a call takes longer to look through than to answer. The way behind them knows
    all arguments and all errors.
    """

    _handle: _tessella.SentencePieceHandle | None = None

    def load(self, model_file: str | None = None, model_proto: bytes | None = None) -> bool:
        """Loads a model from a file or from memory."""
        if model_file and model_proto:
            raise ArgumentError("both model_file and model_proto are given: leave one of them out")
        if model_proto:
            return self.load_from_serialized_proto(model_proto)
        if model_file:
            return self.load_from_file(model_file)
        raise ArgumentError("neither model_file nor model_proto is given: one of them must be")

    def load_from_file(self, filename: str) -> bool:
        """Loads a model from a file."""
        if not isinstance(filename, (str, bytes)):
            raise TypeError(f"filename must be str, found {type(filename).__name__}")
        with as_runtime_errors():
            content = _read_file(filename)
            try:
                self._handle = _tessella.SentencePieceHandle(content)
            except FormatError as error:
                raise FormatError(f"{error} (in {os.fsdecode(filename)})") from None
        return True

    def load_from_serialized_proto(self, serialized: bytes | Message) -> bool:
        """Loads a model from its bytes, or from a message that has them."""
        source = serialized if isinstance(serialized, bytes) else written(serialized)
        if not isinstance(source, bytes):
            raise TypeError(f"a model must be bytes, found {type(source).__name__}")
        with as_runtime_errors():
            self._handle = _tessella.SentencePieceHandle(source)
        return True

    def _model(self) -> _tessella.SentencePieceHandle:
        if self._handle is None:
            raise SentencePieceError(NOT_LOADED)
        return self._handle

    def piece_size(self) -> int:
        """How many pieces there are; 0 without a model."""
        return 0 if self._handle is None else self._handle.vocab_size()

    vocab_size = piece_size
    get_piece_size = piece_size

    @overload
    def piece_to_id(self, piece: Input) -> int: ...

    @overload
    def piece_to_id(self, piece: list[str] | list[bytes] | list[Input] | tuple[Input, ...]) -> list[int]: ...

    def piece_to_id(self, piece: object) -> int | list[int]:
        """The id of a piece, the unknown one's if it is none; for a list, each one's."""
        handle: Any = self._handle
        if handle is not None and (found := handle.plain_id(piece)) is not None:
            return found  # type: ignore[no-any-return]
        if isinstance(piece, (str, bytes, bytearray)):
            return self._id(piece)
        if isinstance(piece, (Mapping, AbstractSet)) or not _decoding.is_sequence(piece):
            raise TypeError(f"a piece must be str or bytes, found {type(piece).__name__}")
        several: Any = piece
        return [self._id(one) for one in several]

    def _id(self, piece: object) -> int:
        spelled = _decoding.piece_of(piece, "Sequence elements")
        return 0 if self._handle is None else self._handle.piece_to_id(spelled)

    def _of_ids(self, id: SupportsIndex | Ids, look: Callable[[tuple[str, float, str]], Result]) -> Result:
        def one(id: int) -> Result:
            if not _decoding.is_short(id):
                raise TypeError(_decoding.NOT_IDS)
            if self._handle is None or not 0 <= id < self.piece_size():
                raise PieceIndexError(
                    f"piece id {id} is out of range: the model has {self.piece_size()} pieces"
                )
            return look(self._handle.piece(id))

        if isinstance(id, SupportsIndex) and (not _decoding.is_sequence(id) or getattr(id, "ndim", 1) == 0):
            return one(operator.index(id))
        return [one(each) for each in _decoding.ids_of(id, self.piece_size())]

    @overload
    def id_to_piece(self, id: int) -> str: ...

    @overload
    def id_to_piece(self, id: Ids) -> list[str]: ...

    def id_to_piece(self, id: SupportsIndex | Ids) -> Result:
        """The piece of an id; for a list, each one's."""
        handle = self._handle
        if handle is not None and (found := handle.plain_piece(id)) is not None:
            return found
        return self._of_ids(id, lambda piece: piece[0])

    def get_score(self, id: SupportsIndex | Ids) -> Result:
        """The score of a piece; for a list, each one's."""
        handle = self._handle
        if handle is not None and (found := handle.plain_score(id)) is not None:
            return found
        return self._of_ids(id, lambda piece: piece[1])

    def is_unknown(self, id: SupportsIndex | Ids) -> Result:
        """Whether it is the unknown piece."""
        handle = self._handle
        if handle is not None and (found := handle.plain_unknown(id)) is not None:
            return found
        return self._of_ids(id, lambda piece: piece[2] == "unknown")

    def is_control(self, id: SupportsIndex | Ids) -> Result:
        """Whether it is a control symbol."""
        handle = self._handle
        if handle is not None and (found := handle.plain_control(id)) is not None:
            return found
        return self._of_ids(id, lambda piece: piece[2] == "control")

    def is_unused(self, id: SupportsIndex | Ids) -> Result:
        """Whether it is switched off."""
        handle = self._handle
        if handle is not None and (found := handle.plain_unused(id)) is not None:
            return found
        return self._of_ids(id, lambda piece: piece[2] == "unused")

    def is_byte(self, id: SupportsIndex | Ids) -> Result:
        """Whether it stands for a byte."""
        handle = self._handle
        if handle is not None and (found := handle.plain_byte(id)) is not None:
            return found
        return self._of_ids(id, lambda piece: piece[2] == "byte")

    def unk_id(self) -> int:
        """The unknown piece's id, or -1."""
        return -1 if (handle := self._handle) is None else handle.named_id(0)

    def bos_id(self) -> int:
        """The begin piece's id, or -1."""
        return -1 if (handle := self._handle) is None else handle.named_id(1)

    def eos_id(self) -> int:
        """The end piece's id, or -1."""
        return -1 if (handle := self._handle) is None else handle.named_id(2)

    def pad_id(self) -> int:
        """The padding piece's id, or -1."""
        return -1 if (handle := self._handle) is None else handle.named_id(3)

    def serialized_model_proto(self) -> bytes:
        """The model file's bytes."""
        return b"" if self._handle is None else self._handle.source()

    def __len__(self) -> int:
        return 0 if self._handle is None else self._handle.vocab_size()

    def __getitem__(self, piece: Input) -> int:
        return self.piece_to_id(piece)

    Load = load
    LoadFromFile = load_from_file
    LoadFromSerializedProto = load_from_serialized_proto
    GetPieceSize = piece_size
    PieceToId = piece_to_id
    IdToPiece = id_to_piece
    GetScore = get_score
    IsUnknown = is_unknown
    IsControl = is_control
    IsUnused = is_unused
    IsByte = is_byte
