"""`tessella train --sentencepiece KIND`: a `.model` file, learned as SentencePiece learns it."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import ArgumentError
from .. import inputs, terminal
from ..shared import option

KINDS = ("unigram", "bpe", "word", "char")
#: Options of the trainers that SentencePiece has under its own names, as flags.
_OTHERS = {"special_tokens": "user_defined_symbols or control_symbols", "unk_token": "unk_piece"}
#: What the command itself decides.
_OWN = ("input", "model_prefix", "model_type", "sentence_iterator", "model_writer", "num_threads")


def add_options(group: Any) -> None:
    option(
        group, "--sentencepiece", "a SentencePiece model of this kind, saved as a .model file", choices=KINDS
    )
    option(
        group,
        "--flag NAME=VALUE",
        "an option of SentencePiece, such as character_coverage=0.9995; may be given again",
        action="append",
        default=[],
    )


def flags(options: argparse.Namespace, given: dict[str, Any]) -> dict[str, str]:
    """The options of SentencePiece that were typed."""
    found: dict[str, str] = {}
    for flag in options.flag:
        name, equals, value = flag.partition("=")
        name = name.removeprefix("--").replace("-", "_")
        if not equals:
            raise ArgumentError(f"--flag must be NAME=VALUE, such as byte_fallback=true, found `{flag}`")
        if name in _OWN:
            raise ArgumentError(f"--flag {name}: say it with files, --sentencepiece, --threads and --output")
        found[name] = value
    for name, value in given.items():
        if name != "vocab_size":
            spelled = "--" + name.replace("_", "-")
            advice = (
                f"use --flag {_OTHERS[name]}=…"
                if name in _OTHERS
                else "its own are given as --flag NAME=VALUE, such as --flag character_coverage=0.9995"
            )
            raise ArgumentError(f"{spelled} is no option of --sentencepiece: {advice}")
        found[name] = str(value)
    return found


def train(options: argparse.Namespace, given: dict[str, Any]) -> int:
    """Trains, saves, and reports on texts that were kept aside."""
    from ..._files import _replacing
    from ..._formats import to_write
    from ...compat.sentencepiece import SentencePieceTrainer
    from ...loading import load
    from ._report import Aside, efficiency

    if to_write(options.output, options.format) != "model":
        raise ArgumentError(f"--sentencepiece writes .model files: name one instead of {options.output}")
    for name in ("from_counts", "save_counts", "checkpoint", "trace", "memory", "spill_folder"):
        if getattr(options, name):
            raise ArgumentError(f"--{name.replace('_', '-')} does not go with --sentencepiece")
    chosen = flags(options, given)
    started = time.perf_counter()
    aside = Aside()
    if options.held_out:
        # Before hours of work: a name may be mistyped.
        aside = Aside(inputs.lines([options.held_out], inputs.reading(options)))
        if not aside.texts:
            raise ArgumentError(f"--held-out {options.held_out} holds no text to measure on")
    elif not options.hold_out:
        aside.instead = "give --held-out FILE"
    every = 0 if options.held_out else options.hold_out
    with _replacing(os.fspath(options.output)) as file:
        SentencePieceTrainer.train(
            sentence_iterator=_kept(_sentences(options), every, aside),
            model_writer=file,
            model_type=options.sentencepiece,
            num_threads=options.threads or os.cpu_count() or 1,
            **chosen,
        )
    seconds = time.perf_counter() - started
    tokenizer = load(Path(options.output))
    if not options.quiet:
        size = f"{terminal.bold(options.output)}: {tokenizer.get_vocab_size():,} pieces"
        print(f"{size}, SentencePiece {options.sentencepiece}, in {seconds:.1f} s")
        print("\n".join(efficiency(tokenizer, aside)))
    return 0


def _sentences(options: argparse.Namespace) -> Iterator[str]:
    for line in inputs.lines(options.files, inputs.reading(options)):
        yield line.rstrip("\r\n")


def _kept(texts: Iterator[str], every: int, aside: Any) -> Iterator[str]:
    if not every:
        return texts
    from .train import split

    given: Iterator[str] = split(texts, every, aside)
    return given
