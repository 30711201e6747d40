"""Count the pieces of a corpus: what trainers learn from.

Counts are saved in a file that can be merged with others in any order and learned from many times
(`tessella train --from-counts`). Pieces are cut as the tokenizer or the recipe cuts them.

Examples:
  $ tessella count corpus.txt --recipe gpt2 -o corpus.counts --memory 1GB
  $ tessella count rows.jsonl --recipe gpt2 --field text -o rows.counts --language en
  $ tessella count --merge corpus.counts rows.counts -o all.counts
  $ tessella count corpus.txt --tokenizer tokenizer.json --top 5 --zipf
  $ cat corpus.txt | tessella count --recipe bert-uncased --tsv words.tsv
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError
from .. import heeded, inputs, terminal
from ..shared import add, add_reading, option
from ..targets import check_ending

if TYPE_CHECKING:
    from ...counting import PieceCounts


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "corpus")
    cutting = parser.add_mutually_exclusive_group()
    option(cutting, "-k --tokenizer TOKENIZER", "cut as this tokenizer does")
    option(cutting, "-r --recipe NAME", "cut as this recipe does")
    option(cutting, "--merge", "the files are counts: add them up")
    option(parser, "-o --output FILE", "where to save the counts")
    option(parser, "--tsv FILE", "write lines of piece, tab, count, for SentencePiece; - for standard output")
    option(parser, "--top N", "show the N most frequent pieces")
    option(parser, "--zipf", "draw how frequency falls with rank")
    option(parser, "--weight W", "count every occurrence so many times, a whole number")
    option(parser, "--language TAG", "a language tag, noted with the counts")
    work = add_work(parser)
    option(work, "--engine", "threads here, or a cluster of Ray", choices=("local", "ray"), default="local")
    add_reading(parser)


def add_work(parser: argparse.ArgumentParser) -> Any:
    """How counting works; gives the group of these options."""
    group = parser.add_argument_group("work")
    option(group, "--memory SIZE", "the most that counts may take in memory: 2GB, 512MiB")
    option(group, "--spill-folder DIR", "where to write what does not fit")
    add(group, "threads", "quieter")
    return group


def work(options: argparse.Namespace) -> dict[str, Any]:
    """The options of counting that were given."""
    return {
        "memory": options.memory,
        "spill_folder": options.spill_folder,
        "num_threads": options.threads,
        "progress": not options.quiet,
        **inputs.reading(options).arguments,
    }


def source(options: argparse.Namespace) -> Any:
    """Files where there are only files, else lines as they come."""
    if options.files and "-" not in options.files:
        return [Path(name) for name in options.files]
    return inputs.lines(options.files, inputs.reading(options))


def run(options: argparse.Namespace) -> int:
    if options.output:
        stem = os.path.splitext(options.output)[0]
        better = f"name it {stem}.counts, or write lines with --tsv {stem}.tsv"
        check_ending(options.output, "--output", "counts in a form of their own", (".counts", ".bin"), better)
    if options.tsv == "-":
        if options.top or options.zipf:
            raise ArgumentError("--tsv - fills standard output: leave out --top and --zipf, or name a file")
    else:
        check_ending(options.tsv, "--tsv", "columns of text", (".tsv", ".txt"), "name it .tsv")
    started = time.perf_counter()
    counts = _merged(options) if options.merge else _counted(options)
    seconds = time.perf_counter() - started
    if options.output:
        counts.save(options.output, progress=not options.quiet)
    if options.tsv == "-":
        _to_standard_output(counts)
    elif options.tsv:
        counts.to_tsv(options.tsv)
    _report(counts, seconds, options)
    return 0


def _counted(options: argparse.Namespace) -> PieceCounts:
    from ... import recipes
    from ...counting import count_pieces

    given = {**work(options), "weights": _weight(options.weight), "languages": options.language}
    given["engine"] = options.engine
    if options.recipe:
        return recipes.get(options.recipe).count(source(options), **given)
    if not options.tokenizer:
        raise ArgumentError(
            "say how texts are cut: --tokenizer FILE or --recipe NAME. Counts that were saved are shown by "
            "`tessella inspect`, and joined by --merge"
        )
    return count_pieces(source(options), inputs.load(options.tokenizer), **given)


def _weight(typed: str | None) -> int:
    """A weight that means the same whatever the counts are merged with.

    Fractions are made whole by multiplying all weights of one call, and here there is but one.
    """
    try:
        weight = Fraction("1" if typed is None else typed)
    except (ValueError, ZeroDivisionError):
        weight = Fraction(1, 2)
    if weight < 1 or weight.denominator != 1:
        raise ArgumentError(
            f"--weight must be a whole number from 1 on, found {typed!r}: counts are whole numbers, so give "
            "the corpora that shall count more a larger one (1 and 2 instead of 1/2 and 1)"
        )
    return int(weight)


def _merged(options: argparse.Namespace) -> PieceCounts:
    from ...counting import PieceCounts

    if not options.files:
        raise ArgumentError("--merge needs files of counts")
    if options.engine != "local":
        raise ArgumentError("--merge adds files up in this process: leave --engine out")
    heeded.refuse(options, ("language", *heeded.READING), "to --merge, which reads counts and no texts")
    weight, counts = _weight(options.weight), PieceCounts()
    # Bytes of files, which tell how much there is to add up.
    sizes = [os.stat(name).st_size for name in options.files]
    with inputs.shown_meter("merge", not options.quiet) as meter:
        for place, name in enumerate(options.files):
            meter.update(sum(sizes[:place]), sum(sizes))
            counts.merge(PieceCounts.load(name), weight)
        meter.update(sum(sizes), sum(sizes))
    return counts


def _to_standard_output(counts: PieceCounts) -> None:
    """The lines of ``to_tsv``, which writes files only."""
    with tempfile.TemporaryDirectory() as folder, inputs.Output(None) as out:
        path = os.path.join(folder, "counts.tsv")
        counts.to_tsv(path)
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                out.line(line.removesuffix("\n"))


def _report(counts: PieceCounts, seconds: float, options: argparse.Namespace) -> None:
    """What people look at; on standard error where nobody asked for more than files."""
    out = sys.stdout if options.top or options.zipf else sys.stderr
    if out is not None and not (options.quiet and out is sys.stderr):
        bytes_read = sum(one.bytes for one in counts.sources)
        texts = sum(one.texts for one in counts.sources)
        print(
            f"{len(counts):,} different pieces, {counts.total:,} occurrences in {texts:,} texts "
            f"({terminal.size(bytes_read)}), {seconds:.1f} s",
            file=out,
        )
    if options.top:
        rows = [["count", "piece"]]
        rows += [[f"{count:,}", terminal.quoted(piece)] for piece, count in counts.top(options.top)]
        print(terminal.table(rows, right=[0]), file=out)
    if options.zipf:
        print(counts.zipf(), file=out)
