"""sentencepiece, one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.engines.common import run


def load(job: dict[str, Any]) -> Callable[[list[str]], Sequence[Any]]:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=job["file"])
    return lambda texts: [processor.encode(text) for text in texts]


if __name__ == "__main__":
    run(load)
