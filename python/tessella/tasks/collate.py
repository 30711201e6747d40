"""Batches for training: padding, labels, masks.

Examples are dictionaries of lists, ``input_ids`` among them. Everything that has a length is padded, not the
ids alone. The arrays are NumPy's; ``torch.from_numpy`` makes tensors of them without a copy.

Example:
    >>> from tessella.tasks import TokenLabelCollator
    >>> collate = TokenLabelCollator(pad_id=0)
    >>> batch = collate([{"input_ids": [5, 6], "labels": [1, 2]}, {"input_ids": [7], "labels": [3]}])
    >>> batch["input_ids"].tolist(), batch["labels"].tolist(), batch["attention_mask"].tolist()
    ([[5, 6], [7, 0]], [[1, 2], [3, -100]], [[1, 1], [1, 0]])
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import Encoding
from .._given import whole
from ..errors import ArgumentError
from .labels import IGNORED

Example = Mapping[str, Any]
Batch = dict[str, npt.NDArray[Any]]

#: What pads each column, except ``input_ids``. Other columns are padded with 0.
_FILL = {"labels": IGNORED, "special_tokens_mask": 1}


def example_of(encoding: Encoding, labels: Sequence[int] | None = None) -> dict[str, list[int]]:
    """What a collator needs of an encoding.

    Example:
        >>> from tessella import Encoding
        >>> list(example_of(Encoding()))
        ['input_ids', 'attention_mask', 'token_type_ids', 'special_tokens_mask']
    """
    example = {
        "input_ids": encoding.ids,
        "attention_mask": encoding.attention_mask,
        "token_type_ids": encoding.type_ids,
        "special_tokens_mask": encoding.special_tokens_mask,
    }
    if labels is not None:
        if len(labels) != len(encoding.ids):
            raise ArgumentError(f"there are {len(encoding.ids)} tokens, but {len(labels)} labels")
        example["labels"] = list(labels)
    return example


def pad_batch(
    examples: Iterable[Example],
    pad_id: int,
    *,
    multiple_of: int = 1,
    length: int | None = None,
    side: Literal["right", "left"] = "right",
    fill: Mapping[str, int] | None = None,
) -> Batch:
    """Examples of different lengths as arrays.

    Columns of whole numbers become arrays of 64-bit integers, others of 32-bit floats.

    Args:
        examples: dictionaries of lists; each list of an example is as long as its ``input_ids``.
        pad_id: what pads ``input_ids``.
        multiple_of: the length of the batch is a multiple of this.
        length: the length of the batch at least; without it the longest example decides.
        side: where padding goes.
        fill: what pads other columns; by default -100 for ``labels``, 1 for ``special_tokens_mask``, else 0.

    Example:
        >>> batch = pad_batch([{"input_ids": [5, 6, 7]}, {"input_ids": [8]}], pad_id=0)
        >>> {name: column.tolist() for name, column in batch.items()}
        {'input_ids': [[5, 6, 7], [8, 0, 0]], 'attention_mask': [[1, 1, 1], [1, 0, 0]]}
    """
    rows = [_row(number, example) for number, example in enumerate(_listed(examples))]
    if not rows:
        raise ArgumentError("there are no examples to make a batch of")
    if side not in ("right", "left"):
        raise ArgumentError(f"`side` is {side!r}; it must be 'right' or 'left'")
    multiple_of, pad_id = whole("multiple_of", multiple_of, 1), whole("pad_id", pad_id)
    least = 0 if length is None else whole("length", length, 0)
    for number, row in enumerate(rows):
        if "input_ids" not in row:
            raise ArgumentError(f"example {number} has no `input_ids`, only {', '.join(row) or 'nothing'}")
        row.setdefault("attention_mask", [1] * len(row["input_ids"]))
        if row.keys() != rows[0].keys():
            raise ArgumentError(f"example {number} has other columns than example 0: {', '.join(row)}")
    width = max(least, *(len(row["input_ids"]) for row in rows))
    width = -(-width // multiple_of) * multiple_of
    values = {**_FILL, **(fill or {}), "input_ids": pad_id}
    batch: Batch = {}
    for name in rows[0]:
        columns = [_numbers(name, number, row) for number, row in enumerate(rows)]
        # What is not whole stays what it is: soft labels and weights of tokens, for example.
        is_whole = all(column.dtype.kind != "f" for column in columns)
        array = np.full((len(rows), width), values.get(name, 0), dtype=np.int64 if is_whole else np.float32)
        for number, column in enumerate(columns):
            # -0 would be the start.
            array[number, width - column.size if side == "left" else 0 :][: column.size] = column
        batch[name] = array
    return batch


def _listed(examples: Iterable[Example]) -> Iterable[Example]:
    if isinstance(examples, Mapping):
        raise TypeError("`examples` must be a list of dictionaries, one for each text, not one dictionary")
    return examples


def _row(number: int, example: Example) -> dict[str, Any]:
    if not isinstance(example, Mapping):
        raise TypeError(
            f"example {number} must be a dictionary of lists, such as {{'input_ids': [5, 6]}}, not "
            f"{type(example).__name__}"
        )
    return dict(example)


def _numbers(name: str, number: int, row: Example) -> npt.NDArray[Any]:
    """A column of one example, with a number for each token."""
    found = np.asarray(row[name])
    size = len(row["input_ids"])
    if found.ndim == 1 and found.size == 0:
        found = found.astype(np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iubf":
        raise ArgumentError(
            f"`{name}` of example {number} must hold one number for each token, found {row[name]!r:.60}; "
            "leave other columns out"
        )
    if found.size != size:
        raise ArgumentError(f"`{name}` of example {number} has {found.size} values for {size} tokens")
    return found


class TokenLabelCollator:
    """Batches for token classification: ids, masks and labels padded alike.

    Args:
        pad_id: what pads ``input_ids``.
        label_fill: what pads ``labels``.
        multiple_of, length, side: as for ``pad_batch``.
    """

    def __init__(
        self,
        pad_id: int,
        *,
        label_fill: int = IGNORED,
        multiple_of: int = 1,
        length: int | None = None,
        side: Literal["right", "left"] = "right",
    ) -> None:
        # A token that a tokenizer does not have is None, and arrays take that, too.
        self.pad_id = whole("pad_id", pad_id)
        self.label_fill = whole("label_fill", label_fill)
        self.multiple_of = whole("multiple_of", multiple_of, 1)
        self.length = None if length is None else whole("length", length, 0)
        self.side: Literal["right", "left"] = side

    def __call__(self, examples: Iterable[Example]) -> Batch:
        """One batch."""
        return pad_batch(
            examples,
            self.pad_id,
            multiple_of=self.multiple_of,
            length=self.length,
            side=self.side,
            fill={"labels": self.label_fill},
        )


class CausalCollator(TokenLabelCollator):
    """Batches for predicting the next token: labels are the ids, with padding left out.

    Models shift the labels themselves. A token that happens to have the id of padding keeps its label: the
    attention mask tells what is padding.

    Example:
        >>> batch = CausalCollator(pad_id=0)([{"input_ids": [4, 5]}, {"input_ids": [0]}])
        >>> batch["labels"].tolist()
        [[4, 5], [0, -100]]
    """

    def __call__(self, examples: Iterable[Example]) -> Batch:
        """One batch."""
        rows = [_row(number, example) for number, example in enumerate(_listed(examples))]
        rows = [{**row, "labels": row["input_ids"]} if "input_ids" in row else row for row in rows]
        batch = super().__call__(rows)
        # A tokenizer may have padded them already.
        batch["labels"][batch["attention_mask"] == 0] = self.label_fill
        return batch


class MaskedCollator(TokenLabelCollator):
    """Batches for predicting masked tokens.

    Of the tokens that are not special, a share is chosen at random. Of those, eight in ten become the mask,
    one in ten a random token, and one in ten stays; labels are the ids of the chosen ones and -100 elsewhere.

    Args:
        pad_id: what pads ``input_ids``.
        mask_id: the mask.
        vocab_size: random tokens have ids below this.
        probability: the share that is chosen.
        mask_share: of the chosen, the share that becomes the mask.
        random_share: of the chosen, the share that becomes a random token.
        special_ids: ids that are never chosen, beside those that ``special_tokens_mask`` marks.
        seed: the same seed gives the same batches in the same order. In the workers of a ``DataLoader``,
            torch's seed of the worker takes part, so that each worker and each epoch chooses other tokens;
            ``torch.manual_seed`` repeats them.
        label_fill, multiple_of, length, side: as for ``TokenLabelCollator``.

    Example:
        >>> collate = MaskedCollator(pad_id=0, mask_id=1, vocab_size=100, probability=1.0, random_share=0.0,
        ...                          mask_share=1.0)
        >>> batch = collate([{"input_ids": [7, 8, 9], "special_tokens_mask": [1, 0, 0]}])
        >>> batch["input_ids"].tolist(), batch["labels"].tolist()
        ([[7, 1, 1]], [[-100, 8, 9]])
    """

    def __init__(
        self,
        pad_id: int,
        mask_id: int,
        vocab_size: int,
        *,
        probability: float = 0.15,
        mask_share: float = 0.8,
        random_share: float = 0.1,
        special_ids: Iterable[int] = (),
        seed: int | None = None,
        label_fill: int = IGNORED,
        multiple_of: int = 1,
        length: int | None = None,
        side: Literal["right", "left"] = "right",
    ) -> None:
        super().__init__(pad_id, label_fill=label_fill, multiple_of=multiple_of, length=length, side=side)
        for name, share in (
            ("probability", probability),
            ("mask_share", mask_share),
            ("random_share", random_share),
            ("mask_share + random_share", mask_share + random_share),
        ):
            if not 0.0 <= share <= 1.0:
                raise ArgumentError(f"`{name}` is {share}; it must be between 0 and 1")
        self.mask_id = whole("mask_id", mask_id, 0)
        self.vocab_size = whole("vocab_size", vocab_size, 1)
        self.probability = probability
        self.mask_share = mask_share
        self.random_share = random_share
        self.special_ids: list[int] = [whole("special_ids", id) for id in special_ids]
        self._seed = None if seed is None else whole("seed", seed, 0)
        self._random = np.random.default_rng(self._seed)
        self._process: int | None = os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        # Without the process: who remembers results by the bytes of what made them finds them in the next.
        return {**vars(self), "_process": None}

    def _draw_anew(self) -> None:
        """In a process that was forked, or got a copy: else all would choose the same, epoch after epoch."""
        self._process = os.getpid()
        data: Any = sys.modules.get("torch.utils.data")
        worker = None if data is None else data.get_worker_info()
        if worker is not None:
            self._random = np.random.default_rng([worker.seed, *([] if self._seed is None else [self._seed])])
        elif self._seed is None:
            self._random = np.random.default_rng()

    def __call__(self, examples: Iterable[Example]) -> Batch:
        """One batch."""
        if os.getpid() != self._process:
            self._draw_anew()
        batch = super().__call__(examples)
        ids = batch["input_ids"]
        special = batch.pop("special_tokens_mask", np.zeros_like(ids)).astype(bool)
        special |= (batch["attention_mask"] == 0) | np.isin(ids, self.special_ids)
        chosen = (self._random.random(ids.shape) < self.probability) & ~special
        batch["labels"] = np.where(chosen, ids, self.label_fill)
        fate = self._random.random(ids.shape)
        drawn = self._random.integers(0, self.vocab_size, ids.shape)
        changed = np.where(fate < self.mask_share, self.mask_id, ids)
        replaced = (fate >= self.mask_share) & (fate < self.mask_share + self.random_share)
        changed = np.where(replaced, drawn, changed)
        batch["input_ids"] = np.where(chosen, changed, ids)
        return batch
