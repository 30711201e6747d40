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
from typing import TYPE_CHECKING

from ..._texts import Reading
from ...errors import ArgumentError, FormatError
from .. import inputs, terminal

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


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
    parser.add_argument(
        "--skip-unknown-ids",
        action="store_true",
        help="leave ids out that the vocabulary does not have, instead of an error",
    )
    parser.add_argument("--json", action="store_true", help="write each text as a JSON string")
    parser.add_argument("--pattern", help="how a .tiktoken file's texts are cut: a name or an expression")


def run(options: argparse.Namespace) -> int:
    tokenizer = inputs.load(options.tokenizer, options.pattern)
    skip = not options.keep_special_tokens
    with inputs.Output(options.output) as out:
        known = Known(tokenizer)
        for place, ids in given(options, out):
            ids = known.of(ids, None if options.skip_unknown_ids else place)
            text = tokenizer.decode(ids, skip_special_tokens=skip)
            out.line(terminal.json(text) if options.json else out.readable(text))
    return 0


class Known:
    """The ids that a tokenizer has."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._seen: set[int] = set()

    def of(self, ids: list[int], place: str | None) -> list[int]:
        """The ids without unknown ones, or with a place an error that says where one is."""
        if self._seen.issuperset(ids):
            return ids
        for id in set(ids) - self._seen:
            if 0 <= id < 1 << 32 and self._tokenizer.id_to_token(id) is not None:
                self._seen.add(id)
            elif place is not None:
                raise ArgumentError(
                    f"{place}: the vocabulary has no id {id}, it has {self._tokenizer.get_vocab_size():,} "
                    "tokens: are the ids another tokenizer's? --skip-unknown-ids leaves such ids out"
                )
        return [id for id in ids if id in self._seen]


def given(options: argparse.Namespace, out: inputs.Output) -> Iterator[tuple[str, list[int]]]:
    """Ids, and where they are from."""
    if options.ids:
        yield from (("--ids", parsed(ids, "--ids")) for ids in options.ids)
        if not options.files:
            return
    for name, found in inputs.readers(options.files, Reading(format="text")):
        place = "line" if name == "-" else f"{name}, line"
        with inputs.Progress("decode", [found], not out.is_terminal()) as progress:
            number = 0
            for lines in found:
                for line in lines:
                    number += 1
                    yield f"{place} {number}", parsed(line, f"{place} {number}")
                progress.step()


def _id(text: str) -> int:
    """A number of ASCII digits: Python would also read `1_000` and the digits of every other script."""
    if re.fullmatch(r"-?[0-9]+", text) is None:
        raise ValueError(text)
    return int(text)


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
            ids = [_id(id) for id in re.split(r"[\s,]+", line) if id]
        if all(type(id) is int for id in ids):
            return list(ids)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    shown = line if len(line) <= 60 else line[:60] + "…"
    raise FormatError(
        f'{place}: expected ids such as `3 14 15`, `[3, 14]` or {{"ids": [3, 14]}}, found `{shown}`'
    )
