"""Learns vectors of the words of source code, and shows which words keep the same company.

    python examples/code_neighbours.py [FILE...] [--words read,True,...] [--bytes N]

Without files it reads the source of Python's standard library, the first N bytes of it. Code is cut at
white space and between words and signs; each line is a sequence, learned from by skip-gram with one worker,
so that the same text and seed give the same vectors every time. Needs ``gensim``.
"""

from __future__ import annotations

import argparse
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from tessella import Tokenizer, models, pre_tokenizers, trainers
from tessella.embeddings import Vectors, train_vectors

#: Words that most code has, and a neighbour or two that one would expect.
EXPECTED = {
    "True": {"False", "None"},
    "min": {"max"},
    "float": {"int", "str", "complex"},
    "read": {"write", "readline", "readlines", "seek"},
    "width": {"height"},
    "key": {"value", "keys", "dict", "items"},
}


def lines(paths: list[Path], limit: int) -> Iterator[str]:
    """The lines of the files, up to so many bytes in all."""
    for path in paths:
        text = path.read_bytes()[:limit]
        limit -= len(text)
        yield from text.decode("utf-8", "ignore").splitlines()
        if limit <= 0:
            return


def learn(texts: list[str], seed: int = 1, epochs: int = 5) -> Vectors:
    """Vectors of the words that occur ten times or more."""
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(min_frequency=10, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    sequences = [encoding.tokens for encoding in tokenizer.encode_batch(texts) if len(encoding) > 1]
    return train_vectors(
        sequences, dimensions=48, window=5, negatives=10, epochs=epochs, seed=seed, workers=1
    )


def main(arguments: list[str] | None = None) -> Vectors:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", type=Path, help="source code; the standard library's by default")
    parser.add_argument("--words", help="comma-separated words to look up")
    parser.add_argument("--bytes", type=int, default=4_000_000, help="bytes to learn from (default: 4000000)")
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args(arguments)
    files = options.files or sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    vectors = learn(list(lines(files, options.bytes)), epochs=options.epochs)
    print(vectors)
    for word in options.words.split(",") if options.words else EXPECTED:
        if word in vectors:
            near = "  ".join(f"{other} {score:.2f}" for other, score in vectors.most_similar(word, n=6))
            print(f"{word:>8}: {near}")
        else:
            print(f"{word:>8}: is too rare in this code")
    return vectors


if __name__ == "__main__":
    main()
