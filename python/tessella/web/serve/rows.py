"""Answers as JSON, written in slices.

One text may have a million tokens. Lists of what is told of them take many times the memory of the text, and
the interpreter writes a list of any length without letting other threads on, such as the one that says that
the server is well. So the fields of a text are made one at a time, and long lists are written a slice at a
time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

#: Items of a list that are written at once.
SLICE = 1 << 14

_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Row:
    """What is told of one text: its fields, each made when it is asked for.

    Example:
        >>> row = Row(["ids", "tokens"], lambda name: [1, 2] if name == "ids" else ["a", "é"])
        >>> b"".join(json_parts(row)).decode()
        '{"ids":[1,2],"tokens":["a","é"]}'
    """

    def __init__(self, names: Sequence[str], field: Callable[[str], Any]) -> None:
        self.names, self._field = names, field

    def __getitem__(self, name: str) -> Any:
        return self._field(name)


def json_parts(value: Any) -> Iterator[bytes]:
    """A value as JSON, in parts."""
    if isinstance(value, Row):
        before = b"{"
        for name in value.names:
            yield before + _write(name).encode() + b":"
            yield from json_parts(value[name])
            before = b","
        yield b"}"
    elif isinstance(value, dict) and any(
        isinstance(one, list) and len(one) > SLICE for one in value.values()
    ):
        yield from json_parts(Row(list(value), value.__getitem__))
    elif isinstance(value, list) and len(value) > SLICE:
        before = b"["
        for start in range(0, len(value), SLICE):
            yield before + _write(value[start : start + SLICE])[1:-1].encode("utf-8", "surrogatepass")
            before = b","
        yield b"]"
    else:
        yield _write(value).encode("utf-8", "surrogatepass")
