"""Ids to texts.

Each line holds the ids of one text, as numbers with blanks or commas between them, as a JSON list, or as a
JSON object with the key `ids`: what `tessella encode` writes.

Examples:
  $ tessella encode tokenizer.json --text "low lower" | tessella decode tokenizer.json
  $ tessella decode tokenizer.json corpus.ids -o decoded.txt
  $ tessella decode tokenizer.json --ids "0 1 2" --keep-special-tokens
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator

from ..._texts import Reading
from ...errors import FormatError
from .. import inputs, terminal


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tokenizer", metavar="TOKENIZER", help="a tokenizer file, folder or repository")
    parser.add_argument(
        "files",
        nargs="*",
        default=[],
        metavar="FILE",
        help="lines of ids, also .gz and .zst; - for standard input (the default)",
    )
    parser.add_argument("--ids", action="append", help="ids instead of files; may be given again")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of standard output")
    parser.add_argument("--keep-special-tokens", action="store_true", help="write special tokens too")
    parser.add_argument("--json", action="store_true", help="write each text as a JSON string")
    parser.add_argument("--pattern", help="how a .tiktoken file's texts are cut: a name or an expression")


def run(options: argparse.Namespace) -> int:
    tokenizer = inputs.load(options.tokenizer, options.pattern)
    skip = not options.keep_special_tokens
    with inputs.Output(options.output) as out:
        for ids in given(options):
            text = tokenizer.decode(ids, skip_special_tokens=skip)
            out.line(terminal.json(text) if options.json else out.readable(text))
    return 0


def given(options: argparse.Namespace) -> Iterator[list[int]]:
    if options.ids:
        yield from (parsed(ids, "--ids") for ids in options.ids)
        if not options.files:
            return
    for number, line in enumerate(inputs.lines(options.files, Reading(format="text")), 1):
        yield parsed(line, f"line {number}")


def parsed(line: str, place: str) -> list[int]:
    """The ids of a line.

    Example:
        >>> from tessella.cli.commands.decode import parsed
        >>> parsed("3 14, 15", ""), parsed('{"ids": [9, 2]}', "")
        ([3, 14, 15], [9, 2])
    """
    line = line.strip()
    try:
        if line[:1] in ("[", "{"):
            row = json.loads(line)
            ids = row["ids"] if isinstance(row, dict) else row
        else:
            ids = [int(id) for id in re.split(r"[\s,]+", line) if id]
        if all(type(id) is int for id in ids):
            return list(ids)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    shown = line if len(line) <= 60 else line[:60] + "…"
    raise FormatError(
        f'{place}: expected ids such as `3 14 15`, `[3, 14]` or {{"ids": [3, 14]}}, found `{shown}`'
    )
