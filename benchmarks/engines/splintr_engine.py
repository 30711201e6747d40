"""splintr-rs, one text after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import splintr

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    if job["file"].endswith(".tiktoken"):
        return each(
            splintr.Tokenizer.from_bytes(Path(job["file"]).read_bytes(), job["reference_pattern"], {}).encode
        )
    return each(splintr.from_json(job["file"]).encode_raw)


if __name__ == "__main__":
    run(load)
