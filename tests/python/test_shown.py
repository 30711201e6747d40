"""What people see: nothing that a terminal obeys, and colours where they are wanted."""

import json
import re
import sys
from pathlib import Path

import pytest
import tessella
from tessella import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors
from tessella._shown import colours, harmless, quoted, visible
from tessella.cli import main

# Clears the screen; writes into the clipboard; the same without an escape character; writes backwards.
ATTACKS = ["\x1b[2J", "\x1b]52;c;cm0=\x07", "\x9b2J", "\u202egnp"]
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def test_texts_in_escapes():
    assert visible("a b\u00a0\n\x1b[2J\u200b日\U000e0001") == "a b\\xa0\\n\\x1b[2J\\u200b日\\U000e0001"
    assert visible("a\nb\t", keep="\n") == "a\nb\\t"
    assert visible("\ud800") == "\\ud800" and visible("") == ""
    # A text stays readable: what joins letters is not a terminal's business.
    assert harmless("a\tb\nm\u200cn\x1b[2J\x9b\x7f") == "a\tb\nm\u200cn\\x1b[2J\\x9b\\x7f"
    assert quoted('a"b\\\x07') == '"a\\"b\\\\\\x07"'


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": ""}, True, True),
    ],
)
def test_colours_are_wanted(environment, terminal, expected, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    screen = type("Screen", (), {"isatty": lambda self: terminal})()
    assert colours(screen) is expected
    # An explanation goes by the same rule.
    monkeypatch.setattr(sys, "stdout", screen)
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}))
    assert ("\x1b[" in str(tokenizer.explain("a"))) is expected


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A tokenizer whose every part holds what a terminal obeys, in a file whose name does, too."""
    monkeypatch.chdir(tmp_path)
    vocab = {"[UNK]": 0, "a": 1, **{token: 2 + number for number, token in enumerate(ATTACKS)}}
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Prepend(ATTACKS[0])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "removed")
    tokenizer.add_tokens([AddedToken(f"<{attack}>", special=True) for attack in ATTACKS])
    name = "x\x1b[2J.json"
    tokenizer.save(name)
    tokenizer.normalizer = None
    tokenizer.save("plain.json")
    return name


TEXT = " ".join(["a", *ATTACKS, "<\x1b[2J>"])


@pytest.mark.skipif(sys.platform == "win32", reason="no such file names there")
@pytest.mark.parametrize("terminal", [True, False])
def test_no_command_sends_a_terminal_what_it_obeys(hostile, terminal, monkeypatch, capsys):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    Path("texts\x1b[2J.txt").write_text(f"{TEXT}\n", encoding="utf-8")
    commands = [
        ["inspect", hostile],
        ["inspect", hostile, "-t", TEXT],
        ["inspect", hostile, "--token", ATTACKS[0], "--id", "0"],
        ["inspect", hostile, "--token", "\x1b]0;no\x07"],
        ["inspect", "\x1b]0;no\x07.json"],
        ["inspect", hostile, "\x1b]0;no\x07"],
        ["\x1b]0;no\x07"],
        ["compare", hostile, "plain.json", "-t", TEXT],
        ["compare", hostile, "plain.json", "-t", TEXT, "--json"],
        ["compare", hostile, "plain.json", "texts\x1b[2J.txt"],
        ["bench", hostile, "texts\x1b[2J.txt", "--repeat", "1"],
        ["bench", hostile, "texts\x1b[2J.txt", "--repeat", "1", "--json"],
        ["convert", hostile, "y\x1b[2J.json"],
        ["encode", "plain.json", "-t", TEXT, "-f", "jsonl"],
        ["count", "texts\x1b[2J.txt", "-k", hostile, "--top", "9"],
        ["decode", "plain.json", "--ids", "\x1b[2J"],
    ]
    if terminal:
        # For programs these are exact.
        commands += [
            ["encode", "plain.json", "-t", TEXT, "-f", "tokens"],
            ["inspect", hostile, "--vocab"],
            ["decode", "plain.json", "--ids", "1 2 3 4 5", "--keep-special-tokens"],
        ]
    for command in commands:
        main(command)
        out, err = capsys.readouterr()
        assert out or err, command
        assert not OBEYED.search(out + err), command


def test_programs_get_exactly_what_is_there(hostile, capsys):
    assert main(["encode", "plain.json", "-t", TEXT, "-f", "tokens"]) == 0
    tokens = capsys.readouterr().out
    assert "\x1b[2J" in tokens and tokens == "│".join(tessella.load("plain.json").encode(TEXT).tokens) + "\n"
    assert main(["encode", "plain.json", "-t", TEXT, "-f", "jsonl"]) == 0
    line = capsys.readouterr().out
    assert json.loads(line)["tokens"] == tessella.load("plain.json").encode(TEXT).tokens
    assert main(["inspect", "plain.json", "--vocab"]) == 0
    assert "2\t\x1b[2J\n" in capsys.readouterr().out


def test_errors_and_explanations_spell_it_out(hostile):
    with pytest.raises(ValueError, match=re.escape("`\\u{1b}[2J`")) as caught:
        processors.TemplateProcessing(single="\x1b[2J $A", pair="\x1b[2J $A $B", special_tokens=[])
    assert not OBEYED.search(str(caught.value))
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    shown = tokenizer.explain("\x1b[2J").render(color=False)
    assert not OBEYED.search(shown) and "unknown: no entry begins with \\x1b" in shown
    assert not OBEYED.search(tokenizer.explain("\x1b[2J\x9b").to_html())


def test_a_page_is_bounded_and_says_what_is_left_out():
    tokenizer = tessella.recipes.get("gpt2").train(["low lower lowest " * 30], vocab_size=270)
    short, long = tokenizer.explain("low lower"), tokenizer.explain("newest lowest " * 600)
    assert "more" not in short.to_html()
    for shown, most in ((long.to_html(), 1_500_000), (long.render(color=False), 300_000)):
        assert len(shown) < most
        assert re.search(r"1,?00[01] more pieces", shown)
        assert re.search(r"more tokens", shown)
    assert "6,400 more characters" in long._repr_html_()
    assert len(long.to_dict()["tokens"]) == len(long.ids)
    # One piece with many merges, and one with many matches.
    word = "lowest" * 15
    assert "more merges" in tokenizer.explain(word).to_html()
    pieces = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##a": 2}, max_input_chars_per_word=500))
    assert "60 more places" in pieces.explain("a" * 100).to_html()
