"""Tokenizers measured on corpora: with intervals, differences, and what costs most.

Every file is a corpus, and each line of it a document. All text is read once; words and numbers are looked at
in a sample of the documents, --detail says how much. A number in parentheses is where the value lies (95 %):
documents are drawn anew a thousand times. --json gives all of it to programs, --output writes
FILE.json, FILE.html (one page with plots) or FILE.md.

Examples:
  $ tessella evaluate tokenizer.json other.json corpus.txt
  $ tessella evaluate tokenizer.json other.json corpus.txt rows.jsonl --language corpus.txt=en rows.jsonl=de
  $ tessella evaluate tokenizer.json other.json corpus.txt --output report.html --output report.json --quiet
  $ tessella evaluate tokenizer.json other.json corpus.txt --metric bytes_per_token fertility --json
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._near import meant
from ...errors import ArgumentError
from .. import inputs, terminal
from ..shared import add, add_reading, add_report_files, check_reports, option

if TYPE_CHECKING:
    from ...evaluate import Report


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "names", "files")
    option(parser, "--baseline TOKENIZER", "what others are told against (default: the first)")
    option(parser, "--language FILE=TAG...", "languages of files, told together too", default=[])
    option(parser, "--parallel TAG=FILE...", "the same lines in several languages", default=[])
    option(parser, "--gold FILE", "words and morphemes: word, tab, morphemes on each line")
    option(
        parser,
        "--words",
        "words: runs without blanks (the default), or by Unicode's rules",
        choices=("blanks", "unicode"),
        default="blanks",
    )
    option(
        parser, "--syntax LANGUAGE", "how program text is parsed, by a grammar of tree-sitter: python, rust"
    )
    option(parser, "--metric NAME...", "show only these", default=[])
    option(parser, "--bootstrap N", "draws for intervals, 0 for none", default=1000)
    option(parser, "--seed N", "what the draws follow from", default=0)
    option(parser, "--detail SIZE", "text of the sample, or all (default: 1MB)", default="1MB")
    add(parser, "threads", "quiet", "all as json")
    add_report_files(parser)
    add(parser, "html", "pattern")
    add_reading(parser)


def run(options: argparse.Namespace) -> int:
    named = [name for name in options.names if not inputs.holds_texts(name)]
    options.files += [name for name in options.names if inputs.holds_texts(name)]
    if not named:
        raise ArgumentError("name at least one tokenizer")
    options.output += [options.html] if options.html else []
    _check(options)
    labels = inputs.labels(named)
    tokenizers = dict(zip(labels, [inputs.load(name, options.pattern) for name in named], strict=True))
    from ...evaluate import evaluate, syntax

    report = evaluate(
        tokenizers,
        _corpora(options),
        baseline=_baseline(options.baseline, named, labels),
        parallel=_parallel(options.parallel),
        gold=options.gold,
        words=_words(options.words),
        leaves=syntax(options.syntax) if options.syntax else None,
        languages=_languages(options),
        bootstrap=options.bootstrap,
        seed=options.seed,
        detail=options.detail,
        num_threads=options.threads,
        progress=not options.quiet,
        **inputs.reading(options).arguments,
    )
    for name in options.output:
        report.save(name)
    if options.json:
        data = report.to_dict()
        if options.metric:
            for part in ("values", "differences"):
                data[part] = [row for row in data[part] if row["metric"] in options.metric]
        print(terminal.json(data, 2))
    elif not options.output:
        _show(report, options.metric)
    for warning in report.warnings:
        terminal.note(f"mind: {warning}")
    return 0


def _check(options: argparse.Namespace) -> None:
    """What is wrong is told before hours of work."""
    from ...evaluate import METRICS

    check_reports(options.output)
    for name in options.metric:
        if name not in METRICS:
            known = ", ".join(METRICS)
            raise ArgumentError(f"there is no metric `{name}`{meant(name, METRICS)}; known: {known}")


def _corpora(options: argparse.Namespace) -> Any:
    given = inputs.files(options.files)
    if "-" not in given:
        return [Path(name) for name in given]
    labels = inputs.labels(given)
    return {
        "standard input" if name == "-" else label: inputs.source(name)
        for name, label in zip(given, labels, strict=True)
    }


def _languages(options: argparse.Namespace) -> dict[str, str] | None:
    """Tags of files, by the names that the report gives them."""
    if not options.language:
        return None
    labels = dict(zip(options.files, inputs.labels(options.files), strict=True))
    found = {}
    for typed in options.language:
        name, equals, tag = typed.rpartition("=")
        if not equals:
            raise ArgumentError(f"--language takes FILE=TAG, found `{typed}`")
        if name not in labels and name not in labels.values():
            raise ArgumentError(f"--language names `{name}`, which is no file; known: {', '.join(labels)}")
        found[labels.get(name, name)] = tag
    return found


def _parallel(typed: list[str]) -> dict[str, Path] | None:
    found = {}
    for one in typed:
        tag, equals, name = one.partition("=")
        if not (equals and tag and name):
            raise ArgumentError(f"--parallel takes TAG=FILE, found `{one}`")
        if tag in found:
            raise ArgumentError(f"--parallel has the language `{tag}` twice")
        found[tag] = Path(name)
    return found or None


def _baseline(typed: str | None, named: list[str], labels: list[str]) -> str | None:
    by_name = {**dict(zip(labels, labels, strict=True)), **dict(zip(named, labels, strict=True))}
    if typed is not None and typed not in by_name:
        raise ArgumentError(f"--baseline is `{typed}`, which is no tokenizer; known: {', '.join(named)}")
    return None if typed is None else by_name[typed]


def _words(typed: str) -> Any:
    if typed == "blanks":
        return "blanks"
    from ...words import UnicodeWords

    return UnicodeWords().spans


def _show(report: Report, wanted: list[str]) -> None:
    """Tables: all text, and one column for each corpus or language where there are several."""
    from ...evaluate.shown import number, reach

    data = report.to_dict()
    names = report.tokenizers
    found = {(row["scope"], row["name"], row["tokenizer"], row["metric"]): row for row in data["values"]}
    scopes = dict.fromkeys((row["scope"], row["name"]) for row in data["values"])
    for place, (kind, name) in enumerate(scopes):
        if kind != "all" or len(scopes) > 1:
            title = "all text" if kind == "all" else f"{kind} {name}"
            print(f"{os.linesep if place else ''}{terminal.bold(title)}")
        head = ["metric"]
        for one in names:
            head += [terminal.visible(one), ""]
        rows = [head]
        for metric in wanted or data["metrics"]:
            own = [found[kind, name, one, metric] for one in names]
            if all(row["value"] is None for row in own):
                continue
            cells = [metric]
            for row in own:
                cells += [number(row["value"]), f"({reach(row)})" if reach(row) else ""]
            rows.append(cells)
        print(terminal.table(rows, right=range(1, len(head), 2)))
    _show_languages(data, names)


def _show_languages(data: dict[str, Any], names: list[str]) -> None:
    """What each language pays, and cuts against morphemes."""
    from ...evaluate.shown import cell

    languages, gold = data["parallel"], data["morphology"]
    head = [terminal.visible(one) for one in names]
    if languages:
        found = {(row["tokenizer"], row["language"]): row for row in languages["premiums"]}
        rows = [["tokens against", *head]]
        rows[0][0] += f" {terminal.visible(languages['base'])}"
        for one in languages["languages"]:
            rows.append([terminal.visible(one), *(cell(found[name, one]) for name in names)])
        rows.append(["Gini", *(cell(one["gini"]) for one in languages["summary"])])
        print(f"\n{terminal.table(rows)}")
    if gold:
        found = {(row["tokenizer"], row["metric"]): row for row in gold["values"]}
        rows = [["against morphemes", *head]]
        rows += [[one, *(cell(found[name, one]) for name in names)] for one in gold["definitions"]]
        print(f"\n{terminal.table(rows)}")
