"""Texts to ids.

Each line is a text; its line end is not part of it. Ids of a text are written on one line, all of them:
truncation and padding that the tokenizer's file asks for do not apply.

Examples:
  $ tessella encode tokenizer.json corpus.txt -o corpus.ids
  $ echo "low lower" | tessella encode tokenizer.json
  $ tessella encode tokenizer.json --text "low lower" --format tokens
  $ tessella encode tokenizer.json rows.jsonl --format jsonl
  $ tessella encode tokenizer.json --text "low lower" --format count
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import heeded, inputs, terminal
from ..shared import add, add_texts, option
from ..targets import LINES_OF_JSON, check_ending, ending_of

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

#: Characters of text that are encoded at a time.
PORTION = 1 << 22


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "tokenizer")
    add_texts(parser)
    add(parser, "output")
    option(
        parser,
        "-f --format",
        "ids, tokens between bars, JSON with offsets, or the number of ids (default: ids, and jsonl for "
        "an output that is named .jsonl)",
        choices=("ids", "tokens", "jsonl", "count"),
    )
    option(parser, "--no-special-tokens", "leave the post-processor's tokens out")
    add(parser, "pattern", "threads")


#: Endings that fit what is written in a format.
FITTING = {"ids": (".ids", ".txt"), "tokens": (".txt",), "jsonl": LINES_OF_JSON, "count": (".txt",)}


def run(options: argparse.Namespace) -> int:
    if options.text and not options.files:
        heeded.refuse_reading(options, "to --text: it is for files")
    if options.format is None:
        options.format = "jsonl" if ending_of(options.output) in LINES_OF_JSON else "ids"
    held = {"jsonl": "lines of JSON", "count": "numbers of ids"}.get(options.format, options.format)
    check_ending(options.output, "--output", held, FITTING[options.format], "")
    tokenizer = inputs.load(options.tokenizer, options.pattern)
    # Someone who types wants to see each line's ids.
    size = 1 if inputs.is_typed(options) else PORTION
    with inputs.Output(options.output) as out:
        for portion in inputs.portions(inputs.texts(options, "encode", out), size):
            for line in written(tokenizer, portion, options):
                out.line(out.shown(line) if options.format == "tokens" else line)
    return 0


def written(tokenizer: Tokenizer, texts: list[str], options: argparse.Namespace) -> Iterator[str]:
    special = not options.no_special_tokens
    if options.format in ("ids", "count"):
        for ids in tokenizer.encode_ids_batch(texts, special, options.threads):
            yield " ".join(map(str, ids.tolist())) if options.format == "ids" else str(len(ids))
        return
    # The same ids in every format: those of whole texts.
    encodings = tokenizer.encode_batch(
        texts, add_special_tokens=special, truncation=False, padding=False, num_threads=options.threads
    )
    for encoding in encodings:
        if options.format == "tokens":
            yield "│".join(encoding.tokens)
        else:
            row = {"ids": encoding.ids, "tokens": encoding.tokens, "offsets": encoding.offsets}
            yield terminal.json(row)
