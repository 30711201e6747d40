"""The same tokenizer in other libraries, where they are installed: first the ids, then the clock.

Each round makes the tokenizer anew on every side, so that no cache knows the text, and encodes the same
texts one after the other on one thread into plain lists of ids. The rounds take turns; the best of each side
counts.
"""

from __future__ import annotations

import base64
import importlib
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import tessella

from ..compat.tiktoken.known import KNOWN

ROUNDS = 3
#: Characters that are encoded in each round.
CHARACTERS = 1_000_000

#: From a text to its ids.
Encode = Callable[[str], Sequence[int]]


@dataclass(frozen=True)
class Beside:
    """What came out beside one library: seconds of the best round, and in how many texts the ids differ."""

    name: str
    version: str
    texts: int
    bytes: int
    differing: int
    ours: float
    theirs: float

    def __str__(self) -> str:
        speed = self.bytes / 1e6
        rates = (
            f"{speed / self.ours:.1f} MB/s here, {speed / self.theirs:.1f} MB/s in {self.name} {self.version}"
        )
        if self.differing:
            return f"{rates}, but other ids in {self.differing} of {self.texts} texts"
        return f"{rates}: {self.theirs / self.ours:.1f} times as fast, all ids equal"


def _tessella(tokenizer: tessella.Tokenizer) -> Encode:
    fresh = tessella.Tokenizer.from_str(tokenizer.to_str())
    return lambda text: fresh.encode_ids(text).tolist()


def _tokenizers(tokenizer: tessella.Tokenizer) -> Encode:
    library: Any = importlib.import_module("tokenizers")
    theirs = library.Tokenizer.from_str(tokenizer.to_str())
    # Without offsets, as here; a batch of one leaves nothing to its threads.
    return lambda text: theirs.encode_batch_fast([text])[0].ids


def _tiktoken(tokenizer: tessella.Tokenizer) -> Encode:
    library: Any = importlib.import_module("tiktoken")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.tiktoken"
        with warnings.catch_warnings():
            # It is told that special tokens lie in a file beside: here they are not wanted.
            warnings.simplefilter("ignore")
            tokenizer.save(str(path))
        rows = [line.split() for line in path.read_bytes().splitlines()]
    theirs = library.Encoding(
        "demo",
        pat_str=KNOWN["gpt2"].pattern,
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in rows},
        special_tokens={},
    )
    encode: Encode = theirs.encode_ordinary
    return encode


#: Libraries that can run a byte-level BPE tokenizer.
PEERS: dict[str, Callable[[tessella.Tokenizer], Encode]] = {
    "tokenizers": _tokenizers,
    "tiktoken": _tiktoken,
}


def _some(texts: Sequence[str]) -> list[str]:
    """The first texts, up to the size of a round."""
    chosen, size = [], 0
    for text in texts:
        if size + len(text) <= CHARACTERS:
            chosen.append(text)
            size += len(text)
    return chosen


def _seconds(encode: Encode, texts: Sequence[str]) -> float:
    started = time.perf_counter()
    for text in texts:
        encode(text)
    return time.perf_counter() - started


def compare(tokenizer: tessella.Tokenizer, texts: Sequence[str]) -> list[Beside]:
    """Each library that is installed, beside this one, on texts that the tokenizer has not seen."""
    found = []
    chosen = _some(texts)
    for name, peer in PEERS.items():
        try:
            version = metadata.version(name)
            theirs = peer(tokenizer)
        except (ImportError, metadata.PackageNotFoundError):
            continue
        ours = _tessella(tokenizer)
        differing = sum(list(ours(text)) != list(theirs(text)) for text in chosen)
        seconds = [
            (_seconds(_tessella(tokenizer), chosen), _seconds(peer(tokenizer), chosen)) for _ in range(ROUNDS)
        ]
        found.append(
            Beside(
                name=name,
                version=version,
                texts=len(chosen),
                bytes=sum(len(text.encode()) for text in chosen),
                differing=differing,
                ours=min(ours for ours, _ in seconds),
                theirs=min(theirs for _, theirs in seconds),
            )
        )
    return found
