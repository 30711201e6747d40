"""rs-bpe, one text after the other, with the encodings that it brings along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rs_bpe.bpe import openai

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    encodings = {"cl100k_base": openai.cl100k_base, "o200k_base": openai.o200k_base}
    encoding = encodings[Path(job["file"]).stem]()
    return each(encoding.encode)


if __name__ == "__main__":
    run(load)
