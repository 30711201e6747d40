"""A text as tokens, in the columns that the pages draw; and all that is known of one token."""

from __future__ import annotations

from typing import Any

from ..answers import Refused
from ..offsets import converter
from .session import Known

#: Merges that a token goes into which are told.
CHILDREN = 100


def tokens(known: Known, text: str, add_special_tokens: bool) -> dict[str, Any]:
    """The tokens of a text. Places are in the units of JavaScript's strings.

    Example:
        >>> from tessella import Tokenizer, models
        >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
        >>> told = tokens(Known(tokenizer), "abb", False)
        >>> told["ids"], told["starts"], told["ends"]
        ([2, 1], [0, 2], [2, 3])
    """
    encoding = known.tokenizer.encode(
        text, add_special_tokens=add_special_tokens, truncation=False, padding=False
    )
    into = converter(text, "utf16")
    offsets, ids = encoding.offsets, encoding.ids
    # Put in by the post-processor: they stand for no text.
    special = [place for place, sequence in enumerate(encoding.sequence_ids) if sequence is None]
    return {
        "ids": ids,
        "starts": [into(start) for start, _ in offsets],
        "ends": [into(end) for _, end in offsets],
        "special": special,
        # Of the vocabulary: unknown text has one id, and names of its own in an encoding.
        "names": {id: known.tokenizer.id_to_token(id) for id in set(ids)},
        "bytes": len(text.encode("utf-8")),
    }


def entry(known: Known, id: int) -> dict[str, Any]:
    """All that is known of one token: bytes, kind, score, how it is made, and what is made of it."""
    token = known.tokenizer.id_to_token(id)
    if token is None:
        raise Refused(404, f"the vocabulary has no id {id}")
    added = known.tokenizer.get_added_tokens_decoder().get(id)
    raw = known.bytes_of(id, token)
    told: dict[str, Any] = {
        "id": id,
        "token": token,
        "bytes": raw.hex(" "),
        "text": raw.decode("utf-8", "replace"),
        "whole": _is_text(raw),
        "kind": "model" if added is None else "special" if added.special else "added",
        "score": known.scores.get(id),
        "flags": [list(one) for one in known.flags_if_known.get(id, ())],
    }
    if known.merges:
        uses = known.used_by.get(token, [])
        told |= {
            "rank": known.made_by(token),
            "tree": _tree(known, token),
            "children": [[rank, *known.merges[rank]] for rank in uses[:CHILDREN]],
            "children_count": len(uses),
        }
    return told


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _tree(known: Known, token: str) -> list[list[Any]]:
    """The family of a token: rows of depth, token and rank, each followed by its two parts.

    A list of rows and not a tree of objects: a long token's tree is as deep as the token is long.
    """
    rows: list[list[Any]] = []
    waiting = [(0, token)]
    while waiting and len(rows) < 500:
        depth, one = waiting.pop()
        rank = known.made_by(one)
        rows.append([depth, one, rank])
        if rank is not None:
            left, right, _ = known.merges[rank]
            # A merge can hardly make one of its own parts, but a file can say so.
            waiting += [(depth + 1, part) for part in (right, left) if part != one]
    return rows
