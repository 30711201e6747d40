"""quicktok, one text after the other, with the encodings that it brings along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import quicktok

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    name = {"cl100k_base": "cl100k_base", "o200k_base": "o200k_base", "llama3": "llama3"}
    encoding = quicktok.get_encoding(name[Path(job["file"]).stem])
    return each(encoding.encode_ordinary)


if __name__ == "__main__":
    run(load)
