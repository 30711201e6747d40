"""Texts in which an entry comes out: the proof that it can be reached.

Every entry is tried by itself, then between neighbours that splitters and merges treat differently. What
holds a part of a character is completed to characters in many ways. A text is a witness if encoding it gives
the id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TessellaError

if TYPE_CHECKING:
    import numpy.typing as npt

    from ... import Tokenizer
    from ..._vocabulary import Entries


#: What stands around an entry, likelier ones first.
_AROUND = (
    " _|a_|_a|_ |\n_|_\n|._|_.|1_|_1|A_|_A|a_a| _ |東_|_東|'_|_'|x _|_ x|1_1|._.|\n_\n|q_q|Z_|_-|-_| (_)|"
    '"_"|\t_|_\t|  _|_  |q_|z_z|0_x|я_|_я|é_|_é|\r\n_|_\r\n|#_#|_'
    "\u0301|/_/| q_|x_x|J_|\u3000_"
)
CONTEXTS: tuple[tuple[str, str], ...] = (
    ("", ""),
    *((before, after) for before, _, after in (one.partition("_") for one in _AROUND.split("|"))),
)
#: Words that go before an entry that goes on a word.
STARTERS = 400
#: Ways to complete characters that are tried.
COMPLETIONS = 160
#: Texts that are encoded at a time.
TEXTS = 1 << 14


def is_utf8_inside(spelled: bytes) -> bool:
    """Whether bytes can stand in a text at all.

    Example:
        >>> is_utf8_inside(b"\\xa9a\\xe6\\x9d"), is_utf8_inside(b"\\xff"), is_utf8_inside(b"a\\xa9")
        (True, False, False)
    """
    return next(completions(spelled), None) is not None


def _missing_tail(spelled: bytes) -> list[bytes]:
    """Ways to go on after bytes that may end inside of a character."""
    for taken in (1, 2, 3):
        if taken <= len(spelled) and spelled[-taken] >= 0xC0:
            lead = spelled[-taken]
            size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            missing = size - taken
            if missing <= 0:
                return [b""]
            # Every last byte, and the bytes before it spread over what they may be.
            fill = [0x80 + (place * 37) % 64 for place in range(64)]
            return [
                bytes([*(fill[(place * 7 + step) % 64] for step in range(missing - 1)), 0x80 + place])
                for place in range(64)
            ] + [bytes([0x80 + place] * missing) for place in range(64)]
        if taken <= len(spelled) and spelled[-taken] < 0x80:
            break
    return [b""]


def _missing_head(spelled: bytes) -> list[bytes]:
    """Ways to begin a character that bytes go on with."""
    begin = 0
    while begin < len(spelled) and spelled[begin] & 0xC0 == 0x80:
        begin += 1
    if begin == 0:
        return [b""]
    found: list[bytes] = []
    if begin == 1:
        found += [bytes([lead]) for lead in range(0xC2, 0xE0)]
    if begin in (1, 2):
        found += [
            bytes([lead, *([0x80 + (place * 11 + lead) % 64] if begin == 1 else [])])
            for place in range(4 if begin == 1 else 1)
            for lead in range(0xE0, 0xF0)
        ]
    if begin in (1, 2, 3):
        found += [
            bytes([lead, *(0x80 + (place * 13 + 16 + step) % 64 for step in range(3 - begin))])
            for place in range(1 if begin == 3 else 8)
            for lead in range(0xF0, 0xF5)
        ]
    return found


def completions(spelled: bytes) -> Iterator[str]:
    """Texts that hold bytes, which may begin and end inside of characters."""
    heads, tails = _missing_head(spelled), _missing_tail(spelled)
    # Both ends are varied from the start.
    for number in range(max(len(heads), 1) * max(len(tails), 1)):
        head = heads[number % len(heads)] if heads else b""
        tail = tails[(number + number // len(heads)) % len(tails)] if heads else b""
        try:
            yield (head + spelled + tail).decode()
        except UnicodeDecodeError:
            continue


def _texts(spelled: bytes, continues: bool, starters: Sequence[str]) -> Iterator[str]:
    """Texts that may be witnesses, likelier ones first."""
    try:
        text = spelled.decode()
    except UnicodeDecodeError:
        made = completions(spelled)
        for _, one in zip(range(COMPLETIONS), made, strict=False):
            yield one
        for number, one in enumerate(completions(spelled)):
            if number >= 8:
                break
            for before, after in CONTEXTS[1:]:
                yield before + one + after
        return
    if continues:
        for starter in starters:
            yield starter + text
    for before, after in CONTEXTS:
        yield before + text + after


def characters(entries: Entries) -> set[str]:
    """The characters that are entries."""
    pairs = zip(entries.tokens, entries.kinds, strict=True)
    return {token for token, kind in pairs if kind == "text" and token is not None and len(token) == 1}


def unknown_characters(entries: Entries) -> dict[int, str]:
    """For each byte a character that has no entry and holds it."""
    known = characters(entries)
    found = {point: chr(point) for point in range(0x80) if chr(point) not in known}
    others: dict[int, str] = {}
    for point in range(0x80, 0x110000):
        # Thirteen bytes are in no character.
        if len(others) == 128 - 13:
            break
        if 0xD800 <= point < 0xE000 or (character := chr(point)) in known:
            continue
        for byte in character.encode():
            others.setdefault(byte, character)
    found |= others
    return found


def _hits(
    tokenizer: Tokenizer, texts: Sequence[str], targets: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Which texts give their id. One that the model refuses, as it has no unknown token, gives none."""
    try:
        ragged = tokenizer.encode_ids_batch(texts, add_special_tokens=False)
    except TessellaError:
        if len(texts) == 1:
            return np.zeros(1, np.bool_)
        half = len(texts) // 2
        return np.concatenate(
            [_hits(tokenizer, texts[:half], targets[:half]), _hits(tokenizer, texts[half:], targets[half:])]
        )
    same = ragged.ids == np.repeat(targets, ragged.lengths())
    running = np.concatenate([[0], np.cumsum(same)])
    hits: npt.NDArray[np.bool_] = running[ragged.offsets[1:]] > running[ragged.offsets[:-1]]
    return hits


def texts_of(
    tokenizer: Tokenizer, entries: Entries, wanted: Sequence[int], others: Mapping[int, str]
) -> tuple[dict[int, str], dict[int, int]]:
    """Texts for entries, and for those without one how many texts were tried.

    Args:
        tokenizer: the tokenizer.
        entries: its vocabulary.
        wanted: the ids of learned entries.
        others: for each byte a character that has no entry and holds it.
    """
    prefix = getattr(tokenizer.model, "continuing_subword_prefix", None) or ""
    # Beginnings of words that are cut off soon: short ones, and those with rare letters.
    own = [token for token in entries.tokens if token and token.isalnum() and len(token) <= 4]
    starters = [*"xqzjvkwyb0123456789", *own[:: max(len(own) // STARTERS, 1)]]
    pending: dict[int, Iterator[str]] = {}
    for id in wanted:
        spelled, token = entries.bytes[id], entries.tokens[id]
        assert spelled is not None and token is not None
        if entries.kinds[id] == "byte":
            some = [others[spelled[0]]] if spelled[0] in others else []
            some += [chr(spelled[0])] if spelled[0] < 0x80 else []
            # Some models take the name of a byte, where a text has it, for the byte's entry.
            pending[id] = iter([*some, token])
        else:
            continues = bool(prefix) and token.startswith(prefix)
            pending[id] = _texts(spelled, continues, starters)
            if continues:
                # A text may have the mark itself.
                pending[id] = chain([token], pending[id])
    found: dict[int, str] = {}
    tried: dict[int, int] = dict.fromkeys(wanted, 0)
    # One text for each at first, then more and more for the few that are left.
    each = 1
    while pending:
        ids: list[int] = []
        texts: list[str] = []
        for id in list(pending):
            some = [text for _, text in zip(range(each), pending[id], strict=False)]
            if not some:
                del pending[id]
            ids += [id] * len(some)
            texts += some
        for start in range(0, len(texts), TEXTS):
            part, targets = texts[start : start + TEXTS], np.array(ids[start : start + TEXTS])
            for place in np.flatnonzero(_hits(tokenizer, part, targets)).tolist():
                found.setdefault(int(targets[place]), part[place])
        for id in ids:
            tried[id] += 1
        for id in found:
            pending.pop(id, None)
        each = min(each * 4, 64)
    return found, {id: number for id, number in tried.items() if id not in found}
