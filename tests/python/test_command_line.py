"""The command line, as people type it: in processes of its own, and once on a real terminal."""

import gzip
import io
import json
import os
import re
import select
import shlex
import shutil
import stat
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest
import tessella
from at_the_shell import environment, run, tessella_command
from tessella.cli import main
from tessella.cli.command import find, names
from tessella.compat import sentencepiece


def test_help_of_everything():
    overview, _ = run("--help")
    for name in names():
        assert re.search(rf"^  {name} +\w", overview, re.MULTILINE), name
        assert find(name).summary.endswith("."), name
    assert run("--version")[0] == f"tessella {tessella.__version__}\n"
    out, _ = run(status=2)
    assert out == overview


@pytest.mark.parametrize("name", names())
def test_every_example_in_help_runs(name, trained, tmp_path):
    text = find(name).parser().format_help().replace("\\\n", " ")
    examples = re.findall(r"^  \$ (.*)$", text, re.MULTILINE)
    assert examples, f"`tessella {name} --help` gives no example"
    if os.name == "nt" or shutil.which("bash") is None:
        pytest.skip("examples are written for a POSIX shell")
    tool = tmp_path / "bin" / "tessella"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m tessella "$@"\n')
    tool.chmod(0o755)
    path = os.pathsep.join([str(tool.parent), os.environ["PATH"]])
    if name == "demo":
        # It takes some seconds and is run by `make demo`.
        return
    if name in ("serve", "studio"):
        # They run until they are told to end; their own tests start them.
        for example in examples:
            find(name).parser().parse_args(shlex.split(example)[2:])
        return
    if name == "report":
        run("evaluate", "tokenizer.json", "other.json", "corpus.txt", "--output", "report.json", "--quiet")
    script = "set -e\n" + "\n".join(f"echo '$ next'\n{example}" for example in examples)
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment(PATH=path), timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    outputs = done.stdout.split("$ next\n")[1:]
    assert len(outputs) == len(examples)
    for example, output in zip(examples, outputs, strict=True):
        is_quiet = any(option in example for option in (" -o ", " --output ", "--tsv"))
        assert output or is_quiet, f"{example} prints nothing"


def test_rows_without_a_text_have_no_line_and_that_is_told(trained, corpus):
    rows = [{"text": corpus[0]}, {"text": None}, {"text": corpus[1]}, {"text": None}]
    Path("rows.jsonl").write_text("\n\n".join(map(json.dumps, rows)) + "\n\n")
    expected, _ = run("encode", "tokenizer.json", "-t", corpus[0], "-t", corpus[1])
    told = "2 rows hold null instead of a text and have no line in the output"
    assert run("encode", "tokenizer.json", "rows.jsonl") == (expected, f"{told}\n")
    piped = Path("rows.jsonl").read_bytes()
    assert run("encode", "tokenizer.json", "--input", "jsonl", input=piped) == (expected, f"{told}\n")
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = {"text": [row["text"] for row in rows[:3]]}
    parquet.write_table(pyarrow.table(table, pyarrow.schema([("text", pyarrow.string())])), "rows.parquet")
    told = "1 row holds null instead of a text and has no line in the output"
    assert run("encode", "tokenizer.json", "rows.parquet") == (expected, f"{told}\n")
    assert run("encode", "tokenizer.json", "corpus.txt")[1] == ""


def test_encode_and_decode_are_inverse(trained, corpus):
    ids, _ = run("encode", "tokenizer.json", "corpus.txt")
    assert ids == Path("corpus.ids").read_text()
    text, _ = run("decode", "tokenizer.json", input=ids.encode())
    assert text == "".join(corpus)
    Path("corpus.txt.gz").write_bytes(gzip.compress(Path("corpus.txt").read_bytes()))
    run("encode", "tokenizer.json", "corpus.txt.gz", "-o", "packed.ids")
    assert Path("packed.ids").read_text() == ids
    rows, _ = run("encode", "tokenizer.json", "corpus.txt", "--format", "jsonl")
    first = json.loads(rows.splitlines()[0])
    encoding = trained.encode(corpus[0].rstrip("\n"))
    assert first == {
        "ids": encoding.ids,
        "tokens": encoding.tokens,
        "offsets": [list(pair) for pair in encoding.offsets],
    }
    assert run("decode", "tokenizer.json", input=rows.encode())[0] == text
    counts, _ = run("encode", "tokenizer.json", "-t", "low lower", "-t", "", "--format", "count")
    assert counts == "2\n0\n"
    # Carriage returns belong to the line's end; the rest of a line is left alone.
    assert run("encode", "tokenizer.json", "-f", "tokens", input=b"low\r\n lower \n")[0] == "low\nĠlower│Ġ\n"
    assert (
        run("decode", "tokenizer.json", "--json", "--ids", ids.split("\n")[0])[0]
        == json.dumps(corpus[0].rstrip("\n"), ensure_ascii=False) + "\n"
    )


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


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["trian"], 2, "there is no command `trian`: did you mean `train`?"),
        (["--frobnicate"], 2, "there is no option `--frobnicate`"),
        (["encode"], 2, "the following arguments are required: TOKENIZER"),
        (["encode", "missing.json", "corpus.txt"], 1, "missing.json: no such file or directory"),
        (["encode", "tokenizer.json", "missing.txt"], 1, "missing.txt: no such file or directory"),
        (["encode", "corpus.txt", "corpus.txt"], 1, "error:"),
        (["encode", "tokenizer.json", "bad.txt"], 1, "bad.txt is not UTF-8: 0xff at byte 5, line 2"),
        (["decode", "tokenizer.json", "corpus.txt"], 1, "expected ids such as `3 14 15`"),
        (["decode", "tokenizer.json", "--ids", "1 99999"], 1, "the vocabulary has no id 99999"),
        (["decode", "tokenizer.json", "--ids", "1 99999", "--skip-unknown-ids"], 0, ""),
        (["inspect", "tokenizer.json", "--token", "nope"], 1, "the vocabulary has no token `nope`"),
        (["inspect", "tokenizer.json", "--token", " number"], 1, "the text is spelled `Ġnumber` there"),
        (["count", "corpus.txt"], 1, "--tokenizer FILE or --recipe NAME"),
        (["count", ".", "-r", "gpt2"], 1, "is a directory; folders are not walked: pass the files in it"),
        (["count", "empty.txt", "-r", "gpt2"], 1, "the corpus holds no pieces: 0 texts were read\n"),
        (["count", "bad.txt", "-r", "gpt2"], 1, "--errors replace"),
        (["count", "bad.jsonl", "-r", "gpt2"], 1, "(at bad.jsonl, line 2, column 10)"),
        (
            ["train", "corpus.txt", "-r", "gpt2", "--held-out", "empty.txt", "-o", "x.json"],
            1,
            "--held-out empty.txt holds no text to measure on",
        ),
        (["train", "corpus.txt", "-r", "gpt2", "--hold-out", "-1", "-o", "x.json"], 1, "0 or more, found -1"),
        (["train", "corpus.txt", "-r", "gpt2", "--checkpoint", "no/k", "-o", "x.json"], 1, "no such folder"),
        (
            ["train", "corpus.txt", "-r", "gpt2", "--vocab-size", "256", "-o", "x.json"],
            1,
            "Ask for 257 or more",
        ),
        (
            ["train", "corpus.txt", "--model", "wordlevel", "--forced-token", "a", "-o", "x.json"],
            1,
            "--forced-token is an option of BPE",
        ),
        (["count", "corpus.txt", "-r", "gpt3"], 1, "there is no recipe 'gpt3'"),
        (["train", "corpus.txt"], 1, "one of --recipe NAME, --like TOKENIZER, --model KIND"),
        (["train", "corpus.txt", "-r", "gpt2"], 1, "say where to save"),
        (["train", "corpus.txt", "-r", "gpt2", "-o", "no/where.json"], 1, "no such folder"),
        (
            ["train", "corpus.txt", "--model", "wordlevel", "--seed-size", "5", "-o", "x.json"],
            1,
            "--seed-size is an option of Unigram, but a WordLevel model is trained",
        ),
        (["compare", "corpus.txt"], 1, "name at least one tokenizer"),
        (["convert", "tokenizer.json", "x.model"], 1, "error:"),
        (["convert", "tokenizer.json", "no/where.json"], 1, "no: no such folder"),
        (["encode", "tokenizer.json", "-t", "a", "-o", "."], 1, "error: writing . failed: it is a folder"),
        (["encode", "tokenizer.json", "-t", "a", "-o", "no/where"], 1, "no/where: no such file or directory"),
    ],
)
def test_mistakes_are_explained(arguments, status, message, trained, capsys):
    Path("bad.txt").write_bytes(b"good\n\xff\n")
    Path("empty.txt").write_bytes(b"")
    Path("bad.jsonl").write_text('{"text": "good"}\n{"text": \n')
    assert main(arguments) == status
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) <= 3 or status == 2
    assert "required: TOKENIZER, FILE" not in err


@pytest.mark.parametrize(
    ("arguments", "error", "usage"),
    [
        (
            ["train", "--vocab-sise", "5"],
            "there is no option `--vocab-sise`; did you mean '--vocab-size'?",
            "[FILE ...]",
        ),
        (
            ["train", "--vocab-sise=5"],
            "there is no option `--vocab-sise`; did you mean '--vocab-size'?",
            "[FILE ...]",
        ),
        (["encode", "t.json", "--threads", "x"], "invalid int value: 'x'", "TOKENIZER [FILE ...]"),
        (["convert"], "required: SOURCE, TARGET", "SOURCE TARGET"),
    ],
)
def test_a_wrong_option_is_told_first(arguments, error, usage, capsys):
    assert main(arguments) == 2
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.startswith("error: ") and error in first
    assert second == f"usage: tessella {arguments[0]} [OPTIONS] {usage}"
    assert third == f"see tessella {arguments[0]} --help"


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


def test_what_is_known_of_a_token(trained, capsys):
    def known(*arguments):
        assert main(["inspect", *arguments]) == 0
        return capsys.readouterr().out

    out = known("tokenizer.json", "--token", "Ġlowest", "--token", "<|endoftext|>")
    merge = json.loads(Path("tokenizer.json").read_text())["model"]["merges"].index(["Ġlow", "est"])
    for line in (r"text +` lowest`", r"bytes +20 6c 6f 77 65 73 74", r"type +model", r"type +special"):
        assert re.search(rf"^{line}$", out, re.MULTILINE), line
    assert f"`Ġlow` + `est`, rank {merge} of " in out
    assert "merging begins with it" in known("tokenizer.json", "--token", "l")
    out = known("other.json", "--token", "##r")
    assert re.search(r"^text +`r`$", out, re.MULTILINE) and "bytes  72" in out
    unigram = tessella.Tokenizer(tessella.models.Unigram([("<unk>", 0.0), ("▁a", -1.5)], 0))
    unigram.decoder = tessella.decoders.Metaspace()
    unigram.save("unigram.json")
    out = known("unigram.json", "--id", "1")
    assert re.search(r"^score +-1.5 ", out, re.MULTILINE) and "bytes  20 61" in out
    model = io.BytesIO()
    sentences = [line.strip() for line in Path("corpus.txt").read_text(encoding="utf-8").splitlines()]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=model, vocab_size=60, hard_vocab_limit=False
    )
    Path("own.model").write_bytes(model.getvalue())
    out = known("own.model", "--id", "1", "--id", "40")
    score = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).get_score(40)
    assert re.search(r"^piece +control$", out, re.MULTILINE) and f"{score:.6g}" in out


def test_every_format_has_the_ids_of_whole_texts(trained, capsys):
    """A file that asks for truncation and padding asks those who call `encode`."""
    trained.enable_truncation(2)
    trained.enable_padding(length=6)
    trained.save("cut.json")
    texts = ["low lower lowest newer", "low"]
    expected = trained.encode_ids_batch(texts).tolist()
    given = [part for text in texts for part in ("--text", text)]
    for form, read in (
        ("ids", lambda line: list(map(int, line.split()))),
        ("jsonl", lambda line: json.loads(line)["ids"]),
        ("tokens", lambda line: [trained.token_to_id(token) for token in line.split("│")]),
    ):
        assert main(["encode", "cut.json", *given, "--format", form]) == 0
        assert [read(line) for line in capsys.readouterr().out.splitlines()] == expected, form


def test_a_text_is_followed_as_encode_leads_it(trained, capsys):
    """Added tokens are no text to the stages, and a file's padding is no part of the way."""
    trained.normalizer = tessella.normalizers.Lowercase()
    trained.add_special_tokens(["[MASK]"])
    trained.enable_padding(length=30)
    trained.save("masked.json")
    assert main(["inspect", "masked.json", "--text", "LOW[MASK] lower"]) == 0
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert told["normalized"] == "`low[MASK] lower`"
    assert told["pieces"] == "low│[MASK]│Ġlower" == told["tokens"]


def test_words_are_compared_to_the_byte(trained, tmp_path, capsys):
    """A character of two tokens and one of a single token are cut differently, though both are one stretch."""
    bytes = tessella.recipes.get("gpt2").train(["low"], vocab_size=258)
    bytes.save("bytes.json")
    letters = tessella.Tokenizer(tessella.models.BPE({"é": 0, "a": 1, " ": 2}, []))
    letters.save("letters.json")
    Path("words.txt").write_text("a é aé a\n", encoding="utf-8")
    assert main(["compare", "bytes.json", "letters.json", "words.txt"]) == 0
    out = capsys.readouterr().out
    assert "cut alike: 50.0% of the words" in out
    assert re.search(r"1 +é│‥ +é\n", out) and re.search(r"1 +a│é│‥ +a│é\n", out)


def test_threads_are_those_of_every_output(trained, capsys):
    for form in ("ids", "tokens", "jsonl", "count"):
        command = ["encode", "tokenizer.json", "corpus.txt", "-f", form, "--threads"]
        outputs = set()
        for threads in ("1", "3"):
            assert main([*command, threads, "-o", f"out{threads}"]) == 0
            outputs.add(Path(f"out{threads}").read_bytes())
        assert len(outputs) == 1
        assert main([*command, "-1"]) == 1
        assert "`num_threads` must be from 0" in capsys.readouterr().err


def test_standard_input_that_is_empty_or_broken(trained):
    _, err = run("count", "-r", "gpt2", "--input", "jsonl", input=b'{"text": "a"}\n{"text": \n', status=1)
    assert "invalid JSON" in err and "(at standard input, line 2, column 10)" in err
    assert run("encode", "tokenizer.json", input=b"") == ("", "")
    _, err = run("count", "-r", "gpt2", input=b"", status=1)
    assert "holds no pieces" in err
    _, err = run("encode", "tokenizer.json", input=b"low\nb\xc3\xa9d \xff\n", status=1)
    assert "standard input is not UTF-8: 0xff at byte 9, line 2" in err
    out, _ = run("encode", "tokenizer.json", "--errors", "replace", "-f", "tokens", input=b"low \xff\n")
    assert out.startswith("low│")
    _, err = run("encode", "tokenizer.json", "--input", "jsonl", input=b'{"body": 1}\n', status=1)
    assert "no `text`, it has `body`" in err and "(at standard input, line 1)" in err


def test_nothing_is_written_by_a_failed_run(trained):
    Path("bad.txt").write_bytes(b"low\n" * 1000 + b"\xff\n")
    Path("out.ids").write_text("older")
    before = sorted(os.listdir())
    run("encode", "tokenizer.json", "bad.txt", "-o", "out.ids", status=1)
    run("convert", "tokenizer.json", "other.model", status=1)
    assert Path("out.ids").read_text() == "older" and sorted(os.listdir()) == before


def test_colours_heed_what_people_want(trained):
    compare = ("compare", "tokenizer.json", "-t", "low lower")
    assert "\x1b[" not in run(*compare)[0]
    assert "\x1b[48;5;" in run(*compare, env={"FORCE_COLOR": "1"})[0]
    assert "\x1b[" not in run(*compare, env={"FORCE_COLOR": "1", "NO_COLOR": "1"})[0]


@pytest.mark.parametrize("cached", [False, True])
def test_a_mistyped_name_is_told_soon(cached, monkeypatch, capsys, tmp_path):
    """One question to the hub, which is not asked again; a cached copy needs no answer."""
    monkeypatch.chdir(tmp_path)
    asked = []

    def get_hf_file_metadata(url, timeout):
        asked.append((url, timeout))
        raise OSError("nobody answers")

    def snapshot_download(name, local_files_only, **_):
        if not local_files_only:
            asked.append(name)
        raise OSError("and nobody sends")

    hub = types.ModuleType("huggingface_hub")
    hub.hf_hub_url = "{}/{}".format
    hub.get_hf_file_metadata, hub.snapshot_download = get_hf_file_metadata, snapshot_download
    hub.try_to_load_from_cache = lambda *_: "a path" if cached else None
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    Path("tokenizers").mkdir()
    assert main(["inspect", "tokenizer"]) == 1
    err = capsys.readouterr().err
    if cached:
        assert asked == ["tokenizer"]
        return
    assert asked == [("tokenizer/tokenizer.json", 5)]
    assert "there is no file or folder `tokenizer` (did you mean tokenizer" in err and "nobody answers" in err


def test_compare_measures(trained, corpus):
    out, _ = run("compare", "tokenizer.json", "other.json", "corpus.txt", "--json")
    first, second = json.loads(out)
    size = sum(len(line.rstrip("\n").encode()) for line in corpus)
    assert first["bytes"] == second["bytes"] == size
    tokens = sum(len(trained.encode(line.rstrip("\n"), add_special_tokens=False)) for line in corpus)
    assert first["tokens"] == tokens and first["vocab"] == 350 and first["unknown"] == 0
    assert first["words"] == sum(len(line.split()) for line in corpus)
    out, _ = run("compare", "tokenizer.json", "other.json", "corpus.txt")
    assert "cut alike" in out


def test_convert_gives_the_same_tokenizer(trained):
    _, err = run("convert", "tokenizer.json", "new/folder", "--format", "folder", status=1)
    assert "new: no such folder" in err and not Path("new").exists()
    Path("new").mkdir()
    out, _ = run("convert", "tokenizer.json", "new/folder", "--format", "folder")
    assert "350 tokens, same ids on" in out
    assert tessella.load("new/folder").get_vocab() == trained.get_vocab()
    _, err = run("convert", "tokenizer.json", "ranks.tiktoken")
    assert "ranks.tiktoken.json" in err
    Path("empty").mkdir()
    _, err = run("convert", "other.json", "empty/ranks.tiktoken", status=1)
    assert "error:" in err and os.listdir("empty") == []


def test_convert_again_and_again_into_a_folder(trained):
    """The files of the folder are replaced, also those of folders in it."""
    source = tessella.load("tokenizer.json")
    source.chat_template = "{{ messages }}"
    source._chat_templates = (("tool_use", "{{ tools }}"),)
    source.save_folder("source")
    Path("target").mkdir()
    Path("target/notes.txt").write_text("mine")
    for _ in range(3):
        run("convert", "source", "target", "--format", "folder")
        found = {str(path.relative_to("target")) for path in Path("target").rglob("*") if path.is_file()}
        expected = {str(path.relative_to("source")) for path in Path("source").rglob("*") if path.is_file()}
        assert found == {*expected, "notes.txt"}
    assert any("additional_chat_templates" in name for name in found)
    assert tessella.load("target").get_vocab() == trained.get_vocab()


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_outputs_keep_the_permissions_of_what_they_replace(trained):
    for arguments in (
        ["encode", "tokenizer.json", "-t", "low", "-o"],
        ["convert", "tokenizer.json"],
        ["decode", "tokenizer.json", "--ids", "1", "-o"],
    ):
        Path("private").touch(0o600)
        assert main([*arguments, "private"]) == 0
        assert stat.S_IMODE(os.stat("private").st_mode) == 0o600
        os.remove("private")
        umask = os.umask(0o027)
        try:
            assert main([*arguments, "private"]) == 0
        finally:
            os.umask(umask)
        assert stat.S_IMODE(os.stat("private").st_mode) == 0o640
        os.remove("private")


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_on_a_real_terminal(trained):
    """A bar while it works, colours, and nothing of both in what is piped."""
    import pty

    screen, terminal = pty.openpty()
    command = tessella_command("train", "corpus.txt", "-r", "gpt2", "--vocab-size", 320, "-o", "tty.json")
    job = subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment(TERM="xterm", COLUMNS="90")
    )
    os.close(terminal)
    seen = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        ready, _, _ = select.select([screen], [], [], 0.2)
        if ready:
            try:
                portion = os.read(screen, 65536)
            except OSError:
                break
            if not portion:
                break
            seen += portion
        elif job.poll() is not None:
            break
    os.close(screen)
    assert job.wait(timeout=10) == 0
    text = seen.decode()
    assert "█" in text and "\r" in text and "/s" in text
    assert "\x1b[1mtty.json\x1b[0m: 320 tokens" in text


def test_completion(trained):
    for shell in ("bash", "zsh", "fish"):
        out, _ = run("completion", shell)
        for name in names():
            assert name in out
        assert "--recipe" in out or "-l recipe" in out
        if shutil.which(shell):
            subprocess.run([shell, "-n"], input=out.encode(), check=True)
    if shutil.which("bash") is None:
        pytest.skip("no bash to complete in")
    out, _ = run("completion", "bash")

    def complete(*words):
        given = " ".join(shlex.quote(word) for word in words)
        script = (
            f"{out}\nCOMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; _tessella; echo ${{COMPREPLY[@]}}"
        )
        return subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, check=True
        ).stdout.split()

    assert complete("tessella", "enc") == ["encode"]
    assert complete("tessella", "train", "--vocab") == ["--vocab-size"]
    assert complete("tessella", "train", "--recipe", "llama") == ["llama2", "llama3"]
    assert complete("tessella", "completion", "f") == ["fish"]


def test_one_file_registers_a_command(tmp_path, monkeypatch, capsys):
    from tessella.cli import commands

    (tmp_path / "say_hello.py").write_text(
        '"""Say hello."""\n'
        "def arguments(parser):\n"
        "    parser.add_argument('--loud', action='store_true')\n"
        "def run(options):\n"
        "    print('HELLO' if options.loud else 'hello')\n"
        "    return 3\n"
    )
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    assert "say-hello" in names()
    assert main(["say-hello", "--loud"]) == 3
    assert capsys.readouterr().out == "HELLO\n"


def test_texts_of_json_lines_keep_their_line_ends(trained):
    texts = ["low\n", "low\r\n\n", "", "low"]
    rows = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    Path("rows.jsonl").write_bytes(rows)
    tokenizer = tessella.load("tokenizer.json")
    expected = "".join(" ".join(map(str, tokenizer.encode(text).ids)) + "\n" for text in texts)
    assert run("encode", "tokenizer.json", "rows.jsonl")[0] == expected
    # A mark of the byte order is not JSON, and many programs write one.
    marked = b"\xef\xbb\xbf" + rows
    assert run("encode", "tokenizer.json", "--input", "jsonl", input=marked)[0] == expected
    Path("lines.txt").write_bytes(b"low\r\nlow")
    both = run("encode", "tokenizer.json", "lines.txt", "rows.jsonl")[0]
    assert both == 2 * expected.splitlines(keepends=True)[-1] + expected


@pytest.mark.parametrize("value", ["5", '["low"]', "{}", "true"])
def test_texts_of_json_lines_are_strings(trained, value):
    row = f'{{"text": {value}}}\n'.encode()
    Path("rows.jsonl").write_bytes(row)
    for error in (
        run("encode", "tokenizer.json", "rows.jsonl", status=1)[1],
        run("encode", "tokenizer.json", "--input", "jsonl", input=row, status=1)[1],
    ):
        assert "line 1" in error and "`text`" in error


def test_json_that_is_nested_too_deeply_is_an_error(trained):
    deep = b"[" * 100_000
    assert "line 1" in run("decode", "tokenizer.json", input=deep, status=1)[1]
    assert "line 1" in run("encode", "tokenizer.json", "--input", "jsonl", input=deep, status=1)[1]


def test_closed_outputs(trained):
    def closing(stream, *arguments):
        script = f"exec {shlex.join(tessella_command(*arguments))} {stream}>&-"
        return subprocess.run(["sh", "-c", script], capture_output=True, env=environment(), timeout=120)

    done = closing(1, "encode", "tokenizer.json", "--text", "low")
    assert done.returncode == 1 and b"no standard output" in done.stderr and b"Traceback" not in done.stderr
    for arguments in (["--version"], ["inspect", "tokenizer.json"]):
        done = closing(1, *arguments)
        assert (done.returncode, done.stderr) == (0, b"")
    # Errors do not turn up among the results.
    done = closing(2, "decode", "tokenizer.json", "--ids", "x")
    assert (done.returncode, done.stdout) == (1, b"")


def test_results_do_not_take_the_place_of_sources_and_pipes(trained):
    before = Path("tokenizer.json").read_bytes()
    os.symlink("tokenizer.json", "link.json")
    for target in ("tokenizer.json", "link.json"):
        assert "the source itself" in run("convert", "tokenizer.json", target, status=1)[1]
    assert Path("tokenizer.json").read_bytes() == before and Path("link.json").is_symlink()
    os.mkfifo("pipe")
    assert "no ordinary file" in run("convert", "tokenizer.json", "pipe", status=1)[1]
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        run("encode", "tokenizer.json", "--text", "low", "--output", "pipe")
        assert (
            reader.communicate(timeout=60)[0] == run("encode", "tokenizer.json", "--text", "low")[0].encode()
        )
    assert Path("pipe").is_fifo()


def test_explain_tells_every_text(trained):
    out, _ = run("explain", "tokenizer.json", "--text", "lower", "--text", "low")
    assert out.count("model BPE") == 2 and "rank" in out and "\x1b" not in out
    out, _ = run("explain", "tokenizer.json", "--json", input=b"low lower\nlowest\n")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["ids"] for row in rows] == [trained.encode(text).ids for text in ("low lower", "lowest")]
    run("explain", "tokenizer.json", "--text", "<b>", "--html", "-o", "page.html")
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>") and "&lt;" in page and "<b>" not in page
    plan, _ = run("explain", "tokenizer.json", "--plan")
    assert plan.splitlines()[0].split() == ["stage", "engine", "why"] and "model" in plan
    steps = json.loads(run("explain", "tokenizer.json", "--plan", "--json")[0])
    assert len(steps) == len(trained.explain_plan())
    for wrong, told in (
        (["--n-best", "0"], "--n-best must be 1 or more"),
        (["--plan", "--text", "a"], "leave texts"),
    ):
        assert told in run("explain", "tokenizer.json", *wrong, status=1)[1]
    _, err = run("explain", "tokenizer.json", input=b"", status=1)
    assert "the input is empty" in err


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
