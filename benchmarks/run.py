"""Measure Tessella beside its peers: `python -m benchmarks.run [--definition NAME]`.

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

CL100K_LIKE = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ]
)
#: How rank files cut their text: the pattern, the same for the reference library, and the name that gigatoken has for it.
PATTERNS = {
    "cl100k_base": (CL100K, CL100K_LIKE, "cl100k"),
    "o200k_base": (O200K, O200K, "o200k"),
    "llama3": (CL100K_LIKE, CL100K_LIKE, "cl100k"),
}


PACKAGES = [
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
    "rustbpe",
    "bpeasy",
]


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
    for name in PACKAGES:
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
    parser.add_argument("--definition", default="field")
    parser.add_argument("--rounds", type=int, help="if not those of the definition")
    parser.add_argument("--bytes", type=int, help="bytes of each text, if not those of the definition")
    parser.add_argument("--only", help="only tokenizers whose name contains this")
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
    rounds = arguments.rounds or definition["rounds"]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for corpus in definition["corpora"]:
            source = next(path for path in sorted(corpora.iterdir()) if path.name.startswith(corpus + ".txt"))
            text = Path(folder, f"{corpus}.txt")
            text.write_bytes(
                texts.read(source)[: definition["bytes"]].decode("utf-8", "ignore").encode("utf-8")
            )
            for case in definition["cases"]:
                if not (models / case["file"]).exists() or (arguments.only or "") not in case["name"]:
                    continue
                for offsets in (False, True) if definition.get("offsets") else (False,):
                    rows.extend(run_case(case, models, text, offsets, rounds))
    report(rows)
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": versions(),
        "definition": definition,
        "rounds": rounds,
        "rows": rows,
    }
    path = HERE / "record" / f"{record['date']}-{arguments.definition}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"\n{path}")
    return 0 if all(row["ids_agree"] for row in rows if row["engine"] == "tessella") else 1


def run_case(
    case: dict[str, Any], models: Path, text: Path, offsets: bool, rounds: int
) -> list[dict[str, Any]]:
    """All engines in turn, round after round. The first peer listed is the format's own library: its ids are the
    truth, and since it may be slow it runs once where others run for all rounds."""
    job: dict[str, Any] = {"file": str(models / case["file"]), "text": str(text), "offsets": offsets}
    stem = Path(case["file"]).stem
    if stem in PATTERNS and case["file"].endswith(".tiktoken"):
        job["pattern"], job["reference_pattern"], job["scheme"] = PATTERNS[stem]
        job["specials"] = {}
    engines = [e for e in case["engines"] if not offsets or e in {"tessella", "tokenizers"}]
    if offsets and len(engines) < 2:
        return []
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
                "kind": "offsets" if offsets else "ids",
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


def report(rows: list[dict[str, Any]]) -> None:
    print(
        "| tokenizer | text | what | engine | first, fresh, warm MB/s | to the fastest exact peer |"
        " hello, 100, 4 kB µs | load ms | peak MB | ids |"
    )
    print("|---|---|---|---|---|---|---|---:|---:|---|")
    for row in rows:
        agree = "same" if row["ids_agree"] else "DIFFER"
        speeds = " / ".join(f"{row[key]:.1f}" for key in ("first", "fresh", "warm"))
        ratios = " / ".join(f"{ratio:.2f}" for ratio in row["ratio"].values())
        calls = " / ".join(f"{time:.2f}" for time in row["calls_us"].values())
        print(
            f"| {row['case']} | {row['text']} | {row['kind']} | {row['engine']} | {speeds} | {ratios} | {calls} |"
            f" {row['load_ms']:.0f} | {row['peak_mb']} | {agree} |"
        )


if __name__ == "__main__":
    raise SystemExit(main())
