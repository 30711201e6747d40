"""Ids to text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..schema import TEXT, Schema, array, whole
from ..work import Deadline
from .operation import (
    Columns,
    Operation,
    Results,
    described,
    either,
    flag,
    portions,
    request,
    results,
    tokenizer_field,
)
from .service import Service

IDS = array(whole(most=(1 << 32) - 1))


def _request(service: Service) -> Schema:
    return request(
        {
            "ids": described(
                either(IDS, service.bounds.batch),
                "Ids, or a list of lists of them. Ids that the vocabulary does not have are left out, as by "
                "the library.",
            ),
            "tokenizer": tokenizer_field(service),
            "skip_special_tokens": flag("Leave special tokens out.", True),
            "stream": flag(
                "Answer with lines of JSON. Of one list of ids, a line for each id that completes some text, "
                "with that text, as a model's output is shown while it is made; of several lists, a line for "
                "each.",
                False,
            ),
        },
        "ids",
    )


def _decode(service: Service, asked: dict[str, Any], deadline: Deadline) -> Results:
    name, tokenizer = service.tokenizer(asked["tokenizer"])
    skip = asked["skip_special_tokens"]
    many = bool(asked["ids"]) and isinstance(asked["ids"][0], list)
    sequences = asked["ids"] if many else [asked["ids"]]

    def rows() -> Iterator[list[str]]:
        if asked["stream"] and not many:
            yield from _stream(tokenizer.decode_stream(skip), asked["ids"], deadline)
            return
        for some in portions(sequences, deadline):
            yield tokenizer.decode_batch(some, skip)

    def columns() -> Iterator[Columns]:
        for some in portions(sequences, deadline):
            yield {"text": tokenizer.decode_batch(some, skip)}

    return Results(name, rows(), columns, ["text"])


def _stream(stream: Any, ids: list[int], deadline: Deadline) -> Iterator[list[str]]:
    for some in portions(ids, deadline, lambda _: 1 << 8):
        yield [text for text in map(stream.step, some) if text is not None]
    rest = stream.flush()
    if rest is not None:
        yield [rest]


DECODE = Operation(
    "/v1/decode",
    "Ids to texts",
    "The text of ids. With `stream` and one list of ids, the text comes as the ids complete it.",
    _request,
    results(TEXT),
    _decode,
    {"ids": [0, 1, 2]},
    streams=True,
    arrow=True,
)
