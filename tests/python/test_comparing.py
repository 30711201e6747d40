"""`tessella compare` and `bench`: over all of the text, file by file, words where they stand."""

import gzip
import json
import os
from pathlib import Path

import pytest
from tessella import Tokenizer, decoders, models, normalizers, pre_tokenizers
from tessella.cli import main


def marked():
    """A tokenizer of words with a mark before them, as Llama's: there is no blank between marks and words."""
    words = ["low", "lower", "new"]
    vocab = {
        token: place for place, token in enumerate(["<unk>", "▁", *map("▁{}".format, words), *"lowernigh"])
    }
    merges = []
    for word in words:
        made = "▁"
        for letter in word:
            if made + letter not in vocab:
                vocab[made + letter] = len(vocab)
            if (made, letter) not in merges:
                merges.append((made, letter))
            made += letter
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    marked().save("marked.json")
    words = Tokenizer(models.WordLevel({"low": 0, "new": 1, "?": 2}, "?"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.save("words.json")
    Path("a.txt").write_text("low lower high\n", encoding="utf-8")
    with gzip.open("b.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"text": "new\nlow low"}) + "\n")


def compared(capsys, *arguments):
    assert main(["compare", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_words_are_single_where_they_stand(files, capsys):
    """Once a blank was put before each word, and a tokenizer that marks blanks had none that was one token."""
    marked, words = compared(capsys, "marked.json", "words.json", "a.txt")
    assert marked["single"] == 2 / 3
    assert words["single"] == 1 / 3 and words["unknown"] == 2
    assert marked["words"] == 3 and marked["bytes"] == 14


def test_files_are_told_apart_and_added_up(files, capsys):
    marked, words = compared(capsys, "marked.json", "words.json", "a.txt", "b.jsonl.gz")
    assert [one["file"] for one in words["files"]] == ["a.txt", "b.jsonl.gz"]
    assert [one["tokens"] for one in words["files"]] == [3, 3] and words["tokens"] == 6
    assert [one["single"] for one in words["files"]] == [1 / 3, 1.0] and words["single"] == 4 / 6
    assert [one["words"] for one in marked["files"]] == [3, 3]
    assert not words["is_part"]
    assert main(["compare", "marked.json", "words.json", "a.txt", "b.jsonl.gz"]) == 0
    out = capsys.readouterr().out
    heads = [line for line in out.splitlines() if line.startswith(("a.txt", "b.jsonl", "total"))]
    assert heads == ["a.txt (14 B, 3 words)", "b.jsonl.gz (11 B, 3 words)", "total (25 B, 6 words)"]
    # "high", and "low" behind a line end, have parts for one only: the other takes them as a whole.
    assert "cut alike: 66.7% of the words" in out and "h│i│g│h" in out and "l│o│w" in out


def test_all_of_the_text_is_looked_at(files, capsys):
    """Once it was the first 16 MiB of all files together, without a word about it."""
    with open("large.txt", "w", encoding="utf-8") as file:
        for _ in range(18):
            file.write(("low " * 250 + "\n") * 1000)
    (words,) = compared(capsys, "words.json", "large.txt", "a.txt")
    assert [one["words"] for one in words["files"]] == [18 * 250 * 1000, 3]
    (words,) = compared(capsys, "words.json", "large.txt", "a.txt", "--sample", "10kB")
    assert [one["is_part"] for one in words["files"]] == [True, False] and words["is_part"]
    assert 9_000 < words["files"][0]["bytes"] < 11_000
    assert main(["compare", "words.json", "large.txt", "a.txt", "--sample", "10kB"]) == 0
    assert "large.txt (the first part, --sample 10kB: " in capsys.readouterr().out
    assert main(["compare", "words.json", "a.txt", "--sample", "many"]) == 1
    assert "`--sample` must be bytes or a text like" in capsys.readouterr().err


def test_other_commands_say_what_they_read(files, capsys):
    with open("large.txt", "w", encoding="utf-8") as file:
        file.write("low new\n" * 20_000)
    for more, is_part in (([], False), (["--sample", "100kB"], True), (["--sample", "all"], False)):
        bench = ["bench", "words.json", "large.txt", "--repeat", "1", *more]
        assert main([*bench, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["is_part"] is is_part and (told["bytes"] < 110_000) is is_part
        assert main(bench) == 0
        assert ("this is the first part of what was given" in capsys.readouterr().out) is is_part
    assert main(["convert", "words.json", "copy.json", "--check", "large.txt"]) == 0
    assert "same ids on 20,000 texts" in capsys.readouterr().out
    # Of texts that are kept aside for a report there is room for two megabytes.
    with open("aside.txt", "w", encoding="utf-8") as file:
        file.write("low new\n" * 300_000)
    train = [
        "train",
        "a.txt",
        "--model",
        "wordlevel",
        "--pre-tokenizer",
        "whitespace",
        "-s",
        "[UNK]",
        "-o",
        "t.json",
    ]
    for aside, told in (("aside.txt", "on the first 2.1 MB that it has not seen"), ("a.txt", "on 15 B that")):
        assert main([*train, "--held-out", aside]) == 0
        assert told in capsys.readouterr().out


def test_ids_that_are_not_there_are_an_error(files, capsys):
    """Once they were an empty line."""
    assert main(["decode", "words.json", "--ids", "0 99999999"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "--ids: the vocabulary has no id 99999999, it has 3 tokens" in err
    Path("some.ids").write_text("0 1\n1 7\n")
    assert main(["decode", "words.json", "some.ids"]) == 1
    assert "some.ids, line 2: the vocabulary has no id 7" in capsys.readouterr().err
    assert main(["decode", "words.json", "some.ids", "--skip-unknown-ids"]) == 0
    assert capsys.readouterr().out == "low new\nnew\n"
    assert main(["decode", "words.json", "--ids", "-1"]) == 1
    assert "has no id -1" in capsys.readouterr().err


def test_help_in_colour(monkeypatch, capsys):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for command in (["--help"], ["compare", "--help"]):
        assert main(command) == 0
        plain = capsys.readouterr().out
        assert "\x1b" not in plain
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert main(command) == 0
        coloured = capsys.readouterr().out
        assert "\x1b[1m" in coloured and "\x1b[36m" in coloured
        import re

        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
        monkeypatch.setenv("NO_COLOR", "1")
        assert main(command) == 0
        assert capsys.readouterr().out == plain
        monkeypatch.delenv("NO_COLOR")
        monkeypatch.delenv("FORCE_COLOR")


def test_progress_of_commands(files, capfd, monkeypatch):
    """Reading is followed on standard error; the results on standard output stay as they are."""
    told = []

    class Meter:
        def __init__(self, stage, form):
            told.append((stage, form))

        def update(self, done, total):
            told.append((done, total))

        def end(self):
            told.append("end")

    from tessella import _progress

    monkeypatch.setattr(_progress, "Meter", Meter)
    size = os.path.getsize("a.txt")
    Path("a.ids").write_text("0 1\n")
    for command in (["encode", "words.json", "a.txt", "-o", "out"], ["compare", "words.json", "a.txt"]):
        told.clear()
        assert main(command) == 0
        assert told == [(command[0], "indicatif"), (size, size), "end"]
    told.clear()
    assert main(["compare", "words.json", "a.txt", "--quiet"]) == 0
    assert told[0] == ("compare", "silent")
    told.clear()
    assert main(["decode", "words.json", "a.ids"]) == 0
    assert told == [("decode", "indicatif"), (4, 4), "end"]
