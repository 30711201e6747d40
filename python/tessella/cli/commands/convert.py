"""A tokenizer in another format.

The result is read again and compared with the source on a text before it gets its name. What the target
format cannot express is an error that names the obstacle. The target lies in a folder that exists; the folder
of --format folder is made, and if it is there, its files are replaced.

Examples:
  $ tessella convert tokenizer.json folder --format folder
  $ tessella convert tokenizer.json copy.json --prove corpus.txt
  $ tessella convert tokenizer.json tokenizer.gguf
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from copy import copy
from typing import TYPE_CHECKING

from ..._formats import WRITABLE, to_write
from ...errors import ArgumentError, UnsupportedError
from .. import heeded, inputs, terminal
from ..shared import add, add_reading, option

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

#: Compared where no text is given: scripts, blanks, digits, marks and characters that are rarely learned.
PROBE = [
    "The quick brown fox jumps over the lazy dog, 12,345.67 times!",
    "  two  blanks,\ttabs\nand\r\nline ends  ",
    "naïve café, Ελληνικά, русский, العربية, हिन्दी, 東京都, 한국어, 🧩👩‍💻",
    "def tile(x):\n    return {'x': x ** 2}  # <tag> & [UNK] </s>",
]


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "source")
    option(parser, "target TARGET", "the file or folder to write")
    option(
        parser,
        "-f --format",
        "tokenizer.json, tekken.json, table of ranks, SentencePiece model, GGUF, vocab.txt, or folder "
        "(default: by the target's name, whose ending is a promise)",
        choices=WRITABLE,
    )
    option(parser, "--into MODEL", "the GGUF file of a model, a copy of which gets the tokenizer")
    option(
        parser,
        "--drop-normalizer",
        "for GGUF: leave out a normalizer that llama.cpp cannot apply, and tell a text that differs",
    )
    add(parser, "differences", "pattern")
    option(parser, "--prove --check FILE", "compare on the lines of this file", dest="check")
    add_reading(parser)


def run(options: argparse.Namespace) -> int:
    # A slash at the end of the name is part of its promise, and is lost in the absolute path.
    written = to_write(options.target, options.format)
    if not options.check:
        heeded.refuse_reading(options, "without --prove FILE")
    source = inputs.load(options.source, options.pattern)
    target = os.path.abspath(options.target)
    if os.path.exists(target) and not (os.path.isfile(target) or os.path.isdir(target)):
        raise ArgumentError(f"{options.target} is no ordinary file: a file must not take its place")
    inputs.check_target(target)
    if options.into is not None and written != "gguf":
        raise ArgumentError(f"--into is for GGUF files, and {options.target} is none")
    if options.drop_normalizer and written != "gguf":
        raise ArgumentError(f"--drop-normalizer is for GGUF files, and {options.target} is none")
    drop, allow = options.drop_normalizer, inputs.differences(options, written)
    with tempfile.TemporaryDirectory(prefix="tessella-") as trial, warnings.catch_warnings():
        # The same is said when the target is written.
        warnings.simplefilter("ignore")
        made = os.path.join(trial, os.path.basename(target))
        source.save(made, format=written, drop_normalizer=drop, allow_differences=allow)
        again = inputs.load(made)
        if written == "gguf":
            from ..._gguf import spells_no_specials

            again.encode_special_tokens = spells_no_specials(source)
        number, same = _compared(_bare(source) if drop else source, again, options, allow)
    source.save(target, format=written, into=options.into, drop_normalizer=drop, allow_differences=allow)
    name = terminal.visible(options.target)
    but = " but for the normalizer" if drop else ""
    on = f"{number:,}" if same == number else f"{same:,} of {number:,}"
    print(f"{name}: {source.get_vocab_size():,} tokens, same ids on {on} texts{but}")
    return 0


def _bare(source: Tokenizer) -> Tokenizer:
    """What is written where the normalizer is left out."""
    bare = copy(source)
    bare.normalizer = None
    return bare


def _compared(
    source: Tokenizer, again: Tokenizer, options: argparse.Namespace, allow: bool
) -> tuple[int, int]:
    """How many texts there are, and how many give the same ids; an error where one does not and may not."""
    options.text, options.files = None, [options.check] if options.check else []
    number = different = 0
    for texts in inputs.portions(inputs.texts(options, "compare") if options.check else PROBE):
        # Of texts that are cut the end would not be looked at.
        both = (each.encode_batch(texts, truncation=False, padding=False) for each in (source, again))
        for text, expected, found in zip(texts, *both, strict=True):
            if expected.ids == found.ids:
                continue
            different += 1
            if not allow:
                raise UnsupportedError(
                    f"the result would encode {terminal.quoted(text[:80])} as {found.ids[:20]} instead of "
                    f"{expected.ids[:20]}; nothing was written"
                )
        number += len(texts)
    if not number:
        raise ArgumentError(f"--prove {options.check} holds no text to compare on")
    return number, number - different
