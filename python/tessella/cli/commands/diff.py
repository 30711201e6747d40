"""Two tokenizers compared: what is different in them, and what that does to texts.

Options, added tokens, vocabulary, merges, scores, templates and settings are compared whole. Behaviour is
looked at on texts that are known to tell rules apart, and on the lines of --corpus, each file counted by
itself. For each stage that parts ways a text is shown that cannot be smaller. The exit status is 1 if there
is any difference.

Examples:
  $ tessella diff tokenizer.json tokenizer.json --corpus corpus.txt
  $ tessella diff tokenizer.json other.json --corpus corpus.txt rows.jsonl --exit-zero
  $ tessella diff tokenizer.json other.json --page page.html --exit-zero
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from ...errors import ArgumentError
from .. import heeded, inputs, terminal
from ..shared import add, add_reading, option
from ..targets import check_ending

#: The exit status where something differs.
DIFFERENT = 1


def arguments(parser: argparse.ArgumentParser) -> None:
    option(parser, "before BEFORE", "a tokenizer file, folder or repository")
    option(parser, "after AFTER", "another one")
    option(parser, "--corpus FILE...", "texts, one a line, JSON lines or Parquet", default=[])
    option(parser, "--examples N", "texts that are shown (default: 5)", default=5)
    add(parser, "quiet", "json")
    option(parser, "--page FILE", "write it as a page")
    option(parser, "--exit-zero", "exit with 0 also where something differs")
    add(parser, "pattern")
    add_reading(parser)


def run(options: argparse.Namespace) -> int:
    from ...prove import diff

    if options.page:
        check_ending(options.page, "--page", "pages", (".html", ".htm"), "")
    if options.examples < 1:
        raise ArgumentError(f"--examples must be 1 or more, found {options.examples}")
    if not options.corpus:
        heeded.refuse_reading(options, "without --corpus FILE")
    before, after = (inputs.load(name, options.pattern) for name in (options.before, options.after))
    how = inputs.reading(options, "bare lines")
    # Nobody named is not standard input here.
    readers = inputs.readers(options.corpus, how) if options.corpus else []
    with inputs.Progress("compare", [texts for _, texts in readers], not options.quiet) as progress:

        def each(texts: Iterable[list[str]]) -> Iterator[str]:
            for some in texts:
                yield from some
                progress.step()

        corpora = {name: each(texts) for name, texts in readers}
        found = diff(before, after, corpora or None, examples=options.examples)
    for one in found.corpora:
        if not one.texts:
            raise ArgumentError(f"--corpus {one.name} holds no text to compare on")
    if options.page:
        with inputs.Output(options.page) as out:
            out.write(found.to_html())
    print(terminal.json(found.to_dict(), 2) if options.json else found)
    return DIFFERENT if found and not options.exit_zero else 0
