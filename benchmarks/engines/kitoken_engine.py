"""kitoken, one text after the other."""

from __future__ import annotations

from typing import Any

import kitoken

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    if job["file"].endswith(".tiktoken"):
        tokenizer = kitoken.Kitoken.from_tiktoken_file(job["file"])
    elif job["file"].endswith(".model"):
        tokenizer = kitoken.Kitoken.from_sentencepiece_file(job["file"])
    else:
        tokenizer = kitoken.Kitoken.from_tokenizers_file(job["file"])
    return each(tokenizer.encode)


if __name__ == "__main__":
    run(load)
