"""Names for what calls of the processor take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, SupportsIndex, TypedDict

from ._texts import Input

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._threads import ThreadPool

    #: Ids, pieces, or a list of either; the ids also in an array.
    Decodable = (
        SupportsIndex
        | Input
        | Sequence[SupportsIndex]
        | Sequence[Input]
        | Sequence[Sequence[SupportsIndex]]
        | Sequence[Sequence[Input]]
        | Sequence[npt.NDArray[np.integer]]
        | npt.NDArray[np.integer]
    )
    #: Several ids.
    Ids = Sequence[SupportsIndex] | npt.NDArray[np.integer]

#: What a call gives.
ReturnType = (
    type[int] | type[str] | type[bytes] | Literal["proto", "serialized_proto", "numpy", "offset_mapping"]
)
#: One text or a list of them.
Inputs = Input | list[str] | list[bytes] | list[Input]


class Message(Protocol):
    """A message of a protocol-buffer library."""

    def SerializeToString(self) -> bytes: ...


class Extras(TypedDict, total=False):
    """What is done to the pieces of a text."""

    add_bos: bool | None
    add_eos: bool | None
    reverse: bool | None
    emit_unk_piece: bool | None


class Threads(TypedDict, total=False):
    """How many threads work on a batch."""

    num_threads: int | None
    thread_pool: ThreadPool | None


class SampleOptions(Extras, Threads, total=False):
    """What ``encode`` takes besides the options of sampling and the kind of the result."""

    return_bytes: bool | None


class EncodeOptions(SampleOptions, total=False):
    """What ``encode`` takes besides the texts and the kind of the result."""

    enable_sampling: bool | None
    nbest_size: int | None
    alpha: float | None


class ParallelOptions(Extras, Threads, total=False):
    """What ``parallel_encode`` takes besides the texts and the kind of the result."""

    chunk_len: int | None


class DecodeOptions(Threads, total=False):
    """What ``decode`` takes besides ids or pieces and the kind of the result."""

    return_bytes: bool | None


class ProcessorOptions(TypedDict, total=False):
    """What the class takes besides a model."""

    out_type: ReturnType | None
    add_bos: bool
    add_eos: bool
    reverse: bool
    emit_unk_piece: bool
    enable_sampling: bool
    nbest_size: int
    alpha: float
    num_threads: int
    return_type: ReturnType | None
