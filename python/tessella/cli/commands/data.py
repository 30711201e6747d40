"""Corpora to the files that training frameworks read.

tokenize makes token files and a manifest; run it again after an interrupt and it goes on where it was. verify
reads them all again, inspect and sample look into them, pack writes them again in rows of one length or for
another reader, merge ends a run that several jobs have made.

Examples:
  $ tessella data tokenize tokenizer.json rows.jsonl -o tokens --no-eos
  $ tessella data inspect tokens
  $ tessella data sample tokens --tokenizer tokenizer.json -n 2
  $ tessella data pack tokens -o rows --pack best-fit --length 64 --format numpy
  $ tessella data verify tokens --tokenizer tokenizer.json
  $ tessella data tokenize tokenizer.json corpus.txt --separator "\\n" -o packed --no-eos --format parquet \\
      --pack best-fit --length 128
  $ tessella data tokenize tokenizer.json corpus.txt --separator "\\n" -o jobs --no-eos --shard-size 1kB \\
      --task 0 --tasks 2 --quiet
  $ tessella data tokenize tokenizer.json corpus.txt --separator "\\n" -o jobs --no-eos --shard-size 1kB \\
      --task 1 --tasks 2 --quiet
  $ tessella data merge jobs
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import ArgumentError
from .. import heeded, inputs, terminal
from ..shards import Board
from ..shared import add, add_reading, option

FORMATS = (
    "megatron",
    "nanogpt",
    "llm.c",
    "mds",
    "datatrove",
    "dolma",
    "litdata",
    "parquet",
    "arrow",
    "numpy",
)


def arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, what: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")
        made.set_defaults(run_verb=run)
        return made

    _tokenize_arguments(verb("tokenize", "texts to token files", _tokenize))
    made = verb("inspect", "what is in a folder of token files", _inspect)
    add(made, "folder", "all as json")
    made = verb("verify", "read all files again and compare them with the manifest", _verify)
    add(made, "folder")
    option(made, "-k --tokenizer TOKENIZER", "also make shards again with it")
    _special_text(made)
    add(made, "pattern")
    option(made, "--shards N", "how many of them (default: 1)", default=1)
    add(made, "seed")
    made = verb("pack", "token files again, in rows of one length or for another reader", _pack)
    add(made, "folder", "output folder")
    option(made, "-f --format", "(default: parquet)", choices=FORMATS, default="parquet")
    add(made, "dtype", "pack", "length")
    option(made, "--pad ID", "what fills rows up (default: the end of documents, else id 0)", type=int)
    add(made, "shuffle")
    option(made, "--across", "draw it over the documents of all shards")
    add(made, "workers", "anew", "quieter")
    made = verb("merge", "end a run that several jobs have made", _merge)
    add(made, "folder")
    made = verb("sample", "show some documents", _sample)
    add(made, "folder")
    option(made, "-k --tokenizer TOKENIZER", "show texts instead of ids")
    add(made, "pattern")
    option(made, "-n --number N", "how many (default: 5)", default=5)
    add(made, "seed")


def _special_text(parser: argparse._ActionsContainer) -> None:
    option(
        parser,
        "--specials-as-text",
        "special tokens that stand in a text are text and not the token (default: the token)",
    )


def _tokenize_arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "tokenizer")
    option(
        parser,
        "inputs [INPUT...]",
        "files, folders, patterns, URLs of text, JSON lines, Parquet, Arrow, CSV; - for standard input",
    )
    add(parser, "output folder")
    option(parser, "-f --format", "(default: megatron)", choices=FORMATS, default="megatron")
    add(parser, "dtype", "pattern")
    tokens = parser.add_argument_group("tokens around documents")
    ends = tokens.add_mutually_exclusive_group()
    option(ends, "--eos TOKEN", "behind each (default: a well-known one)", default="auto")
    option(ends, "--no-eos", "nothing behind documents")
    option(tokens, "--bos TOKEN", "before each (default: nothing)")
    option(tokens, "--special-tokens", "add the post-processor's tokens, too")
    _special_text(tokens)
    rows = parser.add_argument_group("documents")
    add(rows, "pack", "length")
    option(rows, "--pad TOKEN", "what fills rows up (default: the end of documents, else id 0)")
    add(rows, "shuffle")
    option(
        rows,
        "--dedup DEDUP",
        "leave documents out whose text one before has, in any of the inputs, which are read twice",
        action="store_const",
        const="exact",
    )
    option(rows, "--mask", "conversations, with marks on what the assistant says", choices=("assistant",))
    option(
        rows,
        "--skip-errors",
        "leave documents out that cannot be read or encoded, and list them in the manifest",
    )
    work = parser.add_argument_group("work")
    add(work, "workers")
    option(work, "--engine", "processes here, or a cluster of Ray", choices=("local", "ray"), default="local")
    option(work, "--shard-size SIZE", "bytes of the inputs that make one shard")
    option(work, "--task I", "make the shards of one job of several only", type=int)
    option(work, "--tasks N", "how many jobs there are")
    add(work, "anew")
    option(work, "--json", "write what happens as lines of JSON")
    add(work, "quieter")
    add_reading(parser)
    parser.set_defaults(field=None)


def run(options: argparse.Namespace) -> int:
    status: int = options.run_verb(options)
    return status


#: Options of token files that are arguments under the same names.
_SAME = ("dtype", "format", "length", "pack", "pad", "shuffle", "workers")


def _given(options: argparse.Namespace, *further: str) -> dict[str, Any]:
    return {name: getattr(options, name) for name in (*_SAME, *further)}


def _tokenize(options: argparse.Namespace) -> int:
    from ... import data
    from ...batch import AutoTokenizer

    if (options.task is None) != (options.tasks is None):
        raise ArgumentError("--task and --tasks go together: which job, and of how many")
    if options.mask is not None:
        if options.specials_as_text:
            raise ArgumentError(
                "--specials-as-text is not for conversations, whose template writes such tokens"
            )
        tokenizer: Any = AutoTokenizer.from_pretrained(options.tokenizer)
    else:
        tokenizer = inputs.load(options.tokenizer, options.pattern)
        tokenizer.encode_special_tokens |= options.specials_as_text
    options.field = options.field or ("text" if options.mask is None else "messages")
    separator = inputs.reading(options, "never").separator
    started = time.perf_counter()
    with _shown("tokenize", options, options.json) as tell:
        made = data.tokenize_corpus(
            options.inputs or ["-"],
            tokenizer,
            options.output,
            **_given(options, "bos", "dedup", "engine", "errors", "field", "mask", "shard_size"),
            eos=None if options.no_eos else options.eos,
            add_special_tokens=options.special_tokens,
            input_format=options.input,
            separator=separator,
            on_error="skip" if options.skip_errors else "raise",
            task=None if options.task is None else (options.task, options.tasks),
            resume=not options.anew,
            on_event=tell,
        )
    seconds = time.perf_counter() - started
    if options.json:
        told = {
            "event": "end",
            "documents": made.documents,
            "tokens": made.tokens,
            **({"duplicates": made.duplicates} if options.dedup else {}),
            "seconds": round(seconds, 3),
        }
        print(terminal.json(told), flush=True)
    elif not options.quiet:
        print(f"{options.output}: {made}, {seconds:.1f} s")
        if not made.documents and options.task is None:
            terminal.note("no document has any tokens: see whether the inputs and --field are right")
        _tell_skipped(made.skipped)
    return 0


#: Documents that were skipped and are shown.
SHOWN = 3


def _tell_skipped(skipped: list[dict[str, Any]]) -> None:
    """The first of the documents that were left out; the manifest has all."""
    for one in skipped[:SHOWN]:
        place = f"line {one['line']}, byte {one['byte']}" if "line" in one else f"row {one['row']}"
        terminal.note(f"skipped: {one['file']}, {place}: {one['reason']}")
    if len(skipped) > SHOWN:
        terminal.note(f"skipped: {len(skipped) - SHOWN:,} more, which manifest.json lists")


@contextlib.contextmanager
def _shown(
    stage: str, options: argparse.Namespace, as_json: bool
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Who is told what happens: lines of JSON, or where the run is."""
    if as_json:
        yield lambda event: print(terminal.json(event), flush=True)
        return
    board = Board(stage, None if options.quiet else sys.stderr)
    try:
        yield board.tell
    finally:
        board.end()


def _inspect(options: argparse.Namespace) -> int:
    from ... import data

    told = data.inspect(options.folder)
    if options.json:
        print(terminal.json(told, 1))
        return 0
    rows = []
    for name, value in told.items():
        if name.endswith("bytes"):
            shown = terminal.size(value)
        elif name == "padding":
            shown = f"{value:.2%}"
        elif name == "lengths":
            shown = ", ".join(f"{key.replace('_', ' ')} {number:,}" for key, number in value.items())
        else:
            shown = f"{value:,}" if isinstance(value, int) else str(value)
        rows.append([name.replace("_", " "), terminal.visible(shown)])
    print(terminal.table(rows, head=False))
    return 0


def _verify(options: argparse.Namespace) -> int:
    from ... import data

    if options.tokenizer is None:
        own = ("specials_as_text", "pattern", "shards", "seed")
        heeded.refuse(options, own, "without --tokenizer, which makes shards again")
    tokenizer = None if options.tokenizer is None else inputs.load(options.tokenizer, options.pattern)
    if tokenizer is not None:
        tokenizer.encode_special_tokens |= options.specials_as_text
    found = data.verify(options.folder, tokenizer, sample=options.shards, seed=options.seed)
    for problem in found.problems:
        terminal.fail(problem)
    remade = f", {len(found.remade)} made again" if found.remade else ""
    print(f"{options.folder}: {found.files} files, {terminal.size(found.bytes)}{remade}: ", end="")
    print("as written" if found else f"{len(found.problems)} problems")
    return 0 if found else 1


def _pack(options: argparse.Namespace) -> int:
    from ... import data

    with _shown("pack", options, False) as tell:
        made = data.pack_corpus(
            options.folder,
            options.output,
            **_given(options, "across"),
            resume=not options.anew,
            on_event=tell,
        )
    if not options.quiet:
        print(f"{options.output}: {made}")
    return 0


def _merge(options: argparse.Namespace) -> int:
    from ... import data

    print(f"{options.folder}: {data.merge(options.folder)}")
    return 0


def _sample(options: argparse.Namespace) -> int:
    from ... import data

    if options.tokenizer is None:
        heeded.refuse(options, ["pattern"], "without --tokenizer")
    corpus = data.open(options.folder)
    tokenizer = None if options.tokenizer is None else inputs.load(options.tokenizer, options.pattern)
    with inputs.Output(None) as out:
        for number in data.drawn(len(corpus.documents), options.number, options.seed):
            ids = corpus.documents[number].tolist()
            shown = " ".join(map(str, ids))
            if tokenizer is not None:
                shown = out.readable(tokenizer.decode(ids, skip_special_tokens=False))
            out.line(f"document {number}, {len(ids)} tokens")
            out.line(shown)
    return 0
