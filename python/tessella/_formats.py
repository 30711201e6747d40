"""Formats, folders and model classes, as the tables of the engine's crate of formats have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _tessella

if TYPE_CHECKING:
    from ._types import SaveFormat


_KNOWN = _tessella.formats()
#: What tokenizer files end in: such a name is never one of a hub.
ENDINGS = tuple(dict.fromkeys(f".{ending}" for _, _, endings, _ in _KNOWN for ending in endings))
#: The formats that can be written, by the names of the option ``format``.
WRITABLE = (*(name for name, _, _, written in _KNOWN if written), "folder")
#: The models that a ``tokenizer.json`` may hold, by their ``type``.
MODELS = tuple(kind for kind, _ in _tessella.ModelHandle.kinds())
#: What packed files of texts end in, and files of JSON lines.
PACKED_ENDINGS, LINES_ENDINGS = tuple(_tessella.PACKED), tuple(_tessella.JSON_LINES)
#: Encodings whose patterns and special tokens are built in.
ENCODINGS = tuple(_tessella.encodings())


def cut_by(name: str) -> str | None:
    """The pattern of an encoding that is known by name, in the words of its own library."""
    return _tessella.encoding(name, 0)[0] if name in ENCODINGS else None


class Folder(NamedTuple):
    """The names of the files in a folder."""

    #: Each a whole tokenizer; the first one that is there is read.
    whole: list[str]
    #: Bare vocabularies; the second file belongs to the first.
    bare: list[str]
    settings: list[str]
    #: The chat template, where older folders keep it, and the folder of further ones.
    templates: list[str]


FOLDER = Folder(*_tessella.folder_names())


class ModelClass(NamedTuple):
    """What a model's class says where files do not."""

    #: Special tokens by role.
    tokens: dict[str, str]
    #: How the ends of texts are marked, and the roles of the first and the last mark; see ``_ends``.
    ends: tuple[str, str, str] | None
    #: What a vocabulary of it is: ``words`` or ``merges``; empty if neither.
    vocabulary: str


#: The roles of special tokens that every tokenizer may have.
ROLES = tuple(_tessella.roles())
#: By the name without ``Fast``.
CLASSES = {
    name: ModelClass(dict(tokens), ends, vocabulary)
    for name, tokens, ends, vocabulary in _tessella.model_classes()
}
#: Names under which other libraries give out a class, without ``Fast``, and the name of that class.
SAME_CLASSES = dict(_tessella.same_classes())


def to_write(path: str, format: str | None) -> SaveFormat:
    """The format to write, named or promised by the name of the file; an error if it cannot be written."""
    return _tessella.format_to_write(path, format)
