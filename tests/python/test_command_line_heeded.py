"""Options that nobody would heed are refused, and those that are taken do what they say."""

import json
from pathlib import Path

import pytest
import tessella
from tessella import PieceCounts
from tessella.cli import main
from tessella.cli.commands import bench


def done(typed):
    return main(typed.split())


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"low lower lowest hello, number {n}\n" for n in range(50)]
    Path("in.txt").write_text("".join(lines))
    Path("empty.txt").write_text("")
    tokenizer = tessella.recipes.get("gpt2").train(iter(lines), vocab_size=300)
    tokenizer.save("w.json")
    assert done("count in.txt --recipe gpt2 -o a.counts -q") == 0
    assert done("verify w.json --record w.golden.json") == 0
    assert done("data tokenize w.json in.txt -o tokens --no-eos -q") == 0
    return tokenizer


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("count --merge a.counts --language en", "--language says nothing to --merge"),
        ("count --merge a.counts --field body --separator x", "--field and --separator say nothing"),
        ("count in.txt --recipe gpt2 --weight 1/2", "--weight must be a whole number from 1 on"),
        ("count in.txt --recipe gpt2 --weight 0", "--weight must be a whole number from 1 on"),
        ("count --merge a.counts --weight nan", "--weight must be a whole number from 1 on"),
        (
            "train --from-counts a.counts --recipe gpt2 --vocab-size 300 -o x.json --hold-out 5",
            "--hold-out says nothing to --from-counts, which has no texts: give --held-out FILE",
        ),
        (
            "train --from-counts a.counts --recipe gpt2 --vocab-size 300 -o x.json --field body",
            "--field says nothing to --from-counts",
        ),
        (
            "train in.txt --sentencepiece bpe --vocab-size 40 -o x.model --memory 1GB",
            "--memory does not go with --sentencepiece",
        ),
        (
            "train in.txt --sentencepiece bpe --vocab-size 40 -o x.model --held-out empty.txt",
            "--held-out empty.txt holds no text to measure on",
        ),
        ("encode w.json --text low --separator x", "--separator says nothing to --text"),
        ("inspect a.counts --text low --vocab", "--text and --vocab say nothing to counts"),
        ("inspect w.json --top 3", "--top says nothing to a tokenizer"),
        ("inspect w.json --vocab --id 3", "--id says nothing to --vocab"),
        ("inspect w.json --text low --id 3", "--text says nothing to --token and --id"),
        ("explain w.json --plan --pair x", "--pair says nothing to --plan"),
        ("explain w.json --text low --field body", "--field says nothing to --text"),
        ("audit w.json --errors replace -q", "--errors says nothing without texts"),
        ("convert w.json x.json --field body", "--field says nothing without --prove FILE"),
        ("verify w.golden.json --corpus in.txt", "--corpus says nothing to golden files"),
        ("verify w.golden.json --pattern gpt2", "`pattern` is only for .tiktoken files"),
        ("verify w.json --golden w.golden.json --most 3", "--most says nothing without --corpus FILE"),
        ("verify w.json --record x.golden.json --corpus in.txt --most -1", "--most must be 1 or more"),
        ("verify w.json --record x.golden.json --corpus empty.txt", "--corpus empty.txt holds no text"),
        ("verify w.json --against tokenizers --corpus empty.txt", "--corpus empty.txt holds no text"),
        ("diff w.json w.json --field body", "--field says nothing without --corpus FILE"),
        ("diff w.json w.json --corpus in.txt empty.txt", "--corpus empty.txt holds no text to compare on"),
        ("diff w.json w.json --examples 0", "--examples must be 1 or more, found 0"),
        ("edit remove w.json x.json --token low --init mean", "--init says nothing without --model FOLDER"),
        (
            "edit prune w.json x.json --by length --longest 3 --corpus in.txt",
            "--corpus says nothing to prune --by length, except with --dry-run",
        ),
        ("data tokenize w.json in.txt -o x --no-eos --pad low", "`pad` fills up rows"),
        ("data pack tokens -o x --pad 3", "`pad` fills up rows"),
        ("data tokenize w.json in.txt -o x --no-eos --task 0 --tasks 2 --anew", "do not begin it anew"),
        ("data verify tokens --shards 7 --seed 1", "--shards and --seed say nothing without --tokenizer"),
        ("data sample tokens --pattern gpt2", "--pattern says nothing without --tokenizer"),
    ],
)
def test_an_option_that_does_nothing_is_refused(typed, told, files, capsys):
    before = sorted(Path().rglob("*"))
    assert done(typed) == 1
    shown = capsys.readouterr()
    assert told in shown.err
    assert not shown.out
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize(
    "typed",
    [
        # What is typed as it is anyway, or says that nothing is wanted.
        "train --from-counts a.counts --recipe gpt2 --vocab-size 300 -o x.json --hold-out 0 -q",
        "train --from-counts a.counts --recipe gpt2 --vocab-size 300 -o x.json --held-out in.txt "
        "--separator x -q",
        "inspect w.json --top 20",
        "verify w.json --against tokenizers --corpus in.txt --most 3 --separator x",
        "edit prune w.json x.json --by length --longest 3 --size 295 --corpus in.txt",
        "edit prune w.json --by length --longest 3 --corpus in.txt --dry-run",
        "encode w.json --text low in.txt --separator x",
    ],
)
def test_what_has_a_meaning_is_taken(typed, files):
    assert done(typed) == 0


def test_counts_that_are_merged_have_the_weight_that_was_typed(files):
    assert done("count --merge a.counts --weight 3 -o b.counts -q") == 0
    once, thrice = PieceCounts.load("a.counts"), PieceCounts.load("b.counts")
    assert thrice.items() == [(piece, 3 * count) for piece, count in once.items()]
    assert done("count --merge a.counts b.counts -o c.counts -q") == 0
    assert PieceCounts.load("c.counts").total == 4 * once.total


def test_nobody_is_told_to_hold_out_less_where_there_are_no_texts(files, capsys):
    typed = "train --from-counts a.counts --recipe gpt2 --vocab-size 300 -o x.json"
    assert done(typed) == 0
    assert "no text was kept aside to measure on: give --held-out FILE\n" in capsys.readouterr().out


def test_a_trace_that_lacks_its_beginning_says_so(files, capsys):
    from tessella.tracing import EstimateStep, Trace

    def end(step):
        # The state is saved with every round.
        if isinstance(step, EstimateStep) and step.number == 5:
            raise RuntimeError("ended")

    lines = [f"low lower, number {n} {n * 7919 % 1000}x{n * 104729 % 777}\n" for n in range(200)]
    Path("in.txt").write_text("".join(lines))
    trainer = tessella.recipes.get("t5").trainer(vocab_size=140)
    assert done("count in.txt --recipe t5 -o t5.counts -q") == 0
    with pytest.raises(tessella.errors.CustomComponentError, match="ended"):
        trainer.train_from_counts(
            PieceCounts.load("t5.counts"), checkpoint="state", trace=Trace(on_step=end, keep=False)
        )
    assert Path("state").exists()
    typed = "train --from-counts t5.counts --recipe t5 --vocab-size 140 -o x.json -q --trace t.jsonl"
    assert done(f"{typed} --checkpoint state") == 0
    told = capsys.readouterr().err
    assert "learning goes on from state: t.jsonl gets the steps from there on" in told
    assert done(typed) == 0
    assert "goes on" not in capsys.readouterr().err


def test_bench_reads_offsets_and_keeps_to_its_threads(files, capsys, monkeypatch):
    asked = []

    class Watched:
        def __init__(self, name, pattern):
            self._own = files

        def __getattr__(self, name):
            return getattr(self._own, name)

        def encode_batch(self, texts, **given):
            asked.append(given["num_threads"])
            return [Read() for _ in texts]

    class Read:
        @property
        def offsets_array(self):
            asked.append("offsets")

    monkeypatch.setattr(bench.inputs, "load", Watched)
    assert done("bench w.json in.txt --threads 1 --repeat 1 --json -q") == 0
    assert json.loads(capsys.readouterr().out)["texts"] == 50
    assert asked == [1, *["offsets"] * 50]


def test_a_golden_file_is_checked_with_the_pattern_that_it_was_recorded_with(files):
    assert done("convert w.json w.tiktoken") == 0
    assert done(r"verify w.tiktoken --pattern \w+|\W+ --record p.golden.json") == 0
    assert done("verify p.golden.json") == 1
    assert done(r"verify p.golden.json --pattern \w+|\W+") == 0
