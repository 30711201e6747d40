"""A report as one HTML page: it opens from a file, asks nobody for anything, and runs no script.

A policy in its head forbids everything but its own style, so that nothing that a corpus or a vocabulary holds
can be more than text. Numbers stand in tables as well as in plots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from . import drawing
from .shown import (
    corpus_rows,
    costly_documents,
    costly_words,
    is_of_several,
    number,
    reach,
    text,
    tokenizer_rows,
)
from .style import STYLE

#: Rows of long tables.
MOST = 20
#: Metrics that have a plot, with shares in percent.
PLOTTED = (
    "bytes_per_token",
    "normalised_length",
    "fertility",
    "continued_words",
    "single_words",
    "renyi_efficiency",
    "utilisation",
    "unknown_rate",
    "byte_fallback_rate",
    "split_characters",
    "round_trip_failures",
    "digit_grouping",
)
#: Nothing may be loaded, and nothing run.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(data: dict[str, Any]) -> str:
    """The page of a report."""
    title, parts = _audit(data) if data["kind"] == "audit" else _evaluation(data)
    foot = f'<p class="dim">Tessella {escape(data["tessella"])}</p>'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(text(title))}</title><style>{STYLE}</style></head>"
        f"<body><main>{''.join(parts)}{foot}</main></body></html>\n"
    )


def _text(shown: str | None) -> str:
    return escape(text(shown or ""))


def _code(token: str | None) -> str:
    return f'<bdi class="t">{_text(token) or "∅"}</bdi>'


def _section(title: str, *parts: str) -> str:
    inside = "".join(parts)
    return f"<section><h2>{escape(title)}</h2>{inside}</section>" if inside else ""


def _figure(title: str, drawn: str, caption: str = "") -> str:
    told = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure><h3>{escape(title)}</h3>{drawn}{told}</figure>" if drawn else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table; cells are HTML, columns of numbers are aligned to the right."""
    top = "".join(
        f'<th scope="col"{" class=n" if place in numbers else ""}>{cell}</th>'
        for place, cell in enumerate(head)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{' class=n' if place in numbers else ''}>{cell}</td>" for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    if not body:
        return ""
    inside = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="table" tabindex="0" role="region" aria-label="table">{inside}</div>'


def _more(inside: str, title: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inside}</details>" if inside else ""


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return "–"
    inside = f' <span class="r">{reach(row)}</span>' if reach(row) else ""
    note = f' title="{escape(row["note"], quote=True)}"' if row["note"] else ""
    return f"<span{note}>{number(row['value'])}</span>{inside}"


def _evaluation(data: dict[str, Any]) -> tuple[str, list[str]]:
    names = [one["name"] for one in data["tokenizers"]]
    found = {(row["scope"], row["name"], row["tokenizer"], row["metric"]): row for row in data["values"]}
    title = "Evaluation of " + ", ".join(names)
    parts = [f"<header><h1>{_text(title)}</h1>{_method(data)}</header>"]
    parts += [f'<p class="warn" role="note"><b>Mind:</b> {_text(one)}</p>' for one in data["warnings"]]
    parts.append(_section("What was measured", _measured(data)))
    plots = [_bars(data, names, found, metric) for metric in PLOTTED if metric in data["metrics"]]
    parts.append(_section("At a glance", f'<div class="grid">{"".join(plots)}</div>'))
    parts.append(_section("All values", _values(data, names, found)))
    parts.append(_section("Differences, on the same documents", _differences(data)))
    parts.append(_section("By corpus and language", _scopes(data, names, found)))
    parts.append(_section("The same text in several languages", _languages(data, names)))
    parts.append(_section("Cuts against morphemes", _morphemes(data, names)))
    parts.append(_section("Shapes", f'<div class="grid">{_shapes(data, names)}</div>'))
    parts.append(_section("What costs most", _words(data, names), _documents(data, names)))
    parts.append(_section("Scripts", _scripts(data)))
    parts.append(_section("What the numbers are, and what fools them", _definitions(data)))
    return title, parts


def _method(data: dict[str, Any]) -> str:
    settings = data["settings"]
    if not settings["bootstrap"]:
        return '<p class="dim">Without intervals.</p>'
    return (
        f'<p class="dim">Numbers beside a value say where it lies, {settings["confidence"]:.0%} of the time: '
        f"{settings['bootstrap']:,} draws of documents, seed {settings['seed']}; entropies by the jackknife. "
        f"Words: {_text(settings['words'])}.</p>"
    )


def _measured(data: dict[str, Any]) -> str:
    tokenizers = _table(("tokenizer", "model", "entries"), tokenizer_rows(data, _text), (2,))
    columns = ("corpus", "language", "documents", "bytes", "of them looked at closely")
    return tokenizers + _table(columns, corpus_rows(data, _text), (2, 3, 4))


def _bars(data: dict[str, Any], names: Sequence[str], found: Any, metric: str) -> str:
    facts = data["metrics"][metric]
    rows = [found.get(("all", "", name, metric)) for name in names]
    if all(row is None or not row["value"] for row in rows):
        return ""
    drawn = drawing.bars(
        facts["title"],
        [
            (name, *((None, None, None) if row is None else (row["value"], row["low"], row["high"])))
            for name, row in zip(names, rows, strict=True)
        ],
        facts["range"] == [0, 1],
    )
    better = {"more": "More is better.", "less": "Less is better.", "neither": ""}[facts["better"]]
    return _figure(f"{facts['title']} ({facts['unit']})", drawn, f"{facts['definition']} {better}")


def _values(data: dict[str, Any], names: Sequence[str], found: Any) -> str:
    rows = []
    for metric, facts in data["metrics"].items():
        own = [found.get(("all", "", name, metric)) for name in names]
        if any(row is not None and row["value"] is not None for row in own):
            rows.append([f"{escape(facts['title'])} <code>{metric}</code>", *map(_cell, own)])
    return _table(("metric", *map(_text, names)), rows, range(1, len(names) + 1))


def _differences(data: dict[str, Any]) -> str:
    rows = []
    for row in data["differences"]:
        if row["scope"] != "all" or row["value"] is None:
            continue
        agreement = "–" if row["agreement"] is None else f"{row['agreement']:.1%}"
        is_sure = row["low"] is not None and row["low"] * row["high"] > 0
        names = f"{_text(row['first'])} − {_text(row['second'])}"
        sure = "yes" if is_sure else "no" if row["low"] is not None else "–"
        rows.append([f"<code>{row['metric']}</code>", names, _cell(row), agreement, sure])
    return _table(
        ("metric", "tokenizers", "difference", "draws that agree", "interval without 0"), rows, (2, 3)
    )


def _scopes(data: dict[str, Any], names: Sequence[str], found: Any) -> str:
    scopes = list(
        dict.fromkeys((row["scope"], row["name"]) for row in data["values"] if row["scope"] != "all")
    )
    if not scopes:
        return ""
    plots = []
    for metric in ("bytes_per_token", "fertility", "unknown_rate"):
        rows = [
            (name, [(found.get((kind, name, one, metric)) or {"value": None})["value"] for one in names])
            for kind, name in scopes
        ]
        if any(value for _, values in rows for value in values):
            facts = data["metrics"][metric]
            plots.append(
                _figure(facts["title"], drawing.heat(facts["title"], names, rows), "Darker is more.")
            )
    table = _table(
        ("", "metric", *map(_text, names)),
        (
            [
                _text(name),
                f"<code>{metric}</code>",
                *(_cell(found.get((kind, name, one, metric))) for one in names),
            ]
            for kind, name in scopes
            for metric in data["metrics"]
            if any(
                (found.get((kind, name, one, metric)) or {"value": None})["value"] is not None
                for one in names
            )
        ),
        range(2, len(names) + 2),
    )
    return f'<div class="grid">{"".join(plots)}</div>{_more(table, "All values of each")}'


def _languages(data: dict[str, Any], names: Sequence[str]) -> str:
    found = data["parallel"]
    if not found:
        return ""
    rows = {(row["tokenizer"], row["language"]): row for row in found["premiums"]}
    values = [(one, [rows[name, one]["value"] for name in names]) for one in found["languages"]]
    drawn = drawing.heat("Tokens over those of the base", names, values)
    caption = f"Tokens over those of {text(found['base'])}, {found['lines']:,} lines. Darker pays more."
    table = _table(
        ("language", *map(_text, names)),
        [
            *([_text(one), *(_cell(rows[name, one]) for name in names)] for one in found["languages"]),
            ["Gini", *(_cell(one["gini"]) for one in found["summary"])],
        ],
        range(1, len(names) + 1),
    )
    return _figure("What each language pays", drawn, caption) + table


def _morphemes(data: dict[str, Any], names: Sequence[str]) -> str:
    found = data["morphology"]
    if not found:
        return ""
    rows = {(row["tokenizer"], row["metric"]): row for row in found["values"]}
    return _table(
        ("metric", *map(_text, names), "what it is"),
        (
            [f"<code>{one}</code>", *(_cell(rows[name, one]) for name in names), escape(told)]
            for one, told in found["definitions"].items()
        ),
        range(1, len(names) + 1),
    )


def _shapes(data: dict[str, Any], names: Sequence[str]) -> str:
    zipf = [(name, data["zipf"][name]) for name in names if len(data["zipf"][name]) > 1]
    drawn = _figure(
        "How often entries are used",
        drawing.lines("Count by rank", zipf, "rank", "count", log=(True, True)) if zipf else "",
        "Natural text gives nearly straight lines; a line that ends early leaves entries unused.",
    )
    grown = [(name, one["points"]) for name, one in data["growth"].items() if one]
    knees = [
        (place, data["growth"][name]["knee"])
        for place, (name, _) in enumerate(grown)
        if data["growth"][name]["knee"] is not None
    ]
    drawn += _figure(
        "Had the vocabulary been smaller",
        drawing.lines(
            "Bytes per token by entries", grown, "entries", "bytes per token", log=(True, False), marks=knees
        )
        if grown
        else "",
        "What the same merges, cut off earlier, give on this text. The circle is the knee of the curve.",
    )
    # Several corpora have several rows for a length: the plot is of the first that has any.
    first = next((row["corpus"] for row in data["numbers"]), None)
    numbers = [
        (
            name,
            [
                [row["digits"], row["tokens"]]
                for row in data["numbers"]
                if row["tokenizer"] == name and row["corpus"] == first
            ],
        )
        for name in names
    ]
    if first is not None:
        drawn += _figure(
            "Tokens of numbers",
            drawing.lines("Tokens by digits", numbers, "digits", "tokens"),
            f"Mean tokens of numbers by their length, in {text(first)}; 12 stands for 12 and more.",
        )
    return drawn


def _words(data: dict[str, Any], names: Sequence[str]) -> str:
    where = is_of_several(data)
    rows = [
        [
            _code(one["word"]),
            *([_text(one["corpus"])] if where else []),
            number(one["count"]),
            *("".join(map(_code, one["cuts"][name])) for name in names),
        ]
        for one in costly_words(data)[:MOST]
    ]
    head = ("word", *(["corpus"] if where else []), "count", *map(_text, names))
    return _table(head, rows, (2 if where else 1,))


def _documents(data: dict[str, Any], names: Sequence[str]) -> str:
    parts, where = [], is_of_several(data)
    head = ("tokens per byte", "tokens", *(["corpus"] if where else []), "begins")
    for name in names:
        rows = [
            [
                number(one["tokens_per_byte"]),
                number(one["tokens"]),
                *([_text(one["corpus"])] if where else []),
                f'<bdi class="t">{_text(one["text"])}</bdi>',
            ]
            for one in costly_documents(data, name)[:MOST]
        ]
        parts.append(_more(_table(head, rows, (0, 1)), f"Documents: {text(name)}"))
    return "".join(parts)


def _scripts(data: dict[str, Any]) -> str:
    rows = [row for row in data["scripts"] if row["unknown"] or row["byte_fallback"]]
    return _table(
        ("tokenizer", "script", "characters", "unknown", "by single bytes"),
        (
            [
                _text(row["tokenizer"]),
                _text(row["script"]),
                number(row["characters"]),
                f"{row['unknown'] / row['characters']:.1%}",
                f"{row['byte_fallback'] / row['characters']:.1%}",
            ]
            for row in rows
        ),
        (2, 3, 4),
    )


def _definitions(data: dict[str, Any]) -> str:
    items = [
        f"<dt>{escape(one['title'])} <code>{name}</code></dt><dd>{escape(one['definition'])} "
        f'<span class="dim">What fools it: {escape(one["fooled_by"])}</span></dd>'
        for name, one in data["metrics"].items()
    ]
    return f"<dl>{''.join(items)}</dl>"


def _audit(data: dict[str, Any]) -> tuple[str, list[str]]:
    own = data["tokenizer"]
    title = f"Audit of {own['name']}"
    counts: list[tuple[str, float | None, float | None, float | None]] = [
        ("come out of a text", data["reachable"], None, None),
        ("proven never to", len(data["unreachable"]), None, None),
        ("neither", len(data["not_found"]), None, None),
    ]
    sizes = f"{number(own['vocabulary'])} entries; {number(data['judged'])} learned ones were tried."
    head = f"{_text(own['model'])}, {sizes}"
    parts = [f'<header><h1>{_text(title)}</h1><p class="dim">{head}</p></header>']
    parts.append(
        _section("Learned entries", _figure("Learned entries", drawing.bars("Learned entries", counts)))
    )
    for name, rows in (
        ("Unreachable, proven", data["unreachable"]),
        ("No text found, no proof", data["not_found"]),
    ):
        causes: dict[str, list[Any]] = {}
        for row in rows:
            causes.setdefault(row["cause"], []).append(row)
        tables = [
            _more(
                _table(
                    ("id", "token", "why"),
                    ([str(r["id"]), _code(r["token"]), _text(r["proof"])] for r in some[:200]),
                    (0,),
                ),
                f"{cause}: {number(len(some))}",
            )
            for cause, some in causes.items()
        ]
        parts.append(_section(name, *tables))
    parts.append(_section("Special tokens that plain text can write", _entries(data["forgeable"], ())))
    doubles = (
        [escape(one["bytes"]), ", ".join(map(str, one["ids"])), " ".join(map(_code, one["tokens"]))]
        for one in data["doubles"][:200]
    )
    parts.append(_section("Entries for the same bytes", _table(("bytes", "ids", "tokens"), doubles)))
    if data["residues"]:
        parts.append(
            _section("Merge residues", _entries(data["residues"]["some"], ("emitted", "steps", "share")))
        )
    if data["undertrained"]:
        parts.append(
            _section(
                "Perhaps under-trained", _entries(data["undertrained"]["candidates"], ("cosine", "norm"))
            )
        )
    plots = [
        _figure(
            name, drawing.bars(name, [(key, value, None, None) for key, value in list(own_.items())[:MOST]])
        )
        for name, own_ in (
            (f"Entries by {key}", data["composition"][key])
            for key in ("kinds", "forms", "scripts", "characters")
        )
        if own_
    ]
    parts.append(_section("What it is made of", f'<div class="grid">{"".join(plots)}</div>'))
    return title, parts


def _entries(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    return _table(
        ("id", "token", *columns),
        ([str(row["id"]), _code(row["token"]), *(number(row[one]) for one in columns)] for row in rows[:200]),
        (0, *range(2, len(columns) + 2)),
    )
