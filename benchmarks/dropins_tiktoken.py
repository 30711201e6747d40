"""`tessella.compat.tiktoken` beside tiktoken: `python -m benchmarks.dropins_tiktoken`.

Every call of an `Encoding`, made of the same table of ranks (`TESSELLA_MODELS`) and called with the same texts (`TESSELLA_CORPORA`): a
thousand of 100 characters, and sixty of about 5 kB where it says so. How it is measured, `dropins` says.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.dropins import TURNS, Call, english, show
from benchmarks.patterns import CL100K_LIKE
from tests.conformance import texts

SPECIAL = {"<|endoftext|>": 100257, "<|fim_prefix|>": 100258}


def made(library: Any, path: Path, ranks: dict[bytes, int]) -> Any:
    """The encoding of a library."""
    del path
    return library.Encoding("mine", pat_str=CL100K_LIKE, mergeable_ranks=ranks, special_tokens=SPECIAL)


def calls_of(path: Path) -> list[Call]:
    """Each call, of both."""
    import tessella.compat.tiktoken as ours
    import tessella.compat.tiktoken.load as our_load
    import tiktoken as theirs
    import tiktoken.load as their_load

    ranks = their_load.load_tiktoken_bpe(str(path))
    mine, real = made(ours, path, ranks), made(theirs, path, ranks)
    short, long = english(1000, 100), english(60, 5000)
    ids, many = [real.encode(text) for text in short], [real.encode(text) for text in long]
    tokens, numbers = list(ranks)[:10_000], list(range(10_000))
    calls: list[Call] = [
        (
            "load_tiktoken_bpe",
            lambda: our_load.load_tiktoken_bpe(str(path)),
            lambda: their_load.load_tiktoken_bpe(str(path)),
        ),
        ("Encoding(...)", lambda: made(ours, path, ranks).name, lambda: made(theirs, path, ranks).name),
        (
            "pickle",
            lambda: pickle.loads(pickle.dumps(mine)).name,
            lambda: pickle.loads(pickle.dumps(real)).name,
        ),
    ]

    def add(name: str, call: Callable[[Any], Any]) -> None:
        calls.append((name, lambda: call(mine), lambda: call(real)))

    add("encode", lambda e: [e.encode(text) for text in short])
    add("encode, long", lambda e: [e.encode(text) for text in long])
    add("encode, all allowed", lambda e: [e.encode(text, allowed_special="all") for text in short])
    add("encode, none disallowed", lambda e: [e.encode(text, disallowed_special=()) for text in short])
    add("encode_ordinary", lambda e: [e.encode_ordinary(text) for text in short])
    add("encode_to_numpy, long", lambda e: [e.encode_to_numpy(text) for text in long])
    add("encode_batch", lambda e: e.encode_batch(short))
    add("encode_ordinary_batch, long", lambda e: e.encode_ordinary_batch(long))
    add(
        "encode_with_unstable", lambda e: [(a, sorted(b)) for a, b in map(e.encode_with_unstable, short[:20])]
    )
    add("encode_single_token", lambda e: [e.encode_single_token(token) for token in tokens])
    add("_encode_single_piece", lambda e: [e._encode_single_piece(text) for text in short])
    add("_encode_bytes", lambda e: [e._encode_bytes(text.encode()) for text in short])
    add("decode", lambda e: [e.decode(one) for one in ids])
    add("decode, long", lambda e: [e.decode(one) for one in many])
    add("decode_bytes", lambda e: [e.decode_bytes(one) for one in ids])
    add("decode_batch", lambda e: e.decode_batch(ids))
    add("decode_tokens_bytes, long", lambda e: [e.decode_tokens_bytes(one) for one in many])
    add("decode_with_offsets", lambda e: [e.decode_with_offsets(one) for one in ids])
    add("decode_single_token_bytes", lambda e: [e.decode_single_token_bytes(number) for number in numbers])
    add("token_byte_values", lambda e: e.token_byte_values())
    add("attributes", lambda e: [(e.eot_token, e.n_vocab, e.max_token_value) for _ in numbers])
    add("special_tokens_set", lambda e: [e.special_tokens_set for _ in numbers])
    add("is_special_token", lambda e: [e.is_special_token(number) for number in numbers])
    return calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", default="cl100k_base.tiktoken")
    parser.add_argument("--turns", type=int, default=TURNS)
    arguments = parser.parse_args()
    calls = calls_of(texts.needed("TESSELLA_MODELS") / arguments.file)
    return show(arguments.file, "tiktoken", calls, arguments.turns)


if __name__ == "__main__":
    sys.exit(main())
