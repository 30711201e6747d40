"""What a corpus of any size takes: constants measured here, a model of them, and the model against a larger run.

    python -m benchmarks.scale --tokenizer gpt2.json --small 64MB --check 1GB --folder /tmp

Writes text whose new words never end (ranks are drawn from a power law, so that distinct words grow as a power
of the text, as Heaps' law says) as JSON lines packed with zstd. On the small corpus each step is measured alone,
in processor seconds of one core, which is what a busy machine leaves comparable; Heaps' curve is fitted to it and
to three smaller ones. The model is then held to a run on `--check` bytes of other text, and tells what 1 TB and
100 TB take on nodes of so many cores. Nothing is kept.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tessella
import tessella.data
from tessella.counting import memory_size, read_texts

#: The exponent of the power law, which is that of Heaps' curve, and syllables of a word at most.
EXPONENT = 0.6
SYLLABLES = 8
#: Ranks below this are nearly all of the text: their words come in phrases, of which there are so many, of so many words.
FREQUENT = 1024
PHRASES, PHRASE = 1 << 16, 16
#: Phrases of a document, and those made at a time.
DOCUMENT = 30
CHUNK = 1000 * DOCUMENT
#: Packed bytes that one task counts, parts of its counts, each merged by a task, and files that are merged at a time, as on
#: a cluster.
GROUP = 256_000_000
PARTS = 16
FAN = 32


def ranks(random: Any, count: int, least: int, end: float) -> Any:
    """Ranks from `least` up to `end` by the power law."""
    import numpy as np

    shares = random.uniform(end**-EXPONENT, least**-EXPONENT, count)
    return np.minimum(shares ** (-1 / EXPONENT), end - 1).astype(np.int64)


def spelled(rank: Any, each: int = 1) -> list[bytes]:
    """The words of ranks with a blank behind each, so many together."""
    import numpy as np

    consonants, vowels = np.frombuffer(b"tnrslmdkpgbvfhzw", np.uint8), np.frombuffer(b"aeio", np.uint8)
    letters = np.zeros((len(rank), 2 * SYLLABLES + 1), np.uint8)
    keep = np.zeros(letters.shape, bool)
    for place in range(SYLLABLES):
        letters[:, 2 * place], letters[:, 2 * place + 1] = consonants[rank % 16], vowels[rank // 16 % 4]
        keep[:, 2 * place : 2 * place + 2] = (rank > 0)[:, None]
        rank = rank // 64
    letters[:, -1], keep[:, -1] = ord(" "), True
    content, ends = letters[keep].tobytes(), keep.sum(axis=1).cumsum()[each - 1 :: each].tolist()
    return [content[begin:end] for begin, end in itertools.pairwise([0, *ends])]


def phrases(seed: int) -> Iterator[list[bytes]]:
    """Text in parts: phrases of frequent words and, in place of some, a word that is rarer, each as often as the law
    says; without an end. Drawing each word for itself took five times as long."""
    import numpy as np

    frequent = spelled(ranks(np.random.default_rng(0), PHRASES * PHRASE, 1, FREQUENT), PHRASE)
    pool = np.array(frequent, object)
    random = np.random.default_rng(seed)
    share = FREQUENT**-EXPONENT
    # Words of a part are `PHRASE`, or one that is rare.
    replaced = share * PHRASE / (1 - share + share * PHRASE)
    while True:
        parts = pool[random.integers(PHRASES, size=CHUNK)]
        rare = np.flatnonzero(random.random(CHUNK) < replaced)
        parts[rare] = spelled(ranks(random, len(rare), FREQUENT, 2.0**47))
        yield parts.tolist()


def write(folder: Path, size: int, seed: int, parts: int = 4) -> tuple[list[Path], int]:
    """About so many bytes of text in packed JSON lines; gives the files and the bytes of text."""
    import zstandard

    paths = [folder / f"{size}-{seed}-{part}.jsonl.zst" for part in range(parts)]
    written, source = 0, phrases(seed)
    for number, path in enumerate(paths):
        with path.open("wb") as file, zstandard.ZstdCompressor(1).stream_writer(file) as packed:
            while written < size * (number + 1) // parts:
                chunk = next(source)
                documents = [b"".join(chunk[at : at + DOCUMENT])[:-1] for at in range(0, CHUNK, DOCUMENT)]
                packed.write(b"".join(b'{"text": "%s"}\n' % one for one in documents))
                written += sum(map(len, documents))
    return paths, written


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of this process and of those that it starts, and what came out."""

    def now() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    before = now()
    found = work()
    return now() - before, found


@dataclass(frozen=True)
class Constants:
    """What was measured. Seconds are of one core, for a GB (10^9 bytes) of text."""

    packed: float  # bytes on disk of a byte of text
    read: float
    encode: float
    tokenize: float
    tokens: float  # of a byte of text
    count: float
    merge: float  # seconds for a million pieces that come in
    memory: float  # bytes of a distinct piece in memory
    file: float  # and in a file
    heaps_factor: float
    heaps_exponent: float

    def distinct(self, size: float) -> float:
        """Distinct pieces in so many bytes of text."""
        return float(self.heaps_factor * size**self.heaps_exponent)


def renewed(tokenizer: tessella.Tokenizer) -> tessella.Tokenizer:
    """The same tokenizer, which remembers no text."""
    return tessella.Tokenizer.from_str(tokenizer.to_str())


def counted(
    paths: list[Path], tokenizer: Any, folder: Path, memory: str | None = None
) -> tessella.PieceCounts:
    return tessella.count_pieces(
        paths, tokenizer, num_threads=1, memory=memory, spill_folder=folder if memory else None
    )


def measure(tokenizer: Any, folder: Path, small: int) -> Constants:
    """Each step alone."""
    paths, size = write(folder, small, 1)
    text = size / 1e9
    read, texts = seconds(lambda: list(read_texts(paths)))
    # Each time a tokenizer that has seen none of it.
    encode, _ = seconds(partial(renewed(tokenizer).encode_ids_batch, texts, False, 1))
    del texts
    out, fresh = folder / "tokens", renewed(tokenizer)
    tokenize, made = seconds(lambda: tessella.data.tokenize_corpus(paths, fresh, out, workers=1))
    points = []
    for part in (8, 4, 2):
        some, bytes_of = write(folder, small // part, part)
        points.append((bytes_of, len(counted(some, tokenizer, folder))))
    count, counts = seconds(lambda: counted(paths, tokenizer, folder))
    points.append((size, len(counts)))
    factor, exponent = fit(points)
    files = []
    for number, path in enumerate(paths):
        one = counted([path], tokenizer, folder)
        one.save(folder / f"{number}.counts")
        files.append(one)
    incoming = sum(map(len, files))

    def merged() -> None:
        whole = tessella.PieceCounts()
        for number in range(len(paths)):
            whole.merge(tessella.PieceCounts.load(folder / f"{number}.counts"))
        whole.save(folder / "whole.counts")

    merge, _ = seconds(merged)
    return Constants(
        packed=sum(map(os.path.getsize, paths)) / size,
        read=read / text,
        encode=encode / text,
        tokenize=tokenize / text,
        tokens=made.tokens / size,
        count=count / text,
        merge=merge / (incoming / 1e6),
        memory=counts.memory / len(counts),
        file=os.path.getsize(folder / "whole.counts") / len(counts),
        heaps_factor=factor,
        heaps_exponent=exponent,
    )


def fit(points: list[tuple[int, int]]) -> tuple[float, float]:
    """Factor and exponent of the power law through some points, by least squares of logarithms.

    Example:
        >>> factor, exponent = fit([(100, 20), (10_000, 200)])
        >>> round(factor, 6), round(exponent, 6)
        (2.0, 0.5)
    """
    sizes, found = ([math.log(value) for value in column] for column in zip(*points, strict=True))
    middle, height = sum(sizes) / len(sizes), sum(found) / len(found)
    over = sum((x - middle) * (y - height) for x, y in zip(sizes, found, strict=True))
    exponent = over / sum((x - middle) ** 2 for x in sizes)
    return math.exp(height - exponent * middle), exponent


def merging(known: Constants, size: float, cores: int) -> float:
    """Seconds until the counts of groups are one file: parts side by side, many files in tiers, then all by one process."""
    group = GROUP / known.packed
    files = size / group
    if files <= 1:
        return 0.0
    tiers = math.ceil(math.log(files, FAN))
    incoming = tiers * files * known.distinct(group) / min(PARTS, cores, files)
    return (incoming + known.distinct(size)) / 1e6 * known.merge


def duration(seconds: float) -> str:
    return f"{seconds / 60:,.1f} min" if seconds < 3600 else f"{seconds / 3600:,.1f} h"


def predictions(known: Constants, size: float, nodes: int, cores: int, price: float) -> str:
    """A row of the table."""
    at_once = nodes * cores
    tokenize = size / 1e9 * known.tokenize
    count = size / 1e9 * known.count
    merge = merging(known, size, at_once)
    # While they merge, all cores are paid for.
    hours = (tokenize + count + merge * at_once) / 3600
    cells = [
        f"{size / 1e12:g} TB",
        f"{nodes} x {cores}",
        duration(tokenize / at_once),
        f"{known.tokens * size / 1e12:,.2f} T",
        duration(count / at_once + merge),
        f"{known.distinct(size) / 1e6:,.0f} M",
        f"{known.distinct(size) * known.file / 1e9:,.1f} GB",
        f"{hours:,.0f}",
        f"{hours * price:,.1f}" if hours * price < 10 else f"{hours * price:,.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def check(known: Constants, tokenizer: Any, folder: Path, size: int) -> None:
    """A larger run of other text beside what the model says of it."""
    paths, size = write(folder, size, 9)
    out, fresh = folder / "checked", renewed(tokenizer)
    tokenize, made = seconds(lambda: tessella.data.tokenize_corpus(paths, fresh, out, workers=2))
    count, counts = seconds(lambda: counted(paths, tokenizer, folder, "256MB"))
    counts.save(folder / "checked.counts")
    rows = [
        ("tokenize, processor s", known.tokenize * size / 1e9, tokenize),
        ("tokens, millions", known.tokens * size / 1e6, made.tokens / 1e6),
        ("count, processor s", known.count * size / 1e9, count),
        ("distinct pieces, thousands", known.distinct(size) / 1e3, len(counts) / 1e3),
        (
            "file of counts, MB",
            known.distinct(size) * known.file / 1e6,
            os.path.getsize(folder / "checked.counts") / 1e6,
        ),
    ]
    print(f"\n| {size / 1e9:.2f} GB | predicted | measured | predicted / measured |\n|---|---|---|---|")
    for name, predicted, measured in rows:
        print(f"| {name} | {predicted:,.1f} | {measured:,.1f} | {predicted / measured:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    models = os.environ.get("TESSELLA_MODELS")
    default = None if models is None else os.path.join(models, "gpt2.json")
    parser.add_argument("--tokenizer", default=default, required=default is None, help="a tokenizer's file")
    parser.add_argument("--small", default="64MB", help="text that constants are measured on")
    parser.add_argument("--check", help="text that the model is held to")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where there is room for all of it")
    parser.add_argument("--nodes", type=int, nargs="*", default=[1, 16, 64])
    parser.add_argument("--cores", type=int, default=32, help="cores of a node")
    parser.add_argument("--price", type=float, default=0.04, help="of a core for an hour")
    parser.add_argument("--constants", help="a file of constants that were measured before")
    options = parser.parse_args()
    tokenizer = tessella.load(options.tokenizer)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        if options.constants:
            known = Constants(**json.loads(Path(options.constants).read_text()))
        else:
            known = measure(tokenizer, folder, memory_size(options.small))
        print(json.dumps(asdict(known)), flush=True)
        if options.check:
            check(known, tokenizer, folder, memory_size(options.check))
    head = "text | nodes | tokenize | tokens | count | distinct | its file | core hours | price"
    print(f"\n| {head} |\n|{'---|' * 9}")
    for size in (1e12, 1e14):
        for nodes in options.nodes:
            print(predictions(known, size, nodes, options.cores, options.price))


if __name__ == "__main__":
    main()
