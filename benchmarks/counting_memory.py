"""Counting under a memory budget: is the budget kept, and is the result the same? And what does learning take?

    python -m benchmarks.counting_memory --size 2GB --memory 256MB --folder /tmp --train

Writes the texts of TESSELLA_CORPORA, where it is set, and then text in which new words never end (one word in
three has not been there before, or what `--rare` says), counts its words in a process of its own under the budget
and in another without one, and compares peak memory and the saved files, byte for byte. `--train` learns 32,000
entries of BPE from the saved counts in a third process, and compares the estimate with the memory that it took.
Nothing is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tessella
from tessella import models, pre_tokenizers, trainers
from tessella.counting import memory_size

from tests.conformance import texts

#: Words on a line, and lines written at a time.
WORDS = 20
LINES = 5_000


def write_text(path: Path, size: int, rare_share: float) -> None:
    """Text of about `size` bytes: the corpora, then numbers in base 36, most of them from a range with few ones."""
    import numpy as np

    folder = texts.folder("TESSELLA_CORPORA")
    corpora = [] if folder is None else [texts.read(file) for file in sorted(folder.glob("*.txt*"))]

    random = np.random.default_rng(7)
    digits = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", np.uint8)
    with open(path, "wb") as file:
        for corpus in corpora:
            file.write(corpus[:size] + b"\n")
        written = file.tell()
        while written < size:
            n = WORDS * LINES
            rare = random.integers(0, 36**8, n)
            frequent = np.minimum(36**4 * random.random(n) ** 6, 36**4 - 1).astype(np.int64)
            is_rare = random.random(n) < rare_share
            number = np.where(is_rare, rare, frequent)
            # Nine columns: eight digits, leading zeros of frequent words cut off by the mask, and a blank.
            letters = np.empty((n, 9), np.uint8)
            for place in range(8):
                letters[:, 7 - place] = digits[number // 36**place % 36]
            letters[:, 8] = ord(" ")
            letters[WORDS - 1 :: WORDS, 8] = ord("\n")
            keep = np.ones((n, 9), bool)
            keep[~is_rare, :4] = False
            block = letters[keep].tobytes()
            file.write(block)
            written += len(block)


def count(text: str, memory: str | None, out: str, folder: str) -> None:
    """Counts and saves, and tells how much memory that took."""
    tokenizer = tessella.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    started = time.perf_counter()
    counts = tessella.count_pieces(text, tokenizer, memory=memory, spill_folder=folder)
    seconds = time.perf_counter() - started
    counts.save(out)
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(json.dumps({"seconds": seconds, "peak": peak, "distinct": len(counts), "total": int(counts.total)}))


def kilobytes(field: str) -> int:
    """What Linux tells of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def learn(counts_file: str) -> None:
    """Learns from saved counts, and tells the estimate beside what it took."""
    counts = tessella.PieceCounts.open(counts_file)
    trainer = trainers.BpeTrainer(vocab_size=32_000, show_progress=False)
    estimate, before = trainer.estimate_memory(counts), kilobytes("VmRSS")
    started = time.perf_counter()
    trainer.train_from_counts(counts)
    seconds = time.perf_counter() - started
    taken = (kilobytes("VmHWM") - before) * 1024
    print(json.dumps({"seconds": seconds, "estimate": estimate, "taken": taken}))


def measured(*arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.counting_memory", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def same_bytes(one: Path, other: Path) -> bool:
    if os.path.getsize(one) != os.path.getsize(other):
        return False
    with open(one, "rb") as first, open(other, "rb") as second:
        while block := first.read(1 << 20):
            if block != second.read(1 << 20):
                return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--size", default="200MB", help="bytes of text to count")
    parser.add_argument("--memory", default="32MB", help="the budget")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where there is room for all of it")
    parser.add_argument("--rare", type=float, default=1 / 3, help="share of words that are likely new")
    parser.add_argument("--train", action="store_true", help="learn BPE from the counts (Linux)")
    parser.add_argument("--count", help=argparse.SUPPRESS)
    parser.add_argument("--learn", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        count(options.count, options.memory or None, options.out, options.folder)
        return 0
    if options.learn:
        learn(options.learn)
        return 0
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        text = folder / "text"
        write_text(text, memory_size(options.size), options.rare)
        size = os.path.getsize(text)
        for memory in (options.memory, None):
            out = folder / f"{memory}.counts"
            arguments = ["--count", str(text), "--memory", memory or "", "--out", str(out), "--folder", name]
            found = measured(*arguments)
            print(
                f"memory={memory!s:<8} {size / 1e6:,.0f} MB in {found['seconds']:.1f} s, peak {found['peak'] / 1e6:,.0f} MB, "
                f"{found['distinct']:,.0f} different words of {found['total']:,.0f}"
            )
        equal = same_bytes(folder / f"{options.memory}.counts", folder / "None.counts")
        print("the saved files are", "equal, byte for byte" if equal else "DIFFERENT")
        if options.train:
            text.unlink()
            found = measured("--learn", str(folder / "None.counts"))
            print(
                f"BPE 32,000 learned in {found['seconds']:.1f} s: {found['estimate'] / 1e6:,.0f} MB estimated, "
                f"{found['taken'] / 1e6:,.0f} MB taken: {found['estimate'] / found['taken']:.2f}"
            )
        return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
