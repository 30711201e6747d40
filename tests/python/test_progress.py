"""Long work says how far it is: a bar on a terminal, nothing elsewhere while it is short, nothing when told so."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tessella import PieceCounts, Tokenizer, count_pieces, models, pre_tokenizers
from tessella.errors import ArgumentError


def on_a_terminal(given):
    """What a terminal shows of a command, on standard error alone."""
    pty = pytest.importorskip("pty")
    here, there = pty.openpty()
    shown = b""
    with subprocess.Popen(
        [sys.executable, "-m", "tessella", *given], stdout=subprocess.DEVNULL, stderr=there
    ) as process:
        os.close(there)
        with contextlib.suppress(OSError):
            while some := os.read(here, 4096):
                shown += some
    os.close(here)
    assert process.returncode == 0, shown
    return shown.decode()


def test_long_commands_show_how_far_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("words.txt").write_text("a b a c\n" * 50)
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2}, "a"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save("words.json")
    for name in ("one", "two"):
        count_pieces(["a b"], tokenizer).save(f"{name}.counts")
    for stage, given in {
        "bench": ["bench", "words.json", "words.txt", "--repeat", "1"],
        "merge": ["count", "--merge", "one.counts", "two.counts", "-o", "all.counts"],
    }.items():
        shown = on_a_terminal(given)
        assert stage in shown and "100%" in shown, shown
        assert "%" not in on_a_terminal([*given, "--quiet"])
        # Elsewhere short work says nothing.
        done = subprocess.run([sys.executable, "-m", "tessella", *given], capture_output=True, text=True)
        assert done.returncode == 0 and "%" not in done.stderr
    assert len(PieceCounts.load("all.counts")) == 2


def test_encoding_files_tells_how_far_it_is(tmp_path, capfd):
    tokenizer = Tokenizer(models.WordLevel({"a": 0}, "a"))
    (tmp_path / "texts.txt").write_text("a\na\n")
    (tmp_path / "rows.jsonl").write_text('{"text": "a"}\n')
    files = [tmp_path / "texts.txt", tmp_path / "rows.jsonl"]
    quiet = tokenizer.encode_files(files, separator="\n").to_list()
    assert capfd.readouterr().err == ""
    told = tokenizer.encode_files(files, separator="\n", progress="json", out=tmp_path / "ids").to_list()
    assert told == quiet == [[0], [0], [0]]
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    size = sum(file.stat().st_size for file in files)
    assert {line["stage"] for line in lines} == {"encode"}
    assert (lines[-1]["done"], lines[-1]["total"]) == (size, size)
    with pytest.raises(ArgumentError, match="progress"):
        tokenizer.encode_files(files, progress="loud")
