"""Where the leaves of program text stand: names, numbers, operators, brackets, as a grammar of tree-sitter
has them.

The grammar of a language is a package of its own: ``pip install tree-sitter tree-sitter-python``.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from .._optional import needed
from ..errors import ArgumentError

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def syntax(language: str) -> Callable[[str], Iterator[tuple[int, int]]]:
    """A function that gives start and end, in characters, of each leaf of a text's syntax tree.

    What stands between leaves, mostly blanks, is in none. Text that is no program of the language has leaves
    too: the parser goes on behind what it does not understand.

    Args:
        language: the name of the grammar's package without ``tree_sitter_``: ``python``, ``rust``,
            ``c_sharp``.

    Example:
        >>> from tessella.evaluate import syntax
        >>> leaves = syntax("python")  # doctest: +SKIP
        >>> list(leaves("x = 10"))  # doctest: +SKIP
        [(0, 1), (2, 3), (4, 6)]
    """
    if not isinstance(language, str):
        raise TypeError(f"`language` must be a str, not {type(language).__name__}")
    if not _NAME.fullmatch(language):
        raise ArgumentError(f"`language` must be the name of a grammar such as 'python', found {language!r}")
    package = f"tree_sitter_{language}"
    tree_sitter: Any = needed("tree_sitter", "syntax", f"syntax({language!r})")
    try:
        grammar: Any = importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise ArgumentError(
            f"there is no grammar of {language!r} here: pip install {package.replace('_', '-')}"
        ) from error
    if not hasattr(grammar, "language"):
        some = ", ".join(name for name in dir(grammar) if name.startswith("language_")) or "none"
        raise ArgumentError(f"{package} has no grammar of one name; it has {some}")
    known = tree_sitter.Language(grammar.language())

    def leaves(text: str) -> Iterator[tuple[int, int]]:
        raw = text.encode("utf-8", "surrogatepass")
        # A parser keeps what it is in the middle of, so each text has one of its own.
        cursor = tree_sitter.Parser(known).parse(raw).walk()
        place = character = 0
        for first, last in _leaves(cursor):
            if not raw[first:last].strip():
                continue
            # Leaves come in the order of the text: each part of it is decoded once.
            character += len(raw[place:first].decode("utf-8", "surrogatepass"))
            size = len(raw[first:last].decode("utf-8", "surrogatepass"))
            yield character, character + size
            place, character = last, character + size

    return leaves


def _leaves(cursor: Any) -> Iterator[tuple[int, int]]:
    """Bytes of the leaves of a tree, without recursion: trees are as deep as programs are nested."""
    while True:
        if not cursor.goto_first_child():
            node = cursor.node
            yield node.start_byte, node.end_byte
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
