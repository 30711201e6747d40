"""tokie, one text after the other; it reads `tokenizer.json` only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.engines.common import run


def load(job: dict[str, Any]) -> Callable[[list[str]], Sequence[Any]]:
    import tokie

    tokenizer = tokie.Tokenizer.from_json(job["file"])
    return lambda texts: [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]


if __name__ == "__main__":
    run(load)
