"""How a model comes to the tokens of one piece.

Four kinds of models, four stories: pairs that are merged, the longest entries from the left, the best way
through a lattice, and one look into a table. All positions are characters of the piece, unless they say
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _tessella

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two neighbours that could be merged."""

    #: The number of the left one among the symbols of this moment.
    position: int
    left: str
    right: str
    result: str
    #: Lower ranks go first. For a SentencePiece model it is the place by score.
    rank: int


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge, and the pairs that had to wait."""

    chosen: Candidate
    losing: tuple[Candidate, ...]
    #: All symbols afterwards.
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merges:
    """Byte pairs: neighbours are merged, the lowest rank first, the leftmost of equals."""

    #: The symbols at first.
    symbols: tuple[str, ...]
    merges: tuple[Merge, ...]
    #: The piece is a token, and was not taken apart.
    whole: bool

    @property
    def tokens(self) -> tuple[str, ...]:
        """The symbols at the end."""
        return self.merges[-1].symbols if self.merges else self.symbols


@dataclass(frozen=True, slots=True)
class Match:
    """The search for the longest entry at one place."""

    start: int
    #: The entries that were looked up, longest first; the last one is there if any is.
    tried: tuple[str, ...]
    found: str | None


@dataclass(frozen=True, slots=True)
class LongestMatch:
    """WordPiece: the longest entry from the left, again and again; what cannot be covered is unknown."""

    matches: tuple[Match, ...]
    #: Why the word is unknown, or ``None``.
    unknown: str | None
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """An entry that fits somewhere."""

    token: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Path:
    """A way through the lattice; its score is the sum of its edges'."""

    tokens: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Lattice:
    """Unigram: all entries that fit, and the ways through them, the best first."""

    edges: tuple[Edge, ...]
    paths: tuple[Path, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the best way."""
        return self.paths[0].tokens if self.paths else ()


@dataclass(frozen=True, slots=True)
class Lookup:
    """One look into a table."""

    found: bool
    tokens: tuple[str, ...]


Derivation = Merges | LongestMatch | Lattice | Lookup


class _Compiled:
    """A tokenizer's model as the tokenizer runs it, without the cost of another one."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.settings: Any = tokenizer.model
        self.kind = type(self.settings).__name__
        self._tokenizer = tokenizer

    def token_to_id(self, token: str) -> int | None:
        return _tessella.model_id(self._tokenizer, token)

    def id_to_token(self, id: int) -> str | None:
        return _tessella.model_token(self._tokenizer, id)


def teller(tokenizer: Tokenizer, n_best: int) -> Callable[[str], Derivation | None]:
    """What tells the story of a piece, or ``None`` if it is too long to be told."""
    model = _Compiled(tokenizer)
    return lambda piece: _derive(model, piece, n_best)


def _derive(model: _Compiled, piece: str, n_best: int) -> Derivation | None:
    if model.kind == "WordPiece":
        return _longest_match(model, piece)
    if model.kind == "WordLevel":
        known = model.token_to_id(piece) is not None
        return Lookup(known, (piece if known else str(model.settings.unk_token),))
    told, symbols, steps, edges, paths = _tessella.derive(model._tokenizer, piece, n_best)
    raw = piece.encode("utf-8")

    unknown = getattr(model.settings, "unk_token", None)

    def name(id: int, start: int, end: int) -> str:
        """What a symbol is called; an unknown one by the text that it stands for."""
        text = raw[start:end].decode("utf-8", "replace")
        own = model.id_to_token(id)
        if own is None or (own == unknown and text):
            return text
        # A SentencePiece model names no unknown token: what is neither the text nor a byte is unknown.
        return text if model.kind == "SentencePiece" and own != text and not own.startswith("<0x") else own

    if told == "whole":
        return Merges((piece,), (), True)
    if told == "merges":
        return _merges(model, [name(*symbol) for symbol in symbols], steps)
    if told == "lattice":
        places = _characters(raw)
        found = [
            Edge(name(id, start, end), places[start], places[end], score) for start, end, id, score in edges
        ]
        ways = [Path(tuple(_named(model, token, raw) for token in tokens), score) for tokens, score in paths]
        return Lattice(tuple(found), tuple(ways))
    return None


def _named(model: _Compiled, token: tuple[int, int, int], raw: bytes) -> str:
    id, start, end = token
    own = model.id_to_token(id)
    return raw[start:end].decode("utf-8", "replace") if own is None else own


def _characters(raw: bytes) -> list[int]:
    """Of each byte, and of the end, how many characters begin before it."""
    places, count = [], 0
    for byte in raw:
        places.append(count if byte & 0xC0 != 0x80 else count - 1)
        count += byte & 0xC0 != 0x80
    return [*places, count]


def _merges(model: _Compiled, symbols: list[str], steps: list[Any]) -> Merges:
    line = list(symbols)
    told = []

    def candidate(one: tuple[int, int, int]) -> Candidate:
        position, rank, id = one
        result = model.id_to_token(id)
        left, right = line[position], line[position + 1]
        return Candidate(position, left, right, left + right if result is None else result, rank)

    for chosen, losing in steps:
        merge, others = candidate(chosen), tuple(map(candidate, losing))
        line[merge.position : merge.position + 2] = [merge.result]
        told.append(Merge(merge, others, tuple(line)))
    return Merges(tuple(symbols), tuple(told), False)


def _longest_match(model: _Compiled, piece: str) -> LongestMatch:
    unknown = (str(model.settings.unk_token),)
    most = model.settings.max_input_chars_per_word
    if len(piece) > most:
        reason = f"it has {len(piece)} characters, more than the {most} that the model looks at"
        return LongestMatch((), reason, unknown)
    matches: list[Match] = []
    start = 0
    while start < len(piece):
        prefix = model.settings.continuing_subword_prefix if start else ""
        tried: list[str] = []
        found = None
        end = start
        for end in range(len(piece), start, -1):
            tried.append(f"{prefix}{piece[start:end]}")
            if model.token_to_id(tried[-1]) is not None:
                found = tried[-1]
                break
        matches.append(Match(start, tuple(tried), found))
        if found is None:
            reason = f"no entry begins with {prefix}{piece[start]}"
            return LongestMatch(tuple(matches), reason, unknown)
        start = end
    return LongestMatch(tuple(matches), None, tuple(one.found for one in matches if one.found is not None))
