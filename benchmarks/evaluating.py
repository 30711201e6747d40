"""What evaluating costs beside encoding alone, on the same threads.

Both read the same files through the same reader; each run is a process of its own, and runs alternate. Processor time
of all threads, and the largest memory of the process. Run from the root of the clone:

    python -m benchmarks.evaluating TOKENIZER[,TOKENIZER...] FILE... [--rounds N]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path


def work(what: str, tokenizers: list[str], files: list[str]) -> None:
    """One run in this process; prints seconds of processor time and megabytes."""
    import tessella

    loaded = {name: tessella.load(name) for name in tokenizers}
    started = time.process_time()
    if what == "evaluate":
        from tessella.evaluate import evaluate

        evaluate(loaded, [Path(name) for name in files])
    else:
        from tessella.evaluate.corpora import Reading, Texts, portions

        for name in files:
            for some in portions(Texts(Path(name), Reading(cut="bare lines"))):
                for tokenizer in loaded.values():
                    tokenizer.encode_ids_batch(some, add_special_tokens=False)
    seconds = time.process_time() - started
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tokenizers")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("encode", "evaluate"))
    options = parser.parse_args()
    tokenizers = options.tokenizers.split(",")
    if options.only:
        work(options.only, tokenizers, options.files)
        return
    found: dict[str, list[tuple[float, float]]] = {"encode": [], "evaluate": []}
    for _ in range(options.rounds):
        for what, runs in found.items():
            command = [sys.executable, "-m", "benchmarks.evaluating", *sys.argv[1:], "--only", what]
            seconds, size = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
            runs.append((float(seconds), float(size)))
            print(
                f"{what:<9} {float(seconds):6.1f} s of processor time, peak {float(size):5.0f} MB", flush=True
            )
    middle = {what: statistics.median(seconds for seconds, _ in runs) for what, runs in found.items()}
    print(f"evaluating costs {middle['evaluate'] / middle['encode']:.2f} times encoding alone")


if __name__ == "__main__":
    main()
