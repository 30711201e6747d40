"""An explanation as a fragment of HTML: for notebooks, without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .._shown import visible
from . import limits
from .model import Lattice, LongestMatch, Lookup, Merges
from .result import UNTOLD, Explanation, ModelPiece, Piece

_STYLE = """
.tessella {font-family: ui-sans-serif, system-ui, sans-serif; font-size: 14px; line-height: 1.7}
.tessella h4 {margin: .8em 0 .2em; font-weight: 600}
.tessella code {font-family: ui-monospace, monospace; padding: 1px 4px; border-radius: 4px; white-space:
pre-wrap;
 color: #1b1b1b; background: #e8edf4; margin-right: 3px}
.tessella code.b {background: #dcefe0}
.tessella code.added {background: #f4dcf0}
.tessella .dim {opacity: .65}
.tessella details {margin: .15em 0 .15em 1em}
.tessella table {border-collapse: collapse}
.tessella td {padding: 1px 8px; text-align: left}
"""


def _text(text: str) -> str:
    """A text with what cannot be seen spelled out, and its beginning where it is long."""
    shown = escape(visible(text[: limits.CHARACTERS])) or "\u2205"
    return shown + _more(max(len(text) - limits.CHARACTERS, 0), "characters")


def _more(left_out: int, what: str) -> str:
    return f'<span class="dim"> \u2026 and {left_out:,} more {what}</span>' if left_out else ""


def _code(text: str, kind: str = "", hint: str = "") -> str:
    return f'<code class="{kind}" title="{escape(hint, quote=True)}">{_text(text)}</code>'


def _pieces(pieces: Sequence[Piece]) -> str:
    shown, left_out = limits.cut(pieces, limits.PIECES)
    drawn = "".join(
        _code(
            piece.text,
            "added" if piece.added is not None else ("", "b")[number % 2],
            f"{piece.start}:{piece.end}" + ("" if piece.added is None else f", added token {piece.added}"),
        )
        for number, piece in enumerate(shown)
    )
    return drawn + _more(left_out, "pieces")


def _row(tokens: Sequence[str]) -> str:
    shown, left_out = limits.cut(tokens, limits.PIECES)
    drawn = "".join(_code(token, ("", "b")[number % 2]) for number, token in enumerate(shown))
    return drawn + _more(left_out, "tokens")


def _table(rows: Iterable[Iterable[str]], left_out: int = 0, what: str = "") -> str:
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{body}</table>{_more(left_out, what)}"


def _merges(derivation: Merges) -> str:
    if derivation.whole:
        return '<div class="dim">the whole piece is a token</div>'
    rows = [("", _row(derivation.symbols), "", "")]
    shown, left_out = limits.cut(derivation.merges, limits.STEPS)
    for number, merge in enumerate(shown, 1):
        losing, others = limits.cut(sorted(merge.losing, key=lambda other: other.rank), limits.CANDIDATES)
        waited = ", ".join(f"{one.left} + {one.right} ({one.rank})" for one in losing)
        before = f"before {_text(waited)}{_more(others, 'pairs')}" if waited else ""
        rows.append(
            (
                f"{number}.",
                _row(merge.symbols),
                f"{_code(merge.chosen.left)} + {_code(merge.chosen.right)}, rank {merge.chosen.rank}",
                f'<span class="dim">{before}</span>',
            )
        )
    if left_out:
        rows.append(("\u2026", _row(derivation.tokens), "at the end", ""))
    return _table(rows, left_out, "merges")


def _longest_match(derivation: LongestMatch) -> str:
    shown, left_out = limits.cut(derivation.matches, limits.STEPS)
    matches = [
        (
            "nothing" if match.found is None else "found",
            _code(match.found or ""),
            f'<span class="dim">tried {_text(", ".join(limits.ends(match.tried)))}</span>',
        )
        for match in shown
    ]
    reason = "" if derivation.unknown is None else f"<div>unknown: {_text(derivation.unknown)}</div>"
    return _table(matches, left_out, "places") + reason


def _lattice(derivation: Lattice) -> str:
    ways, other_ways = limits.cut(derivation.paths, limits.STEPS)
    paths = [(f"{number}.", _row(path.tokens), f"{path.score:.4g}") for number, path in enumerate(ways, 1)]
    entries, other_entries = limits.cut(derivation.edges, limits.EDGES)
    edges = [(f"{edge.start}:{edge.end}", _code(edge.token), f"{edge.score:.4g}") for edge in entries]
    head = f"<summary>{len(derivation.edges)} entries that fit</summary>"
    found = _table(edges, other_entries, "entries")
    return f"{_table(paths, other_ways, 'ways')}<details>{head}{found}</details>"


def _told(told: ModelPiece) -> str:
    derivation = told.derivation
    if isinstance(derivation, Merges):
        return _merges(derivation)
    if isinstance(derivation, LongestMatch):
        return _longest_match(derivation)
    if isinstance(derivation, Lattice):
        return _lattice(derivation)
    if isinstance(derivation, Lookup):
        return f'<div class="dim">{"in" if derivation.found else "not in"} the vocabulary</div>'
    return "" if told.piece.added is not None else f'<div class="dim">{UNTOLD}</div>'


def render(explanation: Explanation) -> str:
    """See ``Explanation.to_html``."""
    parts = [f'<style>{_STYLE}</style><div class="tessella">']
    for steps in explanation.sequences:
        for stage in steps.stages:
            parts.append(f"<h4>{escape(stage.name)}</h4><div>{_pieces(stage.pieces)}</div>")
        parts.append(f"<h4>model {escape(explanation.model)}</h4>")
        shown, left_out = limits.cut(steps.pieces, limits.PIECES)
        size = 0
        for number, told in enumerate(shown):
            if size > limits.PAGE:
                left_out += len(shown) - number
                break
            tokens = _row([token.token for token in told.tokens])
            head = f"{_pieces([told.piece])} \u2192 {tokens}"
            parts.append(f"<details><summary>{head}</summary>{_told(told)}</details>")
            size += len(parts[-1])
        parts.append(_more(left_out, "pieces"))
    if explanation.chance is not None:
        parts.append(f"<p>with {escape(explanation.chance)}</p>")
    tokens_shown, left_out = limits.cut(explanation.tokens, limits.TOKENS)
    rows = [
        (
            str(token.id),
            _code(token.token, "added" if token.sequence is None else ""),
            "special" if token.sequence is None else f"{token.start}:{token.end}",
            _text(token.text),
        )
        for token in tokens_shown
    ]
    parts.append(f"<h4>tokens</h4>{_table(rows, left_out, 'tokens')}</div>")
    return "".join(parts)
