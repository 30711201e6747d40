"""iree-tokenizer, one text after the other, to arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import iree.tokenizer
import numpy  # noqa: F401

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    path = job["file"]
    make = iree.tokenizer.Tokenizer
    tokenizer = (
        make.from_tiktoken(path, Path(path).stem) if path.endswith(".tiktoken") else make.from_file(path)
    )
    return each(tokenizer.encode_to_array)


if __name__ == "__main__":
    run(load)
