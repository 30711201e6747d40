"""sentencepiece, one thread."""

from __future__ import annotations

from typing import Any

import sentencepiece

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    processor = sentencepiece.SentencePieceProcessor(model_file=job["file"])
    return each(processor.encode)


if __name__ == "__main__":
    run(load)
