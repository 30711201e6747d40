"""The same for a model in memory: a PyTorch module in the manner of the transformers library.

PyTorch is not imported: all that is needed hangs on the module's own tensors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError
from .model_config import MAPS, remapped
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
    weights = {id(table.weight)} | ({id(head.weight)} if head is not None else set())
    bias = getattr(head, "bias", None)
    weights |= {id(bias)} if bias is not None else set()
    for name, parameter in module.named_parameters():
        if id(parameter) not in weights and parameter.shape and int(parameter.shape[0]) == rows:
            raise ArgumentError(
                f"`{name}` of shape {list(parameter.shape)} may have a row for each of the {rows} ids, and "
                "is neither the input embedding nor the output head: resize the saved folder, with `tables`"
            )
    # Everything that can fail comes before the first change.
    settings = [
        change
        for where in ("config", "generation_config")
        for change in _settings(getattr(module, where, None), where, id_map, rows, origins)
    ]
    tied = head is not None and head.weight is table.weight
    made = _parameter(table.weight, origins)
    made_head = None if head is None or tied else _parameter(head.weight, origins)
    made_bias = None if bias is None else _parameter(bias, origins)
    table.weight = made
    names = ["input embedding"]
    if hasattr(table, "num_embeddings"):
        table.num_embeddings = origins.rows
    padding = getattr(table, "padding_idx", None)
    if padding is not None:
        table.padding_idx = id_map[padding] if 0 <= padding < id_map.old_size else None
    if head is not None:
        head.weight = made if tied else made_head
        if hasattr(head, "out_features"):
            head.out_features = origins.rows
        names.append("tied output head" if tied else "output head")
        if made_bias is not None:
            head.bias = made_bias
            names.append("bias of the output head")
    for config, name, value in settings:
        setattr(config, name, value)
    return rows, origins, tuple(names)


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
        if hasattr(inner, "to_dict") and hasattr(inner, "__dict__"):
            yield from _settings(inner, f"{where}.{name}", id_map, rows, origins)


def _parameter(weight: Any, origins: Origins) -> Any:
    """A parameter of the same kind, place and type with new rows."""
    plain = weight.detach().cpu()
    columns = plain.reshape(plain.shape[0], -1)
    # NumPy has no numbers of 16 bits with a long exponent: those go through 32 bits, which holds them
    # exactly.
    rows = columns.double().numpy() if columns.element_size() == 8 else columns.float().numpy()
    kind = "F64" if rows.dtype == np.float64 else "F32"
    made = np.concatenate(list(new_rows(rows, kind, origins)))
    found = plain.new_tensor(made.tolist() if made.size < 1 else made).reshape(-1, *plain.shape[1:])
    return type(weight)(found.to(weight.device), requires_grad=weight.requires_grad)
