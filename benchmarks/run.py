"""Measure Tessella beside its peers: `python -m benchmarks.run [--rounds N] [--definition NAME] [--bytes N]`.

Prints a Markdown table and writes `benchmarks/record/<date>.json`.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.conformance import texts

HERE = Path(__file__).parent

PATTERNS = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
}


def measure(engine: str, job: dict[str, Any]) -> dict[str, Any] | None:
    """One fresh process; None if the engine is not installed or refuses the task."""
    command = [sys.executable, "-m", f"benchmarks.engines.{engine}_engine", json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parent)
    if done.returncode != 0:
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def versions() -> dict[str, str]:
    found = {}
    for name in ("tessella", "tokenizers", "tiktoken", "sentencepiece", "gigatoken", "rustbpe", "bpeasy"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--definition", default="first")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bytes", type=int, help="bytes of text, if not those of the definition")
    arguments = parser.parse_args()
    models, corpora = texts.folder("TESSELLA_MODELS"), texts.folder("TESSELLA_CORPORA")
    if models is None or corpora is None:
        print(
            "Set TESSELLA_MODELS and TESSELLA_CORPORA to folders of tokenizer files and texts.",
            file=sys.stderr,
        )
        return 2
    definition = json.loads((HERE / "definitions" / f"{arguments.definition}.json").read_text())
    definition["bytes"] = arguments.bytes or definition["bytes"]
    source = next(
        path for path in sorted(corpora.iterdir()) if path.name.startswith(definition["corpus"] + ".txt")
    )
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        text.write_text(texts.read(source)[: definition["bytes"]].decode("utf-8", "ignore"), encoding="utf-8")
        for case in definition["cases"]:
            if not (models / case["file"]).exists():
                continue
            for offsets in (False, True):
                rows.extend(run_case(case, models, text, offsets, arguments.rounds))
    report(rows)
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": versions(),
        "definition": definition,
        "rounds": arguments.rounds,
        "rows": rows,
    }
    path = HERE / "record" / f"{record['date']}-{arguments.definition}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"\n{path}")
    return 0 if all(row["ids_agree"] for row in rows) else 1


def run_case(
    case: dict[str, Any], models: Path, text: Path, offsets: bool, rounds: int
) -> list[dict[str, Any]]:
    """All engines in turn, round after round; the first peer listed is the one that ratios refer to."""
    job: dict[str, Any] = {"file": str(models / case["file"]), "text": str(text), "offsets": offsets}
    stem = Path(case["file"]).stem
    if stem in PATTERNS:
        job["pattern"], job["reference_pattern"] = PATTERNS[stem]
        job["specials"] = {}
    engines = [e for e in case["engines"] if not offsets or e in {"tessella", "tokenizers"}]
    if offsets and len(engines) < 2:
        return []
    results: dict[str, list[dict[str, Any]]] = {engine: [] for engine in engines}
    for _ in range(rounds):
        for engine in list(results):
            result = measure(engine, job)
            if result is None:
                del results[engine]
            else:
                results[engine].append(result)
    peers = [engine for engine in results if engine != "tessella"]
    if "tessella" not in results or not peers:
        return []
    truth = results[peers[0]][0]["ids"]
    base = statistics.median(r["first"] for r in results[peers[0]])
    rows = []
    for engine, measured in results.items():
        first = statistics.median(r["first"] for r in measured)
        rows.append(
            {
                "case": case["name"],
                "kind": "offsets" if offsets else "ids",
                "engine": engine,
                "first": round(first, 2),
                "warm": round(statistics.median(r["warm"] for r in measured), 2),
                "load_ms": round(statistics.median(r["load_ms"] for r in measured), 1),
                "peak_mb": round(statistics.median(r["peak_mb"] for r in measured)),
                "ratio": round(first / base, 2),
                "ids_agree": all(r["ids"] == truth for r in measured),
            }
        )
    return rows


def report(rows: list[dict[str, Any]]) -> None:
    print("| tokenizer | what | engine | first pass MB/s | warm MB/s | load ms | peak MB | ratio | ids |")
    print("|---|---|---|---:|---:|---:|---:|---:|---|")
    for row in rows:
        agree = "same" if row["ids_agree"] else "DIFFER"
        print(
            f"| {row['case']} | {row['kind']} | {row['engine']} | {row['first']:.1f} | {row['warm']:.1f} |"
            f" {row['load_ms']:.0f} | {row['peak_mb']} | {row['ratio']:.1f} | {agree} |"
        )


if __name__ == "__main__":
    raise SystemExit(main())
