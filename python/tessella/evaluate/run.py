"""``evaluate``: the conductor, from tokenizers and corpora to a report.

Every portion of a corpus goes through all tokenizers: each counts its ids, by document and by entry. A sample
of the documents is kept meanwhile and looked at closely afterwards. What is held does not grow with the
corpus: sums of blocks, counts of entries, the sample.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import Tokenizer
from .._chance import settled
from .._progress import Meter, form
from ..counting import _whole_number, memory_size
from ..errors import ArgumentError, EncodeError, ModelError
from .blocks import Blocks, Histogram
from .coded import Coded
from .corpora import Corpus, Reading, check_names, corpora, portions
from .costly import CostlyDocuments, costly_words
from .facts import Facts
from .metrics import FLAGGED, SAMPLED
from .metrics.digits import by_length
from .morphology import against_gold, read_gold
from .parallel import premiums
from .record import Measured, Settings, record
from .repeated import Repeats
from .report import Report
from .sample import Keeper, Sample, Spans
from .scripts import by_script

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._types import OneSource, Path, ProgressFormat, Source

    Whole = npt.NDArray[np.int64]


#: Blocks of a corpus: all in all, and the least and the most of one.
BLOCKS, FEWEST_BLOCKS, MOST_BLOCKS = 4096, 64, 256
#: Bytes that all counts of entries may take; groups of all corpora, and the fewest of one.
COUNTS, GROUPS, FEWEST_GROUPS = 160 << 20, 32, 16
#: Columns that the text alone gives.
OF_TEXT = ("documents", "bytes", "characters")


@dataclass
class Candidate:
    """A tokenizer that is evaluated."""

    name: str
    given: Tokenizer
    #: Without chance: the same arguments give the same report.
    tokenizer: Tokenizer = field(init=False)
    facts: Facts = field(init=False)
    flags: dict[str, npt.NDArray[np.uint8]] = field(init=False)

    def __post_init__(self) -> None:
        self.tokenizer = settled(self.given)
        self.facts = Facts.of(self.tokenizer)
        self.flags = {name: flags for file in FLAGGED for name, flags in file.FLAGS(self.facts).items()}

    @property
    def columns(self) -> list[str]:
        """Columns of all text."""
        return ["tokens", *self.flags]

    def look(
        self, texts: list[str], size: Whole, counts: Histogram, costly: CostlyDocuments, threads: int | None
    ) -> Whole:
        """What it makes of a portion: a row for each document."""
        try:
            ragged = self.tokenizer.encode_ids_batch(texts, add_special_tokens=False, num_threads=threads)
        except (EncodeError, ModelError) as error:
            raise type(error)(f"the tokenizer {self.name!r}: {error}") from error
        ids, offsets = ragged.ids, ragged.offsets
        counts.add(ids, offsets)
        tokens = ragged.lengths()
        costly.add(texts, size, tokens)
        return np.column_stack([tokens, _sums(list(self.flags.values()), ids, offsets)])


def _sums(tables: list[npt.NDArray[np.uint8]], ids: npt.NDArray[np.uint32], offsets: Whole) -> Whole:
    """Of each document, how many of its ids have each flag.

    Flags stand side by side in one number, a field for each, so that one pass adds them all up. Fields may
    run over into the next on the way: between two offsets the difference is right if no document fills one.
    """
    number = len(offsets) - 1
    found = np.zeros((number, len(tables)), dtype=np.int64)
    used = [place for place, table in enumerate(tables) if table.any()]
    if not used or not number:
        return found
    bits = np.uint64(min(64 // len(used), 32))
    packed = np.zeros(len(tables[0]), dtype=np.uint64)
    for at, place in enumerate(used):
        packed |= tables[place].astype(np.uint64) << np.uint64(at) * bits
    if int(np.diff(offsets).max()) >> int(bits):
        packed_of = [tables[place].astype(np.uint64) for place in used]
        return _unpacked(found, used, packed_of, ids, offsets, None)
    return _unpacked(found, used, [packed], ids, offsets, bits)


def _unpacked(
    found: Whole,
    used: Sequence[int],
    tables: Sequence[npt.NDArray[np.uint64]],
    ids: npt.NDArray[np.uint32],
    offsets: Whole,
    bits: np.uint64 | None,
) -> Whole:
    sums = []
    for table in tables:
        running = np.zeros(len(ids) + 1, dtype=np.uint64)
        np.cumsum(table[ids], out=running[1:])
        sums.append(running[offsets[1:]] - running[offsets[:-1]])
    for number, place in enumerate(used):
        if bits is None:
            found[:, place] = sums[number].astype(np.int64)
        else:
            mask = (np.uint64(1) << bits) - np.uint64(1)
            found[:, place] = ((sums[0] >> np.uint64(number) * bits) & mask).astype(np.int64)
    return found


def evaluate(
    tokenizers: Mapping[str, Tokenizer] | Sequence[Tokenizer] | Tokenizer,
    corpora: Source,
    *,
    baseline: str | None = None,
    parallel: Mapping[str, OneSource] | None = None,
    gold: Path | Mapping[str, Iterable[str]] | None = None,
    words: Literal["blanks"] | Spans = "blanks",
    leaves: Spans | None = None,
    languages: str | Mapping[str, str] | Sequence[str] | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    detail: int | str = "1MB",
    num_threads: int | None = None,
    errors: Literal["strict", "replace"] = "strict",
    field: str = "text",
    format: Literal["auto", "text", "jsonl"] = "auto",
    separator: str | None = None,
    progress: bool | ProgressFormat = False,
) -> Report:
    """Measures tokenizers on corpora, and says how sure each number is.

    All text is read once, whatever its size, and memory does not grow with it. The same arguments give the
    same report, whatever the number of threads.

    Args:
        tokenizers: one, several, or a dict of names and tokenizers.
        corpora: what to read, as ``count_pieces`` reads it: a path, a list of ``Path`` (each file is a
            corpus), a dict of names and sources (a corpus each), or texts. Lines lose their ends, and each is
            a document.
        baseline: the name of the tokenizer that lengths and differences are told against; the first by
            default.
        parallel: the same lines in several languages: a dict of languages and sources. Says what each
            language pays against ``en``, or against the first, and how unequally.
        gold: words with their morphemes: a file with a word, a tab and its morphemes on each line, or a dict.
        words: what words are: runs without blanks, or a function that gives the start and end, in characters,
            of each word of a text, as the ``spans`` of a ``tessella.words`` tokenizer does.
        leaves: where the leaves of program text's syntax trees stand: a function like that of `words`, such
            as ``tessella.evaluate.syntax("python")`` makes. Without it, the metrics of leaves have no value.
        languages: language tags of the corpora: one for all, one for each, or a dict by name. Corpora with
            the same tag are also told together.
        bootstrap: how often documents are drawn for intervals; 0 leaves intervals out.
        seed: what the draws follow from.
        confidence: how often an interval shall hold the truth.
        detail: characters of the sample on which words, numbers and characters are looked at one by one, of
            all corpora together; ``"all"`` looks at everything and needs memory for it.
        num_threads: how many threads work; ``None`` lets the engine choose.
        errors: as for ``count_pieces``.
        field: as for ``count_pieces``.
        format: as for ``count_pieces``.
        separator: what stands between documents of a text file; ``None`` makes each line one, without its
            end.
        progress: show a bar on a terminal and a line every ten seconds elsewhere.

    Example:
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> from tessella.evaluate import evaluate
        >>> letters = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, []))
        >>> pairs = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
        >>> letters.pre_tokenizer = pairs.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> report = evaluate({"letters": letters, "pairs": pairs}, ["ab ab b"] * 20 + ["ab a b"] * 20)
        >>> report.value("letters", "bytes_per_token").value, report.value("pairs", "tokens").value
        (1.4444444444444444, 120.0)
        >>> report.difference("bytes_per_token", "pairs", "letters").value > 0
        True
    """
    candidates = [Candidate(name, one) for name, one in _named(tokenizers).items()]
    if baseline is not None and baseline not in [one.name for one in candidates]:
        known = ", ".join(one.name for one in candidates)
        raise ArgumentError(f"`baseline` is {baseline!r}, which is no tokenizer; known are {known}")
    if words != "blanks" and not callable(words):
        raise ArgumentError(f"`words` must be 'blanks' or a function from a text to spans, found {words!r}")
    if leaves is not None and not callable(leaves):
        raise TypeError(f"`leaves` must be a function from a text to spans, not {type(leaves).__name__}")
    settings = Settings(
        baseline or candidates[0].name,
        "blanks" if isinstance(words, str) else getattr(words, "__qualname__", type(words).__name__),
        _whole_number("bootstrap", bootstrap, 0, 100_000),
        _whole_number("seed", seed, 0),
        _share("confidence", confidence),
        None if detail == "all" else memory_size(detail, "detail"),
    )
    threads = None if num_threads is None else _whole_number("num_threads", num_threads, 0)
    reading = Reading(field, errors, format, separator, "bare lines")
    found = _corpora(corpora, languages, reading)
    aligned = None if parallel is None else _corpora(_mapping(parallel), None, reading)
    cut = None if gold is None else read_gold(gold)
    meter = Meter("evaluate", form(progress))
    try:
        read = _Reader(
            candidates, found, settings, None if isinstance(words, str) else words, threads, leaves
        )
        measured = read.all(meter)
        named = {one.name: one.tokenizer for one in candidates}
        how: dict[str, Any] = {
            "draws": settings.bootstrap,
            "seed": settings.seed,
            "confidence": settings.confidence,
        }
        paid = None if aligned is None else premiums(named, aligned, num_threads=threads, **how)
        morphemes = None if cut is None else against_gold(named, cut, **how)
    finally:
        meter.end()
    data = record([(one.name, one.given, one.facts) for one in candidates], measured, settings)
    return Report({**data, "parallel": paid, "morphology": morphemes})


_corpora = corpora


def _mapping(given: Any) -> Any:
    if not isinstance(given, Mapping):
        raise TypeError(f"`parallel` must be a dict of languages and sources, not {type(given).__name__}")
    if len(given) < 2:
        raise ArgumentError(f"`parallel` must hold two languages or more, found {len(given)}")
    check_names(given, "the names of `parallel`")
    return given


def _named(given: Any) -> dict[str, Tokenizer]:
    if isinstance(given, Tokenizer):
        given = {"tokenizer": given}
    elif isinstance(given, Sequence) and not isinstance(given, str):
        given = {f"tokenizer {number}": one for number, one in enumerate(given, 1)}
    if not isinstance(given, Mapping):
        raise TypeError(
            f"`tokenizers` must be Tokenizer objects or a dict of them, not {type(given).__name__}"
        )
    if not given:
        raise ArgumentError("`tokenizers` is empty: give one or more")
    check_names(given, "the names of `tokenizers`")
    for name, one in given.items():
        if not isinstance(one, Tokenizer):
            raise TypeError(
                f"`tokenizers` must hold Tokenizer objects, found {type(one).__name__} for {name!r}"
            )
    return dict(given)


def _share(name: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0.5 <= given < 1:
        raise ArgumentError(f"`{name}` must be a number from 0.5 to below 1, found {given!r}")
    return float(given)


class _Reader:
    """Reads the corpora, one after the other."""

    def __init__(
        self,
        candidates: list[Candidate],
        found: list[Corpus],
        settings: Settings,
        words: Spans | None,
        num_threads: int | None,
        leaves: Spans | None = None,
    ) -> None:
        self._candidates, self._corpora, self._settings = candidates, found, settings
        self._words, self._leaves, self._threads = words, leaves, num_threads
        all = num_threads or os.cpu_count() or 1
        self._at_once = min(len(candidates), all)
        # Each tokenizer has its part of the threads; what is left over helps nobody.
        self._each = max(1, all // self._at_once)
        blocks = max(FEWEST_BLOCKS, min(MOST_BLOCKS, BLOCKS // len(found)))
        self._blocks = blocks - blocks % 2
        entries = sum(one.facts.size for one in candidates)
        groups = min(max(GROUPS // len(found), FEWEST_GROUPS), COUNTS // (12 * entries * len(found)))
        # Too few groups would only cost memory: then there are no intervals, and the report says so.
        self._groups = groups - groups % 2 if groups >= FEWEST_GROUPS else 1

    def all(self, meter: Meter) -> list[Measured]:
        """What is measured of each corpus."""
        total = sum(one.texts.total for one in self._corpora)
        total = total if all(one.texts.total for one in self._corpora) else 0
        before = 0
        measured = []
        with ThreadPoolExecutor(self._at_once) as pool, ThreadPoolExecutor(1) as ahead:
            for corpus in self._corpora:
                seen = _Seen(self, corpus)
                found = portions(corpus.texts)
                # What a caller's own iterator does may belong to the caller's thread.
                for texts in _prefetched(found, ahead) if corpus.texts.total else found:
                    seen.add(texts, pool)
                    meter.update(before + corpus.texts.done, total)
                before += corpus.texts.done
                measured.append(seen.closely())
        if not any(one.documents for one in measured):
            raise ArgumentError("there is no text to look at: the corpora are empty")
        return measured


def _prefetched(found: Iterator[list[str]], ahead: ThreadPoolExecutor) -> Iterator[list[str]]:
    """What an iterator gives, the next while this one is worked on."""
    coming = ahead.submit(next, found, None)
    while (now := coming.result()) is not None:
        coming = ahead.submit(next, found, None)
        yield now


class _Seen:
    """What has been seen of a corpus."""

    def __init__(self, of: _Reader, corpus: Corpus) -> None:
        self._of, self._corpus = of, corpus
        candidates = of._candidates
        self._blocks = Blocks(len(OF_TEXT) + sum(len(one.columns) for one in candidates), of._blocks)
        self._counts = [Histogram(one.facts.size, of._groups) for one in candidates]
        self._costly = [CostlyDocuments() for _ in candidates]
        self._repeats = Repeats()
        budget = of._settings.detail
        self._keeper = Keeper((1 << 62) if budget is None else max(budget // len(of._corpora), 1 << 12))

    def add(self, texts: list[str], pool: ThreadPoolExecutor) -> None:
        """Looks at further documents."""
        characters = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        bytes = characters
        if not all(map(str.isascii, texts)):
            bytes = np.fromiter(map(len, map(str.encode, texts)), dtype=np.int64, count=len(texts))
        candidates, each = self._of._candidates, self._of._each
        jobs = [
            pool.submit(one.look, texts, bytes, counts, costly, each)
            for one, counts, costly in zip(candidates, self._counts, self._costly, strict=True)
        ]
        self._keeper.add(texts)
        self._repeats.add(texts, bytes)
        rows = [np.stack([np.ones_like(bytes), bytes, characters], axis=1), *(job.result() for job in jobs)]
        self._blocks.add(np.hstack(rows))

    def closely(self) -> Measured:
        """Looks at the sample, and gives all that was measured."""
        candidates = self._of._candidates
        sample = self._keeper.sample(self._of._words, self._of._leaves)
        # What all tokenizers ask for is looked up once, by one thread.
        text: dict[str, Whole] = {"documents": np.ones(len(sample.texts), dtype=np.int64)}
        for file in SAMPLED:
            text |= file.of_text(sample) if hasattr(file, "of_text") else {}
        text["sample_bytes"] = sample.bytes()
        found, touching, scripts, digits = [], {}, {}, {}
        for one in candidates:
            # One after the other: aligned encodings take memory, and the engine has the threads.
            coded = Coded(one.tokenizer, one.facts, sample, self._of._threads)
            found.append(_measures(sample, coded))
            touching[one.name] = coded.touching(sample.words)
            scripts[one.name] = by_script(sample, coded)
            digits[one.name] = by_length(sample, coded)
        columns = [*text, *(name for one in found for name in one)]
        blocks = Blocks(len(columns), self._of._blocks)
        if sample.texts:
            rows = np.stack([*text.values(), *(rows for one in found for rows in one.values())], axis=1)
            blocks.add(sample.per_document(rows))
        names = [one.name for one in candidates]
        place = iter(range(len(text), len(columns)))
        return Measured(
            name=self._corpus.name,
            language=self._corpus.language,
            documents=self._blocks.documents,
            all=self._blocks.sums(),
            all_columns=_columns(OF_TEXT, names, [one.columns for one in candidates]),
            sample=blocks.sums(),
            sample_columns={("", name): number for number, name in enumerate(text)}
            | {(name, column): next(place) for name, one in zip(names, found, strict=True) for column in one},
            sampled=(len(sample.texts), int(text["sample_bytes"].sum()), self._keeper.seen),
            repeated=_repeated(self._repeats, sample),
            groups={name: one.groups() for name, one in zip(names, self._counts, strict=True)},
            scripts=scripts,
            digits=digits,
            words=costly_words(sample, touching, {one.name: one.tokenizer for one in candidates}),
            costly={name: one.told() for name, one in zip(names, self._costly, strict=True)},
        )


def _repeated(repeats: Repeats, sample: Sample) -> float:
    """The share of the text that is in documents that were there before."""
    known: set[str] = set()
    again = size = 0
    for text, own in zip(sample.texts, sample.bytes().tolist(), strict=True):
        size += own
        again += own if text in known else 0
        known.add(text)
    # A few documents that come very often are in every sample, and many that come twice in hardly any.
    return repeats.share() if repeats.is_exact or not size else max(repeats.share(), again / size)


def _measures(sample: Sample, coded: Coded) -> dict[str, Whole]:
    columns: dict[str, Whole] = {"tokens": coded.lengths}
    for file in SAMPLED:
        columns |= file.measure(sample, coded)
    return columns


def _columns(text: Iterable[str], names: list[str], own: list[list[str]]) -> dict[tuple[str, str], int]:
    """Where the column of a tokenizer is, or of the text, whose name is empty."""
    keys = [("", column) for column in text]
    keys += [(name, column) for name, columns in zip(names, own, strict=True) for column in columns]
    return {key: number for number, key in enumerate(keys)}
