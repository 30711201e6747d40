"""Reports as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .shown import cell, corpus_rows, costly_words, is_of_several, number, text, tokenizer_rows

#: Words that are shown.
WORDS = 20


def markdown(data: dict[str, Any]) -> str:
    """A report as Markdown."""
    return "\n".join(_audit(data) if data["kind"] == "audit" else _evaluation(data)) + "\n"


def escaped(shown: str) -> str:
    """A text in a cell: it cannot end the cell, begin a tag, or format anything.

    Example:
        >>> print(escaped("a|b <img> *c*"))
        a\\|b \\<img\\> \\*c\\*
    """
    return "".join(f"\\{sign}" if sign in "\\|`*_<>[]#~&" else sign for sign in text(shown))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of a table; cells are Markdown."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---' for _ in head)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _evaluation(data: dict[str, Any]) -> Iterator[str]:
    names = [one["name"] for one in data["tokenizers"]]
    yield f"# Evaluation of {len(names)} tokenizer{'s' if len(names) != 1 else ''}\n"
    for warning in data["warnings"]:
        yield f"> **Mind**: {escaped(warning)}\n"
    yield from table(
        ("tokenizer", "model", "entries"),
        tokenizer_rows(data, escaped),
    )
    yield from table(
        ("corpus", "language", "documents", "bytes", "looked at closely"), corpus_rows(data, escaped)
    )
    found = {(row["scope"], row["name"], row["tokenizer"], row["metric"]): row for row in data["values"]}
    yield "## All text\n"
    yield from _values(data, names, found, "all", "")
    yield from _differences(data)
    scopes = dict.fromkeys((row["scope"], row["name"]) for row in data["values"] if row["scope"] != "all")
    if scopes:
        yield "## Bytes per token\n"
        yield from table(
            ("", *map(escaped, names)),
            (
                [escaped(name), *(cell(found.get((kind, name, one, "bytes_per_token"))) for one in names)]
                for kind, name in scopes
            ),
        )
    yield from _languages(data)
    yield from _morphemes(data)
    yield from _words(data, names)
    yield "## What the numbers are\n"
    for name, metric in data["metrics"].items():
        yield (
            f"- **{escaped(name)}**: {escaped_sentence(metric['definition'])} What fools it: "
            + escaped_sentence(metric["fooled_by"])
        )
    yield ""
    yield _method(data)


def escaped_sentence(shown: str) -> str:
    """A sentence of our own, whole; only what Markdown would read is escaped."""
    return "".join(f"\\{sign}" if sign in "\\|*_<>[]#~&" else sign for sign in shown)


def _method(data: dict[str, Any]) -> str:
    settings = data["settings"]
    if not settings["bootstrap"]:
        return f"Without intervals. Tessella {data['tessella']}."
    return (
        f"Intervals of {settings['confidence']:.0%}: {settings['bootstrap']:,} draws of documents "
        f"(studentised), of entropies the jackknife; seed {settings['seed']}. Tessella {data['tessella']}."
    )


def _values(data: dict[str, Any], names: Sequence[str], found: Any, kind: str, name: str) -> Iterator[str]:
    rows = []
    for metric, facts in data["metrics"].items():
        own = [found.get((kind, name, one, metric)) for one in names]
        if any(one is not None and one["value"] is not None for one in own):
            rows.append([f"{facts['title']} (`{metric}`)", *map(cell, own)])
    yield from table(("metric", *map(escaped, names)), rows)


def _differences(data: dict[str, Any]) -> Iterator[str]:
    rows = [
        [
            f"{data['metrics'][row['metric']]['title']} (`{row['metric']}`)",
            f"{escaped(row['first'])} − {escaped(row['second'])}",
            cell(row),
            "–" if row["agreement"] is None else f"{row['agreement']:.1%}",
        ]
        for row in data["differences"]
        if row["scope"] == "all" and row["value"] is not None
    ]
    if rows:
        yield "## Differences, on the same documents\n"
        yield from table(("metric", "tokenizers", "difference", "draws that agree"), rows)


def _languages(data: dict[str, Any]) -> Iterator[str]:
    found = data["parallel"]
    if found:
        names = [one["name"] for one in data["tokenizers"]]
        rows = {(row["tokenizer"], row["language"]): row for row in found["premiums"]}
        yield f"## The same {number(found['lines'])} lines in {number(len(found['languages']))} languages\n"
        yield f"Tokens over those of {escaped(found['base'])}."
        yield ""
        yield from table(
            ("language", *map(escaped, names)),
            [
                *([escaped(one), *(cell(rows[name, one]) for name in names)] for one in found["languages"]),
                ["Gini", *(cell(one["gini"]) for one in found["summary"])],
            ],
        )


def _morphemes(data: dict[str, Any]) -> Iterator[str]:
    found = data["morphology"]
    if found:
        names = [one["name"] for one in data["tokenizers"]]
        rows = {(row["tokenizer"], row["metric"]): row for row in found["values"]}
        yield f"## Cuts against morphemes, of {number(found['words'])} words\n"
        yield from table(
            ("metric", *map(escaped, names)),
            ([f"`{one}`", *(cell(rows[name, one]) for name in names)] for one in found["definitions"]),
        )


def _words(data: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    where = is_of_several(data)
    if data["costly_words"]:
        yield "## Words that cost most\n"
        yield from table(
            ("word", *(["corpus"] if where else []), "count", *map(escaped, names)),
            (
                [escaped(one["word"]), *([escaped(one["corpus"])] if where else []), number(one["count"])]
                + [escaped("│".join(one["cuts"][name])) for name in names]
                for one in costly_words(data)[:WORDS]
            ),
        )


def _entries(rows: Sequence[dict[str, Any]], columns: Sequence[str], all: int | None = None) -> Iterator[str]:
    yield from table(
        ("id", "token", *columns),
        (
            [str(row["id"]), f"`{visible_token(row['token'])}`", *(_plain(row[one]) for one in columns)]
            for row in rows[:WORDS]
        ),
    )
    # Of some tables a report holds the first rows only.
    if (more := (len(rows) if all is None else all) - min(len(rows), WORDS)) > 0:
        yield f"and {number(more)} more\n"


def visible_token(token: str | None) -> str:
    """A token in a code span, which it cannot end."""
    return text(token or "").replace("`", "\u02cb").replace("|", "\u2223")


def _plain(value: Any) -> str:
    return escaped(value) if isinstance(value, str) else number(value)


def _audit(data: dict[str, Any]) -> Iterator[str]:
    own = data["tokenizer"]
    yield f"# Audit of {escaped(own['name'])}\n"
    yield (
        f"{own['model']}, {number(own['vocabulary'])} entries. Of {number(data['judged'])} learned entries "
        f"{number(data['reachable'])} come out of a text that was tried, {number(len(data['unreachable']))} "
        f"are proven never to come out, and for {number(len(data['not_found']))} there is neither.\n"
    )
    for title, rows, columns in (
        ("Unreachable, proven", data["unreachable"], ("cause", "proof")),
        ("No text found, no proof", data["not_found"], ("cause", "proof")),
        ("Special tokens that plain text can write", data["forgeable"], ()),
    ):
        if rows:
            yield f"## {title}: {number(len(rows))}\n"
            yield from _entries(rows, columns)
    if data["doubles"]:
        yield f"## Entries for the same bytes: {number(len(data['doubles']))}\n"
        yield from table(
            ("bytes", "ids", "tokens"),
            (
                [
                    one["bytes"],
                    ", ".join(map(str, one["ids"])),
                    " ".join(f"`{visible_token(t)}`" for t in one["tokens"]),
                ]
                for one in data["doubles"][:WORDS]
            ),
        )
    parts = data["parts_of_characters"]
    yield (
        f"Parts of characters: {number(parts['entries'])} entries begin or end inside of one, "
        f"{number(parts['crossing'])} of them hold something of another. Ids without an entry: "
        f"{number(data['reserved']['without_entry'])}; reserved entries: "
        f"{number(data['reserved']['entries'])}.\n"
    )
    if data["residues"]:
        found = data["residues"]
        yield f"## Merge residues: {number(found['entries'])} of {number(found['judged'])} entries in use\n"
        yield from _entries(found["some"], ("emitted", "steps", "share"), found["entries"])
    if data["undertrained"]:
        found = data["undertrained"]
        yield f"## Perhaps under-trained, by {found['by']} ({number(found['references'])} rows known)\n"
        yield from _entries(found["candidates"], ("cosine", "norm"))
    for title in ("kinds", "forms", "scripts"):
        yield f"## Entries by {title}\n"
        yield from table(
            ("", "entries"),
            ([escaped(key), number(value)] for key, value in data["composition"][title].items()),
        )
