"""fastokens, one text after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.engines.common import run


def load(job: dict[str, Any]) -> Callable[[list[str]], Sequence[Any]]:
    import fastokens

    if job["file"].endswith(".tiktoken"):
        tokenizer = fastokens.Tokenizer.from_tiktoken(
            job["file"], pattern=job["pattern"], special_tokens=job["specials"]
        )
    else:
        tokenizer = fastokens.Tokenizer.from_file(job["file"])
    return lambda texts: [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]


if __name__ == "__main__":
    run(load)
