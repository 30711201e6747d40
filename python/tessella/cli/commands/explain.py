"""How a text becomes tokens: every stage, every merge, and what lost.

Each line of the input is a text. For BPE the merges are told in their order, with their ranks and the pairs
that had to wait; for WordPiece the entries that were tried; for Unigram the ways through the lattice with
their scores. With --plan: which engine runs each stage of the tokenizer, and why.

Examples:
  $ tessella explain tokenizer.json --text "low lower"
  $ tessella explain other.json --text "lower" --pair "lowest" --no-special-tokens
  $ echo "lower" | tessella explain tokenizer.json --json
  $ tessella explain tokenizer.json --text "low lower" --html -o explained.html
  $ tessella explain tokenizer.json --plan
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ...errors import ArgumentError
from .. import heeded, inputs, terminal
from ..shared import add, add_texts, option
from ..targets import LINES_OF_JSON, check_ending, ending_of

if TYPE_CHECKING:
    from ...explain import Explanation
    from ...tokenizer import Tokenizer

_PAGE = "<!doctype html>\n<meta charset='utf-8'>\n<title>{title}</title>\n"


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "tokenizer")
    add_texts(parser)
    option(parser, "--pair TEXT", "a second text beside each")
    option(parser, "--n-best N", "ways through a lattice (default: 3)", default=3)
    option(parser, "--no-special-tokens", "without what the template adds")
    option(parser, "--plan", "tell how each stage is run instead of a text's way")
    form = parser.add_mutually_exclusive_group()
    option(form, "--json", "write a line of JSON for each text")
    option(form, "--html", "write a page")
    add(parser, "output", "pattern")


def run(options: argparse.Namespace) -> int:
    if options.n_best < 1:
        raise ArgumentError(f"--n-best must be 1 or more, found {options.n_best}")
    if options.plan and (options.files or options.text or options.html):
        raise ArgumentError("--plan is about the tokenizer: leave texts and --html out")
    if options.plan:
        own = ("pair", "n_best", "no_special_tokens", *heeded.READING)
        heeded.refuse(options, own, "to --plan, which is about the tokenizer")
    elif options.text and not options.files:
        heeded.refuse_reading(options, "to --text: it is for files")
    ending = ending_of(options.output)
    if not (options.json or options.html):
        options.html, options.json = ending in (".html", ".htm"), ending in LINES_OF_JSON
    if options.plan and options.html:
        raise ArgumentError(f"--plan is no page: name another --output than {options.output}")
    if options.html:
        check_ending(options.output, "--output", "pages", (".html", ".htm"), "")
    else:
        one = (".json",) if options.plan else ()
        fitting = (*LINES_OF_JSON, *one) if options.json else (".txt", ".md")
        check_ending(options.output, "--output", "lines of JSON" if options.json else "texts", fitting, "")
    tokenizer = inputs.load(options.tokenizer, options.pattern)
    with inputs.Output(options.output) as out:
        if options.plan:
            out.line(_plan(tokenizer, options.json))
            return 0
        if options.html:
            from html import escape

            out.line(_PAGE.format(title=escape(options.tokenizer)))
        number = 0
        for number, text in enumerate(inputs.texts(options), 1):
            explained = tokenizer.explain(
                text, options.pair, add_special_tokens=not options.no_special_tokens, n_best=options.n_best
            )
            if number > 1 and not options.json:
                out.line("<hr>" if options.html else "")
            out.line(_told(explained, options, out))
    if not number:
        raise ArgumentError("there is no text to explain: the input is empty")
    return 0


def _told(explained: Explanation, options: argparse.Namespace, out: inputs.Output) -> str:
    if options.json:
        return terminal.json(explained.to_dict())
    if options.html:
        return explained.to_html()
    # A file keeps no colours, however it is looked at later.
    return explained.render(color=False if out.path else None)


def _plan(tokenizer: Tokenizer, as_json: bool) -> str:
    steps = tokenizer.explain_plan()
    if as_json:
        return terminal.json(
            [{"stage": one.stage, "engine": one.engine, "reason": one.reason} for one in steps]
        )
    return str(steps)
