"""tiktoken, one text after the other."""

from __future__ import annotations

from typing import Any

import tiktoken
from tiktoken.load import load_tiktoken_bpe

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    encoding = tiktoken.Encoding(
        "bench", pat_str=job["pattern"], mergeable_ranks=load_tiktoken_bpe(job["file"]), special_tokens={}
    )
    threads = job.get("threads", 1)
    if threads > 1:
        many = lambda texts: encoding.encode_ordinary_batch(texts, num_threads=threads)  # noqa: E731
        return Calls(many, encoding.encode_ordinary)
    return each(encoding.encode_ordinary)


if __name__ == "__main__":
    run(load)
