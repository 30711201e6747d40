"""The formats of tokenizer files, as the engine's one table has them: ``formats`` in its crate of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _tessella

if TYPE_CHECKING:
    from .tokenizer import SaveFormat

__all__ = ["ENCODINGS", "ENDINGS", "WRITABLE", "to_write"]

_KNOWN = _tessella.formats()
#: What tokenizer files end in: such a name is never one of a hub.
ENDINGS = tuple(dict.fromkeys(f".{ending}" for _, _, endings, _ in _KNOWN for ending in endings))
#: The formats that can be written, by the names of the option ``format``.
WRITABLE = (*(name for name, _, _, written in _KNOWN if written), "folder")
#: Encodings whose patterns and special tokens are built in.
ENCODINGS = tuple(_tessella.encodings())


def to_write(path: str, format: str | None) -> SaveFormat:
    """The format to write, named or promised by the name of the file; an error if it cannot be written."""
    return _tessella.format_to_write(path, format)
