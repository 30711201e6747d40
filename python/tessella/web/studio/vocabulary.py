"""Searching in a vocabulary: by text, bytes or a pattern, by length, script and kind."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from ... import Regex, pre_tokenizers
from ..answers import Refused
from ..work import Deadline
from .judged import FLAGS
from .session import Known

KINDS = ("text", "bytes", "regex")
ORDERS = ("id", "length", "score")
#: Entries between two looks at the clock.
_PORTION = 4096


def _wanted(query: str, kind: str) -> Callable[[str, bytes], bool]:
    """Whether an entry, its text and bytes, is what is looked for."""
    if not query:
        return lambda text, raw: True
    if kind == "bytes":
        try:
            part = bytes.fromhex(query)
        except ValueError:
            raise Refused(
                422, f"{query!r} is no bytes: two hexadecimal digits for each, as in `c3 a9`"
            ) from None
        return lambda text, raw: part in raw
    if kind == "regex":
        # The engine's own expressions end in time, whatever they are.
        cut = pre_tokenizers.Split(Regex(query), "removed")
        return lambda text, raw: cut.pre_tokenize_str(text) != [(text, (0, len(text)))]
    plain = query.lower()
    return lambda text, raw: plain in text.lower()


def _script(text: str) -> str:
    """The first word of the name of the first letter: LATIN, CYRILLIC, CJK, ..."""
    for character in text:
        if character.isalpha():
            return unicodedata.name(character, "OTHER").partition(" ")[0]
    return ""


def search(known: Known, asked: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    """A page of the entries that fit, how many fit, and the scripts that there are."""
    fits = _wanted(asked["query"], asked["by"])
    flagged = known.flags if asked["only"] in FLAGS else known.flags_if_known
    added = known.tokenizer.get_added_tokens_decoder()
    found: list[tuple[int, str, str, int]] = []
    scripts: dict[str, int] = {}
    for number, (id, token) in enumerate(known.entries):
        if not number % _PORTION:
            deadline.check()
        raw = known.bytes_of(id, token)
        text = raw.decode("utf-8", "replace")
        if not asked["least"] <= len(text) <= asked["most"]:
            continue
        if asked["only"] == "added" and id not in added:
            continue
        if asked["only"] in FLAGS and all(name != asked["only"] for name, _ in flagged.get(id, ())):
            continue
        if asked["only"] == "partial" and raw == text.encode():
            continue
        if fits(text, raw):
            script = _script(text)
            scripts[script] = scripts.get(script, 0) + 1
            if not asked["script"] or script == asked["script"]:
                found.append((id, token, text, len(raw)))
    if asked["order"] == "length":
        found.sort(key=lambda one: (-len(one[2]), one[0]))
    elif asked["order"] == "score" and known.scores:
        found.sort(key=lambda one: (-known.scores.get(one[0], 0.0), one[0]))
    first = asked["first"]
    rows = [
        {
            "id": id,
            "token": token,
            "text": text,
            "bytes": size,
            "score": known.scores.get(id),
            "rank": None,
            "flags": [flag for flag, _ in flagged.get(id, ())],
        }
        for id, token, text, size in found[first : first + asked["count"]]
    ]
    for row in rows:
        row["rank"] = known.made_by(str(row["token"]))
    ordered = sorted(scripts.items(), key=lambda one: -one[1])
    return {"rows": rows, "count": len(found), "scripts": [one for one in ordered if one[0]]}
