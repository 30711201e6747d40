"""Compare every tokenizer file of a folder with the library that its format belongs to.

    TESSELLA_MODELS=… TESSELLA_CORPORA=… python -m tests.conformance.compare [--only NAME] [--limit BYTES]

`tokenizer.json` files are compared with `tokenizers`, `.tiktoken` files with `tiktoken`, `.model` files with
`sentencepiece`: ids, tokens, offsets, words, types, masks and decoded text, with and without special tokens, single texts
and pairs. Prints cases and mismatches, writes examples to `build/conformance/`, and fails if there is any mismatch that
`docs/differences.md` does not announce.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from . import oracles, texts

EXAMPLES = Path("build/conformance")
BATCH = 256


class Report:
    """Counts cases and mismatches of one file and keeps the first examples."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cases = 0
        self.mismatches: Counter[str] = Counter()
        self.announced: Counter[str] = Counter()
        self.examples: list[dict[str, object]] = []

    def differ(self, what: str, source: str, text: object, ours: object, theirs: object) -> None:
        self.mismatches[what] += 1
        if len(self.examples) < 40 and self.mismatches[what] <= 8:
            example = {"what": what, "source": source, "text": text, "ours": ours, "theirs": theirs}
            self.examples.append(example)

    def write(self) -> None:
        if self.examples:
            EXAMPLES.mkdir(parents=True, exist_ok=True)
            lines = [json.dumps(example, ensure_ascii=True, default=str) for example in self.examples]
            (EXAMPLES / f"{self.name}.jsonl").write_text("\n".join(lines) + "\n")

    def line(self, seconds: float) -> str:
        total = sum(self.mismatches.values())
        detail = " ".join(f"{what}:{count}" for what, count in self.mismatches.most_common())
        known = " ".join(f"{what}:{count}" for what, count in self.announced.most_common())
        note = f"  announced {known}" if known else ""
        return f"{self.name:28} {self.cases:9} cases {total:6} mismatches {seconds:7.1f} s  {detail}{note}"


def batches(items: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def compare_file(path: Path, sources: dict[str, list[str]]) -> Report:
    report = Report(path.name)
    compare: Callable[[Path, str, list[str], Report], None] = oracles.comparison_for(path)
    for source, items in sources.items():
        for batch in batches(items):
            compare(path, source, batch, report)
    report.write()
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="only files whose name contains this")
    parser.add_argument("--limit", type=int, default=texts.SLICE, help="bytes taken of each text")
    parser.add_argument("--sources", help="only sources whose name starts with this")
    arguments = parser.parse_args()
    models, corpora = texts.needed("TESSELLA_MODELS"), texts.needed("TESSELLA_CORPORA")
    sources = texts.load(corpora, arguments.limit)
    if arguments.sources:
        sources = {name: items for name, items in sources.items() if name.startswith(arguments.sources)}
    print(f"{len(sources)} sources, {sum(map(len, sources.values()))} texts")
    cases = mismatches = 0
    for path in sorted(models.iterdir()):
        if not oracles.is_tokenizer(path) or (arguments.only and arguments.only not in path.name):
            continue
        started = time.perf_counter()
        report = compare_file(path, sources)
        print(report.line(time.perf_counter() - started), flush=True)
        cases += report.cases
        mismatches += sum(report.mismatches.values())
    print(f"{cases} cases, {mismatches} mismatches")
    return 1 if mismatches or not cases else 0


if __name__ == "__main__":
    raise SystemExit(main())
