"""See Tessella work, without a download: `python -m tessella.demo`.

Trains a byte-level BPE tokenizer on the source of Python's own standard library, encodes text that it has not
seen, proves that nothing is lost on the way there and back, and draws the tokens. Then it shows why a word
became these tokens, how a vocabulary is learned step by step, and what to type next.
"""

from __future__ import annotations

import itertools
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import tessella
from tessella import decoders, models, pre_tokenizers, trainers
from tessella._shown import colours
from tessella.tracing import Trace

from . import corpus, peers
from .drawing import draw

__all__ = ["main"]

VOCAB_SIZE = 8_000

SAMPLES = [
    "def tessellate(tiles: list[str]) -> str:\n    return ''.join(tiles)  # no gap, no overlap",
    "Text becomes numbers before any language model sees it.",
    "naïve café, 東京, Ελλάδα, 🧩🧩 — bytes cover what training never saw",
]

#: A word that the vocabulary does not hold whole.
EXPLAINED = "retiled"

#: Words of a corpus that one can follow in the head, with how often each occurs.
WORDS = {"tile": 10, "tiles": 5, "smile": 12, "miles": 4, "tilt": 5}
#: Entries that a training on them ends with.
SMALL_VOCABULARY = 12


def _train(texts: list[str]) -> tessella.Tokenizer:
    tokenizer = tessella.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _learned() -> tuple[tessella.Tokenizer, list[str]]:
    """The tokenizer, and the texts that it has not seen."""
    learn, aside = corpus.split()
    learned_bytes = sum(len(text.encode()) for text in learn)
    started = time.perf_counter()
    tokenizer = _train(learn)
    seconds = time.perf_counter() - started
    size = tokenizer.get_vocab_size()
    print(f"trained   {size:,} tokens on {learned_bytes / 1e6:.1f} MB of standard library in {seconds:.1f} s")
    return tokenizer, aside


def _encoded(tokenizer: tessella.Tokenizer, aside: Sequence[str]) -> bool:
    """Shows speed, and whether every text comes back."""
    # A fresh process sets up its threads and tables once; these words are those of no other text.
    tokenizer.encode_ids_batch([f"{number:x} {number}" for number in range(20_000)])
    started = time.perf_counter()
    ragged = tokenizer.encode_ids_batch(aside)
    cold = time.perf_counter() - started
    started = time.perf_counter()
    ragged = tokenizer.encode_ids_batch(aside)
    warm = time.perf_counter() - started
    bytes_aside = sum(len(text.encode()) for text in aside)
    count = len(ragged.ids)
    print(
        f"encoded   {bytes_aside / 1e6:.1f} MB not seen before into {count:,} ids,"
        f" {bytes_aside / count:.2f} bytes each\n"
        f"          {bytes_aside / 1e6 / cold:.0f} MB/s while its words are new,"
        f" {bytes_aside / 1e6 / warm:.0f} MB/s once they are in the cache"
    )
    for text, ids in zip(aside, ragged, strict=True):
        if tokenizer.decode(ids.tolist(), skip_special_tokens=False) != text:
            print("round trip FAILED", file=sys.stderr)
            return False
    print(f"proved    decode(encode(text)) == text for all {len(aside)} files")
    return True


def _beside(tokenizer: tessella.Tokenizer, aside: Sequence[str]) -> None:
    """The same tokenizer in other libraries."""
    found = peers.compare(tokenizer, aside)
    if not found:
        print(
            f"beside    no peer is installed here; with {' or '.join(peers.PEERS)} this line compares speeds"
        )
    for index, one in enumerate(found):
        print(f"{'' if index else 'beside':9} {one}")
    if found:
        print("          (one thread, words new to both, ids as lists; `make bench` measures with more care)")


def _drawn(tokenizer: tessella.Tokenizer, *, colour: bool) -> None:
    for sample in SAMPLES:
        encoding = tokenizer.encode(sample)
        print(draw(tokenizer, sample, colour=colour))
        shown = " ".join(map(str, encoding.ids[:12]))
        shared = sum(a == b for a, b in itertools.pairwise(encoding.offsets))
        note = f", {shared} of them for further bytes of a character" if shared else ""
        print(f"  {len(encoding.ids)} tokens{note}: {shown}{' …' if len(encoding.ids) > 12 else ''}\n")


def _explained(tokenizer: tessella.Tokenizer, *, colour: bool) -> None:
    print(f"why `{EXPLAINED}` became these tokens: tokenizer.explain({EXPLAINED!r})\n")
    print(tokenizer.explain(EXPLAINED).render(color=colour))


def _step_by_step() -> None:
    """A training that one can check by hand."""
    words = ", ".join(f"{word} {count}" for word, count in WORDS.items())
    print(f"how a vocabulary is learned, from the words {words}:\n")
    trace = Trace()
    trainer = trainers.BpeTrainer(vocab_size=SMALL_VOCABULARY, show_progress=False)
    trainer.train_from_counts(tessella.PieceCounts(WORDS), trace=trace)
    print(trace)


def _next() -> None:
    """Commands that run as they stand."""
    beside = Path(sys.executable).parent / "tessella"
    tool = "tessella" if shutil.which("tessella") else f"{sys.executable} -m tessella"
    if tool != "tessella" and beside.exists():
        folder = Path.cwd()
        tool = str(beside.relative_to(folder)) if beside.is_relative_to(folder) else str(beside)
    text = corpus.a_file()
    print(
        "next\n"
        f"  {tool} train {text} --recipe gpt2 --vocab-size 1000 -o mine.json\n"
        f'  {tool} explain mine.json --text "{EXPLAINED} tiles"\n'
        f"  {tool} bench mine.json {text}"
    )


def main() -> int:
    colour = colours()
    print(f"Tessella {tessella.__version__} on Python {sys.version.split()[0]}\n")
    tokenizer, aside = _learned()
    if not _encoded(tokenizer, aside):
        return 1
    _beside(tokenizer, aside)
    print()
    _drawn(tokenizer, colour=colour)
    _explained(tokenizer, colour=colour)
    print()
    _step_by_step()
    print()
    _next()
    return 0
