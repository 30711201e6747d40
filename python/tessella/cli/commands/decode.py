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
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..._texts import Reading
from ...errors import ArgumentError, FormatError, TessellaError
from .. import inputs, terminal
from ..shared import add, option
from ..targets import LINES_OF_JSON, check_ending, ending_of

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "tokenizer")
    option(
        parser,
        "files [FILE...]",
        "lines of ids, also .gz and .zst; - for standard input (the default)",
        default=[],
    )
    option(parser, "--ids IDS", "ids instead of files; may be given again", action="append")
    add(parser, "output")
    option(parser, "--keep-special-tokens", "write special tokens too")
    option(
        parser, "--skip-unknown-ids", "leave ids out that the vocabulary does not have, instead of an error"
    )
    option(
        parser,
        "--json",
        "write each text as a JSON string; an output that is named .jsonl gets objects without it",
    )
    add(parser, "pattern")


def run(options: argparse.Namespace) -> int:
    if options.ids and (loose := [name for name in options.files if _looks_like_ids(name)]):
        all = " ".join([options.ids[-1], *loose])
        raise ArgumentError(f'--ids takes one argument, but {loose[0]} stands alone: write --ids "{all}"')
    # What is named .jsonl holds what is read from such files: a text under a key.
    as_rows = ending_of(options.output) in LINES_OF_JSON and not options.json
    fitting = (".txt", ".md", *(LINES_OF_JSON if as_rows or options.json else ()))
    check_ending(options.output, "--output", "texts", fitting, "")
    tokenizer = inputs.load(options.tokenizer, options.pattern)
    skip = not options.keep_special_tokens
    with inputs.Output(options.output) as out:
        known = Known(tokenizer)

        def write(some: list[list[int]]) -> None:
            decoded = tokenizer.decode_batch(some, skip_special_tokens=skip)
            if as_rows:
                shown = [terminal.json({"text": text}) for text in decoded]
            else:
                shown = list(map(terminal.json if options.json else out.readable, decoded))
            out.write("".join(f"{text}\n" for text in shown))

        for portion in given(options, out):
            ready: list[list[int]] = []
            try:
                for place, ids in portion:
                    ready.append(known.of(ids, None if options.skip_unknown_ids else place))
            except TessellaError:
                # What stands before a mistake is written, as it was before lines came by the thousand.
                write(ready)
                raise
            write(ready)
    return 0


class Known:
    """The ids that a tokenizer has."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._seen: set[int] = set()

    def of(self, ids: list[int], place: Place | None) -> list[int]:
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


def given(options: argparse.Namespace, out: inputs.Output) -> Iterator[Iterator[tuple[Place, list[int]]]]:
    """Ids and where they are from, in portions that are decoded together."""
    if options.ids:
        yield ((Place("--ids"), parsed(ids, Place("--ids"))) for ids in options.ids)
        if not options.files:
            return
    # Someone who types wants an answer to each line.
    most = 1 if not options.ids and inputs.is_typed_into(options.files) else None
    for name, found in inputs.readers(options.files, Reading(format="text"), most):
        with inputs.Progress("decode", [found], not out.is_terminal()) as progress:
            number = 0
            for lines in found:
                yield _parsed_lines(name, number, lines)
                number += len(lines)
                progress.step()


def _parsed_lines(name: str, before: int, lines: list[str]) -> Iterator[tuple[Place, list[int]]]:
    for number, line in enumerate(lines, before + 1):
        place = Place(name, number)
        yield place, parsed(line, place)


class Place(NamedTuple):
    """Where ids are from; it is only spelled out for errors."""

    name: str
    line: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.name
        return f"line {self.line}" if self.name == "-" else f"{self.name}, line {self.line}"


def _looks_like_ids(name: str) -> bool:
    return re.fullmatch(r"[0-9,]+", name) is not None and not os.path.exists(name)


def _numbers(line: str) -> list[int]:
    """Numbers of ASCII digits: Python would also read `1_000`, `+1` and the digits of every other script."""
    if not line.isascii() or "_" in line or "+" in line:
        raise ValueError(line)
    if "," in line:
        # Nothing between commas is an id that was lost.
        if re.search(r"^,|,\s*(,|$)", line):
            raise ValueError(line)
        line = line.replace(",", " ")
    return list(map(int, line.split()))


def parsed(line: str, place: Place | str) -> list[int]:
    """The ids of a line.

    Example:
        >>> from tessella.cli.commands.decode import parsed
        >>> parsed("3 14, 15", ""), parsed('{"ids": [9, 2]}', "")
        ([3, 14, 15], [9, 2])
    """
    line = line.strip()
    try:
        if line[:1] not in ("[", "{"):
            return _numbers(line)
        row = json.loads(line)
        ids = row["ids"] if isinstance(row, dict) else row
        if set(map(type, ids)) <= {int}:
            return list(ids)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    shown = line if len(line) <= 60 else line[:60] + "…"
    raise FormatError(
        f'{place}: expected ids such as `3 14 15`, `[3, 14]` or {{"ids": [3, 14]}}, found `{shown}`'
    )
