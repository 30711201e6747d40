"""tokie, one text after the other; it reads `tokenizer.json` only."""

from __future__ import annotations

from typing import Any

import tokie

from benchmarks.engines.common import Calls, each, run


def load(job: dict[str, Any]) -> Calls:
    tokenizer = tokie.Tokenizer.from_json(job["file"])
    return each(lambda text: tokenizer.encode(text, add_special_tokens=False).ids)


if __name__ == "__main__":
    run(load)
