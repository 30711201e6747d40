"""Corpora by name, and their texts in portions, through the one reader of texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._corpus import Texts, in_lists
from .._shown import written
from .._texts import Reading
from ..errors import ArgumentError

if TYPE_CHECKING:
    from .._types import Source

__all__ = ["Corpus", "Reading", "check_names", "corpora", "portions", "tagged"]

#: Characters and documents that are looked at in one go.
CHARACTERS, DOCUMENTS = 1 << 20, 1 << 15


@dataclass
class Corpus:
    """A corpus and what it is called."""

    name: str
    language: str
    texts: Texts


def corpora(given: Source, languages: Any, reading: Reading) -> list[Corpus]:
    """Each file, or each entry of a dict, as a corpus. All files are looked at before the first is read."""
    named: list[tuple[str, Any]]
    if isinstance(given, Mapping):
        if not given:
            raise ArgumentError("`corpora` is an empty dict: give names and their files or texts")
        named = list(given.items())
        check_names((name for name, _ in named), "the names of `corpora`")
    elif isinstance(given, (str, os.PathLike)):
        named = [(written(os.path.basename(os.fspath(given))), given)]
    elif isinstance(given, (list, tuple)) and given and all(isinstance(one, os.PathLike) for one in given):
        named = _of_files(given)
    else:
        named = [("texts", given)]
    tags = tagged(languages, [name for name, _ in named], "languages")
    return [
        Corpus(name, tag, Texts(source, reading)) for (name, source), tag in zip(named, tags, strict=True)
    ]


def _of_files(paths: Sequence[Any]) -> list[tuple[str, Any]]:
    """Files by the shortest ends of their names that tell them apart."""
    full = [os.fsdecode(path) for path in paths]
    if len(set(full)) < len(full):
        twice = next(name for name in full if full.count(name) > 1)
        raise ArgumentError(f"{twice} is given twice: its documents would count twice")
    for parts in range(1, 32):
        short = [
            written("/".join(name.replace(os.sep, "/").rstrip("/").split("/")[-parts:])) for name in full
        ]
        if len(set(short)) == len(short):
            return list(zip(short, paths, strict=True))
    return list(zip(map(written, full), paths, strict=True))


def check_names(names: Iterable[Any], what: str) -> None:
    """Refuses names that no report could be written with."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be str, found {type(name).__name__}")
        if written(name) != name:
            raise ArgumentError(f"{what} must be text, found {name!r}, which has a lone surrogate")


def tagged(given: Any, names: Sequence[str], argument: str) -> list[str]:
    """One tag for each corpus."""
    if given is None:
        return [""] * len(names)
    if isinstance(given, str):
        found = [given] * len(names)
    elif isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ArgumentError(
                f"`{argument}` has {unknown[0]!r}, which is no corpus; known are {', '.join(names)}"
            )
        found = [given.get(name, "") for name in names]
    else:
        found = list(given)
        if len(found) != len(names):
            raise ArgumentError(f"`{argument}` has {len(found)} entries for {len(names)} corpora")
    check_names(found, f"the tags of `{argument}`")
    return found


def portions(texts: Texts) -> Iterator[list[str]]:
    """Lists of texts that are large enough to be worth a call, and no larger than memory is for."""
    return in_lists(texts.each(), DOCUMENTS, CHARACTERS)
