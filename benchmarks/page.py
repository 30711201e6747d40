"""The tables of the README, made of a record: `python -m benchmarks.page [RECORD]`.

The page names its record, and everything between the marks follows from it: without an argument the tables are made
anew of the same one. A test asks that nothing changes then.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
_MARKED = re.compile(r"<!-- tables of (record/[\w.-]+\.json) -->\n.*?<!-- end of tables -->\n", re.DOTALL)

Row = dict[str, Any]
_SPEEDS = ("first", "fresh", "warm")


def table(columns: str, rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Lines of Markdown; columns that end in `:` hold numbers."""
    heads = columns.split("|")
    yield "| " + " | ".join(head.rstrip(":") for head in heads) + " |"
    yield "|" + "|".join("---:" if head.endswith(":") else "---" for head in heads) + "|"
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"
    yield ""


def cases(rows: Iterable[Row]) -> Iterator[tuple[list[Row], Row]]:
    """The rows that were measured beside each other, and Tessella's among them."""
    for _, beside in groupby(
        rows, key=lambda row: [row[key] for key in ("case", "text", "document", "kind", "threads")]
    ):
        found = list(beside)
        yield found, next(row for row in found if row["engine"] == "tessella")


def fastest(rows: Iterable[Row], key: str) -> Row:
    """The fastest peer whose ids are right."""
    return max(
        (row for row in rows if row["engine"] != "tessella" and row["ids_agree"]), key=lambda r: r[key]
    )


def length(document: int) -> str:
    return f"{document:,} bytes" if document else "whole"


def speeds(rows: list[Row]) -> Iterator[str]:
    """Speed beside the fastest exact peer."""

    def one(beside: list[Row], own: Row) -> Iterator[object]:
        yield from (own["case"], own["text"], length(own["document"]))
        for key in _SPEEDS:
            peer = fastest(beside, key)
            yield f"{own[key]:.0f} : {peer[key]:.0f} {peer['engine']}"
            yield f"**{own['ratio'][key]:.2f}**"

    yield from table(
        "tokenizer|text|documents|first|ratio:|fresh|ratio:|warm|ratio:",
        (one(*case) for case in cases(rows)),
    )


def plain_speeds(what: str, key: str, rows: list[Row]) -> Iterator[str]:
    """One speed beside the fastest exact peer; `key` says what sets the rows apart."""

    def one(beside: list[Row], own: Row) -> Iterator[object]:
        peer = fastest(beside, "fresh")
        yield from (own["case"], own["text"], own[key], f"{own['fresh']:.1f}")
        yield f"{peer['fresh']:.1f} {peer['engine']}"
        yield f"**{own['ratio']['fresh']:.2f}**"

    yield from table(
        f"tokenizer|text|{what}|Tessella, fresh:|fastest exact peer|ratio:",
        (one(*case) for case in cases(rows)),
    )


def every_engine(rows: list[Row]) -> Iterator[str]:
    """All engines on the first text of each tokenizer: short calls, loading, memory."""
    shown: list[list[object]] = []
    for beside, _ in cases(row for row in rows if row["text"] == rows[0]["text"]):
        for row in beside:
            name = row["engine"] if row["ids_agree"] else f"{row['engine']} (other ids)"
            calls = (f"{time:.2f}" for time in row["calls_us"].values())
            shown.append(
                [row["case"], name, f"{row['fresh']:.0f}", *calls, f"{row['load_ms']:.0f}", row["peak_mb"]]
            )
    yield from table("tokenizer|engine|fresh:|`hello`, µs:|100 characters:|4 kB:|load, ms:|peak, MB:", shown)


def decoding(rows: list[Row]) -> Iterator[str]:
    """Ids to text, beside the fastest engine with the same text."""
    shown = []
    for (text, ids, form), beside in groupby(rows, key=lambda row: (row["text"], row["ids"], row["form"])):
        of = {row["engine"]: row for row in beside}
        own = of.pop("tessella")
        exact = [row for row in of.values() if row["same"]]
        if exact:
            peer = min(exact, key=lambda row: row["ns"])
            best = f"{peer['ns']} {peer['engine']}"
            shown.append([text, f"{ids:,}", form, own["ns"], own["mb_s"], best, f"**{own['ratio']:.2f}**"])
    yield from table("text|ids|as|Tessella, ns an id:|MB/s:|fastest with the same text|ratio:", shown)


#: What is said about each part, and how its rows are shown.
PARTS = {
    "ids": ("Ids of byte-level BPE: MB/s, Tessella : the fastest exact peer.", speeds),
    "other models": ("Other models.", speeds),
    "languages": ("One language at a time.", speeds),
    "families": ("Other tokenizers' stages around the same models.", speeds),
    "other patterns": ("GPT-2's merges behind other ways to cut.", speeds),
    "lengths of documents": ("Shorter and longer documents.", speeds),
    "offsets": (
        "Ids and offsets, read as lists or as arrays of NumPy: MB/s.",
        lambda rows: plain_speeds("read as", "kind", rows),
    ),
    "two threads": (
        "Threads, by the time that goes by: MB/s.",
        lambda rows: plain_speeds("threads", "threads", rows),
    ),
    "worst cases": ("Texts that nobody writes: MB/s.", lambda rows: plain_speeds("bytes", "document", rows)),
    "decoding": ("Decoding.", decoding),
}


def tables(record: dict[str, Any]) -> str:
    """Everything that follows from a record."""
    made = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    before, after = (" and ".join(f"{value:.1f}" for value in load) for load in record["load"])
    definition = record["definition"]

    def given(key: str) -> int:
        return int(definition["given"][key] or definition[key])

    lines = [
        f"{record['date']}, {record['machine']}, {record['cores']} cores, Python {record['python']}; {made}.",
        f"Processes that wanted to run, on average of the last minute and of fifteen: {before} at the beginning, {after} "
        f"at the end.",
        f"Rounds: {given('rounds')}; {given('bytes'):,} bytes of each text, where a part has no figures of its own.",
        "",
    ]
    for part, (said, shown) in PARTS.items():
        rows = [row for row in record["rows"] if row["part"] == part]
        if rows:
            lines += [said, "", *shown(rows)]
            if part == "ids":
                lines += [
                    "Every engine on the first text: speed, short calls, loading without imports, and memory.",
                    "",
                ]
                lines += every_engine(rows)
    return "\n".join(lines)


def written(page: str, record: str | None = None) -> str:
    """The page with the tables of its record, or of another one of the folder `record`."""
    found = _MARKED.search(page)
    if found is None:
        raise ValueError("the page has no marks for its tables: <!-- tables of record/NAME.json -->")
    name = found[1] if record is None else f"record/{record}"
    content = tables(json.loads((HERE / name).read_text()))
    new = f"<!-- tables of {name} -->\n{content}\n<!-- end of tables -->\n"
    return page[: found.start()] + new + page[found.end() :]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "record", nargs="?", help="a file of benchmarks/record; by default the one of the page"
    )
    name = parser.parse_args().record
    PAGE.write_text(written(PAGE.read_text(), name and Path(name).name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
