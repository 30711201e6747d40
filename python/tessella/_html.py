"""What notebooks show: fragments of HTML, without scripts, for light pages and dark ones.

Tokens and texts come from strangers: all of it is escaped, what cannot be seen is spelled out, and what is
long is cut. Colours mix with whatever is behind them, and are readable on light pages and on dark ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ._shown import visible

if TYPE_CHECKING:
    from ._tessella import Encoding
    from .counting import PieceCounts
    from .tokenizer import PlanStep, Tokenizer
    from .tracing import Trace


#: Characters of one token or text, and rows, that are shown.
CHARACTERS = 200
ROWS = 200
PIECES = 20
STEPS = 50

_STYLE = """
.tessella-box {font-family: ui-sans-serif, system-ui, sans-serif; line-height: 1.6; color: inherit}
.tessella-box code {font-family: ui-monospace, monospace; padding: 1px 3px; border-radius: 4px;
 color: inherit; white-space: pre-wrap; background: rgba(64, 128, 224, .18)}
.tessella-box code.b {background: rgba(64, 176, 96, .22)}
.tessella-box code.special {background: rgba(200, 64, 176, .22)}
.tessella-box table {border-collapse: collapse; color: inherit; background: none}
.tessella-box th, .tessella-box td {padding: 1px 10px; text-align: left; color: inherit; background: none}
.tessella-box td.n {text-align: right; font-variant-numeric: tabular-nums}
.tessella-box .dim {opacity: .65}
"""


def _text(text: str) -> str:
    """A text with what cannot be seen spelled out, and its beginning where it is long."""
    left_out = max(len(text) - CHARACTERS, 0)
    more = f'<span class="dim"> \u2026 and {left_out:,} more characters</span>' if left_out else ""
    return (escape(visible(text[:CHARACTERS])) or "\u2205") + more


def _code(text: str, kind: str = "", hint: str = "") -> str:
    title = f' title="{escape(hint, quote=True)}"' if hint else ""
    return f'<code class="{kind}"{title}>{_text(text)}</code>'


def _box(*parts: str) -> str:
    return f'<style>{_STYLE}</style><div class="tessella-box">{"".join(parts)}</div>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Cells are HTML; columns of numbers are aligned to the right."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join(
        "<tr>"
        + "".join(f"<td{' class=n' if n in numbers else ''}>{c}</td>" for n, c in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def _more(left_out: int, what: str) -> str:
    return f'<div class="dim">\u2026 and {left_out:,} more {what}</div>' if left_out > 0 else ""


def encoding(shown: Encoding) -> str:
    """Tokens with ids and places."""
    tokens, ids, offsets = shown.tokens, shown.ids, shown.offsets
    special, words = shown.special_tokens_mask, shown.word_ids
    row = " ".join(
        _code(token, "special" if special[n] else ("", "b")[n % 2], f"id {ids[n]}")
        for n, token in enumerate(tokens[:ROWS])
    )
    rows = [
        (
            str(n),
            str(ids[n]),
            _code(token, "special" if special[n] else ""),
            "special" if special[n] else f"{offsets[n][0]}:{offsets[n][1]}",
            "" if words[n] is None else str(words[n]),
        )
        for n, token in enumerate(tokens[:ROWS])
    ]
    number = f"<div><b>{len(tokens):,} {'token' if len(tokens) == 1 else 'tokens'}</b></div>"
    table = _table(("", "id", "token", "characters", "word"), rows, (0, 1, 4))
    details = f"<details><summary>ids and places</summary>{table}</details>"
    return _box(number, f"<div>{row}</div>", _more(len(tokens) - ROWS, "tokens"), details)


def tokenizer(shown: Tokenizer) -> str:
    """Stages, added tokens, and which engines run."""
    size = shown.get_vocab_size()
    rows = [
        (stage, _component(getattr(shown, stage)))
        for stage in ("normalizer", "pre_tokenizer", "model", "post_processor", "decoder")
    ]
    added = sorted(shown.get_added_tokens_decoder().items())
    tokens = " ".join(
        _code(token.content, "special" if token.special else "", f"id {id}") for id, token in added[:PIECES]
    )
    engines = f"<details><summary>engines</summary>{_plan_table(shown.explain_plan())}</details>"
    return _box(
        f"<div><b>{escape(type(shown).__name__)}</b>, {size:,} tokens</div>",
        _table((), rows),
        f"<div>added tokens: {tokens or 'none'}</div>",
        _more(len(added) - PIECES, "added tokens"),
        engines,
    )


def _component(component: Any) -> str:
    return '<span class="dim">none</span>' if component is None else _code(str(component))


def _plan_table(steps: Iterable[PlanStep]) -> str:
    return _table(("stage", "engine", "why"), (tuple(map(_text, step)) for step in steps))


def plan(steps: Iterable[PlanStep]) -> str:
    """Which engine runs each stage, and why."""
    return _box(_plan_table(steps))


def counts(shown: PieceCounts) -> str:
    """The most frequent pieces, and where the counts come from."""
    total, top = shown.total, shown.top(PIECES)
    rows = [(f"{count:,}", f"{count / total:.2%}", _code(piece)) for piece, count in top]
    sources = "".join(
        f'<div class="dim">{_text(one.name or "unnamed")} {_text(one.language) if one.language else ""}: '
        f"{one.texts:,} texts, {one.bytes:,} bytes, counted {one.weight:,} times</div>"
        for one in shown.sources[:PIECES]
    )
    return _box(
        f"<div><b>{len(shown):,} pieces</b>, {total:,} occurrences</div>",
        _table(("count", "share", "piece"), rows, (0, 1)),
        _more(len(shown) - len(top), "pieces"),
        sources,
    )


def trace(shown: Trace) -> str:
    """The first steps of a training and the last."""
    steps = list(shown)
    first = steps if len(steps) <= STEPS else [*steps[: STEPS // 2], *steps[-STEPS // 2 :]]
    rows = []
    for step in first:
        told = vars(step)
        if "made" in told:
            what = f"{_code(told['left'])} + {_code(told['right'], 'b')} \u2192 {_code(told['made'])}"
            why = f"count {told['count']:,}"
        elif "loss" in told:
            what, why = f"{told['vocab_size']:,} entries estimated", f"loss {told['loss']:.6g}"
        else:
            shown_some = " ".join(_code(token) for token, _ in told["dropped"][:4])
            what, why = f"dropped {told['dropped_count']:,} {shown_some}", f"{told['vocab_size']:,} are left"
        rows.append((str(step.number), what, why))
    ended = f"<div>{_text(shown.ended)}</div>" if shown.ended else ""
    left_out = _more(len(steps) - len(first), "steps between the first and the last")
    return _box(
        f"<div><b>{len(steps):,} steps</b></div>", _table(("", "step", ""), rows, (0,)), left_out, ended
    )
