"""The same for a model in memory: a PyTorch module in the manner of the transformers library.

PyTorch is not imported: all that is needed hangs on the module's own tensors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError
from .model_config import MAPS, is_of_others, remapped
from .rows import Init, Origins, new_rows

if TYPE_CHECKING:
    from .id_map import IdMap


def resize_module(
    module: Any, id_map: IdMap, init: Init, multiple: int | None, seed: int
) -> tuple[int, Origins, tuple[str, ...]]:
    """Changes input embedding, output head and its bias; tells the old rows, the new ones, and the names."""
    table = module.get_input_embeddings()
    rows = int(table.weight.shape[0])
    origins = Origins(id_map, rows, init, multiple, seed)
    head = module.get_output_embeddings() if hasattr(module, "get_output_embeddings") else None
    bias = getattr(head, "bias", None)
    tables = {id(one): one for one in (table.weight, getattr(head, "weight", None), bias) if one is not None}
    for name, parameter in module.named_parameters():
        if id(parameter) not in tables and parameter.shape and int(parameter.shape[0]) == rows:
            raise _unclear(name, parameter, rows)
    if any(getattr(one, "is_meta", False) for one in tables.values()):
        raise ArgumentError(
            "the rows of this model are not in memory: they were offloaded, or never loaded; "
            "load it whole, or resize the saved folder"
        )
    parts = list(dict.fromkeys(module.modules())) if hasattr(module, "modules") else [table]
    parts += [part for part in (table, head) if part is not None and all(part is not one for one in parts)]
    buffers = [found for part in parts for found in _buffers(part, rows)]
    # Everything that can fail comes before the first change.
    settings = [
        change
        for where in ("config", "generation_config")
        for change in _settings(getattr(module, where, None), where, id_map, rows, origins)
    ]
    made = {key: _parameter(one, origins) for key, one in tables.items()}
    made_buffers = [(part, name, _rows(found, origins)) for part, name, found in buffers]
    tied = head is not None and head.weight is table.weight
    for part in parts:
        _put(part, made, origins.rows, id_map)
    for part, name, found in made_buffers:
        setattr(part, name, found)
    for config, name, value in settings:
        setattr(config, name, value)
    names = ["input embedding"]
    if head is not None:
        names.append("tied output head" if tied else "output head")
    if bias is not None:
        names.append("bias of the output head")
    return rows, origins, (*names, *(name for _, name, _ in buffers))


def _unclear(name: str, tensor: Any, rows: int) -> ArgumentError:
    return ArgumentError(
        f"`{name}` of shape {list(tensor.shape)} may have a row for each of the {rows} ids, and "
        "is neither the input embedding nor the output head: resize the saved folder, with `tables`"
    )


def _buffers(part: Any, rows: int) -> Iterator[tuple[Any, str, Any]]:
    """What a part of the model saves for each id, but does not learn: whose it is, its name and itself.

    What is not saved is made anew by the model.
    """
    kept = vars(part).get("_non_persistent_buffers_set", ())
    for name, found in vars(part).get("_buffers", {}).items():
        if found is None or name in kept or rows not in found.shape:
            continue
        if name != "final_logits_bias" or tuple(found.shape) not in ((rows,), (1, rows)):
            raise _unclear(name, found, rows)
        yield part, name, found


def _put(part: Any, made: dict[int, Any], rows: int, id_map: IdMap) -> None:
    """Gives a part of the model the new tables for the old ones that it holds.

    Several parts may hold the same, as the encoder and the decoder of T5 do.
    """
    held = vars(part).get("_parameters")
    if held is None:
        held = {name: getattr(part, name) for name in ("weight", "bias") if hasattr(part, name)}
    for name, old in list(held.items()):
        if id(old) not in made:
            continue
        setattr(part, name, made[id(old)])
        if name != "weight":
            continue
        for size in ("num_embeddings", "out_features"):
            if hasattr(part, size):
                setattr(part, size, rows)
        padding = getattr(part, "padding_idx", None)
        if padding is not None:
            part.padding_idx = id_map[padding] if 0 <= padding < id_map.old_size else None


def _settings(
    config: Any, where: str, id_map: IdMap, rows: int, origins: Origins
) -> Iterator[tuple[Any, str, Any]]:
    """What changes in the settings, and in the settings within them: whose it is, its name and its value."""
    if config is None:
        return
    said = {name: value for name, value in vars(config).items() if not name.startswith("_")}
    plain = {
        name: value
        for name, value in said.items()
        if isinstance(value, (int, list, type(None))) or (name in MAPS and isinstance(value, dict))
    }
    changed: dict[str, Any] = remapped(plain, id_map, rows, origins.rows, where)
    yield from ((config, name, value) for name, value in changed.items() if value != said[name])
    for name, inner in said.items():
        # Those of a part of the model, as `text_config`.
        is_part = hasattr(inner, "to_dict") and hasattr(inner, "__dict__")
        if is_part and not is_of_others(name, vars(inner).get("vocab_size"), rows):
            yield from _settings(inner, f"{where}.{name}", id_map, rows, origins)


def _parameter(weight: Any, origins: Origins) -> Any:
    """A parameter of the same kind, place and type with new rows."""
    return type(weight)(_rows(weight, origins), requires_grad=weight.requires_grad)


def _rows(weight: Any, origins: Origins) -> Any:
    """A tensor of the same place and type with new rows; a bias may lie in one row itself."""
    plain = weight.detach().cpu()
    is_row = len(plain.shape) == 2 and plain.shape[0] == 1
    columns = plain.reshape(-1, 1) if is_row else plain.reshape(plain.shape[0], -1)
    # NumPy has no numbers of 16 bits with a long exponent: those go through 32 bits, which holds them
    # exactly.
    rows = columns.double().numpy() if columns.element_size() == 8 else columns.float().numpy()
    kind = "F64" if rows.dtype == np.float64 else "F32"
    made = np.concatenate(list(new_rows(rows, kind, origins)))
    found = plain.new_tensor(made.tolist() if made.size < 1 else made)
    return found.reshape(*((1, -1) if is_row else (-1, *plain.shape[1:]))).to(weight.device)
