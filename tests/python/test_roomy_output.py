"""How much is written at a time: much to files, and to terminals and pipes what is there."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from at_the_shell import environment, run, tessella_command
from tessella import _files, _start
from tessella.cli import roomy

# Files, pipes and terminals of POSIX.
pty = pytest.importorskip("pty")
resource = pytest.importorskip("resource")

LINES = [f"low lower lowest {n}" for n in range(30_000)]


class Noting(io.FileIO):
    """What is written where, and in which pieces."""

    def __init__(self, number):
        super().__init__(number, "w")
        self.pieces = []

    def write(self, some):
        self.pieces.append(len(some))
        return super().write(some)


@pytest.fixture
def as_a_command(monkeypatch):
    monkeypatch.setattr(_start, "IS_COMMAND", True)


def pieces_of_lines(monkeypatch, number):
    """The pieces in which lines were written, and whether standard output was the same all the time."""
    raw = Noting(number)
    stream = io.TextIOWrapper(io.BufferedWriter(raw, 4096), "utf-8", "surrogateescape", "\n")
    monkeypatch.setattr(sys, "stdout", stream)
    with roomy.roomy_output():
        is_same = sys.stdout is stream
        for line in LINES:
            print(line)
        sys.stdout.flush()
    assert sys.stdout is stream
    print("the end", flush=True)
    return raw.pieces, is_same


def test_files_are_written_in_large_pieces(tmp_path, monkeypatch, as_a_command):
    with open(tmp_path / "out", "wb") as file:
        pieces, is_same = pieces_of_lines(monkeypatch, os.dup(file.fileno()))
    content = "".join(f"{line}\n" for line in [*LINES, "the end"])
    assert (tmp_path / "out").read_text() == content and not is_same
    assert sum(pieces) == len(content) and min(pieces[:-2]) > 50_000


def test_others_get_what_is_there(monkeypatch, as_a_command):
    for pair in (os.pipe, pty.openpty):
        ends = pair()
        with open(ends[0], "rb"), monkeypatch.context() as patched:
            monkeypatch.setattr(sys.modules[__name__], "LINES", ["low", "lower"])
            pieces, is_same = pieces_of_lines(patched, ends[1])
        assert is_same and pieces == [10, 8]


def test_a_program_keeps_its_own_output(tmp_path, monkeypatch):
    with open(tmp_path / "out", "w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with roomy.roomy_output():
            assert sys.stdout is file


def test_a_file_behind_standard_output_has_all_of_it(trained):
    Path("long.txt").write_text("\n".join(LINES))
    for more in ([], ["-o", "/dev/stdout"]):
        with open("out", "wb") as out:
            command = tessella_command("encode", "tokenizer.json", "long.txt", *more)
            subprocess.run(command, stdout=out, env=environment(), check=True)
        run("encode", "tokenizer.json", "long.txt", "-o", "wanted")
        assert Path("out").read_bytes() == Path("wanted").read_bytes()


def test_a_file_that_is_full_is_told_once(trained):
    Path("long.txt").write_text("\n".join(LINES))

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    with open("out", "wb") as out:
        command = tessella_command("encode", "tokenizer.json", "long.txt")
        done = subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, env=environment(), preexec_fn=limited
        )
    assert (done.returncode, done.stderr) == (1, b"error: file too large\n")
    assert os.path.getsize("out") == 100_000


def test_what_is_saved_is_written_in_large_pieces(tmp_path):
    with _files._replacing(str(tmp_path / "out")) as file:
        file.write(b"a" * (_files.ROOM - 1))
        assert os.fstat(file.fileno()).st_size == 0
    assert (tmp_path / "out").stat().st_size == _files.ROOM - 1
