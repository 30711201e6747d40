"""What a call gives, where its arguments tell: the overloads that every ``__call__`` here has.

A method keeps its own signature, which is the last overload. Nothing of this happens while a program runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast, overload

if TYPE_CHECKING:
    from typing import Concatenate

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import ParamSpec, Unpack

    from ._types import Side
    from .batch import BatchEncoding
    from .batch.calling import Batch, CallInput, EncodedColumns, PaddingKind, PlainOptions, TruncationKind

    _P = ParamSpec("_P")
    _T = TypeVar("_T")

    class Call(Protocol[_P]):
        """A call of a tokenizer that takes ``_P``."""

        @overload
        def __call__(
            self,
            text: str,
            text_pair: str | None = None,
            *,
            is_split_into_words: Literal[False] = False,
            return_overflowing_tokens: Literal[False] = False,
            return_tensors: None = None,
            **options: Unpack[PlainOptions],
        ) -> BatchEncoding[list[int]]: ...

        @overload
        def __call__(
            self,
            text: Batch,
            text_pair: Batch | None = None,
            *,
            is_split_into_words: Literal[False] = False,
            return_overflowing_tokens: bool = False,
            return_tensors: None = None,
            **options: Unpack[PlainOptions],
        ) -> BatchEncoding[list[list[int]]]: ...

        @overload
        def __call__(
            self,
            text: CallInput,
            text_pair: CallInput | None = None,
            *,
            is_split_into_words: bool = False,
            return_overflowing_tokens: bool = False,
            return_tensors: Literal["np"],
            **options: Unpack[PlainOptions],
        ) -> BatchEncoding[npt.NDArray[np.int64]]: ...

        @overload
        def __call__(self, *args: _P.args, **options: _P.kwargs) -> BatchEncoding: ...

    class Encode(Protocol[_P]):
        """The ids of a call that takes ``_P``."""

        @overload
        def __call__(
            self,
            text: str,
            text_pair: str | None = None,
            add_special_tokens: bool = True,
            padding: PaddingKind = False,
            truncation: TruncationKind | None = None,
            max_length: int | None = None,
            stride: int = 0,
            padding_side: Side | None = None,
            return_tensors: None = None,
            *,
            is_split_into_words: Literal[False] = False,
            return_overflowing_tokens: Literal[False] = False,
            **options: Unpack[EncodedColumns],
        ) -> list[int]: ...

        # `Any`: a list, a list of lists or an array of some library, as the options say.
        @overload
        def __call__(self, *args: _P.args, **options: _P.kwargs) -> Any: ...


def a_call(method: Callable[Concatenate[_T, _P], BatchEncoding]) -> Call[_P]:
    """The method as it is; type checkers see what it gives for what."""
    return cast("Call[_P]", method)


def an_encode(method: Callable[Concatenate[_T, _P], Any]) -> Encode[_P]:
    """The method as it is; type checkers see what it gives for what."""
    return cast("Encode[_P]", method)
