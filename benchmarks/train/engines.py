"""One training in this process: `python -m benchmarks.train.engines JOB`, where JOB is a JSON object.

A job has `engine`, `kind` (`bpe`, `wordpiece`, `unigram`), `vocab_size` and `text` (a file). Every engine reads the file
the way it reads best, line by line where it has a choice. Printed are wall and processor seconds from the file to the
finished vocabulary, the peak of resident memory, that memory right before the start, and what was learned, as a digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

#: A trained vocabulary: its texts and, where there are some, its merges.
Learned = tuple[list[str], list[tuple[str, str]]]
Train = Callable[[], Callable[[], Learned]]


def lines(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8", newline="\n") as file:
        yield from file


def pipeline(library: Any, job: dict[str, Any]) -> tuple[Any, Any]:
    """A tokenizer and its trainer. `library` is the reference library or Tessella: they share these names."""
    size, specials = job["vocab_size"], ["[UNK]"]
    models, trainers, split = library.models, library.trainers, library.pre_tokenizers
    if job["kind"] == "bpe":
        tokenizer = library.Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = split.ByteLevel(add_prefix_space=False)
        alphabet = split.ByteLevel.alphabet()
        return tokenizer, trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    if job["kind"] == "wordpiece":
        tokenizer = library.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = library.normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = split.BertPreTokenizer()
        return tokenizer, trainers.WordPieceTrainer(
            vocab_size=size, special_tokens=specials, show_progress=False
        )
    tokenizer = library.Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = split.Metaspace()
    return tokenizer, trainers.UnigramTrainer(
        vocab_size=size, special_tokens=specials, unk_token="[UNK]", show_progress=False
    )


def by_pipeline(library: Any, job: dict[str, Any]) -> Callable[[], Learned]:
    tokenizer, trainer = pipeline(library, job)
    tokenizer.train([job["text"]], trainer)

    def learned() -> Learned:
        model = json.loads(tokenizer.to_str())["model"]
        if job["kind"] == "unigram":
            return [text for text, _ in model["vocab"]], []
        vocab = sorted(model["vocab"], key=model["vocab"].get)
        return vocab, [(left, right) for left, right in model.get("merges", ())]

    return learned


def tessella(job: dict[str, Any]) -> Train:
    import tessella

    return lambda: by_pipeline(tessella, job)


def tokenizers(job: dict[str, Any]) -> Train:
    import tokenizers

    return lambda: by_pipeline(tokenizers, job)


def sentencepiece(job: dict[str, Any]) -> Train:
    import sentencepiece

    if job["kind"] == "wordpiece":
        raise SystemExit(3)

    def train() -> Callable[[], Learned]:
        folder = tempfile.mkdtemp()
        sentencepiece.SentencePieceTrainer.train(
            input=job["text"],
            model_prefix=f"{folder}/trained",
            model_type=job["kind"],
            vocab_size=job["vocab_size"],
            num_threads=job["threads"],
            character_coverage=1.0,
            byte_fallback=False,
            max_sentence_length=1 << 20,
            hard_vocab_limit=False,
            minloglevel=3,
        )

        def learned() -> Learned:
            model = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/trained.model")
            return [model.id_to_piece(number) for number in range(model.get_piece_size())], []

        return learned

    return train


def printable(token: bytes) -> str:
    """Bytes in the printable alphabet of byte-level tokenizers."""
    kept = {*range(33, 127), *range(161, 173), *range(174, 256)}
    moved = iter(range(0x100, 0x200))
    alphabet = [chr(byte) if byte in kept else chr(next(moved)) for byte in range(256)]
    return "".join(alphabet[byte] for byte in token)


def gigatoken(job: dict[str, Any]) -> Train:
    import gigatoken

    if job["kind"] != "bpe":
        raise SystemExit(3)

    def train() -> Callable[[], Learned]:
        vocab, merges = gigatoken.train_bpe(Path(job["text"]), job["vocab_size"], [], "huggingface", b"\n")
        return lambda: (
            [printable(vocab[number]) for number in sorted(vocab)],
            [(printable(left), printable(right)) for left, right in merges],
        )

    return train


def rustbpe(job: dict[str, Any]) -> Train:
    import rustbpe

    if job["kind"] != "bpe":
        raise SystemExit(3)

    def train() -> Callable[[], Learned]:
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(lines(job["text"]), job["vocab_size"], pattern=GPT2)
        return lambda: ([printable(bytes(token)) for token, _ in tokenizer.get_mergeable_ranks()], [])

    return train


def bpeasy(job: dict[str, Any]) -> Train:
    import bpeasy

    if job["kind"] != "bpe":
        raise SystemExit(3)

    def train() -> Callable[[], Learned]:
        ranks = bpeasy.train_bpe(lines(job["text"]), GPT2, 1 << 16, job["vocab_size"])
        return lambda: ([printable(token) for token in ranks], [])

    return train


ENGINES = {
    "tessella": tessella,
    "tokenizers": tokenizers,
    "sentencepiece": sentencepiece,
    "gigatoken": gigatoken,
    "rustbpe": rustbpe,
    "bpeasy": bpeasy,
}


def resident(field: str) -> float:
    """Megabytes of memory, from the kernel's own account of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def digest(items: Any) -> str:
    return hashlib.sha256(json.dumps(items, ensure_ascii=True).encode()).hexdigest()[:16]


def main() -> None:
    job = json.loads(sys.argv[1])
    os.environ["RAYON_NUM_THREADS"] = str(job["threads"])
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    train = ENGINES[job["engine"]](job)
    before = resident("VmRSS")
    wall, processor = time.perf_counter(), time.process_time()
    learned = train()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resident("VmHWM")
    vocab, merges = learned()
    result = {
        "wall": wall,
        "processor": processor,
        "peak_mb": peak,
        "before_mb": before,
        "size": len(vocab),
        "merges": digest(merges),
        "vocab": digest(sorted(vocab)),
    }
    if job.get("keep"):
        Path(job["keep"]).write_text(json.dumps([vocab, merges]))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
