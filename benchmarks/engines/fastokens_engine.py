"""fastokens, one text after the other."""

from __future__ import annotations

from typing import Any

import fastokens

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    if job["file"].endswith(".tiktoken"):
        tokenizer = fastokens.Tokenizer.from_tiktoken(
            job["file"], pattern=job["pattern"], special_tokens=job["specials"]
        )
    else:
        tokenizer = fastokens.Tokenizer.from_file(job["file"])
    if job.get("threads", 1) > 1:
        return Calls(
            lambda texts: [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)],
            lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
        )
    return each(lambda text: tokenizer.encode(text, add_special_tokens=False).ids)


if __name__ == "__main__":
    run(load)
