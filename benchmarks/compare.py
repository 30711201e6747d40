"""Whether a change made anything slower: `python -m benchmarks.compare BASE NEW`.

Each side is a commit, which is built in release mode under `build/compare`, or a folder that holds a built package
`tessella`. Both run the same program, in turn and in fresh processes, so that a noisy minute hits both; ratios are those
of neighbours. Ids are compared first. A measure is slower when the median of its ratios is below the tolerance and three
quarters of the pairs agree that it is; then the exit status is 1.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.patterns import PATTERNS
from tests.conformance import texts

ROOT = Path(__file__).parent.parent
#: A measure that keeps this share of its speed is no slower.
TOLERANCE = 0.97
#: How many pairs must agree.
AGREE = 0.75
FILES = "gpt2.json,cl100k_base.tiktoken,bert-uncased.json,llama2.json"


def folder(side: str) -> Path:
    """Where the package of a side is; a commit is built first, once."""
    if Path(side, "tessella", "__init__.py").exists():
        return Path(side).resolve()
    command = ["git", "rev-parse", "--verify", f"{side}^{{commit}}"]
    commit = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    tree = ROOT / "build" / "compare" / commit
    module = tree / "python" / "tessella" / f"_tessella{sysconfig.get_config_var('EXT_SUFFIX')}"
    if module.exists():
        return tree / "python"
    print(f"building {side} ({commit[:9]})", file=sys.stderr)
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), commit], cwd=ROOT, check=True)
    target = ROOT / "build" / "compare" / "target"
    build = ["cargo", "build", "--release", "--lib", "--features", "pyo3/extension-module"]
    build += ["--manifest-path", "crates/tessella-python/Cargo.toml"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "PYO3_PYTHON": sys.executable}
    subprocess.run(build, cwd=tree, check=True, env=environment)
    found = next(
        path for path in (target / "release").glob("*_tessella.*") if path.suffix in (".so", ".dylib", ".dll")
    )
    shutil.copy(found, module)
    return tree / "python"


def measure(package: Path, job: dict[str, Any]) -> dict[str, Any]:
    """One fresh process: its measures, more being better, and its ids."""
    command = [sys.executable, "-m", "benchmarks.engines.tessella_engine", json.dumps(job)]
    path = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        command, cwd=ROOT, check=True, env=environment, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()[-1]
    result = json.loads(done)
    measures = {key: result[key] for key in ("first", "fresh", "warm")}
    measures["load"] = 1 / result["load_ms"]
    measures |= {f"`{name}`": 1 / time for name, time in result["calls"].items()}
    return {"ids": result["ids"], "measures": measures}


def judged(ratios: Sequence[float], tolerance: float = TOLERANCE) -> tuple[float, bool]:
    """The median of some ratios of new to base, and whether they say that it is slower."""
    middle = statistics.median(ratios)
    below = sum(ratio < 1 for ratio in ratios) / len(ratios)
    return middle, middle < tolerance and below >= AGREE


def compare(sides: Sequence[Path], job: dict[str, Any], pairs: int) -> dict[str, list[float]] | None:
    """The ratios of every measure, pair by pair; `None` if ids differ."""
    ratios: dict[str, list[float]] = {}
    for turn in range(pairs):
        # Who begins changes, so that none is always the one whose files are fresh in memory.
        order = (0, 1) if turn % 2 == 0 else (1, 0)
        found = {side: measure(sides[side], job) for side in order}
        if found[0]["ids"] != found[1]["ids"]:
            return None
        for name, value in found[1]["measures"].items():
            ratios.setdefault(name, []).append(value / found[0]["measures"][name])
    return ratios


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", help="a commit, or a folder with a built package")
    parser.add_argument("new", help="the same")
    parser.add_argument("--files", default=FILES, help="tokenizer files of TESSELLA_MODELS, with commas")
    parser.add_argument("--corpora", default="english,multilingual")
    parser.add_argument("--bytes", type=int, default=2_000_000)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--tolerance", type=float, default=TOLERANCE)
    arguments = parser.parse_args()
    models, corpora = texts.needed("TESSELLA_MODELS"), texts.needed("TESSELLA_CORPORA")
    sides = [folder(arguments.base), folder(arguments.new)]
    slower = 0
    with tempfile.TemporaryDirectory() as scratch:
        for corpus, file in itertools.product(arguments.corpora.split(","), arguments.files.split(",")):
            source = next(path for path in sorted(corpora.iterdir()) if path.name.startswith(corpus + ".txt"))
            text = Path(scratch, f"{corpus}.txt")
            text.write_bytes(texts.read(source)[: arguments.bytes].decode("utf-8", "ignore").encode())
            job: dict[str, Any] = {"file": str(models / file), "text": str(text)}
            if file.endswith(".tiktoken"):
                job |= {"pattern": PATTERNS[Path(file).stem][0], "specials": {}}
            ratios = compare(sides, job, arguments.pairs)
            if ratios is None:
                print(f"{file} {corpus}: OTHER IDS", flush=True)
                slower += 1
                continue
            for name, values in ratios.items():
                middle, is_slower = judged(values, arguments.tolerance)
                slower += is_slower
                told = f"{min(values):.2f} to {max(values):.2f}"
                print(
                    f"{file:<22} {corpus:<13} {name:<17} {middle:5.2f} ({told}){'  SLOWER' * is_slower}",
                    flush=True,
                )
    print(f"{slower} slower" if slower else "nothing is slower")
    return 1 if slower else 0


if __name__ == "__main__":
    raise SystemExit(main())
