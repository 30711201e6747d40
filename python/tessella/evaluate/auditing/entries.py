"""What the entries of a vocabulary are: by kind, script, length; doubles, parts of characters, reserved."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from ...errors import TessellaError
from ..facts import edges
from ..scripts import script

if TYPE_CHECKING:
    from ... import Tokenizer
    from ..._vocabulary import Entries


#: Rows that are told of what there may be very much of.
MOST = 200
_RESERVED = re.compile(r"reserved|unused|extra[_-]?id|placeholder|dummy|^<\|?(pad|dummy)", re.IGNORECASE)
_CODE = re.compile(r"[{}()\[\];=<>#$&|\\/]|[a-z][A-Z]|_")


def _entry(entries: Entries, id: int) -> dict[str, Any]:
    spelled = entries.bytes[id] or b""
    return {"id": id, "token": entries.tokens[id], "bytes": spelled.hex(" ")}


def composition(entries: Entries) -> dict[str, dict[str, int]]:
    """How many entries there are of each kind, script, length in characters and bytes, and form."""
    kinds: Counter[str] = Counter(kind for kind in entries.kinds if kind is not None)
    scripts: Counter[str] = Counter()
    characters: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    forms: Counter[str] = Counter()
    for kind, spelled in zip(entries.kinds, entries.bytes, strict=True):
        if kind != "text" or spelled is None:
            continue
        sizes[len(spelled)] += 1
        try:
            text = spelled.decode()
        except UnicodeDecodeError:
            scripts["parts of characters"] += 1
            forms["parts of characters"] += 1
            continue
        characters[len(text)] += 1
        scripts[_script(text)] += 1
        forms[_form(text)] += 1
    return {
        "kinds": dict(kinds.most_common()),
        "scripts": dict(scripts.most_common()),
        "characters": {str(length): count for length, count in sorted(characters.items())},
        "bytes": {str(length): count for length, count in sorted(sizes.items())},
        "forms": dict(forms.most_common()),
    }


def _script(text: str) -> str:
    """The script of the letters of a text."""
    found = {script(one) for one in text if one.isalpha()}
    if found:
        return found.pop() if len(found) == 1 else "several scripts"
    kinds = {script(one) for one in text if one != " "}
    return kinds.pop() if len(kinds) == 1 else "blanks" if not kinds else "signs"


def _form(text: str) -> str:
    """What an entry looks like; each has one form, the first that fits."""
    bare = text.strip()
    if not bare:
        return "blanks"
    if bare.isdigit():
        return "digits"
    if _CODE.search(bare):
        return "code"
    blank = "a blank and " if text[0].isspace() else ""
    if bare.isalpha():
        case = (
            "Capitalised "
            if bare[0].isupper() and not bare.isupper()
            else "CAPITAL "
            if bare.isupper()
            else ""
        )
        return f"{blank}{case}letters"
    if any(one.isdigit() for one in bare) and any(one.isalpha() for one in bare):
        return f"{blank}letters and digits"
    return f"{blank}letters and signs" if any(one.isalpha() for one in bare) else f"{blank}signs"


def doubles(tokenizer: Tokenizer, entries: Entries) -> list[dict[str, Any]]:
    """Entries that stand for the same bytes in the same place of a word."""
    model = tokenizer.model
    prefix = getattr(model, "continuing_subword_prefix", None) or ""
    suffix = getattr(model, "end_of_word_suffix", None) or ""
    found: dict[Any, list[int]] = defaultdict(list)
    for id, spelled in enumerate(entries.bytes):
        token = entries.tokens[id]
        if entries.kinds[id] in ("text", "added", "special") and spelled and token is not None:
            place = bool(prefix) and token.startswith(prefix), bool(suffix) and token.endswith(suffix)
            found[spelled, place].append(id)
    rows = [
        {"bytes": spelled.hex(" "), "ids": ids, "tokens": [entries.tokens[id] for id in ids]}
        for (spelled, _), ids in found.items()
        if len(ids) > 1
    ]
    return sorted(rows, key=lambda row: row["ids"])


def partial(entries: Entries) -> dict[str, Any]:
    """Entries that hold parts of characters."""
    begins, ends, crossing, ids = 0, 0, 0, []
    for id, spelled in enumerate(entries.bytes):
        if entries.kinds[id] == "text" and spelled:
            begin, end, both = edges(spelled)
            begins, ends, crossing = begins + begin, ends + end, crossing + both
            if begin or end:
                ids.append(id)
    shown = [_entry(entries, id) for id in ids if len(entries.bytes[id] or b"") > 1][:MOST]
    return {"entries": len(ids), "begin": begins, "end": ends, "crossing": crossing, "some": shown}


def reserved_ids(entries: Entries) -> list[int]:
    """Entries that nothing is meant to give."""
    return [
        id
        for id, (token, kind) in enumerate(zip(entries.tokens, entries.kinds, strict=True))
        if token is not None
        and (kind in ("control", "unused") or (kind in ("special", "added") and _RESERVED.search(token)))
    ]


def reserved(entries: Entries) -> dict[str, Any]:
    """Ids without an entry, and entries that nothing is meant to give, of which some are told."""
    gaps: list[list[int]] = []
    for id, token in enumerate(entries.tokens):
        if token is None:
            if gaps and gaps[-1][1] == id - 1:
                gaps[-1][1] = id
            else:
                gaps.append([id, id])
    ids = reserved_ids(entries)
    return {
        "without_entry": sum(last - first + 1 for first, last in gaps),
        "gaps": gaps[:MOST],
        "entries": len(ids),
        "some": [{**_entry(entries, id), "kind": entries.kinds[id]} for id in ids[:MOST]],
    }


def forgeable(tokenizer: Tokenizer, entries: Entries) -> list[dict[str, Any]]:
    """Special tokens that plain text gives: whoever writes the text can write them."""
    rows = []
    for id, one in sorted(tokenizer.get_added_tokens_decoder().items()):
        if not one.special or not one.content:
            continue
        if _gives(tokenizer, one.content, id, None):
            kept_out = not _gives(tokenizer, one.content, id, True)
            rows.append({"id": id, "token": one.content, "kept_out_by_option": kept_out})
    return rows


def _gives(tokenizer: Tokenizer, text: str, id: int, as_text: bool | None) -> bool:
    try:
        return id in tokenizer.encode_ids(text, add_special_tokens=False, encode_special_tokens=as_text)
    except TessellaError:
        # A model without an unknown token refuses the letters of a special one.
        return False
