"""What an operation of the service is: its path, what it takes and gives, and the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..schema import TEXT, Schema, array, fields
from ..work import Deadline
from .service import Service

if TYPE_CHECKING:
    from ...ragged import RaggedIds


#: A column of an Arrow answer: ids of many texts, or one value for each.
Columns = dict[str, "RaggedIds | Sequence[Any]"]


@dataclass(frozen=True)
class Results:
    """What an operation on many texts gives, a portion at a time.

    ``rows`` yields lists of results in the order of the texts; ``columns``, where Arrow was asked for, the
    same as columns.
    """

    tokenizer: str
    rows: Iterator[list[Any]]
    columns: Callable[[], Iterator[Columns]] | None = None
    #: Of the columns.
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Operation:
    """An operation.

    ``run`` gives ``Results``, which are shown as ``{"tokenizer", "results"}``, or the body of an answer as it
    is.
    """

    path: str
    summary: str
    description: str
    request: Callable[[Service], Schema]
    response: Schema
    run: Callable[[Service, dict[str, Any], Deadline], Results | dict[str, Any]]
    #: A request that works with any tokenizer, for the description.
    example: dict[str, Any] = field(default_factory=dict)
    #: Whether it is answered line by line (``"stream": true``), and in Arrow's format.
    streams: bool = False
    arrow: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


def described(schema: Schema, description: str, **more: Any) -> dict[str, Any]:
    """A schema with words for people."""
    return {**schema, **more, "description": description}


def either(one: Schema, most: int) -> dict[str, Any]:
    """One of something, or a list of them."""
    return {"anyOf": [one, array(one, maxItems=most)]}


def texts_of(given: Any) -> list[Any]:
    """One or many, as a list."""
    return given if isinstance(given, list) else [given]


#: Characters, or ids, that are worked on between two looks at the clock.
PORTION = 1 << 18


def portions(
    items: Iterable[Any], deadline: Deadline, size: Callable[[Any], int] = len
) -> Iterator[list[Any]]:
    """Items in lists of about ``PORTION``, as long as there is time."""
    portion: list[Any] = []
    total = 0
    for item in items:
        portion.append(item)
        total += size(item) + 1
        if total >= PORTION:
            deadline.check()
            yield portion
            portion, total = [], 0
    if portion:
        deadline.check()
        yield portion


def tokenizer_field(service: Service) -> dict[str, Any]:
    """The field that names a tokenizer."""
    names = list(service.tokenizers)
    return described(
        {"type": "string", "enum": names, "default": names[0]}, "Which of the tokenizers that are served."
    )


def flag(description: str, default: bool | None) -> dict[str, Any]:
    """A field that is true or false; ``null``, where that is the default, is the tokenizer's own setting."""
    kinds: Any = "boolean" if default is not None else ["boolean", "null"]
    return {"type": kinds, "default": default, "description": description}


STREAM = flag(
    "Answer with lines of JSON, one for each text, while the work goes on. An error in the middle is a last "
    "line with `error`.",
    False,
)


def request(properties: Mapping[str, Schema], *required: str) -> Schema:
    """The schema of a request."""
    return fields(properties, *required, additionalProperties=False)


def results(item: Schema) -> Schema:
    """The schema of an answer with a result for each text."""
    rows = array(item, description="One for each text, in their order.")
    return fields({"tokenizer": TEXT, "results": rows}, "tokenizer", "results")
