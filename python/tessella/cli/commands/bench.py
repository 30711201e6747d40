"""How fast a tokenizer is on a text, here and now.

The round trip is checked first. Each number is the best of some runs; the first run of encoding, before the
caches know the text, is shown apart. The text is held in memory: --sample says how much of it.

Examples:
  $ tessella bench tokenizer.json corpus.txt
  $ tessella bench tokenizer.json corpus.txt --threads 1 --repeat 2 --json
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError
from .. import inputs, terminal
from ..shared import add, add_sample, add_texts, option

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "tokenizer")
    add_texts(parser)
    add_sample(parser, "16MB", "all files together")
    option(parser, "--repeat N", "runs of each (default: 3)", default=3)
    option(parser, "--threads N", "how many threads encode")
    add(parser, "quiet", "numbers as json", "pattern")


def run(options: argparse.Namespace) -> int:
    started = time.perf_counter()
    tokenizer = inputs.load(options.tokenizer, options.pattern)
    loading = time.perf_counter() - started
    stage = "" if options.quiet else "read"
    sampled = inputs.Sampled(inputs.texts(options, stage), inputs.sample_size(options))
    texts = list(sampled)
    if not any(texts):
        raise ArgumentError("there is no text to look at: the input is empty")
    size = sum(len(text.encode()) for text in texts)
    repeat = max(options.repeat, 1)

    # What is only done once in a process is not the tokenizer's: importing NumPy, starting threads.
    tokenizer.encode_ids_batch([""])
    with inputs.shown_meter("bench", not options.quiet) as meter:
        # The first run, the check of the round trip, and three kinds of work.
        runs = iter(range(1, 2 + 3 * repeat + 1))

        def done() -> None:
            # Between runs: showing takes none of their time.
            meter.update(next(runs) * size, (2 + 3 * repeat) * size)

        def best(work: Callable[[], Any]) -> float:
            found = []
            for _ in range(repeat):
                found.append(_timed(work)[0])
                done()
            return min(found)

        meter.update(0, (2 + 3 * repeat) * size)
        first, ragged = _timed(lambda: tokenizer.encode_ids_batch(texts, num_threads=options.threads))
        done()
        ids = ragged.to_list()
        changed = sum(
            tokenizer.decode(one, skip_special_tokens=True) != text
            for one, text in zip(ids, texts, strict=True)
        )
        done()
        again = best(lambda: tokenizer.encode_ids_batch(texts, num_threads=options.threads))
        # Of whole texts, as the ids are: not what a file's truncation and padding would make of them.
        aligned = best(lambda: _aligned(tokenizer, texts, options.threads))
        decoding = best(lambda: tokenizer.decode_batch(ids))
    tokens = len(ragged.ids)
    work = {
        "ids, first run": first,
        "ids, again": again,
        "ids and offsets": aligned,
        "decoding": decoding,
    }
    if options.json:
        found: dict[str, Any] = {
            "tokenizer": options.tokenizer,
            "bytes": size,
            "texts": len(texts),
            "is_part": sampled.is_part,
            "tokens": tokens,
            "loading_seconds": loading,
            "seconds": work,
            "changed_by_round_trip": changed,
        }
        print(terminal.json(found, 2))
        return 0
    print(f"{terminal.bold(options.tokenizer)}: loaded in {loading * 1000:.0f} ms")
    print(
        f"{len(texts):,} texts, {terminal.size(size)}, {tokens:,} tokens, "
        f"{size / max(tokens, 1):.2f} bytes each"
    )
    if sampled.is_part:
        print(
            f"this is the first part of what was given: --sample {options.sample}, --sample all for all of it"
        )
    same = "gives every text back" if not changed else f"changes {changed:,} of {len(texts):,} texts"
    print(f"the round trip {same}\n")
    rows = [["work", "time", "text", "tokens"]]
    for name, seconds in work.items():
        rate = f"{tokens / seconds / 1e6:.2f} M/s"
        rows.append([name, f"{seconds * 1000:.1f} ms", f"{terminal.size(size / seconds)}/s", rate])
    print(terminal.table(rows, right=[1, 2, 3]))
    return 0


def _aligned(tokenizer: Tokenizer, texts: list[str], threads: int | None) -> None:
    """Encodes, and reads the offsets: of many texts they are made when they are read."""
    for one in tokenizer.encode_batch(texts, truncation=False, padding=False, num_threads=threads):
        _ = one.offsets_array


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return max(time.perf_counter() - started, 1e-9), result
