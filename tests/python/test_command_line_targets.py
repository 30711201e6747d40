"""What commands write to: nothing that they read, and nothing that its name does not promise."""

import argparse
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tessella
from tessella.cli import main
from tessella.cli.command import find, names
from tessella.cli.targets import NAMING, WRITTEN


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"low lower lowest hello, number {n}\n" for n in range(120)]
    Path("in.txt").write_text("".join(lines))
    Path("rows.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    tokenizer = tessella.recipes.get("gpt2").train(iter(lines), vocab_size=300)
    tokenizer.save("w.json")
    Path("folder").mkdir()
    tokenizer.save("folder/tokenizer.json")
    Path("some.ids").write_text("1 2\n3\n")
    tessella.count_pieces(iter(lines), tokenizer).save("some.counts")
    Path("model.gguf").write_bytes(b"GGUF")
    os.symlink("in.txt", "soft.txt")
    os.link("in.txt", "hard.txt")
    return tokenizer


def told(capsys, *arguments, status=1):
    assert main([str(one) for one in arguments]) == status
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "typed",
    [
        "encode w.json --text a -o w.json",
        "encode w.json in.txt -o in.txt",
        "encode w.json in.txt -o ./in.txt",
        "encode w.json in.txt -o soft.txt",
        "encode w.json soft.txt -o in.txt",
        "encode w.json in.txt -o hard.txt",
        "encode folder --text a -o folder/tokenizer.json",
        "decode w.json some.ids -o some.ids",
        "explain w.json in.txt -o in.txt",
        "train in.txt --recipe gpt2 --vocab-size 300 -o in.txt",
        "train in.txt --like w.json --vocab-size 300 -o w.json",
        "train rows.jsonl --recipe gpt2 --vocab-size 300 --trace rows.jsonl -o n.json",
        "train in.txt --recipe gpt2 --checkpoint in.txt -o n.json",
        "train in.txt --recipe gpt2 --held-out rows.jsonl --save-counts rows.jsonl -o n.json",
        "train --from-counts some.counts --recipe gpt2 --save-counts some.counts -o n.json",
        "train in.txt --sentencepiece bpe --vocab-size 60 -o in.txt",
        "count in.txt --recipe gpt2 -o in.txt",
        "count in.txt -k w.json -o w.json",
        "count rows.jsonl --recipe gpt2 --tsv rows.jsonl",
        "count --merge some.counts -o some.counts",
        "verify w.json --record rows.jsonl --corpus rows.jsonl",
        "verify w.json --record w.json",
        "edit remove w.json o.json --token hello --map w.json",
        "edit reorder w.json in.txt --corpus in.txt",
        "edit compact w.json w.json",
        "convert w.json w.json",
        "convert folder/tokenizer.json folder --format folder",
        "convert w.json model.gguf --into model.gguf",
        "diff w.json folder --page w.json",
        "doctor w.json --mend w.json",
        "evaluate w.json in.txt -o w.json --bootstrap 0",
        "evaluate w.json in.txt --parallel en=rows.jsonl -o rows.jsonl",
        "audit w.json --html w.json",
        "report w.json -o w.json",
        "data tokenize w.json in.txt -o in.txt",
        "data pack folder -o folder",
    ],
)
def test_no_output_takes_the_place_of_an_input(typed, capsys):
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert "is the source itself (" in told(capsys, *typed.split())
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_standard_input_is_an_input_too(capsys, monkeypatch):
    with open("in.txt") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert "the source itself (standard input)" in told(capsys, "encode", "w.json", "-o", "in.txt")
        told(capsys, "encode", "w.json", "-o", "out.ids", status=0)


@pytest.mark.parametrize("typed", ["encode w.json in.txt", "explain w.json soft.txt", "inspect w.json"])
def test_standard_output_is_an_output_too(typed, capsys, monkeypatch):
    """What the shell appends to a source would be read again, for ever."""
    name = next(one for one in typed.split()[::-1] if os.path.exists(one))
    before = Path(name).read_bytes()
    with open(name, "a") as file:
        monkeypatch.setattr("sys.stdout", file)
        assert main(typed.split()) == 1
    assert "standard output goes to the source itself (" in capsys.readouterr().err
    with open(name) as read, open(name, "a") as file:
        monkeypatch.setattr("sys.stdin", read)
        monkeypatch.setattr("sys.stdout", file)
        assert main(["encode", "folder"]) == 1
    assert "(standard input)" in capsys.readouterr().err
    assert Path(name).read_bytes() == before
    with open("elsewhere", "a") as file:
        monkeypatch.setattr("sys.stdout", file)
        assert main(typed.split()) == 0
        # A command that reads no files has texts too.
        assert main(["inspect", "w.json", "--text", "low"]) == 0


@pytest.mark.parametrize(
    "typed",
    [
        "count in.txt --recipe gpt2 -o x --tsv ./x -q",
        "train in.txt --recipe gpt2 --vocab-size 300 -o x.json --trace x.json -q",
    ],
)
def test_two_outputs_are_two_files(typed, capsys):
    assert "one would overwrite the other" in told(capsys, *typed.split())
    assert not Path("x").exists() and not Path("x.json").exists()


def test_what_may_be_written_still_is(capsys):
    """Texts that are named like files, folders that hold the tokenizer, two forms of one report."""
    told(capsys, "encode", "w.json", "--text", "some.ids", "-o", "some.ids", status=0)
    told(capsys, "encode", "folder", "in.txt", "-o", "folder/in.ids", status=0)
    told(capsys, "encode", "folder", "in.txt", "-o", "folder/in.ids", status=0)
    told(capsys, "encode", "w.json", "in.txt", "-o", os.devnull, status=0)
    told(capsys, "audit", "w.json", "-q", "-o", "a.json", "-o", "a.md", "--html", "a.html", status=0)


@pytest.mark.skipif(os.name == "nt", reason="names of what a process has open")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "link"])
def test_standard_output_is_written_where_it_stands(name, capsys):
    """A file that it is redirected to is not replaced: others write to it too."""
    os.symlink("/dev/stdout", "link")
    told(capsys, "encode", "w.json", "in.txt", "-o", "right.ids", status=0)
    command = f"'{sys.executable}' -m tessella encode w.json in.txt -o {name}"
    path = os.pathsep.join([str(Path(tessella.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    for redirection in (">", ">>"):
        Path("out.txt").write_text("before\n")
        shell = f"{{ echo head; {command} && echo foot; }} {redirection} out.txt"
        subprocess.run(["sh", "-c", shell], check=True, env=environment)
        before = "before\n" if redirection == ">>" else ""
        assert Path("out.txt").read_text() == f"{before}head\n{Path('right.ids').read_text()}foot\n"


def test_devices_need_no_folder_to_write_to(capsys, monkeypatch):
    monkeypatch.setattr(os, "access", lambda name, mode: os.path.dirname(os.devnull) != str(name))
    typed = "train in.txt --recipe gpt2 --vocab-size 300 --format json -q -o"
    told(capsys, *typed.split(), os.devnull, status=0)
    if os.name != "nt":
        name = os.path.join(os.path.dirname(os.devnull), "tessella-none")
        assert "the folder cannot be written to" in told(capsys, *typed.split(), name)


def every_argument():
    def within(parser, name):
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for verb, one in action.choices.items():
                    yield from within(one, f"{name} {verb}")
            else:
                yield name, action

    for name in names():
        yield from within(find(name).parser(), name)


def test_every_option_that_names_files_is_known():
    """An option that is added is guarded, or this says that it is not."""
    others = {
        "ACTION",
        "DIR",
        "FILE=TAG",
        "I",
        "ID",
        "LANGUAGE",
        "N",
        "NAME",
        "NAME=VALUE",
        "REGEX",
        "SEED",
        "SHARE",
    }
    others |= {"SIZE", "TAG", "TEXT", "TOKEN", "VERB", "W", "X"}
    # What argparse would write by itself.
    others |= {"DEDUP", "DTYPE", "HOST", "IDS", "PATTERN"}
    writing = ("write ", "save ", "where to save", "where the model goes", "the folder of the results")
    for command, action in every_argument():
        if action.metavar in NAMING:
            if (action.help or "").startswith(writing):
                assert action.dest in WRITTEN, (command, action.dest)
        elif action.metavar is not None:
            assert action.metavar in others, (command, action.dest)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("encode w.json in.txt -o out.zst", "`| zstd > out.zst`"),
        ("encode w.json in.txt -o out.parquet", "promises Parquet, but ids are written: "),
        ("encode w.json in.txt -f ids -o out.jsonl", "promises lines of JSON, but ids are written"),
        ("encode w.json in.txt -f tokens -o out.ids", "such as out.txt"),
        ("encode w.json in.txt -f jsonl -o out.ids.gz", "such as out.jsonl"),
        ("decode w.json some.ids -o out.xz", "`| xz > out.xz`"),
        ("decode w.json some.ids -o out.parquet", "such as out.txt"),
        ("explain w.json -t a --json -o out.html", "promises a page"),
        ("explain w.json -t a --html -o out.txt", "such as out.html"),
        ("count in.txt -r gpt2 -o out.json", "name it out.counts, or write lines with --tsv out.tsv"),
        ("count in.txt -r gpt2 -o out.gz", "promises gzip"),
        ("count in.txt -r gpt2 --tsv out.tsv.gz", "promises gzip"),
        ("train in.txt -r gpt2 -o x.json --trace out.gz", "name it .jsonl"),
        ("train in.txt -r gpt2 -o x.json --save-counts out.json", "name it .counts"),
        ("diff w.json folder --page out.md", "promises Markdown"),
    ],
)
def test_an_ending_is_a_promise(typed, message, capsys):
    assert message in told(capsys, *typed.split())
    assert not list(Path().glob("out*")) and not Path("x.json").exists()


def test_what_is_packed_is_packed(files, capsys):
    told(capsys, "encode", "w.json", "in.txt", "-o", "plain", status=0)
    told(capsys, "encode", "w.json", "in.txt", "-o", "out.ids.gz", status=0)
    assert gzip.decompress(Path("out.ids.gz").read_bytes()) == Path("plain").read_bytes()
    packed = Path("out.ids.gz").read_bytes()
    told(capsys, "encode", "w.json", "in.txt", "-o", "again.gz", status=0)
    assert Path("again.gz").read_bytes() == packed
    told(capsys, "decode", "w.json", "out.ids.gz", "-o", "out.TXT.GZ", status=0)
    assert gzip.decompress(Path("out.TXT.GZ").read_bytes()) == Path("in.txt").read_bytes()
    Path("bad.txt").write_bytes(b"good\n\xff\n")
    told(capsys, "encode", "w.json", "bad.txt", "-o", "bad.gz")
    assert not Path("bad.gz").exists()


def test_the_ending_decides_the_format(files, capsys):
    told(capsys, "encode", "w.json", "-t", "low", "-o", "out.jsonl", status=0)
    assert json.loads(Path("out.jsonl").read_text())["ids"] == files.encode("low").ids
    told(capsys, "encode", "w.json", "-t", "low", "-o", "out.jsonl.gz", status=0)
    assert gzip.decompress(Path("out.jsonl.gz").read_bytes()) == Path("out.jsonl").read_bytes()
    told(capsys, "decode", "w.json", "out.jsonl", "-o", "texts.jsonl", status=0)
    told(capsys, "encode", "w.json", "texts.jsonl", "-o", "same.jsonl", status=0)
    assert Path("same.jsonl").read_bytes() == Path("out.jsonl").read_bytes()
    told(capsys, "explain", "w.json", "-t", "low", "-o", "page.html", status=0)
    assert Path("page.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    "typed",
    [
        "count in.txt --recipe gpt2 -o -",
        "train in.txt --recipe gpt2 --vocab-size 300 -o -",
        "train in.txt --recipe gpt2 --vocab-size 300 -o t.json --trace -",
        "convert w.json -",
        "edit pad w.json - --multiple 8",
        "edit pad w.json p.json --multiple 8 --map -",
        "verify w.json --record -",
        "data tokenize w.json in.txt --no-eos -o -",
        "evaluate w.json in.txt --output -",
    ],
)
def test_what_is_a_file_of_its_own_is_not_called_standard_output(typed, capsys):
    before = sorted(os.listdir())
    assert "is -, which stands for standard output" in told(capsys, *typed.split())
    assert sorted(os.listdir()) == before


def test_a_dash_is_standard_output(capfdbinary):
    assert main(["encode", "w.json", "-t", "low", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.strip().isdigit()
    Path("few.txt").write_text("low low hello\n")
    assert main(["count", "few.txt", "--recipe", "gpt2", "--tsv", "few.tsv"]) == 0
    capfdbinary.readouterr()
    assert main(["count", "few.txt", "--recipe", "gpt2", "--tsv", "-"]) == 0
    assert capfdbinary.readouterr().out == Path("few.tsv").read_bytes() != b""
    assert main(["count", "few.txt", "--recipe", "gpt2", "--tsv", "-", "--top", "3"]) == 1
    assert b"leave out --top" in capfdbinary.readouterr().err
