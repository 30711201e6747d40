"""Texts to ids, and how many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ..offsets import Unit, converter
from ..schema import TEXT, Schema, array, fields, whole
from ..work import Deadline
from .operation import (
    STREAM,
    Columns,
    Operation,
    Results,
    described,
    either,
    flag,
    portions,
    request,
    results,
    texts_of,
    tokenizer_field,
)
from .rows import Row
from .service import Service

if TYPE_CHECKING:
    from ... import Encoding
    from ...tokenizer import Tokenizer


_PAIR = array(TEXT, minItems=2, maxItems=2)
_SPECIAL = flag("Let the post-processor add its special tokens.", True)
_AS_TEXT = flag(
    "Encode special tokens that stand in the texts as ordinary text: right for texts of strangers. `null` is "
    "the tokenizer's own setting.",
    None,
)
_IDS = array(whole())
_MAYBE = array({"type": ["integer", "null"]})
#: What can be asked for of each text.
_COLUMNS: dict[str, Schema] = {
    "ids": _IDS,
    "tokens": array(TEXT),
    "offsets": array(array(whole(), minItems=2, maxItems=2)),
    "type_ids": _IDS,
    "word_ids": _MAYBE,
    "sequence_ids": _MAYBE,
    "special_tokens_mask": _IDS,
}
FIELDS = tuple(_COLUMNS)


def _request(service: Service) -> Schema:
    most = service.bounds.batch
    return request(
        {
            "text": described(
                {"anyOf": [TEXT, array({"anyOf": [TEXT, _PAIR]}, maxItems=most)]},
                "A text, or a list of texts and pairs of texts.",
            ),
            "tokenizer": tokenizer_field(service),
            "fields": array(
                {**TEXT, "enum": list(FIELDS)},
                minItems=1,
                maxItems=len(FIELDS),
                default=["ids"],
                description="What to tell of each text.",
            ),
            "offset_unit": {
                "type": "string",
                "enum": ["char", "byte", "utf16"],
                "default": "char",
                "description": "What `offsets` count: characters (code points), bytes of UTF-8, or the units "
                "of JavaScript's strings.",
            },
            "add_special_tokens": _SPECIAL,
            "encode_special_tokens": _AS_TEXT,
            "max_length": {
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": 1 << 31,
                "default": None,
                "description": "Cut to so many tokens, special ones included. The tokenizer's own settings "
                "of truncation and padding do not apply.",
            },
            "stream": STREAM,
        },
        "text",
    )


def _size(item: Any) -> int:
    return len(item) if isinstance(item, str) else sum(map(len, item))


def _encode(service: Service, asked: dict[str, Any], deadline: Deadline) -> Results:
    name, tokenizer = service.tokenizer(asked["tokenizer"])
    items = [one if isinstance(one, str) else tuple(one) for one in texts_of(asked["text"])]
    wanted: list[str] = list(dict.fromkeys(asked["fields"]))
    special, as_text = asked["add_special_tokens"], asked["encode_special_tokens"]
    single = all(isinstance(one, str) for one in items)
    plain = wanted == ["ids"] and single and asked["max_length"] is None

    def ids_of(some: list[str]) -> Any:
        return tokenizer.encode_ids_batch(some, special, encode_special_tokens=as_text)

    def rows() -> Iterator[list[Any]]:
        for some in portions(items, deadline, _size):
            if plain:
                yield [{"ids": ids} for ids in ids_of(some).to_list()]
            else:
                yield _told(tokenizer, some, asked, wanted)

    def columns() -> Iterator[Columns]:
        for some in portions(items, deadline, _size):
            if plain:
                yield {"ids": ids_of(some)}
            else:
                told = _told(tokenizer, some, asked, wanted)
                yield {field: [row[field] for row in told] for field in wanted}

    return Results(name, rows(), columns, wanted)


def _told(tokenizer: Tokenizer, items: list[Any], asked: dict[str, Any], wanted: list[str]) -> list[Row]:
    length = asked["max_length"]
    encodings = tokenizer.encode_batch(
        items,
        add_special_tokens=asked["add_special_tokens"],
        encode_special_tokens=asked["encode_special_tokens"],
        truncation=False if length is None else {"max_length": length},
        padding=False,
    )
    return [
        Row(wanted, partial(_field, item, encoding, asked["offset_unit"]))
        for item, encoding in zip(items, encodings, strict=True)
    ]


def _field(item: Any, encoding: Encoding, unit: Unit, name: str) -> Any:
    if name != "offsets" or unit == "char":
        return getattr(encoding, name)
    texts = (item,) if isinstance(item, str) else item
    into: list[Callable[[int], int]] = [converter(text, unit) for text in texts]
    return [
        (start, end) if sequence is None else (into[sequence](start), into[sequence](end))
        for (start, end), sequence in zip(encoding.offsets, encoding.sequence_ids, strict=True)
    ]


ENCODE = Operation(
    "/v1/encode",
    "Texts to ids",
    "Ids of texts and, where asked for, tokens, offsets and masks. The ids are those of `Tokenizer.encode`.",
    _request,
    results(fields(_COLUMNS)),
    _encode,
    {"text": ["low lower lowest", "naïve café"], "fields": ["ids", "tokens", "offsets"]},
    streams=True,
    arrow=True,
)


def _count_request(service: Service) -> Schema:
    return request(
        {
            "text": described(either(TEXT, service.bounds.batch), "A text, or a list of them."),
            "tokenizer": tokenizer_field(service),
            "add_special_tokens": _SPECIAL,
            "encode_special_tokens": _AS_TEXT,
        },
        "text",
    )


def _count(service: Service, asked: dict[str, Any], deadline: Deadline) -> Results:
    name, tokenizer = service.tokenizer(asked["tokenizer"])
    count = partial(
        tokenizer.count_batch,
        add_special_tokens=asked["add_special_tokens"],
        encode_special_tokens=asked["encode_special_tokens"],
    )

    def rows() -> Iterator[list[int]]:
        for some in portions(texts_of(asked["text"]), deadline):
            yield count(some).tolist()

    def columns() -> Iterator[Columns]:
        for some in portions(texts_of(asked["text"]), deadline):
            yield {"count": count(some).tolist()}

    return Results(name, rows(), columns, ["count"])


COUNT = Operation(
    "/v1/count",
    "How many tokens texts have",
    "Numbers of tokens, without the tokens.",
    _count_request,
    results(whole()),
    _count,
    {"text": ["low lower lowest", "naïve café"]},
    arrow=True,
)
