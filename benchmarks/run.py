"""Measure Tessella beside its peers: `python -m benchmarks.run [--definition quick|full]`.

Prints a table as it goes, and writes `benchmarks/record/<date>-<definition>.json`; `python -m benchmarks.page` makes the
tables of the README of it.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import decoding, families, worst
from benchmarks.patterns import PATTERNS, STAGES
from tests.conformance import texts

HERE = Path(__file__).parent
#: Engines whose packages have the name of another one's: each has a folder of its own, which comes first.
FOLDERS = {"tokenizers_1": HERE.parent / "build" / "peers" / "tokenizers_1"}
#: Lengths of documents in bytes, unless a part has its own; 0: a document for each slice of the text.
DOCUMENT = 5500

PACKAGES = (
    "tessella",
    "tokenizers",
    "tiktoken",
    "sentencepiece",
    "gigatoken",
    "fastokens",
    "quicktok-v1",
    "tokie",
    "rs-bpe",
    "kitoken",
    "splintr-rs",
    "iree-tokenizer",
)


def measure(engine: str, job: dict[str, Any]) -> dict[str, Any] | None:
    """One fresh process; None if the engine is not installed or refuses the task."""
    command = [sys.executable, "-m", f"benchmarks.engines.{engine}_engine", json.dumps(job)]
    threads = job.get("threads", 1)
    path = [str(FOLDERS[engine])] if engine in FOLDERS else []
    if path and not FOLDERS[engine].is_dir():
        return None
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*path, *filter(None, [os.environ.get("PYTHONPATH")])]),
        "RAYON_NUM_THREADS": str(threads),
        # NumPy's own thread waits busily for some milliseconds after the import, which would count as part of a first slice.
        "OPENBLAS_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false" if threads == 1 else "true",
    }
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=HERE.parent, env=environment
    )
    if done.returncode != 0:
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    for engine, folder in FOLDERS.items():
        for one in importlib.metadata.distributions(path=[str(folder)]):
            if one.metadata["Name"] == engine.rpartition("_")[0]:
                found[engine] = one.version
    return found


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def load() -> list[float]:
    """How many wanted to run, on average: of the last minute, and of the last fifteen."""
    return [round(value, 2) for value in os.getloadavg()[::2]] if hasattr(os, "getloadavg") else []


def whole(names: list[str], corpora: Path) -> bytes:
    """Corpora, one behind the other. Behind a slash stands a language: the documents that the corpus has of it."""
    files = sorted(corpora.iterdir())

    def read(start: str) -> bytes:
        return texts.read(next(path for path in files if path.name.startswith(start)))

    found = []
    for name in names:
        corpus, _, language = name.partition("/")
        data = read(corpus + ".txt")
        if language:
            rows = [row.split("\t") for row in read(corpus + ".index.tsv").decode().splitlines()[1:]]
            places = [(int(start), int(size)) for start, size, _, of in rows if of == language]
            data = b"\n\n".join(data[start : start + size] for start, size in places)
        found.append(data)
    return b"".join(found)


def text_files(part: dict[str, Any], size: int, corpora: Path, folder: str) -> Iterator[Path]:
    """The texts of a part, each of at most its size. A plus sign stands between corpora that are read as one."""
    for name in part.get("corpora", []):
        path = Path(folder, f"{name.replace('/', ' ')}.txt")
        data = whole(name.split("+"), corpora)[:size].decode("utf-8", "ignore").encode("utf-8")
        # The last character may have been cut off.
        if len(data) < size - 3:
            print(f"{name}: {len(data):,} bytes of {size:,}: the corpus has no more", file=sys.stderr)
        path.write_bytes(data)
        yield path
    for name in part.get("worst", []):
        path = Path(folder, f"{name}.txt")
        path.write_text(worst.text(name, size), encoding="utf-8", newline="")
        yield path


def run_part(
    part: dict[str, Any], definition: dict[str, Any], models: Path, corpora: Path, only: str
) -> Iterator[dict[str, Any]]:
    """The rows of one part of a definition."""
    if "turns" in part:
        file = models / part["file"]
        if file.exists() and only in part["part"]:
            yield from decoding.run(file, corpora, part["corpora"], turns=part["turns"])
        return
    size, rounds = (
        definition["given"].get(key) or part.get(key, definition[key]) for key in ("bytes", "rounds")
    )
    with tempfile.TemporaryDirectory() as folder:
        for text in text_files(part, size, corpora, folder):
            for case, document, kind, threads in itertools.product(
                part["cases"],
                part.get("documents", [DOCUMENT]),
                part.get("kinds", ["ids"]),
                part.get("threads", [1]),
            ):
                if not (models / case["file"]).exists() or only not in f"{part['part']} {case['name']}":
                    continue
                what = {"document": document, "kind": kind, "threads": threads}
                for row in run_case(case, models, text, what, rounds):
                    yield {"part": part["part"], **row}


def run_case(
    case: dict[str, Any], models: Path, text: Path, what: dict[str, Any], rounds: int
) -> list[dict[str, Any]]:
    """All engines in turn, round after round. The first peer listed is the format's own library: its ids are the
    truth, and since it may be slow it runs once where others run for all rounds."""
    job: dict[str, Any] = {"file": str(models / case["file"]), "text": str(text), **what}
    stem = Path(case["file"]).stem
    if stem in PATTERNS and case["file"].endswith(".tiktoken"):
        job["pattern"], job["reference_pattern"], job["scheme"] = PATTERNS[stem]
        job["specials"] = {}
    if "family" in case:
        maps = models / case["maps"] if "maps" in case else None
        job["file"] = str(families.write(models / case["file"], case["family"], text.parent, maps))
    if "stages" in case:
        job["stages"] = STAGES[case["stages"]]
    engines = case["engines"]
    results: dict[str, list[dict[str, Any]]] = {engine: [] for engine in engines}
    reference = next(engine for engine in engines if engine != "tessella")
    for turn in range(rounds):
        for engine in list(results):
            if turn > 0 and engine == reference and len(engines) > 2:
                continue
            result = measure(engine, job)
            if result is None:
                del results[engine]
            else:
                results[engine].append(result)
    if "tessella" not in results or reference not in results or len(results) < 2:
        return []
    truth = results[reference][0]["ids"]
    rows = []
    for engine, measured in results.items():

        def median(key: str, measured: list[dict[str, Any]] = measured) -> float:
            return round(statistics.median(r[key] for r in measured), 2)

        rows.append(
            {
                "case": case["name"],
                "text": text.stem,
                **what,
                "engine": engine,
                **{key: median(key) for key in ("first", "fresh", "warm")},
                "best": round(max(r["fresh"] for r in measured), 2),
                "calls_us": {
                    name: round(min(r["calls"][name] for r in measured), 2) for name in measured[0]["calls"]
                },
                "load_ms": median("load_ms"),
                "peak_mb": round(statistics.median(r["peak_mb"] for r in measured)),
                "ids_agree": all(r["ids"] == truth for r in measured),
            }
        )
    # Ratios are to the fastest peer whose ids are right.
    exact = [row for row in rows if row["ids_agree"] and row["engine"] != "tessella"]
    for row in rows:
        row["ratio"] = {
            key: round(row[key] / max(peer[key] for peer in exact), 2) for key in ("first", "fresh", "warm")
        }
    return rows


def tell(row: dict[str, Any]) -> None:
    """A row on one line, as soon as it is there."""
    if "ns" in row:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        print(
            f"{row['part']:<12} {row['text']:<20} {row['ids']:>7} {row['form']:<15} {row['engine']:<14}"
            f" {row['ns']:8.1f} ns an id  {ratio:>5} {'same' if row['same'] else 'OTHER TEXT'}",
            flush=True,
        )
        return
    agree = "same" if row["ids_agree"] else "OTHER IDS"
    speeds = " ".join(f"{row[key]:7.1f}" for key in ("first", "fresh", "warm"))
    ratios = " ".join(f"{ratio:5.2f}" for ratio in row["ratio"].values())
    calls = " ".join(f"{time:7.2f}" for time in row["calls_us"].values())
    print(
        f"{row['part']:<12} {row['case']:<14} {row['text']:<20} {row['document']:>5} {row['kind']:<13} {row['threads']}"
        f" {row['engine']:<14} {speeds} MB/s {ratios}  {calls} us {row['load_ms']:6.0f} ms {row['peak_mb']:4} MB {agree}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--definition", default="quick", help="a file of benchmarks/definitions: quick, full, languages"
    )
    parser.add_argument("--rounds", type=int, help="if not those of the definition")
    parser.add_argument("--bytes", type=int, help="bytes of each text, if not those of the definition")
    parser.add_argument("--only", default="", help="only parts and tokenizers whose names contain this")
    parser.add_argument(
        "--out", type=Path, help="the record, if not benchmarks/record/<date>-<definition>.json"
    )
    arguments = parser.parse_args()
    models, corpora = texts.needed("TESSELLA_MODELS"), texts.needed("TESSELLA_CORPORA")
    definition = json.loads((HERE / "definitions" / f"{arguments.definition}.json").read_text())
    definition["given"] = {"bytes": arguments.bytes, "rounds": arguments.rounds}
    before = load()
    rows: list[dict[str, Any]] = []
    for part in definition["parts"]:
        for row in run_part(part, definition, models, corpora, arguments.only):
            rows.append(row)
            tell(row)
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": processor(),
        "cores": os.cpu_count(),
        "load": [before, load()],
        "python": platform.python_version(),
        "versions": versions(),
        "definition": definition,
        "rows": rows,
    }
    path = arguments.out or HERE / "record" / f"{record['date']}-{arguments.definition}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"\n{path}")
    return 0 if all(row.get("ids_agree", True) for row in rows if row["engine"] == "tessella") else 1


if __name__ == "__main__":
    raise SystemExit(main())
