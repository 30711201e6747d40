"""`tessella train`: what it trains from, all that it trains, and what it reports."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tessella
from at_the_shell import environment, run, tessella_command
from tessella.cli import main


def test_train_in_every_way(trained, corpus):
    run("train", "corpus.txt", "-r", "gpt2", "--vocab-size", 300, "--hold-out", 0, "-o", "a.json", "-q")
    expected = tessella.recipes.get("gpt2").train(Path("corpus.txt"), vocab_size=300).get_vocab()
    assert tessella.load("a.json").get_vocab() == expected
    out, _ = run("train", "-r", "gpt2", "--vocab-size", 300, "--hold-out", 0, "-o", "b.json", "--memory", "64MB",
                 "--save-counts", "b.counts", input="".join(corpus).encode())  # fmt: skip
    assert "b.json: 300 tokens" in out and "no text was kept aside" in out
    assert tessella.load("b.json").get_vocab() == expected
    run("train", "--from-counts", "b.counts", "-r", "gpt2", "--vocab-size", 300, "-o", "c.json")
    assert tessella.load("c.json").get_vocab() == expected
    Path("state").write_text("of something else")
    _, err = run(
        "train", "--from-counts", "b.counts", "-r", "gpt2", "--checkpoint", "state", "-o", "x.json", status=1
    )
    assert "state" in err and not Path("x.json").exists()
    out, _ = run("train", "corpus.txt", "-r", "gpt2", "--vocab-size", 300, "--hold-out", 30, "-o", "d.json")
    assert "(10 texts)" in out and "bytes per token" in out and "longest tokens: ` lowest`" in out

    out, _ = run("train", "corpus.txt", "--model", "wordpiece", "--normalizer", "bert", "--pre-tokenizer", "bert",
                 "--vocab-size", 120, "--min-frequency", 2, "--limit-alphabet", 40, "-o", "e.json")  # fmt: skip
    assert tessella.load("e.json").encode("lowest").tokens == ["lowest"]
    run(
        "train",
        "corpus.txt",
        "--model",
        "wordlevel",
        "--pre-tokenizer",
        "whitespace",
        "-s",
        "[UNK]",
        "-o",
        "f.json",
        "-q",
    )
    assert tessella.load("f.json").encode("lowest highest").tokens == ["lowest", "[UNK]"]
    run("train", "corpus.txt", "--like", "other.json", "--vocab-size", 200, "-o", "g.json", "-q")
    like = tessella.load("g.json")
    assert like.get_vocab_size() == 200
    assert str(like.pre_tokenizer) == str(tessella.load("other.json").pre_tokenizer)


def test_lines_that_nothing_cuts_are_noted(corpus, capsys):
    common = ["train", "corpus.txt", "--model", "bpe", "--vocab-size", "90", "--hold-out", "0", "-q", "-o"]
    assert main([*common, "a.json"]) == 0
    assert "add --pre-tokenizer byte-level, or --pattern REGEX" in capsys.readouterr().err
    for cutting in (["--pre-tokenizer", "whitespace"], ["--pattern", r"\w+"]):
        assert main([*common, "a.json", *cutting]) == 0
        assert capsys.readouterr().err == ""


def test_the_report_measures_on_what_was_left_out(corpus, capsys):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"text": corpus}), "corpus.parquet")
    for source, aside in ((["corpus.parquet"], 3), (["corpus.txt", "corpus.parquet"], 6)):
        for recipe in ("gpt2", "galactica"):
            train = [
                "train",
                *source,
                "-r",
                recipe,
                "--vocab-size",
                "300",
                "--hold-out",
                "100",
                "-o",
                "a.json",
            ]
            assert main([*train, "--save-counts", "a.counts"]) == 0
            assert f"that it has not seen ({aside} texts)" in capsys.readouterr().out
            number = tessella.PieceCounts.load("a.counts").get("Ġnumber")
            assert number == 100 * aside - aside


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names")
def test_a_pipe_is_read_once(corpus):
    os.mkfifo("pipe")
    with subprocess.Popen(["cp", "corpus.txt", "pipe"]):
        out, _ = run("train", "pipe", "-r", "gpt2", "--vocab-size", 300, "--hold-out", 100, "-o", "a.json")
    assert "that it has not seen (3 texts)" in out


def test_the_report_tells_each_token_apart(corpus, capsys):
    train = [
        "train",
        "corpus.txt",
        "--model",
        "unigram",
        "--pre-tokenizer",
        "metaspace",
        "--vocab-size",
        "500",
    ]
    assert main([*train, "-s", "<unk>", "--unk-token", "<unk>", "-o", "uni.json"]) == 0
    out, err = capsys.readouterr()
    (longest,) = [line for line in out.splitlines() if line.startswith("longest tokens: ")]
    shown = longest.removeprefix("longest tokens: ").split("  ")
    assert len(set(shown)) == len(shown) and any(one.startswith("`▁") for one in shown)
    rarest = [line for line in out.splitlines() if line.startswith("rarest tokens")]
    assert rarest and " 0  " not in rarest[0] + "  "
    size = tessella.load("uni.json").get_vocab_size()
    assert f"no more than {size} of the 500 tokens asked for: no candidate was left to learn" in err


@pytest.mark.parametrize("kind", ["unigram", "bpe", "word", "char"])
def test_sentencepiece_is_trained(trained, kind):
    from tessella.compat.sentencepiece import SentencePieceProcessor, SentencePieceTrainer

    command = [
        "train",
        "corpus.txt",
        "--sentencepiece",
        kind,
        "--vocab-size",
        90,
        "--hold-out",
        0,
        "-o",
        "a.model",
    ]
    flags = ["--flag", "character_coverage=0.98", "--flag", "hard_vocab_limit=false"]
    out, _ = run(*command, *flags)
    assert f"SentencePiece {kind}" in out and "no text was kept aside" in out
    options = {"vocab_size": 90, "character_coverage": 0.98, "hard_vocab_limit": False}
    SentencePieceTrainer.train(input="corpus.txt", model_prefix="b", model_type=kind, **options)
    ours, theirs = (SentencePieceProcessor(model_file=f"{name}.model") for name in "ab")
    assert ours.id_to_piece(list(range(len(ours)))) == theirs.id_to_piece(list(range(len(theirs))))
    out, _ = run(*command[:6], "--flag", "hard_vocab_limit=false", "--hold-out", 10, "-o", "c.model")
    assert "that it has not seen" in out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--recipe", "gpt2", "--model", "bpe"], "only one of --recipe and --model"),
        (["--recipe", "gpt2", "--pattern", "("], "--recipe brings its own stages: leave --pattern out"),
        (["--like", "tokenizer.json", "--normalizer", "nfc"], "--like brings its own stages"),
        (["--model", "bpe", "-o", "x.model"], "--sentencepiece unigram|bpe|word|char trains one"),
        (["--sentencepiece", "bpe", "-o", "x.json"], "writes .model files"),
        (["--sentencepiece", "bpe", "-o", "x.model", "--flag", "byte_fallback"], "must be NAME=VALUE"),
        (["--sentencepiece", "bpe", "-o", "x.model", "--flag", "input=a"], "say it with files"),
        (["--sentencepiece", "bpe", "-o", "x.model", "--flag", "vocabsize=9"], "vocabsize"),
        (["--sentencepiece", "bpe", "-o", "x.model", "-s", "<a>"], "use --flag user_defined_symbols"),
        (["--recipe", "gpt2", "--flag", "a=b"], "--flag is for --sentencepiece only"),
    ],
)
def test_what_cannot_be_trained_together(trained, options, told):
    _, err = run("train", "corpus.txt", "-o", "x.json", *options, status=1)
    assert told in err and not os.path.exists("x.model") and not os.path.exists("x.json")


@pytest.mark.parametrize("encoding", ["ascii", "ascii:surrogateescape", "cp1252"])
def test_reports_on_a_pipe_that_has_few_characters(corpus, encoding):
    # As pipes on Windows: a token that is shown does not end a training whose file is written.
    typed = ["--model", "bpe", "--pre-tokenizer", "byte-level", "--vocab-size", 300, "-o", "bpe.json"]
    typed = tessella_command("train", "corpus.txt", *typed)

    def told(encoding):
        narrow = environment(PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        out = subprocess.run(typed, capture_output=True, env=narrow, check=True, timeout=120).stdout
        return re.sub(r"in [^ ]+ \w+", "", out.decode(encoding.partition(":")[0]))

    name = encoding.partition(":")[0]
    spelled = told("utf-8").encode(name, "backslashreplace").decode(name)
    assert "\\u" in spelled
    assert told(encoding) == spelled
