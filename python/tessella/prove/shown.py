"""Differences for people: a tree for terminals, a page for browsers."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from .._shown import quoted, visible

if TYPE_CHECKING:
    from .difference import Difference, Example
    from .outcome import Outcome


#: Tokens of an example that are shown.
SHOWN = 16


def tree(found: Difference) -> str:
    """What is different, from the structure to single texts."""
    if not found:
        texts = sum(one.texts for one in found.corpora)
        return f"no difference: same structure{_but(found)}, same results for {found.probed + texts:,} texts"
    lines = []
    if found.structure:
        lines.append("structure")
        for part, group in groupby(found.structure, key=lambda change: change.part):
            lines.append(f"  {visible(part)}")
            lines += [f"    {visible(str(change))}" for change in group]
    else:
        lines.append("structure: the same" + _but(found))
    for one in found.corpora:
        share = one.differing / max(one.texts, 1)
        lines.append(
            f"{visible(one.name)}: {one.differing:,} of {one.texts:,} texts differ ({share:.1%}): "
            f"{one.tokens:,} in tokens, {one.ids - one.tokens:,} in ids only, "
            f"{one.decoded:,} in decoded text only, {one.others:,} in offsets, words or types only"
        )
    if not found.examples:
        lines.append(f"behaviour: no text of {found.probed:,} that were tried besides tells them apart")
    for example in found.examples:
        lines += _example(example)
    return "\n".join(lines)


def _but(found: Difference) -> str:
    """What is not known of the structure."""
    stages = ", ".join(found.unseen)
    return f" but for code in Python ({stages}), which cannot be compared" if stages else ""


def _example(one: Example) -> list[str]:
    pair = ", as both texts of a pair" if one.is_pair else ""
    lines = [f"parts ways at the {one.stage}: {quoted(one.text)}{pair} (found in {visible(one.source)})"]
    for name, what in (("before", one.before), ("after ", one.after)):
        lines.append(f"  {name}  {_told(what, one.stage)}")
    return lines


def _told(what: Outcome, stage: str) -> str:
    """What matters of an outcome, given the stage."""
    if what.error is not None:
        return visible(what.error)
    tokens = "│".join(visible(token) for token in what.tokens[:SHOWN])
    more = "…" if len(what.tokens) > SHOWN else ""
    if stage == "decoder":
        return quoted(what.decoded_all)
    if stage == "offsets":
        return f"{tokens}{more}  offsets {list(what.offsets[:SHOWN])}"
    ids = f"{list(what.ids[:SHOWN])}{more}"
    words = f"  words {list(what.words[:SHOWN])}" if stage == "pre-tokenizer" else ""
    types = f"  types {list(what.type_ids[:SHOWN])}" if stage == "post-processor" else ""
    return f"{tokens}{more}  {ids}{types}{words}"


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}td,th{border:1px solid #8884;padding:.3rem .5rem;"
    "text-align:left;vertical-align:top;overflow-wrap:anywhere}code{font-family:ui-monospace,monospace;white-space:pre-wrap}"
    ".token{border:1px solid #8886;border-radius:3px;padding:0 .15rem;margin:0 .1rem}"
)


def page(found: Difference) -> str:
    """A page that needs nothing else."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tokenizers compared</title>'
        f"<style>{_STYLE}</style></head><body><h1>Tokenizers compared</h1>{body(found)}</body></html>"
    )


def body(found: Difference) -> str:
    """The same as a fragment."""
    if not found:
        return f"<p>{escape(tree(found))}</p>"
    parts = ["<h2>Structure</h2>"]
    if found.structure:
        told = ((one.path, str(one).removeprefix(f"{one.path}: ")) for one in found.structure)
        rows = "".join(
            f"<tr><td><code>{_safe(path)}</code></td><td><code>{_safe(what)}</code></td></tr>"
            for path, what in told
        )
        parts.append(f"<table><tr><th>where</th><th>before and after</th></tr>{rows}</table>")
    else:
        parts.append(f"<p>the same{escape(_but(found))}</p>")
    parts.append("<h2>Behaviour</h2>")
    if found.corpora:
        rows = "".join(
            f"<tr><td>{_safe(one.name)}</td><td>{one.texts:,}</td><td>{one.differing:,}</td><td>{one.tokens:,}</td>"
            f"<td>{one.ids - one.tokens:,}</td><td>{one.decoded:,}</td><td>{one.others:,}</td></tr>"
            for one in found.corpora
        )
        titles = ("texts", "number", "differ", "in tokens", "in ids only", "decoded", "otherwise")
        head = f"<tr>{''.join(f'<th>{title}</th>' for title in titles)}</tr>"
        parts.append(f"<table>{head}{rows}</table>")
    for one in found.examples:
        parts.append(f"<h3>{_safe(one.stage)}: <code>{_safe(one.text)}</code></h3><table>")
        for name, what in (("before", one.before), ("after", one.after)):
            tokens = "".join(f'<span class="token">{_safe(token)}</span>' for token in what.tokens[:SHOWN])
            shown = (
                _safe(what.error) if what.error else f"{tokens} <code>{_safe(_told(what, one.stage))}</code>"
            )
            parts.append(f"<tr><th>{name}</th><td>{shown}</td></tr>")
        parts.append("</table>")
    return "".join(parts)


def _safe(text: str | None) -> str:
    return escape(visible(text or ""))
