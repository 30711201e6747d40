"""What the audit calls unreachable, by other means: every way there is, tried one by one.

Nothing here asks how the audit argued. A score is beaten by a spelling among all spellings, bytes are sought in all
characters that there are, a text is put beside every character. The first way to the token that is found is told.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise, product

from tessella import Tokenizer
from tessella._vocabulary import Entries, model_state, piece_scores

#: Characters that stand for their kind where both sides of a text are varied.
KINDS = "aZzé東я1٣_.,'-([ \t\n\u3000\u0301\u200d😀#▁</"


@cache
def characters(are_all: bool) -> list[str]:
    """Every character, or those that mean something in the Unicode of this Python."""
    points = (chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point < 0xE000)
    return [one for one in points if are_all or unicodedata.category(one) not in ("Cn", "Co")]


@cache
def _parts() -> tuple[set[bytes], set[bytes], set[bytes]]:
    """Ends, beginnings and insides of all characters in UTF-8."""
    ends, beginnings, insides = set(), set(), set()
    for one in characters(True):
        spelled = one.encode()
        size = len(spelled)
        ends |= {spelled[at:] for at in range(1, size)}
        beginnings |= {spelled[:at] for at in range(1, size)}
        insides |= {spelled[first:last] for first in range(1, size) for last in range(first + 1, size)}
    return ends, beginnings, insides


def stands_in_text(spelled: bytes) -> bool:
    """Whether bytes are a part of any text: some end of a character, characters, some beginning of one."""
    ends, beginnings, insides = _parts()
    if spelled in insides:
        return True
    for first in range(min(3, len(spelled)) + 1):
        for last in range(max(first, len(spelled) - 3), len(spelled) + 1):
            if (first == 0 or spelled[:first] in ends) and (
                last == len(spelled) or spelled[last:] in beginnings
            ):
                try:
                    spelled[first:last].decode()
                except UnicodeDecodeError:
                    continue
                return True
    return False


def spellings(token: str, scores: Mapping[str, float]) -> Iterator[tuple[float, list[str]]]:
    """All ways to spell a token by entries, with the sum of their scores."""
    if not token:
        yield 0.0, []
    for size in range(1, len(token) + 1):
        if (first := token[:size]) in scores:
            for sum, rest in spellings(token[size:], scores):
                yield scores[first] + sum, [first, *rest]


def derivations(
    symbols: tuple[str, ...], ranks: Mapping[tuple[str, str], int]
) -> Iterator[list[tuple[int, str]]]:
    """All orders of merges that make one symbol of several, with the ranks of what was merged, and of what else could be."""
    if len(symbols) == 1:
        yield []
    for at in range(len(symbols) - 1):
        pair = symbols[at], symbols[at + 1]
        if pair in ranks:
            least = min(ranks.get(other, sys.maxsize) for other in pairwise(symbols))
            if ranks[pair] == least:
                merged = (*symbols[:at], "".join(pair), *symbols[at + 2 :])
                for rest in derivations(merged, ranks):
                    yield [(ranks[pair], merged[at]), *rest]


def around(text: str, every: list[str]) -> Iterator[str]:
    """A text beside every character, at either side, and between those that stand for their kind."""
    yield text
    for one in every:
        yield one + text
        yield text + one
    for before, after in product(KINDS, repeat=2):
        yield before + text + after


def gives(tokenizer: Tokenizer, id: int, texts: Iterator[str], at_once: int = 1 << 16) -> str | None:
    """The first text that gives an id."""
    while some := [text for _, text in zip(range(at_once), texts, strict=False)]:
        ragged = tokenizer.encode_ids_batch(some, add_special_tokens=False)
        places = (ragged.ids == id).nonzero()[0]
        if len(places):
            return some[int(ragged.offsets.searchsorted(places[0], side="right")) - 1]
    return None


def given_by_characters(tokenizer: Tokenizer, are_all: bool) -> set[int]:
    """The ids that characters give, each by itself: looked up once for all entries of a tokenizer."""
    key = tokenizer.fingerprint(), are_all
    if key not in _GIVEN:
        found: set[int] = set()
        every = characters(are_all)
        for start in range(0, len(every), 1 << 16):
            ragged = tokenizer.encode_ids_batch(every[start : start + (1 << 16)], add_special_tokens=False)
            found.update(ragged.ids.tolist())
        _GIVEN[key] = found
    return _GIVEN[key]


_GIVEN: dict[tuple[str, bool], set[int]] = {}


def scores_of(tokenizer: Tokenizer, entries: Entries) -> dict[str, float]:
    """Learned entries of a Unigram model and their scores."""
    if type(tokenizer.model).__name__ == "SentencePiece":
        scores = piece_scores(tokenizer)[1]
    else:
        scores = [score for _, score in model_state(tokenizer)["vocab"]]
    pairs = zip(entries.tokens, entries.kinds, scores, strict=False)
    return {token: score for token, kind, score in pairs if token is not None and kind == "text"}


def way_to(tokenizer: Tokenizer, entries: Entries, row: Mapping[str, object], are_all: bool) -> str | None:
    """A way in which an entry that is called unreachable comes out after all; ``None`` where all fail."""
    id, cause = int(str(row["id"])), row["cause"]
    token, spelled = entries.tokens[id] or "", entries.bytes[id] or b""
    every = characters(False)
    if cause == "no text":
        return repr(spelled) if stands_in_text(spelled) else None
    if cause == "own entry":
        if id in given_by_characters(tokenizer, are_all):
            return "some character"
        return gives(tokenizer, id, iter([token, *(before + token for before in KINDS), token + " " + token]))
    if cause == "score":
        scores = scores_of(tokenizer, entries)
        best, parts = max(spellings(token, scores))
        if parts == [token] or best <= scores[token]:
            return f"no spelling beats {scores[token]}"
    if cause == "merge order":
        merges = (
            one.split(" ", 1) if isinstance(one, str) else one for one in model_state(tokenizer)["merges"]
        )
        ranks = {(left, right): rank for rank, (left, right) in enumerate(merges)}
        if found := next(derivations(tuple(token), ranks), None):
            return f"merged as {found}"
    text = spelled.decode()
    return gives(tokenizer, id, around(text, every))
