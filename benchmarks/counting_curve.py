"""How counting grows with the text: many GB of generated text under one memory budget, beside the sum of its shards.

    python -m benchmarks.counting_curve --size 50GB --budget 1GB --folder /tmp --until 18:00

Text is made as in ``benchmarks.scale``, a shard after the other, packed with zstd. One process counts all of it in one call
of ``count_pieces`` under the budget: its files are named pipes, through which the shards come as they are made, so that the
disk never holds more than one of them beside what the counts spill. This process counts each shard for itself and adds the
shards up. In the end both files of counts must be equal, byte for byte. ``--until`` makes what comes later empty files, so
that a run ends when it must and tells how far it came. Told after each shard: distinct pieces, processor
seconds, the most memory that the counting process took, and the most bytes that lay in the folder.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tessella
from tessella.counting import memory_size

from benchmarks import scale


def count_all(names: list[str], tokenizer: str, budget: str, folder: str, out: str) -> None:
    """What the other process does: one count of all files."""
    loaded = tessella.load(tokenizer)
    counts = tessella.count_pieces(
        [Path(name) for name in names],
        loaded,
        num_threads=1,
        memory=budget,
        spill_folder=folder,
        format="jsonl",
    )
    counts.save(out)


def used(pid: int) -> tuple[float, int]:
    """Processor seconds of a process so far, and the most bytes of memory that it took."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    seconds = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
    # A process that is through has none any more.
    return seconds, int(status.get("VmHWM", "0").split()[0]) * 1024


def held(folder: Path) -> int:
    """Bytes in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def is_late(until: str | None) -> bool:
    return until is not None and time.strftime("%H:%M") >= until


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(options: argparse.Namespace, folder: Path) -> bool:
    import zstandard

    shard_size = memory_size(options.shard)
    number = memory_size(options.size) // shard_size
    pipes = [folder / f"{at}.pipe" for at in range(number)]
    for pipe in pipes:
        os.mkfifo(pipe)
    spill, whole = folder / "spill", folder / "whole.counts"
    spill.mkdir()
    names = [str(pipe) for pipe in pipes]
    call = f"count_all({names!r}, {options.tokenizer!r}, {options.budget!r}, {str(spill)!r}, {str(whole)!r})"
    code = f"from benchmarks.counting_curve import count_all; {call}"
    counting = subprocess.Popen([sys.executable, "-c", code])
    tokenizer = tessella.load(options.tokenizer)
    total, size, most, peak, made = tessella.PieceCounts(), 0, 0, 0, 0
    started, shards = time.perf_counter(), 0.0
    print("| GB | distinct, thousands | one count, s | peak MB | shards, s | disk MB | wall min |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for at, pipe in enumerate(pipes):
        if is_late(options.until):
            pipe_out(pipe, zstandard.ZstdCompressor().compress(b""))
            continue
        (path,), written = scale.write(folder, shard_size, 100 + at, 1)
        # The other process reads while this one counts the same bytes for itself.
        copying = subprocess.Popen(["sh", "-c", f"cat '{path}' > '{pipe}'"])
        cpu, counts = scale.seconds(lambda path=path: scale.counted([path], tokenizer, folder))
        total.merge(counts)
        del counts
        if copying.wait():
            raise SystemExit("the counting process is gone")
        most = max(most, held(folder))
        path.unlink()
        size, shards, made = size + written, shards + cpu, at + 1
        alone, now = used(counting.pid)
        peak = max(peak, now)
        cells = [f"{size / 1e9:.1f}", f"{len(total) / 1e3:,.0f}", f"{alone:,.0f}", f"{peak / 1e6:,.0f}"]
        wall = (time.perf_counter() - started) / 60
        cells += [f"{shards:,.0f}", f"{most / 1e6:,.0f}", f"{wall:.1f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    if counting.wait():
        raise SystemExit("counting failed")
    total.save(folder / "sum.counts")
    same = sha256(whole) == sha256(folder / "sum.counts")
    print(
        f"\n{made} shards, {size:,} bytes of text, {total.total:,} pieces, {len(total):,} distinct, ", end=""
    )
    print(f"{whole.stat().st_size:,} bytes: {'equal' if same else 'NOT EQUAL'}", flush=True)
    return same


def pipe_out(pipe: Path, content: bytes) -> None:
    with pipe.open("wb") as file:
        file.write(content)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    models = os.environ.get("TESSELLA_MODELS")
    default = None if models is None else os.path.join(models, "gpt2.json")
    parser.add_argument("--tokenizer", default=default, required=default is None, help="a tokenizer's file")
    parser.add_argument("--size", default="1GB", help="text in all")
    parser.add_argument("--shard", default="1GB", help="text of a shard")
    parser.add_argument("--budget", default="1GB", help="what counts may take in memory")
    parser.add_argument("--exponent", type=float, default=scale.EXPONENT, help="of new words, below 1")
    parser.add_argument("--until", metavar="HH:MM", help="make no more text from then on")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where there is room for a shard")
    options = parser.parse_args()
    scale.EXPONENT = options.exponent
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        sys.exit(0 if run(options, Path(name)) else 1)


if __name__ == "__main__":
    main()
