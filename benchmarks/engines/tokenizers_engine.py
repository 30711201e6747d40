"""The reference library: its fastest call, or full encodings with offsets. Rank files become merge lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import tokenizers
from tiktoken.load import load_tiktoken_bpe
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from benchmarks.engines.common import Calls, run


def from_ranks(path: str, pattern: str) -> Any:
    """A rank file in the reference library: every pair whose concatenation is in the vocabulary, by rank."""
    ranks = load_tiktoken_bpe(path)
    shown = dict(enumerate(byte_alphabet()))
    name = {token: "".join(shown[byte] for byte in token) for token in ranks}
    merges = []
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        halves = [
            (token[:i], token[i:]) for i in range(1, len(token)) if token[:i] in ranks and token[i:] in ranks
        ]
        halves.sort(key=lambda pair: (ranks[pair[0]], ranks[pair[1]]))
        merges.extend((name[a], name[b]) for a, b in halves)
        del rank
    tokenizer = Tokenizer(models.BPE({name[t]: r for t, r in ranks.items()}, merges, ignore_merges=True))
    tokenizer.pre_tokenizer = cut_by([pattern])
    return tokenizer


def cut_by(stages: list[str]) -> Any:
    """Matches of one pattern after the other are pieces, as is what is left between them, in the alphabet of bytes."""
    cuts = [pre_tokenizers.Split(Regex(stage), "isolated") for stage in stages]
    return pre_tokenizers.Sequence([*cuts, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def byte_alphabet() -> list[str]:
    """The printable character of each byte."""
    kept = {*range(33, 127), *range(161, 173), *range(174, 256)}
    moved = iter(range(0x100, 0x200))
    return [chr(byte) if byte in kept else chr(next(moved)) for byte in range(256)]


def load(job: dict[str, Any]) -> Calls:
    if job["file"].endswith(".tiktoken"):
        tokenizer = from_ranks(job["file"], job["reference_pattern"])
    else:
        tokenizer = tokenizers.Tokenizer.from_file(job["file"])
    if stages := job.get("stages"):
        tokenizer.pre_tokenizer = cut_by(stages)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    kind = job.get("kind", "ids")
    if kind == "ids":
        return Calls(
            lambda texts: [e.ids for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)],
            lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
        )

    def read(encoding: Any) -> Any:
        if kind == "offset arrays":
            return (np.array(encoding.ids, np.uint32), np.array(encoding.offsets))[0]
        return (encoding.ids, encoding.offsets)[0]

    return Calls(
        lambda texts: list(map(read, tokenizer.encode_batch(texts, add_special_tokens=False))),
        lambda text: read(tokenizer.encode(text, add_special_tokens=False)),
    )


if __name__ == "__main__":
    run(load)
