"""A tokenizer held to what it gave before, or to what another library gives.

--record FILE keeps ids, offsets and decoded text of texts: those of --corpus, or short ones that are known
to tell tokenizers apart. --golden FILE checks against such a file; a file named NAME.golden.json knows its
tokenizer and can be given alone. --against LIBRARY reads the same file with tokenizers, tiktoken,
sentencepiece, transformers or llama.cpp and compares ids; what is no GGUF file is written as one for
llama.cpp. The exit status is 1 if any text came out otherwise.

Examples:
  $ tessella verify tokenizer.json --record tokens.golden.json
  $ tessella verify tokenizer.json --golden tokens.golden.json
  $ tessella verify tokens.golden.json
  $ tessella verify other.json --record other.golden.json --corpus corpus.txt
"""

from __future__ import annotations

import argparse
import os
from itertools import islice
from typing import TYPE_CHECKING

from ...errors import ArgumentError
from .. import heeded, inputs, terminal
from ..shared import add, add_reading, option

if TYPE_CHECKING:
    from ...prove import Verification

#: The exit status where a text came out otherwise.
WRONG = 1


def arguments(parser: argparse.ArgumentParser) -> None:
    option(parser, "names TOKENIZER...", "a tokenizer, or golden files")
    what = parser.add_mutually_exclusive_group()
    option(what, "--record FILE", "write a golden file")
    option(what, "--golden FILE", "check against a golden file")
    option(
        what,
        "--against",
        "compare ids with those of another library",
        choices=("tokenizers", "tiktoken", "sentencepiece", "transformers", "llama.cpp"),
    )
    option(parser, "--corpus FILE...", "texts, one a line", default=[])
    option(parser, "--most N", "look at so many texts of the corpus")
    add(parser, "json", "pattern")
    add_reading(parser)


def run(options: argparse.Namespace) -> int:
    from ...prove import Golden, record, verify
    from ...prove.golden import ENDING

    if all(name.endswith(ENDING) for name in options.names):
        if options.record or options.golden or options.against:
            raise ArgumentError("a golden file knows what it is checked with: name it alone")
        own = "to golden files, which have their own texts: leave it out"
        heeded.refuse(options, ("corpus", "most", *heeded.READING), own)
        return max(_told(_alone(name, options.pattern), options) for name in options.names)
    if len(options.names) != 1:
        raise ArgumentError("name one tokenizer, or golden files only")
    (name,) = options.names
    if options.most is not None and options.most < 1:
        raise ArgumentError(f"--most must be 1 or more, found {options.most}")
    if not options.corpus:
        heeded.refuse(options, ("most", *heeded.READING), "without --corpus FILE")
    if options.record:
        tokenizer = inputs.load(name, options.pattern)
        golden = record(tokenizer, _corpus(options) if options.corpus else None)
        golden.save(options.record, name if os.path.exists(name) else None)
        print(f"{terminal.visible(options.record)}: {len(golden.cases):,} texts")
        return 0
    if options.golden:
        if options.corpus:
            raise ArgumentError("--golden has its own texts: leave out --corpus")
        return _told(Golden.load(options.golden).check(inputs.load(name, options.pattern)), options)
    if not options.against:
        raise ArgumentError("say what to verify: --record, --golden or --against")
    corpus = _corpus(options) if options.corpus else None
    return _told(verify(name, options.against, corpus, pattern=options.pattern), options)


def _corpus(options: argparse.Namespace) -> list[str]:
    how = inputs.reading(options, "bare lines")
    texts = (text for _, found in inputs.readers(options.corpus, how) for text in found.each())
    found = list(islice(texts, options.most))
    if not found:
        raise ArgumentError(f"--corpus {' '.join(options.corpus)} holds no text to look at")
    return found


def _alone(name: str, pattern: str | None) -> Verification:
    from ...prove import Golden

    golden = Golden.load(name)
    if golden.tokenizer is None:
        raise ArgumentError(
            f"{name} does not say where its tokenizer is: name the tokenizer, and --golden {name}"
        )
    return golden.check(inputs.load(os.path.join(os.path.dirname(name), golden.tokenizer), pattern))


def _told(done: Verification, options: argparse.Namespace) -> int:
    print(terminal.json(done.to_dict(), 2) if options.json else done)
    return 0 if done else WRONG
