"""Several tokenizers on the same text, side by side.

Bytes for each token tell how much text fits in a context; fertility is tokens for each word (words are runs
without blanks); single is the share of words that are one token. Special tokens of templates are left out.

Examples:
  $ tessella compare tokenizer.json other.json corpus.txt
  $ tessella compare tokenizer.json other.json --text "low lower lowest"
  $ tessella compare tokenizer.json other.json --text "low lower" --json
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import ArgumentError
from .. import inputs, terminal

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

#: Words that the share of single tokens is taken from.
WORDS = 100_000


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names",
        nargs="+",
        metavar="TOKENIZER|FILE",
        help="tokenizers, then files of texts (.txt, .jsonl, .gz, .zst, .parquet, or after --files)",
    )
    parser.add_argument(
        "--files", nargs="+", default=[], metavar="FILE", help="texts, one a line; - for standard input"
    )
    parser.add_argument("-t", "--text", action="append", help="a text; may be given again")
    parser.add_argument("--differences", type=int, default=5, metavar="N", help="show so many (default: 5)")
    parser.add_argument("--json", action="store_true", help="write the numbers as JSON")
    parser.add_argument("--pattern", help="how a .tiktoken file's texts are cut: a name or an expression")
    inputs.add_reading(parser)


@dataclass
class Measured:
    """A tokenizer and what it makes of the texts."""

    name: str
    vocab: int
    tokens: int
    bytes: int
    characters: int
    words: int
    single: float
    unknown: int

    def row(self) -> list[str]:
        return [
            terminal.visible(self.name),
            f"{self.vocab:,}",
            f"{self.tokens:,}",
            f"{self.bytes / max(self.tokens, 1):.2f}",
            f"{self.characters / max(self.tokens, 1):.2f}",
            f"{self.tokens / max(self.words, 1):.2f}",
            f"{self.single:.1%}",
            f"{self.unknown:,}",
        ]


HEAD = ["tokenizer", "vocab", "tokens", "bytes/token", "chars/token", "fertility", "single", "unknown"]


def run(options: argparse.Namespace) -> int:
    named = [name for name in options.names if not _holds_texts(name)]
    options.files += [name for name in options.names if _holds_texts(name)]
    if not named:
        raise ArgumentError("name at least one tokenizer")
    texts = inputs.sample(options)
    tokenizers = [inputs.load(name, options.pattern) for name in named]
    labels = _labels(named)
    found = [measure(*pair, texts) for pair in zip(labels, tokenizers, strict=True)]
    if options.json:
        print(terminal.json([vars(one) for one in found], 2))
        return 0
    print(terminal.table([HEAD, *(one.row() for one in found)], right=range(1, len(HEAD))))
    if options.text and not options.files:
        for text in texts:
            print()
            for label, tokenizer in zip(labels, tokenizers, strict=True):
                parts = segments(tokenizer, text)
                print(f"{terminal.dim(label)} {terminal.dim(f'({len(parts)})')}\n{terminal.pieces(parts)}")
    elif len(tokenizers) > 1:
        _differences(labels, tokenizers, texts, options.differences)
    return 0


def _holds_texts(name: str) -> bool:
    plain = name.lower()
    for packed in (".gz", ".zst", ".zstd"):
        plain = plain.removesuffix(packed)
    # vocab.txt is a vocabulary by an old habit.
    is_text = plain.endswith((".txt", ".jsonl", ".ndjson", ".parquet", ".md")) or plain != name.lower()
    return name == "-" or (is_text and os.path.basename(plain) != "vocab.txt")


def _labels(names: list[str]) -> list[str]:
    """The shortest ends of the names that tell them apart."""
    for parts in range(1, 9):
        short = ["/".join(name.rstrip("/").split("/")[-parts:]) for name in names]
        if len(set(short)) == len(set(names)):
            return short
    return names


def measure(name: str, tokenizer: Tokenizer, texts: list[str]) -> Measured:
    """What a tokenizer makes of texts."""
    ragged = tokenizer.encode_ids_batch(texts, add_special_tokens=False)
    words = [word for text in texts for word in text.split()]
    # As within a text: with a blank in front.
    some = [f" {word}" for word in words[:WORDS]]
    singles = sum(len(ids) == 1 for ids in tokenizer.encode_ids_batch(some, add_special_tokens=False))
    unknown = _unknown(tokenizer)
    return Measured(
        name,
        tokenizer.get_vocab_size(),
        len(ragged.ids),
        sum(len(text.encode()) for text in texts),
        sum(map(len, texts)),
        len(words),
        singles / max(len(some), 1),
        0 if unknown is None else int((ragged.ids == unknown).sum()),
    )


def _unknown(tokenizer: Tokenizer) -> int | None:
    """The id of the unknown token."""
    model = tokenizer.model
    token = getattr(model, "unk_token", None)
    if token is not None:
        return tokenizer.token_to_id(token)
    found = getattr(model, "unk_id", None)
    return found if isinstance(found, int) else None


def segments(tokenizer: Tokenizer, text: str) -> list[str]:
    """The parts of a text that its tokens stand for; tokens of one character's bytes share it."""
    parts, end = [], 0
    for start, stop in tokenizer.encode(text, add_special_tokens=False).offsets:
        if max(start, end) < stop:
            parts.append(text[max(start, end) : stop] if start >= end else text[end:stop])
            end = stop
    return parts


def _differences(labels: list[str], tokenizers: list[Tokenizer], texts: list[str], most: int) -> None:
    """Words that are cut differently, the most frequent first."""
    counted: dict[str, int] = {}
    for text in texts:
        for word in text.split():
            counted[word] = counted.get(word, 0) + 1
    rows: list[list[str]] = []
    differing = agreeing = 0
    for word, count in sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))[:WORDS]:
        cuts = [segments(tokenizer, f" {word}") for tokenizer in tokenizers]
        cuts = [["".join(cut[:1]).lstrip(), *cut[1:]] for cut in cuts]
        cuts = [[part for part in cut if part] for cut in cuts]
        if all(cut == cuts[0] for cut in cuts):
            agreeing += count
            continue
        differing += count
        if len(rows) < most:
            rows.append([f"{count:,}", *("│".join(map(terminal.visible, cut)) for cut in cuts)])
    print(f"\ncut alike: {terminal.share(agreeing, agreeing + differing)} of the words")
    if rows:
        print(terminal.table([["count", *map(terminal.visible, labels)], *rows], right=[0]))
