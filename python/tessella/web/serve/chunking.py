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
        overlap: about so many tokens at the end of a part are the beginning of the next one too; fewer where
            it could not go on behind that end otherwise, or come to a boundary.
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
    cut = _Cutting(tokenizer, text, max_tokens, starts, before, boundary, add_special_tokens)
    begin = end = 0
    while end < len(text):
        if deadline is not None:
            deadline.check()
        begin, end, tokens = cut.after(begin, end, overlap)
        yield begin, end, tokens


class _Cutting:
    """What stays the same from part to part of a text."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        text: str,
        most: int,
        starts: list[int],
        before: list[int],
        boundary: str,
        special: bool,
    ) -> None:
        self.tokenizer, self.text, self.most = tokenizer, text, most
        self.starts, self.before = starts, before
        self.boundary, self.special = boundary, special

    def after(self, begin: int, end: int, overlap: int) -> tuple[int, int, int]:
        """The part behind the one from ``begin`` to ``end``: where it begins and ends, and its tokens.

        It must go on behind ``end``, or it would tell nothing that the part before did not. Where it cannot
        with all of the overlap, since that leaves too few tokens to come to a boundary, or to the end of any
        token, it has less.
        """
        overlaps = [overlap >> halved for halved in range(overlap.bit_length())]
        begins = [place for place in (self._back(end, some) for some in overlaps) if begin < place < end]
        for boundary in dict.fromkeys((self.boundary, "token")):
            for place in dict.fromkeys([*begins, end]):
                found = self._end(place, end, boundary)
                if found is not None:
                    return (place, *found)
        stop = self.starts[bisect_right(self.starts, end)]
        tokens = self.tokenizer.count(self.text[end:stop], self.special)
        raise Refused(
            409,
            f"characters {end} to {stop} of the text have {tokens} tokens by themselves, and cannot be cut "
            f"into parts of {self.most}: allow more `max_tokens`",
            "$.max_tokens",
        )

    def _back(self, end: int, overlap: int) -> int:
        """The place so many tokens before ``end``."""
        place = bisect_left(self.starts, end)
        target = self.before[min(place, len(self.before) - 1)] - overlap
        return self.starts[max(bisect_left(self.before, target), 0)]

    def _end(self, begin: int, past: int, boundary: str) -> tuple[int, int] | None:
        """Where the part from ``begin`` ends, behind ``past``, and how many tokens it has by itself."""
        starts, before, text = self.starts, self.before, self.text
        first = bisect_right(starts, begin)
        passed = before[first - 1] if first else 0
        place = max(bisect_right(before, passed + self.most) - 1, first)
        while starts[place] > past:
            chosen = end = starts[place]
            if end < len(text) and boundary != "token":
                found = _at_boundary(text, past, end, boundary)
                if found is None:
                    return None
                chosen = found
            tokens = self.tokenizer.count(text[begin:chosen], self.special)
            if tokens <= self.most:
                return chosen, tokens
            if chosen < end:
                # The boundary was no help: go on from there.
                place = max(bisect_left(starts, chosen), first)
            fewer = bisect_right(before, before[place] - (tokens - self.most)) - 1
            if place <= first:
                return None
            place = max(min(fewer, place - 1), first)
        return None


def _at_boundary(text: str, past: int, end: int, boundary: str) -> int | None:
    """The last place behind ``past``, up to ``end``, where the text may be cut."""
    if boundary == "line":
        found = text.rfind("\n", past, end)
        return None if found < 0 else found + 1
    for place in range(end, past, -1):
        # The blank goes to the next part, as it goes to the next token in most vocabularies.
        if text[place].isspace() and not text[place - 1].isspace():
            return place
    return None


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
