"""JSON lines to token files: how fast, and with how much memory, beside others.

    python benchmarks/data_throughput.py --megabytes 200 --workers 2 \\
        --python datatrove=/path/to/python --python datasets=/path/to/python

Takes the corpora of ``TESSELLA_CORPORA`` over and over up to so much text, as JSON lines in four files packed with zstd,
and GPT-2's tokenizer from ``TESSELLA_MODELS``. Each engine is a process of its own, started anew each time, and its time
includes starting, loading the tokenizer and writing:

- ``tessella``: ``tessella.data.tokenize_corpus`` to Megatron files
- ``memory``: ``encode_ids_batch`` on the same texts in a list, nothing read or written and nothing started: what is possible
- ``datatrove``: its JSON reader and ``DocumentTokenizer``, which shuffles nothing; one process whatever the number of
  workers, since the time of its worker processes cannot be told from outside
- ``datasets``: ``load_dataset`` and ``map`` with the reference library's ``encode_batch``; its Arrow cache is the result
- ``megatron``: the reference library's ``encode_batch`` with Megatron's own ``IndexedDatasetBuilder``, one process with as
  many threads as there are workers
- ``gigatoken``: its ids from texts in a list, appended to one file

Engines that are not installed are left out; ``--python NAME=PATH`` runs one with another Python. Told are medians of wall
time and of processor time of all processes, and the most memory that one process took (the parent's and the largest
child's). Processor time is what a loaded machine leaves comparable. Before times are told, the tokens are counted: all
must have as many.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EOS = "<|endoftext|>"


def corpus(folder: Path, megabytes: int) -> None:
    """Four packed files of JSON lines with so much text."""
    import zstandard

    folder.mkdir(parents=True)
    texts: list[str] = []
    for path in sorted(Path(os.environ["TESSELLA_CORPORA"]).glob("*.txt.zst")):
        with path.open("rb") as file:
            content = zstandard.ZstdDecompressor().stream_reader(file).read().decode("utf-8", "replace")
        lines = content.splitlines(keepends=True)
        # Documents of some thousand characters, as web pages have.
        texts += ["".join(lines[at : at + 40]).strip() for at in range(0, len(lines), 40)]
    texts = [text for text in texts if text]
    size, number = 0, 0
    paths = [folder / f"{part}.jsonl.zst" for part in range(4)]
    writers = [zstandard.ZstdCompressor().stream_writer(path.open("wb")) for path in paths]
    while size < megabytes * 1_000_000:
        text = texts[number % len(texts)]
        row = json.dumps({"id": str(number), "text": text}, ensure_ascii=False) + "\n"
        writers[number % 4].write(row.encode())
        size += len(text.encode())
        number += 1
    for writer in writers:
        writer.close()


def rows(paths: list[str]) -> list[str]:
    import io

    import zstandard

    found = []
    for path in paths:
        with open(path, "rb") as file:
            unpacked = io.TextIOWrapper(
                zstandard.ZstdDecompressor().stream_reader(file), "utf-8", newline="\n"
            )
            found += [json.loads(line)["text"] for line in unpacked]
    return found


def run_tessella(paths: list[str], out: str, workers: int, tokenizer: str) -> int:
    import tessella
    import tessella.data

    loaded = tessella.load(tokenizer)
    started = time.perf_counter()
    made = tessella.data.tokenize_corpus(paths, loaded, out, eos=EOS, workers=workers)
    print(json.dumps({"call": time.perf_counter() - started}))
    return made.tokens


def run_memory(paths: list[str], out: str, workers: int, tokenizer: str) -> int:
    """Tells the time of encoding alone."""
    import tessella

    loaded = tessella.load(tokenizer)
    texts = rows(paths)
    started, before = time.perf_counter(), time.process_time()
    found = loaded.encode_ids_batch(texts, False, workers)
    wall = time.perf_counter() - started
    print(json.dumps({"call": wall, "wall": wall, "cpu": time.process_time() - before}))
    return len(found.ids) + len(texts)


def run_datatrove(paths: list[str], out: str, workers: int, tokenizer: str) -> int:
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.tokens import DocumentTokenizer

    LocalPipelineExecutor(
        [
            JsonlReader(os.path.dirname(paths[0]), glob_pattern="*.jsonl.zst", compression="zstd"),
            DocumentTokenizer(
                out, tokenizer, eos_token=EOS, shuffle_documents=False, save_final_metadata=False
            ),
        ],
        tasks=1,
        workers=1,
        logging_dir=f"{out}.logs",
    ).run()
    return sum(path.stat().st_size for path in Path(out).glob("*.ds")) // 2


def run_datasets(paths: list[str], out: str, workers: int, tokenizer: str) -> int:
    import datasets
    from tokenizers import Tokenizer

    os.environ["RAYON_NUM_THREADS"] = "1"
    loaded = Tokenizer.from_file(tokenizer)

    def encode(batch: dict[str, list[str]]) -> dict[str, list[list[int]]]:
        found = loaded.encode_batch_fast(batch["text"], add_special_tokens=False)
        return {"input_ids": [[*one.ids, 50256] for one in found]}

    source = datasets.load_dataset("json", data_files=paths, split="train", cache_dir=out)
    mapped = source.map(encode, batched=True, num_proc=workers, remove_columns=source.column_names)
    lengths = mapped.with_format("arrow")
    return sum(len(batch["input_ids"].combine_chunks().values) for batch in lengths.iter(10_000))


def run_megatron(paths: list[str], out: str, workers: int, tokenizer: str) -> int:
    os.environ["RAYON_NUM_THREADS"] = str(workers)
    import numpy as np
    import torch
    from megatron.core.datasets.indexed_dataset import IndexedDatasetBuilder
    from tokenizers import Tokenizer

    os.makedirs(out)
    loaded = Tokenizer.from_file(tokenizer)
    builder = IndexedDatasetBuilder(f"{out}/a.bin", dtype=np.uint16)
    texts, tokens = rows(paths), 0
    for at in range(0, len(texts), 1000):
        for one in loaded.encode_batch_fast(texts[at : at + 1000], add_special_tokens=False):
            ids = [*one.ids, 50256]
            builder.add_document(torch.tensor(ids, dtype=torch.int32), [len(ids)])
            tokens += len(ids)
    builder.finalize(f"{out}/a.idx")
    return tokens


def run_gigatoken(paths: list[str], out: str, workers: int, tokenizer: str) -> int:
    os.environ["RAYON_NUM_THREADS"] = str(workers)
    import gigatoken
    import numpy as np

    loaded = gigatoken.Tokenizer(tokenizer)
    texts, tokens = rows(paths), 0
    with open(out, "wb") as file:
        for at in range(0, len(texts), 10_000):
            for ids in loaded.encode_batch(texts[at : at + 10_000]):
                whole = np.append(np.asarray(ids, np.uint16), np.uint16(50256))
                file.write(whole.tobytes())
                tokens += len(whole)
    return tokens


ENGINES = {
    "tessella": run_tessella,
    "memory": run_memory,
    "datatrove": run_datatrove,
    "datasets": run_datasets,
    "megatron": run_megatron,
    "gigatoken": run_gigatoken,
}


def measured(
    python: str, name: str, paths: list[str], workers: int, tokenizer: str
) -> dict[str, float] | str:
    """One run of an engine in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        given = json.dumps(
            {"name": name, "paths": paths, "out": f"{folder}/out", "workers": workers, "tokenizer": tokenizer}
        )
        done = subprocess.run([python, __file__, "--engine", given], capture_output=True, text=True)
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            return (
                done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"status {done.returncode}"
            )
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        found = {
            "wall": wall,
            "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        }
        for line in lines:
            found.update(line)
        return found


def engine(given: str) -> None:
    """What a process of its own does."""
    asked = json.loads(given)
    name = asked.pop("name")
    tokens = ENGINES[name](**asked)
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"tokens": tokens, "memory": max(own.ru_maxrss, children.ru_maxrss) / 1024}))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--corpus", help=argparse.SUPPRESS)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(ENGINES))
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PATH")
    options = parser.parse_args()
    if options.engine:
        engine(options.engine)
        return
    if options.corpus:
        corpus(Path(options.corpus), options.megabytes)
        return
    missing = [name for name in ("TESSELLA_MODELS", "TESSELLA_CORPORA") if name not in os.environ]
    if missing:
        parser.error(f"set {' and '.join(missing)}: the folders that hold tokenizer files and texts")
    pythons = dict(given.split("=", 1) for given in options.python)
    tokenizer = os.path.join(os.environ["TESSELLA_MODELS"], "gpt2.json")
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: what this one holds would count as the engines' memory.
        made = [sys.executable, __file__, "--corpus", f"{folder}/in", "--megabytes", str(options.megabytes)]
        subprocess.run(made, check=True)
        paths = sorted(map(str, (Path(folder) / "in").iterdir()))
        packed = sum(os.path.getsize(path) for path in paths) / 1e6
        print(f"{options.megabytes} MB of text, {packed:.0f} MB packed, {options.workers} workers")
        found: dict[str, list[dict[str, float]]] = {}
        # Interleaved, so that what else the machine does falls on all alike.
        for _ in range(options.rounds):
            for name in options.only:
                once = measured(pythons.get(name, sys.executable), name, paths, options.workers, tokenizer)
                if isinstance(once, str):
                    print(f"{name}: left out: {once}")
                    continue
                found.setdefault(name, []).append(once)
        tokens = {name: {int(one["tokens"]) for one in all} for name, all in found.items()}
        print(f"tokens: {tokens}")
        print(
            f"{'engine':<12}{'wall s':>9}{'call s':>9}{'cpu s':>9}{'MB/s wall':>11}{'MB/cpu s':>10}{'MB memory':>11}"
        )
        for name, all in found.items():
            wall, cpu = (statistics.median(one[key] for one in all) for key in ("wall", "cpu"))
            memory = max(one["memory"] for one in all)
            call = f"{statistics.median(one['call'] for one in all):.2f}" if "call" in all[0] else ""
            size = options.megabytes
            print(
                f"{name:<12}{wall:>9.1f}{call:>9}{cpu:>9.1f}{size / wall:>11.1f}{size / cpu:>10.1f}{memory:>11.0f}"
            )


if __name__ == "__main__":
    main()
