"""Tessella: ids only, or full encodings with offsets, as lists or as arrays."""

from __future__ import annotations

from typing import Any

import numpy  # noqa: F401
import tessella
from tessella import pre_tokenizers

from benchmarks.engines.common import Calls, run


def load(job: dict[str, Any]) -> Calls:
    tokenizer = tessella.load(job["file"], pattern=job.get("pattern"), special_tokens=job.get("specials"))
    if stages := job.get("stages"):
        cuts = [pre_tokenizers.Split(tessella.Regex(stage), "isolated") for stage in stages]
        alphabet = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*cuts, alphabet])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    threads = job.get("threads", 1)
    kind = job.get("kind", "ids")
    if kind == "ids":
        encode_ids = tokenizer.encode_ids
        # Where the file puts nothing around texts, the call is the plain one, as the peers' calls are.
        plain = tokenizer.num_special_tokens_to_add(False) == 0
        one = encode_ids if plain else lambda text: encode_ids(text, False)
        return Calls(
            lambda texts: list(
                tokenizer.encode_ids_batch(texts, add_special_tokens=False, num_threads=threads)
            ),
            one,
        )

    def read(encoding: Any) -> Any:
        if kind == "offset arrays":
            return (encoding.ids_array, encoding.offsets_array)[0]
        return (encoding.ids, encoding.offsets)[0]

    return Calls(
        lambda texts: [
            read(one) for one in tokenizer.encode_batch(texts, add_special_tokens=False, num_threads=threads)
        ],
        lambda text: read(tokenizer.encode(text, add_special_tokens=False)),
    )


if __name__ == "__main__":
    run(load)
