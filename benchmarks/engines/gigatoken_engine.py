"""gigatoken, one text after the other, on one thread."""

from __future__ import annotations

from typing import Any

import gigatoken
import numpy  # noqa: F401

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    if job["file"].endswith(".tiktoken"):
        tokenizer = gigatoken.Tokenizer.from_tiktoken(job["file"], job["scheme"], job["specials"])
    else:
        tokenizer = gigatoken.Tokenizer(job["file"])
    return each(tokenizer.encode)


if __name__ == "__main__":
    run(load)
