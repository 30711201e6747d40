"""What calling a tokenizer gives: a dict of columns that also knows where its tokens come from.

Example:
    >>> from tessella.batch import BatchEncoding
    >>> BatchEncoding({"input_ids": [[1, 2], [3, 4]]})["input_ids"]
    [[1, 2], [3, 4]]
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, overload

from .._tessella import Encoding
from ..errors import ArgumentError
from .tensors import Tensors, converter

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    #: What a column of ids or masks is: a list, a list of lists, an array.
    C = TypeVar("C", default=Any)
else:
    from typing import TypeVar

    # Defaults of type variables are for type checkers; they came with Python 3.13.
    C = TypeVar("C")


class CharSpan(NamedTuple):
    """Characters of a text, from ``start`` to before ``end``."""

    start: int
    end: int


class TokenSpan(NamedTuple):
    """Tokens of a row, from ``start`` to before ``end``."""

    start: int
    end: int


#: Columns that have a number for each token.
Numbers = Literal["input_ids", "attention_mask", "token_type_ids", "special_tokens_mask", "labels"]


# A named tuple of a tuple that has as many entries, without a look at each.
_new = tuple.__new__


# `Any`: other columns are lists of pairs, or whatever was put in.
class BatchEncoding(UserDict[str, Any], Generic[C]):
    """Columns by name (``input_ids``, ``attention_mask``, ...), also as attributes.

    An integer index gives the ``Encoding`` of a row. Look-ups take a position, or a row and a position; rows
    and positions of tokens and words may be negative and then count from the end. The end of a text is not
    known, so a negative character has no token and no word.

    Type checkers know what the columns of numbers are where the call tells: ``list[int]`` of one text,
    ``list[list[int]]`` of a list of texts, an array with ``return_tensors="np"``.

    Args:
        data: the columns.
        encoding: the rows' encodings, where the columns come from a tokenizer.
        tensor_type: make arrays of the columns; see ``convert_to_tensors``.
        prepend_batch_axis: put an axis of length 1 in front.
        n_sequences: how many sequences a row is made from.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> tokenizer = Tokenizer(models.WordLevel({"hello": 0, "world": 1, "<unk>": 2}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> batch = tokenizer(["hello", "hello world"])
        >>> batch["input_ids"], batch.input_ids == batch["input_ids"]
        ([[0], [0, 1]], True)
        >>> batch.tokens(1), batch[1].offsets
        (['hello', 'world'], [(0, 5), (6, 11)])
        >>> batch.token_to_chars(1, 1), batch.char_to_token(1, 7)
        (CharSpan(start=6, end=11), 1)
    """

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        encoding: Encoding | Sequence[Encoding] | None = None,
        tensor_type: Tensors | None = None,
        prepend_batch_axis: bool = False,
        n_sequences: int | None = None,
    ) -> None:
        self.data: dict[str, Any]
        if type(data) is dict and type(self) is BatchEncoding:
            # What follows does the same for every key by itself.
            self.data = data.copy()
        else:
            super().__init__(data)
        rows = [encoding] if isinstance(encoding, Encoding) else encoding
        self._encodings = None if rows is None else list(rows)
        if n_sequences is None and self._encodings:
            n_sequences = self._encodings[0].n_sequences
        self._n_sequences = n_sequences
        if tensor_type is not None:
            self.convert_to_tensors(tensor_type, prepend_batch_axis)

    # The dict.

    if TYPE_CHECKING:
        input_ids: C
        attention_mask: C
        token_type_ids: C
        special_tokens_mask: C
        labels: C

    @overload
    def __getitem__(self, item: Numbers) -> C: ...

    @overload
    def __getitem__(self, item: str) -> Any: ...

    @overload
    def __getitem__(self, item: int) -> Encoding: ...

    # With encodings, theirs; without, the columns of these rows.
    @overload
    def __getitem__(self, item: slice) -> Any: ...

    def __getitem__(self, item: str | int | slice) -> Any:
        if isinstance(item, str):
            return self.data[item]
        if self._encodings is not None:
            return self._encodings[item]
        if isinstance(item, slice):
            return {key: value[item] for key, value in self.data.items()}
        raise KeyError(
            f"no row {item!r}: this batch was not made by a tokenizer; index it with a str or a slice"
        )

    def __getattr__(self, name: str) -> Any:
        if name != "data" and name in self.__dict__.get("data", ()):
            return self.data[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute or column '{name}'")

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "encodings": self._encodings, "n_sequences": self._n_sequences}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.data = state["data"]
        self._encodings = state["encodings"]
        self._n_sequences = state.get("n_sequences")

    @property
    def encodings(self) -> list[Encoding] | None:
        """The encoding of each row, or ``None`` if no tokenizer made this."""
        return self._encodings

    @property
    def is_fast(self) -> bool:
        """Whether the look-ups below are there."""
        return self._encodings is not None

    @property
    def n_sequences(self) -> int | None:
        """How many sequences each row is made from: 1 or 2, ``None`` if unknown."""
        return self._n_sequences

    # Tensors.

    def convert_to_tensors(
        self, tensor_type: Tensors | None = None, prepend_batch_axis: bool = False
    ) -> BatchEncoding:
        """Makes arrays of the columns, in place.

        Args:
            tensor_type: ``"np"``, ``"pt"``, ``"jax"``, ``"tf"`` or ``"mlx"``; ``None`` leaves lists.
            prepend_batch_axis: put an axis of length 1 in front.
        """
        if tensor_type is None:
            return self
        convert = converter(tensor_type)
        for key, value in self.data.items():
            self.data[key] = convert(key, [value] if prepend_batch_axis else value)
        return self

    def to(self, device: object, *, non_blocking: bool = False) -> BatchEncoding:
        """Moves the columns that are PyTorch tensors to a device, in place.

        They stay whole numbers: a type such as ``torch.float16`` is no device.
        """
        if type(device).__name__ == "dtype":
            raise TypeError(
                f"`device` must be a device, such as 'cpu' or 'cuda:0', not the type {device}: the columns "
                "are whole numbers and stay so"
            )
        self.data = {
            key: value.to(device=device, non_blocking=non_blocking) if hasattr(value, "to") else value
            for key, value in self.data.items()
        }
        return self

    # Rows.

    def _rows(self, name: str) -> list[Encoding]:
        if not self._encodings:
            raise ArgumentError(
                f"{name}() is not available: this batch has no encodings, it is empty or was not made by a "
                "tokenizer"
            )
        return self._encodings

    def tokens(self, batch_index: int = 0) -> list[str]:
        """The tokens of a row."""
        return self._rows("tokens")[batch_index].tokens

    def word_ids(self, batch_index: int = 0) -> list[int | None]:
        """Of each token the number of its word, ``None`` for special tokens and padding."""
        return self._rows("word_ids")[batch_index].word_ids

    def sequence_ids(self, batch_index: int = 0) -> list[int | None]:
        """Of each token the sequence (0 or 1) that it is from, ``None`` for special tokens and padding."""
        return self._rows("sequence_ids")[batch_index].sequence_ids

    # Positions. Look-ups are made for every token of many texts, so each goes straight to its row; whether
    # there is one is asked if that fails.

    def _row(self, name: str, row: int) -> Encoding:
        rows = self._rows(name)
        if not -len(rows) <= row < len(rows):
            raise IndexError(f"{name}(): there is no row {row} among {len(rows)}")
        return rows[row]

    def token_to_sequence(self, batch_or_token_index: int, token_index: int | None = None) -> int | None:
        """The sequence (0 or 1) that a token is from."""
        row, token = (0, batch_or_token_index) if token_index is None else (batch_or_token_index, token_index)
        try:
            of = self._encodings[row]  # type: ignore[index]
        except (IndexError, TypeError):
            of = self._row("token_to_sequence", row)
        if token < 0:
            token += len(of)
        return of.token_to_sequence(token) if token >= 0 else None

    def token_to_word(self, batch_or_token_index: int, token_index: int | None = None) -> int | None:
        """The number of a token's word."""
        row, token = (0, batch_or_token_index) if token_index is None else (batch_or_token_index, token_index)
        try:
            of = self._encodings[row]  # type: ignore[index]
        except (IndexError, TypeError):
            of = self._row("token_to_word", row)
        if token < 0:
            token += len(of)
        return of.token_to_word(token) if token >= 0 else None

    def token_to_chars(self, batch_or_token_index: int, token_index: int | None = None) -> CharSpan | None:
        """The characters that a token stands for."""
        row, token = (0, batch_or_token_index) if token_index is None else (batch_or_token_index, token_index)
        try:
            of = self._encodings[row]  # type: ignore[index]
        except (IndexError, TypeError):
            of = self._row("token_to_chars", row)
        if token < 0:
            token += len(of)
        found = of.token_to_chars(token) if token >= 0 else None
        return None if found is None else _new(CharSpan, found)

    def word_to_tokens(
        self, batch_or_word_index: int, word_index: int | None = None, sequence_index: int = 0
    ) -> TokenSpan | None:
        """The tokens of a word."""
        row, word = (0, batch_or_word_index) if word_index is None else (batch_or_word_index, word_index)
        try:
            of = self._encodings[row]  # type: ignore[index]
        except (IndexError, TypeError):
            of = self._row("word_to_tokens", row)
        if word < 0:
            word = _from_end(of, word, sequence_index)
        found = of.word_to_tokens(word, sequence_index) if word >= 0 else None
        return None if found is None else _new(TokenSpan, found)

    def word_to_chars(
        self, batch_or_word_index: int, word_index: int | None = None, sequence_index: int = 0
    ) -> CharSpan | None:
        """The characters of a word."""
        row, word = (0, batch_or_word_index) if word_index is None else (batch_or_word_index, word_index)
        try:
            of = self._encodings[row]  # type: ignore[index]
        except (IndexError, TypeError):
            of = self._row("word_to_chars", row)
        if word < 0:
            word = _from_end(of, word, sequence_index)
        found = of.word_to_chars(word, sequence_index) if word >= 0 else None
        return None if found is None else _new(CharSpan, found)

    def char_to_token(
        self, batch_or_char_index: int, char_index: int | None = None, sequence_index: int = 0
    ) -> int | None:
        """The token that holds a character; ``None`` where none does, at blanks for example."""
        row, char = (0, batch_or_char_index) if char_index is None else (batch_or_char_index, char_index)
        try:
            of = self._encodings[row]  # type: ignore[index]
        except (IndexError, TypeError):
            of = self._row("char_to_token", row)
        return None if char < 0 else of.char_to_token(char, sequence_index)

    def char_to_word(
        self, batch_or_char_index: int, char_index: int | None = None, sequence_index: int = 0
    ) -> int | None:
        """The number of the word that holds a character."""
        row, char = (0, batch_or_char_index) if char_index is None else (batch_or_char_index, char_index)
        try:
            of = self._encodings[row]  # type: ignore[index]
        except (IndexError, TypeError):
            of = self._row("char_to_word", row)
        return None if char < 0 else of.char_to_word(char, sequence_index)


def _from_end(row: Encoding, word: int, sequence: int) -> int:
    """Words counted from the end of their sequence."""
    words = [
        number
        for number, of in zip(row.word_ids, row.sequence_ids, strict=True)
        if number is not None and of == sequence
    ]
    return word + max(words, default=-1) + 1
