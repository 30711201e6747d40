"""The names for one kind of answer each: the calls of a processor with their ``return_type``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._options import Inputs, ReturnType
from ._vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from ._options import Decodable, DecodeOptions, EncodeOptions, Extras, ParallelOptions, SampleOptions

# What a call returns depends on its `return_type`; a precise type would need many overloads.
Result = Any


class Names(Vocabulary):
    """What a processor's calls are called when the answer is in the name."""

    # The calls themselves, which the class that has these names brings.
    encode: Callable[..., Result]
    nbest_encode: Callable[..., Result]
    parallel_encode: Callable[..., Result]
    decode: Callable[..., Result]

    # The names.

    def encode_as_ids(self, input: Inputs, **kwargs: Unpack[EncodeOptions]) -> Result:
        """As :meth:`encode`, ids."""
        return self.encode(input=input, return_type=int, **kwargs)

    def encode_as_pieces(self, input: Inputs, **kwargs: Unpack[EncodeOptions]) -> Result:
        """As :meth:`encode`, pieces."""
        return self.encode(input=input, return_type=str, **kwargs)

    def encode_as_numpy(self, input: Inputs, **kwargs: Unpack[EncodeOptions]) -> Result:
        """As :meth:`encode`, an array."""
        return self.encode(input=input, return_type="numpy", **kwargs)

    def encode_as_proto(self, input: Inputs, **kwargs: Unpack[EncodeOptions]) -> Result:
        """As :meth:`encode`, a message."""
        return self.encode(input=input, return_type="proto", **kwargs)

    def encode_as_offset_mapping(self, input: Inputs, **kwargs: Unpack[EncodeOptions]) -> Result:
        """As :meth:`encode`, ids, pieces and offsets."""
        return self.encode(input=input, return_type="offset_mapping", **kwargs)

    def sample_encode_as_ids(
        self,
        input: Inputs,
        nbest_size: int | None = None,
        alpha: float | None = None,
        **kwargs: Unpack[SampleOptions],
    ) -> Result:
        """A random segmentation, ids."""
        return self._sample(input, nbest_size, alpha, int, kwargs)

    def sample_encode_as_pieces(
        self,
        input: Inputs,
        nbest_size: int | None = None,
        alpha: float | None = None,
        **kwargs: Unpack[SampleOptions],
    ) -> Result:
        """A random segmentation, pieces."""
        return self._sample(input, nbest_size, alpha, str, kwargs)

    def sample_encode_as_numpy(
        self,
        input: Inputs,
        nbest_size: int | None = None,
        alpha: float | None = None,
        **kwargs: Unpack[SampleOptions],
    ) -> Result:
        """A random segmentation, an array."""
        return self._sample(input, nbest_size, alpha, "numpy", kwargs)

    def sample_encode_as_proto(
        self,
        input: Inputs,
        nbest_size: int | None = None,
        alpha: float | None = None,
        **kwargs: Unpack[SampleOptions],
    ) -> Result:
        """A random segmentation, a message."""
        return self._sample(input, nbest_size, alpha, "proto", kwargs)

    def _sample(
        self,
        input: Inputs,
        nbest_size: int | None,
        alpha: float | None,
        kind: ReturnType,
        kwargs: SampleOptions,
    ) -> Result:
        return self.encode(
            input=input, nbest_size=nbest_size, alpha=alpha, return_type=kind, enable_sampling=True, **kwargs
        )

    def nbest_encode_as_ids(
        self, input: Inputs, nbest_size: int | None = None, **kwargs: Unpack[Extras]
    ) -> Result:
        """As :meth:`nbest_encode`, ids."""
        return self.nbest_encode(input=input, nbest_size=nbest_size, return_type=int, **kwargs)

    def nbest_encode_as_pieces(
        self, input: Inputs, nbest_size: int | None = None, **kwargs: Unpack[Extras]
    ) -> Result:
        """As :meth:`nbest_encode`, pieces."""
        return self.nbest_encode(input=input, nbest_size=nbest_size, return_type=str, **kwargs)

    def nbest_encode_as_numpy(
        self, input: Inputs, nbest_size: int | None = None, **kwargs: Unpack[Extras]
    ) -> Result:
        """As :meth:`nbest_encode`, arrays."""
        return self.nbest_encode(input=input, nbest_size=nbest_size, return_type="numpy", **kwargs)

    def nbest_encode_as_proto(
        self, input: Inputs, nbest_size: int | None = None, **kwargs: Unpack[Extras]
    ) -> Result:
        """As :meth:`nbest_encode`, a message."""
        return self.nbest_encode(input=input, nbest_size=nbest_size, return_type="proto", **kwargs)

    def parallel_encode_as_ids(self, input: Inputs, **kwargs: Unpack[ParallelOptions]) -> Result:
        """As :meth:`parallel_encode`, ids."""
        return self.parallel_encode(input=input, return_type=int, **kwargs)

    def parallel_encode_as_pieces(self, input: Inputs, **kwargs: Unpack[ParallelOptions]) -> Result:
        """As :meth:`parallel_encode`, pieces."""
        return self.parallel_encode(input=input, return_type=str, **kwargs)

    def parallel_encode_as_numpy(self, input: Inputs, **kwargs: Unpack[ParallelOptions]) -> Result:
        """As :meth:`parallel_encode`, an array."""
        return self.parallel_encode(input=input, return_type="numpy", **kwargs)

    def parallel_encode_as_proto(self, input: Inputs, **kwargs: Unpack[ParallelOptions]) -> Result:
        """As :meth:`parallel_encode`, a message."""
        return self.parallel_encode(input=input, return_type="proto", **kwargs)

    def decode_ids(
        self, input: Decodable, return_type: ReturnType | None = None, **kwargs: Unpack[DecodeOptions]
    ) -> Result:
        """As :meth:`decode`."""
        return self.decode(input=input, return_type=return_type, **kwargs)

    def decode_pieces(
        self, input: Decodable, return_type: ReturnType | None = None, **kwargs: Unpack[DecodeOptions]
    ) -> Result:
        """As :meth:`decode`."""
        return self.decode(input=input, return_type=return_type, **kwargs)

    def decode_ids_as_proto(self, input: Decodable, **kwargs: Unpack[DecodeOptions]) -> Result:
        """As :meth:`decode`, a message."""
        return self.decode(input=input, return_type="proto", **kwargs)

    def decode_pieces_as_proto(self, input: Decodable, **kwargs: Unpack[DecodeOptions]) -> Result:
        """As :meth:`decode`, a message."""
        return self.decode(input=input, return_type="proto", **kwargs)

    EncodeAsIds = encode_as_ids
    EncodeAsPieces = encode_as_pieces
    EncodeAsNumpy = encode_as_numpy
    EncodeAsProto = encode_as_proto
    EncodeAsOffsetMapping = encode_as_offset_mapping
    SampleEncodeAsIds = sample_encode_as_ids
    SampleEncodeAsPieces = sample_encode_as_pieces
    SampleEncodeAsNumpy = sample_encode_as_numpy
    SampleEncodeAsProto = sample_encode_as_proto
    NBestEncodeAsIds = nbest_encode_as_ids
    NBestEncodeAsPieces = nbest_encode_as_pieces
    NBestEncodeAsNumpy = nbest_encode_as_numpy
    NBestEncodeAsProto = nbest_encode_as_proto
    ParallelEncodeAsIds = parallel_encode_as_ids
    ParallelEncodeAsPieces = parallel_encode_as_pieces
    ParallelEncodeAsNumpy = parallel_encode_as_numpy
    ParallelEncodeAsProto = parallel_encode_as_proto
    DecodeIds = decode_ids
    DecodePieces = decode_pieces
    DecodeIdsAsProto = decode_ids_as_proto
    DecodePiecesAsProto = decode_pieces_as_proto
