"""Options that several commands have, each told once: `add(parser, "threads", "quiet")`."""

from __future__ import annotations

import argparse
from copy import deepcopy
from typing import Any

from .inputs import check_target


def option(parser: argparse._ActionsContainer, typed: str, help: str | None = None, **details: Any) -> None:
    """Adds an option or argument to a parser, or to a group of its options.

    Args:
        parser: the parser.
        typed: what is typed, as usage lines show it: ``-q --quiet``, ``--top N``, ``--corpus FILE...``,
            ``names [NAME...]``. What has neither a value nor choices is there or not; N is a whole number
            unless ``type`` says otherwise.
        help: what it means.
        details: whatever else ``add_argument`` knows.
    """
    names = typed.split()
    if len(names) > 1 and not names[-1].startswith("-"):
        shown = names.pop()
        details["metavar"] = shown.strip("[].")
        if behind := shown.partition(details["metavar"])[2]:
            details["nargs"] = {"...": "+", "...]": "*", "]": "?"}[behind]
        if shown == "N":
            details.setdefault("type", int)
    elif names[-1].startswith("-") and not details.keys() & {"action", "choices"}:
        details["action"] = "store_true"
    parser.add_argument(*names, help=help, **details)


def _option(typed: str, help: str | None = None, **details: Any) -> tuple[str, str | None, dict[str, Any]]:
    return typed, help, details


_OPTIONS = {
    # What is worked on.
    "tokenizer": _option("tokenizer TOKENIZER", "a tokenizer file, folder or repository"),
    "source": _option("source SOURCE", "a tokenizer file, folder or repository"),
    # Which of the two a name is, ``inputs.holds_texts`` tells.
    "names": _option(
        "names TOKENIZER|FILE...",
        "tokenizers, then files of texts (.txt, .jsonl, .gz, .zst, .parquet, or after --files)",
    ),
    "files": _option("--files FILE...", "texts, one a line; - for standard input", default=[]),
    "corpus": _option(
        "files [FILE...]", "text, JSON lines (also .gz, .zst) or Parquet; - for standard input (the default)"
    ),
    "text": _option("-t --text TEXT", "a text; may be given again", action="append"),
    "pattern": _option("--pattern PATTERN", "how a .tiktoken file's texts are cut: a name or an expression"),
    "differences": _option(
        "--allow-differences",
        "for GGUF: write the nearest file where llama.cpp would give other ids, and tell a text",
    ),
    # How it is worked on.
    "threads": _option("--threads N", "how many threads work"),
    "workers": _option("--workers N", "how many cores work (default: all)"),
    "seed": _option("--seed SEED", "which of them (default: 0)", type=int, default=0),
    # What is told of it.
    "output": _option("-o --output FILE", "write here instead of standard output"),
    "html": _option("--html FILE", "the same as --output FILE.html"),
    "quiet": _option("-q --quiet", "show no progress"),
    "quieter": _option("-q --quiet", "show no progress and no report"),
    "json": _option("--json", "tell it as JSON"),
    "all as json": _option("--json", "write all of it as JSON"),
    "numbers as json": _option("--json", "write the numbers as JSON"),
    # Token files.
    "folder": _option("folder FOLDER"),
    "output folder": _option("-o --output FOLDER", "the folder of the results", required=True),
    "dtype": _option("--dtype DTYPE", "the type of numbers (default: the smallest)", default="auto"),
    "pack": _option("--pack", "put documents into rows of one length", choices=("concat", "best-fit")),
    "length": _option("--length N", "tokens of a row"),
    "shuffle": _option("--shuffle SEED", "an order drawn from this, in each shard", type=int),
    "anew": _option("--anew", "replace what is there instead of going on with it"),
}


def add(parser: argparse._ActionsContainer, *names: str) -> None:
    """Adds options to a parser, or to a group of its options, in this order."""
    for name in names:
        typed, help, details = _OPTIONS[name]
        # A list that is the default is one of each run, which may add to it.
        option(parser, typed, help, **deepcopy(details))


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read."""
    group = parser.add_argument_group("reading")
    option(group, "--field NAME", "key or column of the text (default: text)", default="text")
    option(
        group,
        "--input",
        "what files are, whatever their names say",
        choices=("auto", "text", "jsonl"),
        default="auto",
    )
    option(
        group,
        "--separator TEXT",
        r"what stands between texts instead of line ends; \n, \r, \t, \0 and \\ are known",
    )
    option(
        group,
        "--errors",
        "bytes that are not UTF-8: an error that says where, or U+FFFD",
        choices=("strict", "replace"),
        default="strict",
    )


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Files, standard input or texts on the command line."""
    option(
        parser,
        "files [FILE...]",
        "texts, one a line, JSON lines (.gz, .zst) or Parquet; - for standard input (the default)",
        default=[],
    )
    add(parser, "text")
    add_reading(parser)


def add_sample(parser: argparse.ArgumentParser, default: str | None, of: str) -> None:
    """How much text is looked at."""
    unless = "all" if default is None else default
    option(parser, "--sample SIZE", f"the most text of {of}: 16MB (default: {unless})", default=default)


def add_report_files(parser: argparse.ArgumentParser, otherwise: str = "") -> None:
    """The files that a report is written to."""
    option(
        parser,
        "-o --output FILE",
        f"write .json, .html or .md; may be given again{otherwise}",
        action="append",
        default=[],
    )


def check_reports(names: list[str]) -> None:
    """Tells before hours of work which files of reports have no form, or cannot be written."""
    from ..evaluate.report import check_name

    for name in names:
        check_name(name)
        check_target(name)
