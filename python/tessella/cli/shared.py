"""Options that several commands have, each told once: `add(parser, "threads", "quiet")`."""

from __future__ import annotations

import argparse
from copy import deepcopy
from typing import Any

from .inputs import check_target


def _option(*names: str, **details: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    return names, details


_OPTIONS = {
    # What is worked on.
    "tokenizer": _option("tokenizer", metavar="TOKENIZER", help="a tokenizer file, folder or repository"),
    "source": _option("source", metavar="SOURCE", help="a tokenizer file, folder or repository"),
    # Which of the two a name is, ``inputs.holds_texts`` tells.
    "names": _option(
        "names",
        nargs="+",
        metavar="TOKENIZER|FILE",
        help="tokenizers, then files of texts (.txt, .jsonl, .gz, .zst, .parquet, or after --files)",
    ),
    "files": _option(
        "--files", nargs="+", default=[], metavar="FILE", help="texts, one a line; - for standard input"
    ),
    "corpus": _option(
        "files",
        nargs="*",
        metavar="FILE",
        help="text, JSON lines (also .gz, .zst) or Parquet; - for standard input (the default)",
    ),
    "text": _option("-t", "--text", action="append", help="a text; may be given again"),
    "pattern": _option("--pattern", help="how a .tiktoken file's texts are cut: a name or an expression"),
    "differences": _option(
        "--allow-differences",
        action="store_true",
        help="for GGUF: write the nearest file where llama.cpp would give other ids, and tell a text",
    ),
    # How it is worked on.
    "threads": _option("--threads", type=int, metavar="N", help="how many threads work"),
    "workers": _option("--workers", type=int, metavar="N", help="how many cores work (default: all)"),
    "seed": _option("--seed", type=int, default=0, help="which of them (default: 0)"),
    # What is told of it.
    "output": _option("-o", "--output", metavar="FILE", help="write here instead of standard output"),
    "html": _option("--html", metavar="FILE", help="the same as --output FILE.html"),
    "quiet": _option("-q", "--quiet", action="store_true", help="show no progress"),
    "quieter": _option("-q", "--quiet", action="store_true", help="show no progress and no report"),
    "json": _option("--json", action="store_true", help="tell it as JSON"),
    "all as json": _option("--json", action="store_true", help="write all of it as JSON"),
    "numbers as json": _option("--json", action="store_true", help="write the numbers as JSON"),
    # Token files.
    "folder": _option("folder", metavar="FOLDER"),
    "output folder": _option(
        "-o", "--output", metavar="FOLDER", required=True, help="the folder of the results"
    ),
    "dtype": _option("--dtype", default="auto", help="the type of numbers (default: the smallest)"),
    "pack": _option("--pack", choices=("concat", "best-fit"), help="put documents into rows of one length"),
    "length": _option("--length", type=int, metavar="N", help="tokens of a row"),
    "shuffle": _option("--shuffle", type=int, metavar="SEED", help="an order drawn from this, in each shard"),
    "anew": _option("--anew", action="store_true", help="replace what is there instead of going on with it"),
}


def add(parser: argparse._ActionsContainer, *names: str) -> None:
    """Adds options to a parser, or to a group of its options, in this order."""
    for name in names:
        typed, details = _OPTIONS[name]
        # A list that is the default is one of each run, which may add to it.
        parser.add_argument(*typed, **deepcopy(details))


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--field", default="text", metavar="NAME", help="key or column of the text (default: text)"
    )
    group.add_argument(
        "--input",
        choices=("auto", "text", "jsonl"),
        default="auto",
        help="what files are, whatever their names say",
    )
    group.add_argument(
        "--separator",
        metavar="TEXT",
        help=r"what stands between texts instead of line ends; \n, \r, \t, \0 and \\ are known",
    )
    group.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that are not UTF-8: an error that says where, or U+FFFD",
    )


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Files, standard input or texts on the command line."""
    parser.add_argument(
        "files",
        nargs="*",
        # `argparse` would say that one is required.
        default=[],
        metavar="FILE",
        help="texts, one a line, JSON lines (.gz, .zst) or Parquet; - for standard input (the default)",
    )
    add(parser, "text")
    add_reading(parser)


def add_sample(parser: argparse.ArgumentParser, default: str | None, of: str) -> None:
    """How much text is looked at."""
    unless = "all" if default is None else default
    parser.add_argument(
        "--sample", metavar="SIZE", default=default, help=f"the most text of {of}: 16MB (default: {unless})"
    )


def add_report_files(parser: argparse.ArgumentParser, otherwise: str = "") -> None:
    """The files that a report is written to."""
    parser.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help=f"write .json, .html or .md; may be given again{otherwise}",
    )


def check_reports(names: list[str]) -> None:
    """Tells before hours of work which files of reports have no form, or cannot be written."""
    from ..evaluate.report import check_name

    for name in names:
        check_name(name)
        check_target(name)
