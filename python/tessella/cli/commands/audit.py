"""One tokenizer looked through: entries that never come out, doubles, forgeable special tokens.

Every learned entry is tried in texts; what none gives is proven never to come out, or told apart with the
likeliest cause. With texts, entries are told that are only steps on the way to others; with an embedding
matrix (.npy or safetensors), entries that the model may hardly have been trained on.

Examples:
  $ tessella audit tokenizer.json
  $ tessella audit tokenizer.json corpus.txt --json
  $ tessella audit tokenizer.json --output audit.html --quiet
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._shown import written
from .. import heeded, inputs, terminal
from ..shared import add, add_reading, add_report_files, check_reports, option

if TYPE_CHECKING:
    from ...evaluate import Audit

#: Entries of each kind that are shown.
SHOWN = 12


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "tokenizer")
    option(parser, "files [FILE...]", "texts, for merge residues; - for standard input", default=[])
    option(parser, "--embeddings FILE", "an embedding matrix: .npy or safetensors")
    option(parser, "--tensor NAME", "which matrix of a safetensors file")
    add(parser, "threads", "quiet", "all as json")
    add_report_files(parser)
    add(parser, "html", "pattern")
    add_reading(parser)


def run(options: argparse.Namespace) -> int:
    from ...evaluate import audit

    options.output += [options.html] if options.html else []
    check_reports(options.output)
    tokenizer = inputs.load(options.tokenizer, options.pattern)
    corpus: Any = None
    if not options.files:
        heeded.refuse_reading(options, "without texts: name a FILE")
    else:
        names = options.files
        corpus = inputs.source("-") if names == ["-"] else [Path(name) for name in inputs.files(names)]
    found = audit(
        tokenizer,
        corpus,
        name=written(options.tokenizer),
        embeddings=options.embeddings,
        tensor=options.tensor,
        num_threads=options.threads,
        progress=not options.quiet,
        **inputs.reading(options).arguments,
    )
    for name in options.output:
        found.save(name)
    if options.json:
        print(terminal.json(found.to_dict(), 2))
    elif not options.output:
        _show(found)
    return 0


def _show(found: Audit) -> None:
    data = found.to_dict()
    own = data["tokenizer"]
    print(f"{terminal.bold(own['name'])}: {own['model']}, {own['vocabulary']:,} entries")
    rows = [
        ["learned entries that come out of a text", data["reachable"]],
        ["proven never to come out", len(data["unreachable"])],
        ["no text found, no proof", len(data["not_found"])],
        ["entries for the same bytes", len(data["doubles"])],
        ["entries with parts of characters", data["parts_of_characters"]["entries"]],
        ["ids without an entry", data["reserved"]["without_entry"]],
        ["reserved entries", data["reserved"]["entries"]],
        ["special tokens that plain text can write", len(data["forgeable"])],
    ]
    if data["residues"]:
        rows.append(["entries that are hardly more than steps to others", data["residues"]["entries"]])
    print(terminal.table([[name, f"{number:,}"] for name, number in rows], right=[1], head=False))
    for title, entries in (
        ("proven never to come out", data["unreachable"]),
        ("no text found, no proof", data["not_found"]),
    ):
        _reasons(title, entries)
    for title, part, columns in (
        ("hardly more than steps to others", data["residues"], ("emitted", "steps", "share")),
        ("perhaps under-trained", data["undertrained"], ("cosine", "norm")),
    ):
        if part and (entries := part.get("some", part.get("candidates"))):
            cells = [["id", "token", *columns]]
            for row in entries[:SHOWN]:
                numbers = [f"{row[one]:,.4g}" for one in columns]
                cells.append([str(row["id"]), terminal.quoted(row["token"]), *numbers])
            print(
                f"\n{terminal.bold(title)}\n{terminal.table(cells, right=[0, *range(2, 2 + len(columns))])}"
            )


def _reasons(title: str, entries: list[dict[str, Any]]) -> None:
    """Entries by cause, some of each."""
    causes: dict[str, list[dict[str, Any]]] = {}
    for row in entries:
        causes.setdefault(row["cause"], []).append(row)
    for cause, own in causes.items():
        print(f"\n{terminal.bold(f'{title}: {cause}')} ({len(own):,})")
        rows = [
            [str(row["id"]), terminal.quoted(row["token"]), terminal.visible(row["proof"])]
            for row in own[: SHOWN // 2]
        ]
        print(terminal.table(rows, right=[0], head=False))
