"""An explanation as a fragment of HTML: for notebooks, without scripts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .model import Lattice, LongestMatch, Lookup, Merges
from .result import Explanation, ModelPiece, Piece

__all__ = ["render"]

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

_VISIBLE = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "": "\u2205"}


def _text(text: str) -> str:
    """A text with what cannot be seen spelled out."""
    shown = _VISIBLE.get(text, text)
    return escape("".join(c if c.isprintable() else _VISIBLE.get(c, f"\\u{ord(c):04x}") for c in shown))


def _code(text: str, kind: str = "", hint: str = "") -> str:
    return f'<code class="{kind}" title="{escape(hint, quote=True)}">{_text(text)}</code>'


def _pieces(pieces: Iterable[Piece]) -> str:
    return "".join(
        _code(
            piece.text,
            "added" if piece.added is not None else ("", "b")[number % 2],
            f"{piece.start}:{piece.end}" + ("" if piece.added is None else f", added token {piece.added}"),
        )
        for number, piece in enumerate(pieces)
    )


def _row(tokens: Iterable[str]) -> str:
    return "".join(_code(token, ("", "b")[number % 2]) for number, token in enumerate(tokens))


def _table(rows: Iterable[Iterable[str]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{body}</table>"


def _told(told: ModelPiece) -> str:
    derivation = told.derivation
    if isinstance(derivation, Merges):
        if derivation.whole:
            return '<div class="dim">the whole piece is a token</div>'
        rows = [("", _row(derivation.symbols), "", "")]
        for number, merge in enumerate(derivation.merges, 1):
            losing = sorted(merge.losing, key=lambda other: other.rank)
            waited = ", ".join(f"{one.left} + {one.right} ({one.rank})" for one in losing)
            rows.append(
                (
                    f"{number}.",
                    _row(merge.symbols),
                    f"{_code(merge.chosen.left)} + {_code(merge.chosen.right)}, rank {merge.chosen.rank}",
                    f'<span class="dim">{"before " + _text(waited) if waited else ""}</span>',
                )
            )
        return _table(rows)
    if isinstance(derivation, LongestMatch):
        matches = [
            (
                "nothing" if match.found is None else "found",
                _code(match.found or ""),
                f'<span class="dim">tried {_text(", ".join(match.tried))}</span>',
            )
            for match in derivation.matches
        ]
        reason = "" if derivation.unknown is None else f"<div>unknown: {_text(derivation.unknown)}</div>"
        return _table(matches) + reason
    if isinstance(derivation, Lattice):
        paths = [
            (f"{number}.", _row(path.tokens), f"{path.score:.4g}")
            for number, path in enumerate(derivation.paths, 1)
        ]
        edges = [
            (f"{edge.start}:{edge.end}", _code(edge.token), f"{edge.score:.4g}") for edge in derivation.edges
        ]
        head = f"<summary>{len(edges)} entries that fit</summary>"
        return f"{_table(paths)}<details>{head}{_table(edges)}</details>"
    if isinstance(derivation, Lookup):
        return f'<div class="dim">{"in" if derivation.found else "not in"} the vocabulary</div>'
    return "" if told.piece.added is not None else '<div class="dim">too long to show how</div>'


def render(explanation: Explanation) -> str:
    """See ``Explanation.to_html``."""
    parts = [f'<style>{_STYLE}</style><div class="tessella">']
    for steps in explanation.sequences:
        for stage in steps.stages:
            parts.append(f"<h4>{escape(stage.name)}</h4><div>{_pieces(stage.pieces)}</div>")
        parts.append(f"<h4>model {escape(explanation.model)}</h4>")
        for told in steps.pieces:
            tokens = _row(token.token for token in told.tokens)
            head = f"{_pieces([told.piece])} \u2192 {tokens}"
            parts.append(f"<details><summary>{head}</summary>{_told(told)}</details>")
    if explanation.chance is not None:
        parts.append(f"<p>with {escape(explanation.chance)}</p>")
    rows = [
        (
            str(token.id),
            _code(token.token, "added" if token.sequence is None else ""),
            "special" if token.sequence is None else f"{token.start}:{token.end}",
            _text(token.text),
        )
        for token in explanation.tokens
    ]
    parts.append(f"<h4>tokens</h4>{_table(rows)}</div>")
    return "".join(parts)
