"""Padding rows that are encoded already, as data collators do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._tessella import copy_of_numbers
from ..errors import ArgumentError
from .encoding import BatchEncoding

if TYPE_CHECKING:
    from .._types import Side
    from .tensors import Tensors
    from .tokenizer import PretrainedTokenizer


#: Columns, or a list of rows with a column each. What is in them is looked at when they are padded.
Encoded = Mapping[str, object] | Sequence[Mapping[str, object]]
#: The label that losses ignore.
IGNORED = -100


def _plain(value: Any) -> Any:
    """Lists of numbers, whatever made them; lists are copied."""
    if type(value) is list and (copy := copy_of_numbers(value)) is not None:
        return copy
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) and value else value


def _kind(value: Any) -> Tensors | None:
    """The kind of array that the caller handed in, so that the result is of the same kind."""
    while isinstance(value, (list, tuple)) and len(value):
        value = value[0]
    if not hasattr(value, "tolist"):
        return None
    package = type(value).__module__.partition(".")[0]
    kinds: dict[str, Tensors] = {"torch": "pt", "numpy": "np", "jax": "jax", "jaxlib": "jax", "mlx": "mlx"}
    return kinds.get(package)


def _columns(encoded: Encoded) -> dict[str, Any]:
    if isinstance(encoded, Mapping):
        return dict(encoded)
    rows = list(encoded)
    if rows and not isinstance(rows[0], Mapping):
        raise ArgumentError(
            f"`encoded_inputs` must be a dict or a list of dicts, not a list of {type(rows[0]).__name__}"
        )
    first = rows[0].keys() if rows else ()
    for place, row in enumerate(rows):
        if row.keys() != first:
            odd = sorted(set(row.keys()) ^ set(first))
            raise ArgumentError(
                f"row {place} of `encoded_inputs` differs from row 0 in its keys: {', '.join(odd)}"
            )
    return {key: [row[key] for row in rows] for key in first}


def pad(
    tokenizer: PretrainedTokenizer,
    encoded: Encoded,
    strategy: str,
    max_length: int | None,
    pad_to_multiple_of: int | None,
    padding_side: Side | None,
    return_attention_mask: bool | None,
    return_tensors: Tensors | None,
) -> BatchEncoding:
    """See ``PretrainedTokenizer.pad``."""
    columns = _columns(encoded)
    main = tokenizer.model_input_names[0]
    if main not in columns:
        raise ArgumentError(
            f"You should supply an encoding or a list of encodings to this method that includes {main}, but "
            f"you provided {list(columns)}"
        )
    if return_tensors is None:
        return_tensors = _kind(columns[main])
    columns = {key: _plain(value) for key, value in columns.items()}
    if return_attention_mask is None:
        return_attention_mask = "attention_mask" in tokenizer.model_input_names
    ids = columns[main]
    if ids is None or len(ids) == 0:
        if return_attention_mask:
            columns["attention_mask"] = []
        return BatchEncoding(columns)
    single = not isinstance(ids[0], list)
    for place, row in enumerate(ids):
        if not isinstance(row, int if single else list) or isinstance(row, bool):
            what = "an id" if single else "a list of ids"
            kind = type(row).__name__
            raise TypeError(f"`{main}[{place}]` must be {what}, not {kind} {row!r:.60}")
    if single:
        columns = {key: [value] for key, value in columns.items()}
        ids = columns[main]
    for key, value in columns.items():
        if not isinstance(value, list) or len(value) != len(ids):
            raise ArgumentError(f"`{key}` has not as many rows as `{main}`, which has {len(ids)}")
    if return_attention_mask and "attention_mask" not in columns:
        columns["attention_mask"] = [[1] * len(row) for row in ids]
    if strategy != "do_not_pad":
        length = max(map(len, ids)) if strategy == "longest" else max_length
        assert length is not None
        if pad_to_multiple_of:
            length = -(-length // pad_to_multiple_of) * pad_to_multiple_of
        settings = tokenizer._pad_settings(padding_side)
        # What a padded place holds in each of the columns that have one entry for each token.
        fillers = {
            main: settings["pad_id"],
            "attention_mask": 0,
            "token_type_ids": settings["pad_type_id"],
            "special_tokens_mask": 1,
            "offset_mapping": (0, 0),
            "labels": IGNORED,
            "assistant_masks": 0,
        }
        left = settings["direction"] == "left"
        lengths = [len(row) for row in ids]
        for key, filler in fillers.items():
            rows = columns.get(key)
            if rows is None or any(
                not isinstance(row, list) or len(row) != wanted
                for row, wanted in zip(rows, lengths, strict=True)
            ):
                continue
            columns[key] = [
                [filler] * (length - len(row)) + row if left else row + [filler] * (length - len(row))
                for row in rows
            ]
    if single:
        columns = {key: value[0] for key, value in columns.items()}
    return BatchEncoding(columns, None, return_tensors)
