"""See Tessella work, without a download: `python -m tessella.demo`.

Trains a byte-level BPE tokenizer on the source of Python's own standard library, encodes text that it has not
seen, proves that nothing is lost on the way there and back, and draws the tokens.
"""

from __future__ import annotations

import itertools
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import tessella
from tessella import decoders, models, pre_tokenizers, trainers
from tessella._shown import colours

VOCAB_SIZE = 8_000
#: Bytes of source to learn from: enough for a good vocabulary in a few seconds.
TRAINING_BYTES = 6_000_000

SAMPLES = [
    "def tessellate(tiles: list[str]) -> str:\n    return ''.join(tiles)  # no gap, no overlap",
    "Text becomes numbers before any language model sees it.",
    "naïve café, 東京, Ελλάδα, 🧩🧩 — bytes cover what training never saw",
]

BACKGROUNDS = (24, 22, 54, 94, 60, 30)


def standard_library() -> Iterator[Path]:
    """Python files of the standard library, in a fixed order, tests aside."""
    root = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        if not {"test", "tests", "idlelib", "lib2to3", "site-packages"} & set(path.relative_to(root).parts):
            yield path


def read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def split_corpus() -> tuple[list[str], list[str]]:
    """Texts to learn from, and texts kept aside."""
    learn: list[str] = []
    aside: list[str] = []
    size = 0
    for index, path in enumerate(standard_library()):
        text = read_text(path)
        if index % 10 == 0:
            aside.append(text)
        elif size < TRAINING_BYTES:
            learn.append(text)
            size += len(text)
    return learn, aside


def train(texts: list[str]) -> tessella.Tokenizer:
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


def draw(tokenizer: tessella.Tokenizer, text: str, *, colour: bool) -> str:
    """A text with its tokens told apart: by background, or by bars where there is no colour."""
    encoding = tokenizer.encode(text)
    drawn: list[str] = []
    end = 0
    for index, (start, stop) in enumerate(encoding.offsets):
        # Tokens of one character's bytes share its span: the character is drawn once.
        part = text[max(start, end) : stop]
        end = max(end, stop)
        if not part:
            continue
        if colour:
            shade = BACKGROUNDS[index % len(BACKGROUNDS)]
            lines = part.split("\n")
            drawn.append(
                "\n".join(f"\x1b[48;5;{shade}m\x1b[97m{line}\x1b[0m" if line else "" for line in lines)
            )
        else:
            drawn.append(part + "│")
    return "".join(drawn)


def main() -> int:
    colour = colours()
    print(f"Tessella {tessella.__version__} on Python {sys.version.split()[0]}\n")

    learn, aside = split_corpus()
    learned_bytes = sum(len(text.encode()) for text in learn)
    started = time.perf_counter()
    tokenizer = train(learn)
    seconds = time.perf_counter() - started
    size = tokenizer.get_vocab_size()
    print(f"trained   {size:,} tokens on {learned_bytes / 1e6:.1f} MB of standard library in {seconds:.1f} s")

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
            return 1
    print(f"proved    decode(encode(text)) == text for all {len(aside)} files\n")

    for sample in SAMPLES:
        encoding = tokenizer.encode(sample)
        print(draw(tokenizer, sample, colour=colour))
        shown = " ".join(map(str, encoding.ids[:12]))
        shared = sum(a == b for a, b in itertools.pairwise(encoding.offsets))
        note = f", {shared} of them for further bytes of a character" if shared else ""
        print(f"  {len(encoding.ids)} tokens{note}: {shown}{' …' if len(encoding.ids) > 12 else ''}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
