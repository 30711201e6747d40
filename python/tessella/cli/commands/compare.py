"""Several tokenizers on the same text, side by side.

Bytes for each token tell how much text fits in a context; fertility is tokens for each word (words are runs
without blanks); single is the share of words that are one token where they stand in the text, alone or with
the blanks beside them. Special tokens of templates are left out. Where words are cut differently, a token
that has the rest of a character begins with two dots. All of the text is read, in portions; --sample SIZE
looks at the beginning of each file only.

Examples:
  $ tessella compare tokenizer.json other.json corpus.txt
  $ tessella compare tokenizer.json other.json --text "low lower lowest"
  $ tessella compare tokenizer.json other.json --text "low lower" --json
  $ tessella compare tokenizer.json corpus.txt rows.jsonl --sample 10kB
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..._segments import segments
from ...errors import ArgumentError, EncodeError, ModelError
from .. import inputs, terminal
from ..shared import add, add_reading, add_sample, option

if TYPE_CHECKING:
    from ..._tessella import Comparison
    from ...tokenizer import Tokenizer


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "names", "files", "text")
    add_sample(parser, None, "each file")
    add(parser, "threads", "quiet")
    option(parser, "--differences N", "show so many (default: 5)", default=5)
    add(parser, "numbers as json", "pattern")
    add_reading(parser)


@dataclass
class Measured:
    """What a tokenizer makes of texts."""

    texts: int = 0
    bytes: int = 0
    characters: int = 0
    words: int = 0
    tokens: int = 0
    #: Words that are one token.
    single: int = 0
    unknown: int = 0

    def add(self, *numbers: int) -> None:
        """Adds what was found in further texts, in the order of the fields."""
        for name, number in zip(vars(self), numbers, strict=True):
            setattr(self, name, getattr(self, name) + number)

    def row(self) -> list[str]:
        return [
            f"{self.tokens:,}",
            f"{self.bytes / max(self.tokens, 1):.2f}",
            f"{self.characters / max(self.tokens, 1):.2f}",
            f"{self.tokens / max(self.words, 1):.2f}",
            terminal.share(self.single, self.words),
            f"{self.unknown:,}",
        ]

    def plain(self) -> dict[str, Any]:
        """The numbers for programs: shares as such."""
        return {**vars(self), "single": self.single / max(self.words, 1)}


HEAD = ["tokenizer", "vocab", "tokens", "bytes/token", "chars/token", "fertility", "single", "unknown"]
#: What texts on the command line are called among files.
TYPED = "--text"


@dataclass
class Compared:
    """A file and what each tokenizer makes of it."""

    name: str
    found: list[Measured]
    is_part: bool = False


def run(options: argparse.Namespace) -> int:
    named = [name for name in options.names if not inputs.holds_texts(name)]
    options.files += [name for name in options.names if inputs.holds_texts(name)]
    if not named:
        raise ArgumentError("name at least one tokenizer")
    inputs.sample_size(options)
    tokenizers = [inputs.load(name, options.pattern) for name in named]
    labels = inputs.labels(named)
    from ..._tessella import Comparison
    from ..._vocabulary import unknown_id

    comparison = Comparison([(one, unknown_id(one)) for one in tokenizers])
    files = _measured(comparison, list(zip(labels, tokenizers, strict=True)), options)
    if not any(file.found[0].words for file in files):
        raise ArgumentError("there is no text to look at: the input is empty")
    total = Compared("total", [Measured() for _ in named], any(file.is_part for file in files))
    for file in files:
        for sum, one in zip(total.found, file.found, strict=True):
            sum.add(*vars(one).values())
    sizes = [one.get_vocab_size() for one in tokenizers]
    if options.json:
        rows = [
            {
                "name": label,
                "vocab": size,
                **total.found[place].plain(),
                "is_part": total.is_part,
                "files": [
                    {"file": file.name, **file.found[place].plain(), "is_part": file.is_part}
                    for file in files
                ],
            }
            for place, (label, size) in enumerate(zip(labels, sizes, strict=True))
        ]
        print(terminal.json(rows, 2))
        return 0
    for place, file in enumerate(files if len(files) == 1 else [*files, total]):
        _show(file, labels, sizes, options, place, len(files))
    if options.text and not options.files:
        _show_parts(options.text, labels, tokenizers)
    elif len(tokenizers) > 1:
        _differences(labels, comparison, options.differences)
    return 0


def _measured(
    comparison: Comparison, tokenizers: list[tuple[str, Tokenizer]], options: argparse.Namespace
) -> list[Compared]:
    """All texts, file by file."""
    files: list[Compared] = []

    def look(name: str, texts: Iterable[str]) -> None:
        sampled = inputs.Sampled(texts, inputs.sample_size(options))
        file = Compared(name, [Measured() for _ in tokenizers])
        for portion in inputs.portions(sampled):
            try:
                extent, found = comparison.add(portion, options.threads)
            except (EncodeError, ModelError):
                _find_failing(tokenizers, portion)
                raise
            for sum, one in zip(file.found, found, strict=True):
                sum.add(*extent, *one)
        file.is_part = sampled.is_part
        files.append(file)

    if options.text:
        look(TYPED, options.text)
        if not options.files:
            return files
    found = inputs.readers(options.files, inputs.reading(options, "bare lines"))
    with inputs.Progress("compare", [one for _, one in found], not options.quiet) as progress:
        for name, texts in found:

            def each(texts: Iterable[list[str]] = texts) -> Iterable[str]:
                for some in texts:
                    yield from some
                    progress.step()

            look("standard input" if name == "-" else name, each())
    return files


def _find_failing(tokenizers: list[tuple[str, Tokenizer]], texts: list[str]) -> None:
    """Raises again what a tokenizer raised, with its name: the comparison does not tell which it was."""
    for label, tokenizer in tokenizers:
        try:
            tokenizer.encode_ids_batch(texts, add_special_tokens=False)
        except (EncodeError, ModelError) as error:
            raise type(error)(f"the tokenizer {label!r}: {error}") from error


def _show(
    file: Compared, labels: list[str], sizes: list[int], options: argparse.Namespace, place: int, files: int
) -> None:
    """A table of a file; what it is about stands above it where there are several."""
    extent = file.found[0]
    if files > 1 or file.is_part:
        size = f"{terminal.size(extent.bytes)}, {extent.words:,} words"
        part = f"the first part, --sample {options.sample}: " if file.is_part else ""
        print(f"{chr(10) if place else ''}{terminal.bold(file.name)} ({part}{size})")
    rows = [
        [terminal.visible(label), f"{size:,}", *one.row()]
        for label, size, one in zip(labels, sizes, file.found, strict=True)
    ]
    print(terminal.table([HEAD, *rows], right=range(1, len(HEAD))))


def _show_parts(texts: list[str], labels: list[str], tokenizers: list[Tokenizer]) -> None:
    for text in texts:
        print()
        for label, tokenizer in zip(labels, tokenizers, strict=True):
            parts = segments(tokenizer, text)
            print(f"{terminal.dim(label)} {terminal.dim(f'({len(parts)})')}\n{terminal.pieces(parts)}")


def _differences(labels: list[str], comparison: Comparison, most: int) -> None:
    """Words that are cut differently, the most frequent first."""
    alike, differing, is_part = comparison.shares
    rows = [
        [f"{count:,}", *("│".join(map(terminal.visible, parts)) for parts in cuts)]
        for count, cuts in comparison.differences(max(most, 0))
    ]
    print(f"\ncut alike: {terminal.share(alike, alike + differing)} of the words")
    if rows:
        # Where there are very many, rare ones are forgotten on the way.
        head = "at least" if is_part else "count"
        print(terminal.table([[head, *map(terminal.visible, labels)], *rows], right=[0]))
