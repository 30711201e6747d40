"""gigatoken, one text after the other, on one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.engines.common import run


def load(job: dict[str, Any]) -> Callable[[list[str]], Sequence[Any]]:
    # Results are arrays: the import belongs to loading, not to the first text.
    import gigatoken
    import numpy  # noqa: F401

    if job["file"].endswith(".tiktoken"):
        tokenizer = gigatoken.Tokenizer.from_tiktoken(job["file"], job["scheme"], job["specials"])
    else:
        tokenizer = gigatoken.Tokenizer(job["file"])
    return lambda texts: [tokenizer.encode(text) for text in texts]


if __name__ == "__main__":
    run(load)
