"""Measure training beside its peers: `python -m benchmarks.train [--rounds N] [--text NAME] [--case NAME]...`.

Texts, from the folder that TESSELLA_CORPORA names: `english` is its English; `mixed` is English, other languages and
source code, one after the other, which is the most distinct text that there is. No text is repeated.

Every training runs in a process of its own, engines in turn, round after round. Prints a Markdown table and writes
`benchmarks/record/<date>-train-<text>.json`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.run import processor, versions
from tests.conformance import texts

TEXTS = {"english": ["english"], "mixed": ["english", "multilingual", "code"]}

CASES: dict[str, dict[str, Any]] = {
    "bpe-32k": {"kind": "bpe", "vocab_size": 32_000},
    "wordpiece-30k": {"kind": "wordpiece", "vocab_size": 30_000},
    "unigram-8k": {"kind": "unigram", "vocab_size": 8_000},
    "unigram-32k": {"kind": "unigram", "vocab_size": 32_000},
}

PEERS = {
    "bpe": ["tokenizers", "tessella", "gigatoken", "rustbpe", "bpeasy"],
    "wordpiece": ["tokenizers", "tessella"],
    "unigram": ["tokenizers", "tessella", "sentencepiece"],
}


def write_text(names: list[str], corpora: Path, path: Path, limit: int | None) -> int:
    """The texts one after the other, in at most `limit` bytes of each."""
    with path.open("wb") as out:
        for name in names:
            source = next(file for file in sorted(corpora.iterdir()) if file.name.startswith(f"{name}.txt"))
            data = texts.read(source)[:limit].decode("utf-8", "ignore")
            # Lines end with a line feed alone, so that every reader cuts the same lines.
            out.write("\n".join(data.splitlines()).encode() + b"\n")
    return path.stat().st_size


def measure(job: dict[str, Any]) -> dict[str, Any] | None:
    """One fresh process; `None` if the engine is missing or does not do this."""
    command = [sys.executable, "-m", "benchmarks.train.engines", json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"  {job['engine']}: {(done.stderr.strip().splitlines() or ['-'])[-1]}", file=sys.stderr)
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def run_case(
    name: str, text: Path, rounds: int, threads: int, engines: list[str] | None
) -> list[dict[str, Any]]:
    case = CASES[name]
    chosen = [engine for engine in PEERS[case["kind"]] if engines is None or engine in engines]
    results: dict[str, list[dict[str, Any]]] = {engine: [] for engine in chosen}
    for _ in range(rounds):
        for engine in list(results):
            result = measure({**case, "engine": engine, "text": str(text), "threads": threads})
            if result is None:
                del results[engine]
            else:
                results[engine].append(result)
    rows = []
    for engine, measured in results.items():
        rows.append(
            {
                "case": name,
                "engine": engine,
                **{
                    field: round(statistics.median(result[field] for result in measured), 3)
                    for field in ("wall", "processor", "peak_mb", "before_mb")
                },
                "size": measured[0]["size"],
                "merges": measured[0]["merges"],
                "stable": len({(result["merges"], result["vocab"]) for result in measured}) == 1,
            }
        )
    for row in rows:
        for field, key in (("wall", "times_faster"), ("processor", "times_less_processor")):
            row[key] = round(rows[0][field] / row[field], 2)
        row["memory_share"] = round(row["peak_mb"] / rows[0]["peak_mb"], 3)
    return rows


def report(rows: list[dict[str, Any]]) -> None:
    print(
        "| case | engine | wall s | processor s | peak MB | at start MB | times faster | times less processor |"
        " share of peak | entries | merges |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    reference = {row["case"]: row["merges"] for row in reversed(rows)}
    for row in rows:
        same = "same" if row["merges"] == reference[row["case"]] else "other"
        print(
            f"| {row['case']} | {row['engine']} | {row['wall']:.2f} | {row['processor']:.2f} |"
            f" {row['peak_mb']:.0f} | {row['before_mb']:.0f} | {row['times_faster']:.1f} |"
            f" {row['times_less_processor']:.1f} | {row['memory_share']:.2f} | {row['size']} |"
            f" {same if row['case'].startswith('bpe') else '-'} |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--text", choices=sorted(TEXTS), default="mixed")
    parser.add_argument("--bytes", type=int, help="at most so many bytes of each part of the text")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--case", action="append", choices=sorted(CASES))
    parser.add_argument("--engine", action="append")
    parser.add_argument("--dry", action="store_true", help="write no record")
    arguments = parser.parse_args()
    corpora = texts.folder("TESSELLA_CORPORA")
    if corpora is None:
        print("Set TESSELLA_CORPORA to a folder of texts.", file=sys.stderr)
        return 2
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        size = write_text(TEXTS[arguments.text], corpora, text, arguments.bytes)
        for name in arguments.case or CASES:
            rows.extend(run_case(name, text, arguments.rounds, arguments.threads, arguments.engine))
    report(rows)
    if not arguments.dry:
        record = {
            "date": datetime.date.today().isoformat(),
            "machine": processor(),
            "cores": os.cpu_count(),
            "threads": arguments.threads,
            "python": platform.python_version(),
            "versions": versions(),
            "text": {"name": arguments.text, "parts": TEXTS[arguments.text], "bytes": size},
            "rounds": arguments.rounds,
            "rows": rows,
        }
        path = Path(__file__).parent.parent / "record" / f"{record['date']}-train-{arguments.text}.json"
        path.write_text(json.dumps(record, indent=1) + "\n")
        print(f"\n{path}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
