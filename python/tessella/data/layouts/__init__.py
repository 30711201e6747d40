"""The files that training frameworks read, one file of code for each; ``LAYOUTS`` names them."""

from __future__ import annotations

from . import bare, columns, datatrove, dolma, litdata, mds, megatron, npy
from .base import Layout, Part, Shape, View

__all__ = ["LAYOUTS", "Layout", "Part", "Shape", "View", "layout"]

LAYOUTS: dict[str, Layout] = {
    one.name: one
    for one in (
        megatron.LAYOUT,
        bare.NANOGPT,
        bare.LLMC,
        mds.LAYOUT,
        datatrove.LAYOUT,
        dolma.LAYOUT,
        litdata.LAYOUT,
        columns.PARQUET,
        columns.ARROW,
        npy.LAYOUT,
    )
}


def layout(name: str) -> Layout:
    """The layout of a name.

    Example:
        >>> layout("megatron").dtypes
        ('uint16', 'int32')
    """
    from ..._near import meant
    from ...errors import ArgumentError

    if name not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise ArgumentError(f"there is no format `{name}`{meant(name, LAYOUTS)}; known are {known}")
    return LAYOUTS[name]
