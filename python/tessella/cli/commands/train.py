"""Train a tokenizer on files.

The pipeline comes from a recipe (--recipes lists them), from an existing tokenizer whose vocabulary is
learned anew (--like), or from a kind of model and stages that are named here. Every option of the trainers
is an option here. At the end a report tells size, coverage and efficiency on lines that were kept aside.

Examples:
  $ tessella train corpus.txt --recipe gpt2 --vocab-size 1000 -o gpt2.json
  $ tessella train corpus.txt --model bpe --pre-tokenizer byte-level --vocab-size 1000 -o bpe.json
  $ tessella train corpus.txt --like tokenizer.json --vocab-size 800 --memory 1GB -o again.json
  $ tessella train corpus.txt --model unigram --pre-tokenizer metaspace --special-token "<unk>" \\
      --unk-token "<unk>" --vocab-size 200 -o unigram.json
  $ tessella train --from-counts corpus.counts --recipe gpt2 --vocab-size 1000 -o from-counts.json
  $ tessella train corpus.txt --model bpe --pre-tokenizer whitespace --vocab-size 100 \\
      --trace steps.jsonl -o traced.json
  $ tessella train corpus.txt --sentencepiece unigram --vocab-size 70 --flag character_coverage=0.9995 \\
      -o spm.model
  $ tessella train --recipes
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._formats import WRITABLE, to_write
from ...errors import ArgumentError
from .. import heeded, inputs, terminal
from ..shared import add, add_reading, option
from ..targets import LINES_OF_JSON, check_ending
from . import _sentencepiece
from ._report import Aside, report
from ._typed_trainer import PREFIX, Given, add_trainer_options
from .count import add_work, work

if TYPE_CHECKING:
    from ...counting import PieceCounts
    from ...decoders import Decoder
    from ...recipes import Recipe
    from ...tokenizer import Tokenizer
    from ...training.anew import Anew

    #: How text is cut for counting, what learns, and how a tokenizer is made of what was learned.
    Pipeline = Recipe | Anew

#: Bytes of memory that are announced before they are needed.
WORTH_TELLING = 500_000_000
#: What is typed for a kind of model, and the name of its class.
KINDS = {"bpe": "BPE", "unigram": "Unigram", "wordpiece": "WordPiece", "wordlevel": "WordLevel"}
#: The usual way of cutting for a kind of model.
FITTING = {"BPE": "byte-level", "Unigram": "metaspace", "WordPiece": "bert", "WordLevel": "whitespace"}
# What is typed for a stage, the name of its class, and its settings.
Stages = dict[str, tuple[str, dict[str, bool]]]
NORMALIZERS: Stages = {
    "nfc": ("NFC", {}),
    "nfd": ("NFD", {}),
    "nfkc": ("NFKC", {}),
    "nfkd": ("NFKD", {}),
    "lowercase": ("Lowercase", {}),
    "strip-accents": ("StripAccents", {}),
    "bert": ("BertNormalizer", {}),
    "bert-cased": ("BertNormalizer", {"lowercase": False}),
    "nmt": ("Nmt", {}),
}
PRE_TOKENIZERS: Stages = {
    "byte-level": ("ByteLevel", {"add_prefix_space": False}),
    "metaspace": ("Metaspace", {}),
    "bert": ("BertPreTokenizer", {}),
    "whitespace": ("Whitespace", {}),
    "whitespace-split": ("WhitespaceSplit", {}),
    "digits": ("Digits", {"individual_digits": True}),
    "punctuation": ("Punctuation", {}),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "corpus")
    option(parser, "-o --output FILE", "where to save the tokenizer, in a folder that exists")
    option(parser, "--format", "format of the output (default: by its name)", choices=WRITABLE)
    add(parser, "differences")
    pipeline = parser.add_argument_group("pipeline")
    option(pipeline, "-r --recipe NAME", "the pipeline of a well-known tokenizer")
    option(pipeline, "--recipes", "list the recipes and exit")
    option(pipeline, "--like TOKENIZER", "the pipeline of this tokenizer")
    option(pipeline, "--model", "a model of this kind, with the stages below", choices=KINDS)
    option(
        pipeline,
        "--normalizer",
        "a stage before cutting; may be given again",
        action="append",
        choices=NORMALIZERS,
    )
    option(
        pipeline,
        "--pre-tokenizer",
        "how text is cut; may be given again",
        action="append",
        choices=PRE_TOKENIZERS,
    )
    option(pipeline, "--pattern REGEX", "cut where this expression matches, first")
    _sentencepiece.add_options(pipeline)
    source = parser.add_argument_group("corpus")
    option(source, "--from-counts FILE...", "learn from saved counts instead of files")
    option(
        source,
        "--checkpoint FILE",
        "save the state of learning here now and then; if it is there, go on from it",
    )
    option(source, "--trace FILE", "write what each step of learning did to this file, as lines of JSON")
    option(source, "--save-counts FILE", "save the counts, to learn from them again")
    option(
        source,
        "--hold-out N",
        "keep every N-th text aside for the report, 0 for none (default: 200)",
        default=200,
    )
    option(source, "--held-out FILE", "report on this file instead of lines kept aside")
    add_work(parser)
    add_reading(parser)
    add_trainer_options(parser)


def run(options: argparse.Namespace) -> int:
    if options.recipes:
        return _recipes()
    _check_choice(options)
    if not options.output:
        raise ArgumentError("say where to save the tokenizer: --output FILE")
    if options.from_counts and options.files:
        raise ArgumentError("give files or --from-counts, not both")
    # A name that promises what cannot be written is told before hours of work.
    written = to_write(options.output, options.format)
    allow = inputs.differences(options, written)
    inputs.check_target(options.output)
    for target in (options.trace, options.checkpoint, options.save_counts):
        if target:
            inputs.check_file(target)
    check_ending(options.trace, "--trace", "lines of JSON", LINES_OF_JSON, "name it .jsonl")
    check_ending(options.save_counts, "--save-counts", "counts", (".counts", ".bin"), "name it .counts")
    if options.from_counts:
        if options.hold_out:
            heeded.refuse(options, ["hold_out"], "to --from-counts, which has no texts: give --held-out FILE")
        if not options.held_out:
            heeded.refuse_reading(options, "to --from-counts, which reads no texts: leave it out")
    if options.hold_out < 0:
        raise ArgumentError(f"--hold-out must be 0 or more, found {options.hold_out}")
    # Made before the corpus is read, so that what cannot be trained is told at once.
    given = Given(options)
    if options.sentencepiece:
        return _sentencepiece.train(options, given.options)
    pipeline = _pipeline(options)
    if written == "model":
        raise ArgumentError(
            "a .model file cannot hold what is trained here: "
            f"--sentencepiece {'|'.join(_sentencepiece.KINDS)} trains one, or name the output "
            f"{Path(options.output).stem}.json"
        )
    if written == "gguf" and not allow:
        from ..._gguf import refuse_before_training

        refuse_before_training(pipeline)
    trainer = given.trainer(pipeline)
    if options.trace and pipeline.kind == "WordLevel":
        raise ArgumentError("word-level training counts and takes no steps: leave --trace out")
    if getattr(trainer, "tie_break", None) == "first_seen":
        options.threads = 1  # the only one that knows which piece came first
    started = time.perf_counter()
    counts, aside = _counted(pipeline, options)
    if options.save_counts:
        counts.save(options.save_counts)
    expected = trainer.estimate_memory(counts)
    if expected >= WORTH_TELLING and not options.quiet:
        terminal.note(f"learning takes about {terminal.size(expected)} of memory besides the counts")
    if options.trace and options.checkpoint and os.path.exists(options.checkpoint):
        terminal.note(
            f"note: learning goes on from {options.checkpoint}: {options.trace} gets the steps from there on "
            "and counts them from 1"
        )
    tokenizer = _learned(pipeline, counts, trainer, options)
    seconds = time.perf_counter() - started
    tokenizer.save(options.output, format=options.format, allow_differences=allow)
    if not options.quiet:
        if options.from_counts or not options.hold_out:
            aside.instead = "give --held-out FILE"
        aside.texts = list(map(pipeline.prepare or str, aside.texts))
        print(report(tokenizer, counts, aside, options.output, seconds))
        asked, got = trainer.vocab_size + pipeline.reserved, tokenizer.get_vocab_size()
        spells = getattr(tokenizer.model, "byte_fallback", False)
        if options.like and spells and tokenizer.token_to_id("<0x00>") is None:
            terminal.note(
                f"note: the bytes that {options.like} spells unknown characters with are not learned, so "
                "they are unknown text now: recipes such as llama2 have them"
            )
        if got < asked:
            short = f"no more than {got:,} of the {asked:,} tokens asked for"
            terminal.note(f"note: the corpus gives {short}: {trainer._ended}")
    return 0


def _check_choice(options: argparse.Namespace) -> None:
    """One pipeline, and stages only where none comes with it."""
    chosen = [name for name in ("recipe", "like", "model", "sentencepiece") if getattr(options, name)]
    if not chosen:
        raise ArgumentError(
            "say what to train: one of --recipe NAME, --like TOKENIZER, --model KIND, --sentencepiece KIND"
        )
    if len(chosen) > 1:
        raise ArgumentError(f"only one of {' and '.join(f'--{name}' for name in chosen)} can be trained")
    stages = ("normalizer", "pre_tokenizer", "pattern")
    ignored = [name for name in stages if getattr(options, name) is not None]
    if ignored and not options.model:
        spelled = ", ".join(f"--{name.replace('_', '-')}" for name in ignored)
        raise ArgumentError(f"--{chosen[0]} brings its own stages: leave {spelled} out, or use --model KIND")
    if options.flag and not options.sentencepiece:
        raise ArgumentError("--flag is for --sentencepiece only")


def _learned(pipeline: Pipeline, counts: PieceCounts, trainer: Any, options: argparse.Namespace) -> Tokenizer:
    if not options.trace:
        return pipeline.learned(counts, trainer, options.checkpoint)
    import io

    from ..._files import _replacing
    from ...tracing import JsonLines, Trace

    with _replacing(options.trace) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        lines = JsonLines(text)
        trace = Trace(on_step=lines, keep=False)
        tokenizer = pipeline.learned(counts, trainer, options.checkpoint, trace=trace)
        lines.end(trace.ended)
        # Flushes, and leaves the file open for whom it belongs to.
        text.detach()
    return tokenizer


def _recipes() -> int:
    from ... import recipes

    rows = [["recipe", "vocab", "what it is"]]
    for name in recipes.names():
        recipe = recipes.get(name)
        rows.append([name, f"{recipe.vocab_size:,}", recipe.summary])
    print(terminal.table(rows, right=[1]))
    return 0


def _pipeline(options: argparse.Namespace) -> Pipeline:
    from ... import models
    from ...tokenizer import Tokenizer
    from ...training.anew import Anew
    from ...training.marks import MARKS

    if options.recipe:
        from ... import recipes

        return recipes.get(options.recipe)
    if options.like:
        tokenizer = inputs.load(options.like)
        kind = type(tokenizer.model).__name__
        if kind not in KINDS.values():
            raise ArgumentError(
                f"{options.like} has a {kind} model, which is trained by --sentencepiece KIND"
            )
        return Anew(tokenizer)
    unknown = getattr(options, "trainer_unk_token", None)
    kind = KINDS[options.model]
    made: Any = getattr(models, kind)
    model = made(unk_token=unknown or "[UNK]") if kind in ("WordPiece", "WordLevel") else made()
    if kind == "BPE" and unknown:
        model.unk_token = unknown
    for mark in MARKS:
        if hasattr(model, mark) and (typed := getattr(options, f"{PREFIX}{mark}")) is not None:
            setattr(model, mark, typed)
    tokenizer = Tokenizer(model)
    _set_stages(tokenizer, options)
    if tokenizer.pre_tokenizer is None:
        terminal.note(
            "note: nothing cuts the lines, so tokens may be whole lines, with their ends: add "
            f"--pre-tokenizer {FITTING[kind]}, or --pattern REGEX"
        )
    elif tokenizer.decoder is None and kind in ("BPE", "Unigram") and not options.quiet:
        marks = ", or --end-of-word-suffix '</w>'" if kind == "BPE" else ""
        terminal.note(
            "note: nothing marks where words begin, so decoding puts a blank between all tokens, within "
            f"words too: --pre-tokenizer metaspace marks it{marks}"
        )
    return Anew(tokenizer)


def _set_stages(tokenizer: Tokenizer, options: argparse.Namespace) -> None:
    from ... import decoders, normalizers, pre_tokenizers
    from ..._tessella import Regex
    from ...training.marks import MARKS, decoder_for

    def made(module: Any, known: Stages, typed: list[str] | None) -> list[Any]:
        return [getattr(module, known[name][0])(**known[name][1]) for name in typed or ()]

    stages = made(normalizers, NORMALIZERS, options.normalizer)
    if stages:
        tokenizer.normalizer = stages[0] if len(stages) == 1 else normalizers.Sequence(stages)
    names = options.pre_tokenizer or []
    stages = made(pre_tokenizers, PRE_TOKENIZERS, names)
    if options.pattern is not None:
        for stage in stages:
            if isinstance(stage, pre_tokenizers.ByteLevel):
                stage.use_regex = False
        stages.insert(0, pre_tokenizers.Split(Regex(options.pattern), "isolated"))
    if stages:
        tokenizer.pre_tokenizer = stages[0] if len(stages) == 1 else pre_tokenizers.Sequence(stages)
    prefix, suffix = (getattr(tokenizer.model, mark, None) for mark in MARKS)
    if "byte-level" in names and options.model == "bpe" and (prefix or suffix):
        raise ArgumentError(
            "--pre-tokenizer byte-level does not go with marks of parts of words: bytes that the corpus does "
            "not have in such a place would be lost. Leave the marks out: pieces begin with their blank"
        )
    spelled: Decoder | None = None
    if "byte-level" in names or "metaspace" in names:
        spelled = decoders.ByteLevel() if "byte-level" in names else decoders.Metaspace()
    tokenizer.decoder = decoder_for(tokenizer.model, spelled)


def _counted(pipeline: Pipeline, options: argparse.Namespace) -> tuple[PieceCounts, Aside]:
    """The counts, and the texts that were kept aside."""
    from ...counting import PieceCounts

    aside = Aside()
    if options.held_out:
        aside = Aside(inputs.lines([options.held_out], inputs.reading(options)))
        if not aside.texts:
            raise ArgumentError(f"--held-out {options.held_out} holds no text to measure on")
    if options.from_counts:
        counts = PieceCounts()
        for name in options.from_counts:
            counts.merge(PieceCounts.load(name))
        return counts, aside
    how = work(options)
    every = 0 if options.held_out else options.hold_out
    if options.files and not any(map(_runs_dry, options.files)):
        files = [Path(name) for name in options.files]
        counts = pipeline.count(files, hold_out=every, **how)
        if every:
            from ...counting import read_texts

            aside = Aside(read_texts(files, only_every=every, **inputs.reading(options).arguments))
        return counts, aside
    lines = inputs.lines(options.files, inputs.reading(options))
    if every:
        lines = split(lines, every, aside)
    return pipeline.count(lines, **how), aside


def _runs_dry(name: str) -> bool:
    """Whether a source can be read only once: standard input, a pipe."""
    return name == "-" or (os.path.exists(name) and not (os.path.isfile(name) or os.path.isdir(name)))


def split(texts: Any, every: int, kept: Aside) -> Any:
    """Gives all but every n-th text, which are kept."""
    for number, text in enumerate(texts, 1):
        if number % every == 0:
            kept.keep(text)
        else:
            yield text
