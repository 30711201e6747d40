"""How command lines are typed: files behind options, ids, interrupts, full disks, names of encodings."""

import base64
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import tessella
from tessella.cli import main
from tessella.cli.commands.decode import parsed
from tessella.errors import ArgumentError, FormatError

PACKAGE = str(Path(tessella.__file__).resolve().parents[1])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"low lower lowest hello, number {n}\n" for n in range(50)]
    Path("in.txt").write_text("".join(lines))
    tokenizer = tessella.recipes.get("gpt2").train(iter(lines), vocab_size=300)
    tokenizer.save("w.json")
    return tokenizer


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("encode w.json -f tokens in.txt", "encode -f tokens w.json in.txt"),
        ("encode w.json --separator b in.txt", "encode --separator b w.json in.txt"),
        ("encode w.json in.txt -f tokens in.txt", "encode -f tokens w.json in.txt in.txt"),
        ("encode w.json -f ids -- in.txt", "encode w.json in.txt"),
        ("compare w.json w.json --sample 100B in.txt", "compare --sample 100B w.json w.json in.txt"),
        ("edit pad w.json --multiple 64 a.json", "edit pad --multiple 64 w.json a.json"),
        ("data tokenize w.json --no-eos in.txt -o a -q", "data tokenize --no-eos w.json in.txt -o b -q"),
    ],
)
def test_files_may_follow_options(typed, same, files, capsys):
    shown = []
    for one in (typed, same):
        assert main(one.split()) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("encode w.json -f ids in.txt --treads 3", "no option `--treads`; did you mean '--threads'?"),
        ("encode w.json --treads 3 in.txt", "no option `--treads`; did you mean '--threads'?"),
        ("inspect w.json --top 3 in.txt", "unrecognized arguments: in.txt"),
        ("edit pad w.json --multiple 64 a.json b.json", "unrecognized arguments: a.json b.json"),
    ],
)
def test_what_is_no_file_is_still_told(typed, message, files, capsys):
    assert main(typed.split()) == 2
    assert message in capsys.readouterr().err


def test_an_alphabet_that_is_given_again_is_added_to(files):
    typed = "train in.txt --model bpe --pre-tokenizer whitespace -q -o a.json --vocab-size"
    assert main(f"{typed} 70 --initial-alphabet XY --initial-alphabet Zé".split()) == 0
    assert {"X", "Y", "Z", "é"} < set(tessella.load("a.json").get_vocab())
    assert main(f"{typed} 300 --initial-alphabet é --initial-alphabet byte-level".split()) == 0
    assert {*tessella.pre_tokenizers.ByteLevel.alphabet(), "é"} < set(tessella.load("a.json").get_vocab())


def test_ids_are_one_argument(files, capsys):
    assert main(["decode", "w.json", "--ids", "15", "99", "5"]) == 1
    assert 'write --ids "15 99 5"' in capsys.readouterr().err


def test_ids_of_lines():
    for line, ids in (("3 14, 15", [3, 14, 15]), ("1,2", [1, 2]), ("1 ,\t2", [1, 2]), ("", []), ("-1", [-1])):
        assert parsed(line, "") == ids
    for wrong in ("1,,2", ",1", "1,", "1, ,2", "1_0", "+1", "١", "1.5", "1 x", "[1, true]", '{"ids": 5}'):
        with pytest.raises(FormatError, match=r"a\.ids, line 7: expected ids"):
            parsed(wrong, "a.ids, line 7")


def test_lines_before_a_mistake_are_decoded(files, capsys):
    Path("a.ids").write_text("".join(f"{n % 200}\n" for n in range(6000)) + "1 x\n2\n")
    assert main(["decode", "w.json", "a.ids", "--json"]) == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 6000
    assert "a.ids, line 6001: expected ids such as" in err
    Path("b.ids").write_text("1\n2 99999\n")
    assert main(["decode", "w.json", "b.ids", "--json"]) == 1
    assert "b.ids, line 2: the vocabulary has no id 99999" in capsys.readouterr().err


def started(*arguments, **how):
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    return subprocess.Popen(arguments, stderr=subprocess.PIPE, env=environment, **how)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
@pytest.mark.parametrize("typed", [["--help"], ["encode", "--help"], ["--version"], []])
def test_a_full_disk_is_an_error(typed):
    with open("/dev/full", "w") as full:
        done = started(sys.executable, "-m", "tessella", *typed, stdout=full)
        _, err = done.communicate(timeout=60)
    assert (done.returncode, err) == (1, b"error: no space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_while_modules_are_imported(tmp_path):
    """A module that the package imports waits for the signal."""
    script = tmp_path / "tessella"
    script.write_text(
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == sys.argv[1]:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from tessella.cli import main\n"
        "sys.exit(main(['--version']))\n"
    )
    for waiting, status in (("tessella._tessella", -signal.SIGINT), ("tessella.cli", -signal.SIGINT)):
        done = started(sys.executable, str(script), waiting, stdout=subprocess.PIPE)
        out, err = done.communicate(timeout=60)
        assert (done.returncode, out, err) == (status, b"", b"")
    script = script.rename(tmp_path / "other")
    done = started(sys.executable, str(script), "tessella._tessella", stdout=subprocess.PIPE)
    assert b"KeyboardInterrupt" in done.communicate(timeout=60)[1]


@pytest.fixture
def ranks(tmp_path):
    """A table of ranks: bytes, and two that are joined."""
    path = tmp_path / "mine.tiktoken"
    tokens = [bytes([byte]) for byte in range(256)] + [b"lo", b"low"]
    lines = [f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens)]
    path.write_text("".join(lines))
    return path


def test_a_recipe_completes_a_table_of_ranks(ranks):
    text = "<|begin_of_text|>low 12345<|eot_id|>"
    found = tessella.load(ranks, pattern="llama3")
    ids = found.encode(text).ids
    assert ids == [258, 257, 32, 49, 50, 51, 52, 53, 258 + 9]
    assert found.get_vocab_size() == 258 + 256
    assert [part for part, _ in found.pre_tokenizer.pre_tokenize_str("low 12345")] == [
        "low",
        "Ġ",
        "123",
        "45",
    ]
    named = ranks.rename(ranks.with_name("llama3.tiktoken"))
    assert tessella.load(named).encode(text).ids == ids
    given = tessella.load(named, pattern="llama3", special_tokens={"<|eot_id|>": 300})
    assert given.encode("low<|eot_id|>").ids == [257, 300]


def test_known_encodings_are_named(ranks, capsys):
    with pytest.raises(ArgumentError, match=r"unknown encoding `llama4`; known: gpt2, .*, llama3; or give"):
        tessella.load(ranks, pattern="llama4")
    assert main(["encode", str(ranks), "--text", "low"]) == 1
    err = capsys.readouterr().err
    assert "llama3)" in err and "say it with --pattern NAME" in err
    assert main(["encode", str(ranks), "--text", "low", "--pattern", "llama3"]) == 0
    assert capsys.readouterr().out == "257\n"
