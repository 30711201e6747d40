"""An explanation as text for a terminal, in colours where it has them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from .._shown import colours, quoted, visible
from . import limits
from .model import Lattice, LongestMatch, Lookup, Merges
from .result import UNTOLD, Explanation, ModelPiece, Piece, SequenceSteps


class _Page:
    """Lines that fit, and their colours."""

    def __init__(self, color: bool, width: int) -> None:
        self.color = color
        self.width = max(width, 20)
        self.lines: list[str] = []

    def paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color else text

    def title(self, text: str) -> None:
        self.lines.append(self.paint("1", text))

    def line(self, indent: int, text: str, code: str = "") -> None:
        room = self.width - indent
        shown = text if len(text) <= room else f"{text[: room - 3]}..."
        self.lines.append(" " * indent + (self.paint(code, shown) if code else shown))

    def wrapped(self, indent: int, words: Iterable[str], code: str = "") -> None:
        row = ""
        for word in words:
            if row and len(row) + len(word) + 1 > self.width - indent:
                self.line(indent, row, code)
                row = ""
            row = f"{row} {word}" if row else word
        if row:
            self.line(indent, row, code)


def _bare(text: str) -> str:
    return text if text and text.isprintable() and " " not in text else quoted(text)


def _score(score: float) -> str:
    return f"{score:.4g}"


def _piece(piece: Piece) -> str:
    mark = "" if piece.added is None else f"  added token {piece.added}"
    return f"{quoted(piece.text)}  {piece.start}:{piece.end}{mark}"


def _more(page: _Page, indent: int, count: int, shown: int, what: str) -> None:
    if count > shown:
        page.line(indent, f"... and {count - shown} more {what}", "2")


def _told(page: _Page, told: ModelPiece) -> None:
    derivation = told.derivation
    if isinstance(derivation, Merges):
        if derivation.whole:
            page.line(4, "the whole piece is a token")
            return
        page.wrapped(4, map(_bare, derivation.symbols), "2")
        for number, merge in enumerate(derivation.merges[: limits.STEPS], 1):
            one = merge.chosen
            page.line(
                4,
                f"{number}. {_bare(one.left)} + {_bare(one.right)} -> {_bare(one.result)}  rank {one.rank}",
            )
            losing = sorted(merge.losing, key=lambda other: other.rank)
            if losing:
                shown = losing[: limits.CANDIDATES]
                named = [f"{_bare(x.left)} + {_bare(x.right)} rank {x.rank}" for x in shown]
                rest = f", {len(losing) - len(shown)} more" if len(losing) > len(shown) else ""
                page.line(7, f"before {', '.join(named)}{rest}", "2")
        _more(page, 4, len(derivation.merges), limits.STEPS, "merges")
        page.wrapped(4, ["=", *map(_bare, derivation.tokens)], "36")
    elif isinstance(derivation, LongestMatch):
        for match in derivation.matches[: limits.STEPS]:
            page.wrapped(4, ["tried", *limits.ends([_bare(one) for one in match.tried])], "2")
            if match.found is not None:
                page.line(4, f"found {_bare(match.found)}", "36")
        _more(page, 4, len(derivation.matches), limits.STEPS, "places")
        if derivation.unknown is not None:
            page.line(4, f"unknown: {visible(derivation.unknown)}", "33")
    elif isinstance(derivation, Lattice):
        page.line(4, "entries that fit:", "2")
        best = set(derivation.tokens)
        for edge in derivation.edges[: limits.EDGES]:
            page.line(
                6,
                f"{edge.start}:{edge.end}  {_bare(edge.token)}  {_score(edge.score)}",
                "" if edge.token in best else "2",
            )
        _more(page, 6, len(derivation.edges), limits.EDGES, "entries")
        for number, path in enumerate(derivation.paths[: limits.STEPS], 1):
            page.wrapped(
                4,
                [f"{number}.", *map(_bare, path.tokens), f" {_score(path.score)}"],
                "36" if number == 1 else "",
            )
        _more(page, 4, len(derivation.paths), limits.STEPS, "ways")
    elif isinstance(derivation, Lookup):
        page.line(4, "in the vocabulary" if derivation.found else "not in the vocabulary: unknown")
    elif told.piece.added is None:
        page.line(4, UNTOLD, "2")


def _sequence(page: _Page, steps: SequenceSteps, model: str) -> None:
    for stage in steps.stages:
        page.title(stage.name)
        for piece in stage.pieces[: limits.PIECES]:
            page.line(2, _piece(piece), "" if piece.added is None else "35")
        _more(page, 2, len(stage.pieces), limits.PIECES, "pieces")
    page.title(f"model {model}")
    for told in steps.pieces[: limits.PIECES]:
        page.line(2, _piece(told.piece), "35" if told.piece.added is not None else "1")
        _told(page, told)
    _more(page, 2, len(steps.pieces), limits.PIECES, "pieces")


def render(explanation: Explanation, color: bool | None = None, width: int | None = None) -> str:
    """See ``Explanation.render``."""
    columns = shutil.get_terminal_size((100, 24)).columns if width is None else width
    page = _Page(colours() if color is None else color, columns)
    for number, steps in enumerate(explanation.sequences):
        if len(explanation.sequences) > 1:
            page.title(f"sequence {number}")
        _sequence(page, steps, explanation.model)
    if explanation.chance is not None:
        page.line(0, f"with {explanation.chance}", "33")
    page.title("tokens")
    for token in explanation.tokens[: limits.TOKENS]:
        if token.sequence is None:
            page.line(2, f"{token.id}  {quoted(token.token)}  special", "35")
        else:
            of = f"  sequence {token.sequence}" if len(explanation.sequences) > 1 else ""
            page.line(
                2, f"{token.id}  {quoted(token.token)}  {token.start}:{token.end}  {quoted(token.text)}{of}"
            )
    _more(page, 2, len(explanation.tokens), limits.TOKENS, "tokens")
    return "\n".join(page.lines)
