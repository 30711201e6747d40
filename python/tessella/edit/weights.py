"""A model's tables of rows, brought along when its tokenizer changes.

Every table that has a row for each id is rewritten: the input embedding, the output head, tied or not, and
biases. All else is copied byte for byte, in portions, so that the size of a model does not matter. New files
are written beside the old ones and take their places together when all are whole.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import IO, Any

import numpy as np

from .._files import _made_folder, _replacing_together, _to_disk
from .._given import check_list
from ..errors import ArgumentError, FormatError, UnsupportedError
from .id_map import IdMap
from .model_config import remapped, vocabulary_size
from .module import resize_module
from .rows import Init, Origins, new_rows
from .safetensors import SIZES, Header, Tensor, byte_size, header_bytes, read_header

#: What tables are called: input embeddings, output heads, and biases of these.
TABLES = re.compile(
    r"(^|\.)(embed_tokens|wte|word_embeddings|shared|tok_embeddings|embed_in|embeddings?|token_embedding|tokens_embed"
    r"|word_embedding|lm_head|embed_out|output|decoder|predictions|generator_lm_head|proj_out|final_logits_bias|head)"
    r"(\.weight|\.bias)?$"
)
_INDEX = "model.safetensors.index.json"
_CHUNK = 1 << 24
#: How the bytes of a number are read where they are only copied.
_BYTES = {1: "u1", 2: "<u2", 4: "<u4", 8: "<u8"}
_STORED = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2"}


@dataclass(frozen=True)
class Resized:
    """What was done to a model."""

    #: Rows of each table before and after.
    rows_before: int
    rows_after: int
    #: Rows that were taken over, and rows that were made.
    copied: int
    made: int
    #: The tables, by their names.
    tables: tuple[str, ...]
    #: Files that were written.
    files: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return (
            f"{self.rows_before:,} -> {self.rows_after:,} rows ({self.copied:,} copied, {self.made:,} made) "
            f"of {', '.join(self.tables)}"
        )


def resize_embeddings(
    model: Any,
    id_map: IdMap,
    init: Init = "fvt",
    *,
    out: str | os.PathLike[str] | None = None,
    pad_to_multiple_of: int | None = None,
    tables: Iterable[str] | None = None,
    seed: int = 0,
) -> Resized:
    """Brings the rows of a model along with its tokenizer.

    Args:
        model: a folder with ``config.json`` and safetensors files, sharded or not, or a PyTorch module with
            ``get_input_embeddings``, as those of the transformers library; a module is changed in place.
        id_map: what became of the ids.
        init: how rows of new ids begin: the mean of the rows of their constituents (``"fvt"``), the mean of
            all rows (``"mean"``), or at random with the mean and spread of each column (``"random"``).
        out: the folder for the result; all other files of ``model`` are copied to it. Without it, files are
            replaced where they are, all together when they are complete.
        pad_to_multiple_of: add rows at the end that stand for no token. Padding that the model had is
            dropped otherwise.
        tables: the names of all tensors that have a row for each id, where they have names that are not
            known.
        seed: for ``"random"``. Tables of the same content get the same rows.

    Rows of kept ids are copied bit for bit, so that a model computes for them what it did. ``config.json``
    and ``generation_config.json`` get the new number of rows and new ids.

    Example:
        >>> import json, os, tempfile
        >>> import numpy as np
        >>> from tessella.edit import IdMap, resize_embeddings, safetensors
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(os.path.join(folder, "config.json"), "w") as file:
        ...         json.dump({"vocab_size": 3, "eos_token_id": 2}, file)
        ...     path = os.path.join(folder, "model.safetensors")
        ...     with open(path, "wb") as file:
        ...         rows = np.array([[0, 0], [1, 1], [2, 2]], np.float32)
        ...         safetensors.save(file, {"model.embed_tokens.weight": rows}, {})
        ...     id_map = IdMap([0, None, 1], removed={1: [0]}, new={2: [1, 2]})
        ...     print(resize_embeddings(folder, id_map))
        ...     safetensors.load(path)[0]["model.embed_tokens.weight"].tolist()
        3 -> 3 rows (2 copied, 1 made) of model.embed_tokens.weight
        [[0.0, 0.0], [2.0, 2.0], [1.5, 1.5]]
    """
    if not isinstance(id_map, IdMap):
        raise TypeError(f"`id_map` must be an IdMap, not {type(id_map).__name__}")
    if hasattr(model, "get_input_embeddings"):
        if out is not None or tables is not None:
            raise ArgumentError("`out` and `tables` are for folders; a module is changed in place")
        before, origins, names = resize_module(model, id_map, init, pad_to_multiple_of, seed)
        return Resized(before, origins.rows, origins.copied, origins.made, names)
    if not isinstance(model, (str, os.PathLike)):
        raise TypeError(
            f"`model` must be a folder of a model, a safetensors file or a torch module, not "
            f"{type(model).__name__}"
        )
    plan = _planned(os.fspath(model), id_map, init, out, pad_to_multiple_of, tables, seed)
    with _resizing(plan) as done:
        return done


@dataclass(frozen=True)
class _Plan:
    """What becomes of a model's folder, before any of it is written."""

    folder: str
    target: str
    headers: dict[str, Header]
    #: The tensors that have a row for each id.
    chosen: dict[str, Tensor]
    rows: int
    origins: Origins
    #: Files that are known whole, and those whose tensors are changed.
    content: dict[str, bytes]
    shards: list[str]

    @property
    def written(self) -> list[str]:
        return [*self.shards, *self.content]


def resizing(
    folder: str, id_map: IdMap, init: Init = "fvt", out: str | os.PathLike[str] | None = None
) -> AbstractContextManager[Resized]:
    """What ``resize_embeddings`` does: written when the block begins, in its place when that ends well.

    What cannot be done is raised by this call, before anything is written.
    """
    return _resizing(_planned(folder, id_map, init, out, None, None, 0))


def _planned(
    folder: str,
    id_map: IdMap,
    init: Init,
    out: str | os.PathLike[str] | None,
    multiple: int | None,
    tables: Iterable[str] | None,
    seed: int,
) -> _Plan:
    check_list("tables", tables, "names of tensors")
    headers = _headers(folder)
    configs = {
        name: said
        for name in ("config.json", "generation_config.json")
        if (said := _json(os.path.join(folder, name))) is not None
    }
    rows = _rows(folder, configs.get("config.json"), headers)
    origins = Origins(id_map, rows, init, multiple, seed)
    chosen = _tables(headers, rows, None if tables is None else set(tables))
    target = folder if out is None else os.fspath(out)
    if out is not None and os.path.exists(target) and os.path.samefile(folder, target):
        raise ArgumentError(
            "`out` is the model's folder itself: leave it out to replace files where they are"
        )
    content: dict[str, bytes] = {
        name: _dumped(remapped(said, id_map, rows, origins.rows, name)) for name, said in configs.items()
    }
    index = _json(os.path.join(folder, _INDEX))
    if index is not None:
        content[_INDEX] = _dumped(_index(index, headers, chosen, origins))
    shards = [name for name in headers if set(chosen) & headers[name].tensors.keys()]
    plan = _Plan(folder, target, headers, chosen, rows, origins, content, shards)
    if out is None:
        _refuse_links(folder, plan.written)
    return plan


@contextmanager
def _resizing(plan: _Plan) -> Iterator[Resized]:
    folder, target, origins = plan.folder, plan.target, plan.origins
    is_copy = target != folder
    with ExitStack() as stack:
        if is_copy:
            stack.enter_context(_made_folder(target))
        paths = (os.path.join(target, name) for name in plan.written)
        files = stack.enter_context(_replacing_together(*paths))
        for name, file in zip(plan.written, files, strict=True):
            if name in plan.content:
                file.write(plan.content[name])
            else:
                _write_shard(os.path.join(folder, name), plan.headers[name], plan.chosen, origins, file)
        if is_copy:
            _copy_others(folder, target, set(plan.written))
        _to_disk(*files)
        names = tuple(sorted(plan.chosen))
        yield Resized(plan.rows, origins.rows, origins.copied, origins.made, names, tuple(plan.written))


def _refuse_links(folder: str, names: Iterable[str]) -> None:
    """Models from a hub are links to files that others may read too, and that are named by their content."""
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            raise ArgumentError(
                f"{path} is a link to {os.path.realpath(path)}, which would be another model for all who "
                "read it: pass `out`, the folder for the result"
            )


def _headers(folder: str) -> dict[str, Header]:
    """The model's files with what they hold."""
    if not os.path.isdir(folder):
        raise ArgumentError(f"{folder} is no folder: give the folder of a model, or a module")
    index = _json(os.path.join(folder, _INDEX))
    if index is not None:
        weight_map = index.get("weight_map")
        if not isinstance(weight_map, dict):
            raise FormatError(f"{os.path.join(folder, _INDEX)} must have an object `weight_map`")
        for name in weight_map.values():
            # A name that leads elsewhere would be read, and written to.
            if not isinstance(name, str) or name != os.path.basename(name) or name in ("", ".", ".."):
                raise FormatError(
                    f"{os.path.join(folder, _INDEX)} names {name!r}, which is no file beside it"
                )
        names = sorted(set(weight_map.values()))
        headers = {name: read_header(os.path.join(folder, name)) for name in names}
        for tensor, name in weight_map.items():
            if tensor not in headers[name].tensors:
                raise FormatError(
                    f"{os.path.join(folder, _INDEX)} puts `{tensor}` into {name}, which has it not"
                )
        return headers
    names = sorted(name for name in os.listdir(folder) if name.endswith(".safetensors"))
    if "model.safetensors" in names:
        names = ["model.safetensors"]
    if len(names) != 1:
        other = [
            name for name in os.listdir(folder) if name.endswith((".bin", ".pt", ".pth", ".h5", ".gguf"))
        ]
        found = f"; it has {', '.join(sorted(other))}, which hold weights in other formats" if other else ""
        which = f"{len(names)} safetensors files and no {_INDEX}" if names else "no safetensors file"
        raise UnsupportedError(f"{folder} has {which}{found}")
    return {names[0]: read_header(os.path.join(folder, names[0]))}


def _json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise FormatError(f"{path} must hold a JSON object")
    return said


def _dumped(said: Any) -> bytes:
    return (json.dumps(said, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def _rows(folder: str, config: dict[str, Any] | None, headers: Mapping[str, Header]) -> int:
    """How many rows the tables have."""
    told = None if config is None else vocabulary_size(config)
    if told is not None:
        return told
    found = {
        tensor.shape[0]
        for header in headers.values()
        for name, tensor in header.tensors.items()
        if TABLES.search(name) and name.endswith(".weight") and len(tensor.shape) == 2
    }
    if len(found) != 1:
        raise FormatError(f"{folder} has no config.json with `vocab_size`, and its tensors do not tell it")
    return found.pop()


def _tables(headers: Mapping[str, Header], rows: int, named: set[str] | None) -> dict[str, Tensor]:
    """The tensors that have a row for each id.

    One that might, under a name that is not known, is an error.
    """
    every = {name: tensor for header in headers.values() for name, tensor in header.tensors.items()}
    if named is not None:
        if missing := named - every.keys():
            raise ArgumentError(f"there is no tensor `{min(missing)}` in the model")
        if wrong := [name for name in named if not _fits(every[name], rows)]:
            raise ArgumentError(f"`{wrong[0]}` has the shape {list(every[wrong[0]].shape)}, not {rows} rows")
        return {name: every[name] for name in named}
    chosen = {name: tensor for name, tensor in every.items() if TABLES.search(name) and _fits(tensor, rows)}
    unclear = [name for name, tensor in every.items() if rows in tensor.shape and name not in chosen]
    if unclear:
        tensor = every[unclear[0]]
        raise ArgumentError(
            f"`{unclear[0]}` of shape {list(tensor.shape)} may have a row for each of the {rows} ids, and "
            "has a name that is not known: pass `tables` with the names of all such tensors; certain are "
            f"{sorted(chosen)}"
        )
    for name, tensor in chosen.items():
        if tensor.dtype not in SIZES:
            raise UnsupportedError(f"`{name}` has numbers of type {tensor.dtype}, which share bytes")
    if not any(len(tensor.shape) == 2 and tensor.shape[0] == rows for tensor in chosen.values()):
        raise ArgumentError(f"the model has no embedding of {rows} rows, as its settings say")
    return chosen


def _fits(tensor: Tensor, rows: int) -> bool:
    return tensor.shape[:1] == (rows,) or tensor.shape == (1, rows)


def _shape(tensor: Tensor, rows: int) -> tuple[int, ...]:
    """The shape with another number of rows; a bias may lie in one row itself."""
    if tensor.shape[0] == 1 and len(tensor.shape) == 2:
        return (1, rows)
    return (rows, *tensor.shape[1:])


def _index(
    index: dict[str, Any], headers: Mapping[str, Header], chosen: Mapping[str, Tensor], origins: Origins
) -> dict[str, Any]:
    total = sum(
        byte_size(tensor.dtype, _shape(tensor, origins.rows) if name in chosen else tensor.shape)
        for header in headers.values()
        for name, tensor in header.tensors.items()
    )
    metadata = index.get("metadata")
    return {**index, "metadata": {**(metadata if isinstance(metadata, dict) else {}), "total_size": total}}


def _write_shard(
    path: str, header: Header, chosen: Mapping[str, Tensor], origins: Origins, out: IO[bytes]
) -> None:
    shapes = {
        name: (tensor.dtype, _shape(tensor, origins.rows) if name in chosen else tensor.shape)
        for name, tensor in header.tensors.items()
    }
    out.write(header_bytes(shapes, header.metadata)[0])
    with open(path, "rb") as file:
        for name, tensor in header.tensors.items():
            if name in chosen:
                for rows in new_rows(_mapped(path, header, tensor, origins.old_rows), tensor.dtype, origins):
                    out.write(np.ascontiguousarray(rows).tobytes())
                continue
            file.seek(header.begin + tensor.start)
            left = tensor.end - tensor.start
            while left:
                chunk = file.read(min(left, _CHUNK))
                if not chunk:
                    raise FormatError(f"{path} ended while it was read")
                out.write(chunk)
                left -= len(chunk)


def _mapped(path: str, header: Header, tensor: Tensor, rows: int) -> np.ndarray[Any, Any]:
    """A table as rows and columns, where it lies."""
    stored = _STORED.get(tensor.dtype) or _BYTES[SIZES[tensor.dtype]]
    columns = prod(tensor.shape) // max(rows, 1)
    if not columns or not rows:
        return np.empty((rows, columns), stored)
    place = header.begin + tensor.start
    return np.memmap(path, stored, "r", offset=place, shape=(rows, columns))


def _copy_others(folder: str, target: str, written: set[str]) -> None:
    """All other files, those in folders too."""
    # Listed before the first is copied: the target may lie in the folder.
    found = list(_others(folder, os.path.realpath(target)))
    for path in found:
        name = os.path.relpath(path, folder)
        if name not in written:
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            with open(path, "rb") as source, _replacing_together(os.path.join(target, name)) as files:
                shutil.copyfileobj(source, files[0], _CHUNK)


def _others(folder: str, target: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.startswith((".tessella-", ".git")) or os.path.realpath(entry.path) == target:
            continue
        if entry.is_file():
            yield entry.path
        elif entry.is_dir(follow_symlinks=False):
            yield from _others(entry.path, target)
