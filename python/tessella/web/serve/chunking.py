"""Long texts in parts of at most so many tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..answers import Refused
from ..schema import TEXT, Schema, array, fields, whole
from ..work import Deadline
from .operation import (
    Columns,
    Operation,
    Results,
    described,
    either,
    flag,
    request,
    results,
    texts_of,
    tokenizer_field,
)
from .service import Service

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


def chunks(
    tokenizer: Tokenizer,
    text: str,
    max_tokens: int,
    overlap: int = 0,
    boundary: str = "token",
    add_special_tokens: bool = False,
    deadline: Deadline | None = None,
) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of tokens of each part; without ``overlap`` the parts join to the whole text.

    A part by itself may have more tokens than it had within the text, since merges reach over its ends. So
    each is counted by itself, and shortened until it fits.

    Args:
        tokenizer: what counts.
        text: the text.
        max_tokens: the most tokens of a part.
        overlap: about so many tokens at the end of a part are the beginning of the next one too.
        boundary: ``"word"`` cuts at blanks and ``"line"`` behind line ends, where there are any.
        add_special_tokens: count the special tokens that the post-processor puts round each part.
        deadline: when to stop.

    Example:
        >>> from tessella import Tokenizer, models
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
        >>> list(chunks(tokenizer, "ababab", 2))
        [(0, 4, 2), (4, 6, 1)]
    """
    if overlap >= max_tokens:
        raise Refused(
            409, f"`overlap` must be less than `max_tokens`, found {overlap} and {max_tokens}", "$.overlap"
        )
    encoding = tokenizer.encode(text, add_special_tokens=False, truncation=False, padding=False)
    # Where a cut parts no token: begins of tokens that no earlier token reaches over.
    starts: list[int] = []
    # Of each of them, how many tokens are before it.
    before: list[int] = []
    reached = 0
    for number, (start, end) in enumerate(encoding.offsets):
        if start >= reached and (not starts or start > starts[-1]):
            starts.append(start)
            before.append(number)
        reached = max(reached, end)
    starts, before = [*starts, len(text)], [*before, len(encoding)]
    begin = 0
    while begin < len(text):
        if deadline is not None:
            deadline.check()
        end, tokens = _end(tokenizer, text, begin, max_tokens, starts, before, boundary, add_special_tokens)
        yield begin, end, tokens
        if end >= len(text):
            return
        begin = _next(begin, end, overlap, starts, before)


def _end(
    tokenizer: Tokenizer,
    text: str,
    begin: int,
    most: int,
    starts: list[int],
    before: list[int],
    boundary: str,
    special: bool,
) -> tuple[int, int]:
    """Where the part from ``begin`` ends, and how many tokens it has by itself."""
    first = bisect_right(starts, begin)
    passed = before[first - 1] if first else 0
    place = max(bisect_right(before, passed + most) - 1, first)
    while True:
        end = starts[min(place, len(starts) - 1)]
        chosen = end if end >= len(text) else _at_boundary(text, begin, end, boundary)
        tokens = tokenizer.count(text[begin:chosen], special)
        if tokens <= most:
            return chosen, tokens
        if chosen < end:
            # The boundary was no help: go on from there.
            place = max(bisect_left(starts, chosen), first)
        fewer = bisect_right(before, before[min(place, len(before) - 1)] - (tokens - most)) - 1
        if place <= first:
            raise Refused(
                409,
                f"characters {begin} to {chosen} of the text have {tokens} tokens by themselves, and cannot "
                f"be cut into parts of {most}: allow more `max_tokens`",
                "$.max_tokens",
            )
        place = max(min(fewer, place - 1), first)


def _at_boundary(text: str, begin: int, end: int, boundary: str) -> int:
    if boundary == "line":
        found = text.rfind("\n", begin, end)
        return end if found < 0 else found + 1
    if boundary == "word":
        for place in range(end, begin, -1):
            # The blank goes to the next part, as it goes to the next token in most vocabularies.
            if text[place].isspace() and not text[place - 1].isspace():
                return place
    return end


def _next(begin: int, end: int, overlap: int, starts: list[int], before: list[int]) -> int:
    """Where the next part begins."""
    if not overlap:
        return end
    place = bisect_left(starts, end)
    target = before[min(place, len(before) - 1)] - overlap
    back = starts[max(bisect_left(before, target), 0)]
    return back if begin < back < end else end


def _request(service: Service) -> Schema:
    return request(
        {
            "text": described(either(TEXT, service.bounds.batch), "A text, or a list of them."),
            "max_tokens": described(
                whole(1, 1 << 31), "The most tokens that a part has when it is encoded by itself."
            ),
            "overlap": described(
                whole(0, 1 << 31, default=0), "About so many tokens are in two parts. Less than `max_tokens`."
            ),
            "boundary": {
                "type": "string",
                "enum": ["token", "word", "line"],
                "default": "token",
                "description": "Where to cut: between tokens, before a blank, or behind a line end; where a "
                "part has none of these, between tokens.",
            },
            "tokenizer": tokenizer_field(service),
            "add_special_tokens": flag("Count the special tokens that go round each part.", False),
            "with_text": flag("Tell the text of each part.", True),
        },
        "text",
        "max_tokens",
    )


def _chunk(service: Service, asked: dict[str, Any], deadline: Deadline) -> Results:
    name, tokenizer = service.tokenizer(asked["tokenizer"])

    def parts(text: str) -> list[dict[str, Any]]:
        found = chunks(
            tokenizer,
            text,
            asked["max_tokens"],
            asked["overlap"],
            asked["boundary"],
            asked["add_special_tokens"],
            deadline,
        )
        return [
            {
                "start": start,
                "end": end,
                "tokens": tokens,
                **({"text": text[start:end]} if asked["with_text"] else {}),
            }
            for start, end, tokens in found
        ]

    def rows() -> Iterator[list[Any]]:
        for text in texts_of(asked["text"]):
            yield [parts(text)]

    def columns() -> Iterator[Columns]:
        for text in texts_of(asked["text"]):
            yield {"chunks": [parts(text)]}

    return Results(name, rows(), columns, ["chunks"])


_PART = fields(
    {
        "start": whole(description="In characters of the text."),
        "end": whole(),
        "tokens": whole(description="Of this part by itself."),
        "text": TEXT,
    },
    "start",
    "end",
    "tokens",
)

CHUNK = Operation(
    "/v1/chunk",
    "Texts in parts that fit",
    "Parts of texts, each of which has at most `max_tokens` tokens when it is encoded by itself. Without "
    "`overlap` they join to the text.",
    _request,
    results(array(_PART)),
    _chunk,
    {"text": "low lower lowest newer wider tiles", "max_tokens": 12, "boundary": "word"},
    arrow=True,
)
