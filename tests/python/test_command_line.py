"""The command line, as people type it: help, mistakes, standard streams, and once a real terminal."""

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
