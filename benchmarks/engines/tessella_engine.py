"""Tessella: ids only, or full encodings with offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.engines.common import run


def load(job: dict[str, Any]) -> Callable[[list[str]], Sequence[Any]]:
    # Results are arrays: the import belongs to loading, not to the first text.
    import numpy  # noqa: F401
    import tessella

    tokenizer = tessella.load(job["file"], pattern=job.get("pattern"), special_tokens=job.get("specials"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if job.get("offsets"):
        return lambda texts: [
            (e.ids, e.offsets)[0]
            for e in tokenizer.encode_batch(texts, add_special_tokens=False, num_threads=1)
        ]
    return lambda texts: list(tokenizer.encode_ids_batch(texts, add_special_tokens=False, num_threads=1))


if __name__ == "__main__":
    run(load)
