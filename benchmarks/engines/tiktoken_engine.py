"""tiktoken, one text after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.engines.common import run


def load(job: dict[str, Any]) -> Callable[[list[str]], Sequence[Any]]:
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    encoding = tiktoken.Encoding(
        "bench", pat_str=job["pattern"], mergeable_ranks=load_tiktoken_bpe(job["file"]), special_tokens={}
    )
    return lambda texts: [encoding.encode_ordinary(text) for text in texts]


if __name__ == "__main__":
    run(load)
