"""Tokenizers held to golden files and to other libraries."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import tessella
from tessella import Tokenizer, models, normalizers, pre_tokenizers, prove
from tessella.cli import main
from tessella.compat import sentencepiece
from tessella.errors import ArgumentError, FormatError, MissingDependencyError, UnsupportedError

TEXTS = ["low lower lowest", "newer wider tiles", "naïve café", "Hello world 1984"] * 20


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tessella.recipes.get("gpt2").train(TEXTS, vocab_size=285).save("tokenizer.json")
    Path("corpus.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    return tmp_path


def test_what_was_recorded_is_checked(folder):
    tokenizer = tessella.load("tokenizer.json")
    golden = prove.record(tokenizer)
    assert len(golden.cases) > 40
    golden.save("a.golden.json", "tokenizer.json")
    again = prove.Golden.load("a.golden.json")
    assert again.cases == golden.cases
    assert again.tokenizer == "tokenizer.json"
    assert bool(again.check(tokenizer)) and not again.check(tokenizer).notes
    tokenizer.normalizer = normalizers.Lowercase()
    done = again.check(tokenizer, examples=2)
    assert not done
    assert len(done.mismatches) == 2 < done.wrong
    assert f"and {done.wrong - 2:,} more" in str(done)
    assert "fingerprint is another" in done.notes[0]
    assert done.to_dict()["ok"] is False
    # One text on a line.
    assert len(Path("a.golden.json").read_text(encoding="utf-8").splitlines()) == len(golden.cases) + 2


def test_each_thing_that_is_kept_is_compared(folder):
    golden = prove.record(tessella.load("tokenizer.json"), ["low lower"])
    said = json.dumps({"kind": "tessella golden", "version": 1, "tokenizer": None, "fingerprint": None})
    for what, value in (("ids", [1]), ("offsets", [[0, 1]] * 2), ("decoded", "other")):
        case = {**vars(golden.cases[0]), what: value}
        Path("b.golden.json").write_text(said[:-1] + ', "cases": [' + json.dumps(case) + "]}")
        done = prove.Golden.load("b.golden.json").check(tessella.load("tokenizer.json"))
        assert [one.what for one in done.mismatches] == [what]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"kind": "tessella golden", "version": 1, "tokenizer": null, "fingerprint": null, "cases": []}',
    ],
)
def test_files_that_prove_nothing(folder, content):
    Path("c.golden.json").write_text(content)
    with pytest.raises(FormatError, match=r"c\.golden\.json"):
        prove.Golden.load("c.golden.json")
    with pytest.raises(ArgumentError, match="no texts"):
        prove.record(tessella.load("tokenizer.json"), [])
    with pytest.raises(TypeError, match="not one str"):
        prove.record(tessella.load("tokenizer.json"), "low")


@pytest.mark.parametrize(
    "changed",
    [{"fingerprint": 5}, {"tokenizer": ["x"]}, {"texts": 2}]
    + [{"cases": {one: [True]}} for one in ("ids", "offsets")]
    + [{"cases": {"ids": ["1"]}}, {"cases": {"offsets": [[0, 1.0]]}}, {"cases": {"decoded": None}}],
    ids=str,
)
def test_values_of_another_kind_are_no_proof(folder, changed):
    """What becomes a number by being read would be compared with what was never recorded."""
    prove.record(tessella.load("tokenizer.json"), ["low lower"]).save("d.golden.json")
    said = json.loads(Path("d.golden.json").read_text(encoding="utf-8"))
    assert prove.Golden.load("d.golden.json").cases
    (case,) = said["cases"]
    Path("d.golden.json").write_text(
        json.dumps({**said, **changed, "cases": [{**case, **changed.get("cases", {})}]})
    )
    with pytest.raises(FormatError, match=r"d\.golden\.json is no golden file"):
        prove.Golden.load("d.golden.json")


def test_against_tokenizers(folder):
    pytest.importorskip("tokenizers")
    done = prove.verify("tokenizer.json", "tokenizers", Path("corpus.txt"))
    assert done, str(done)
    assert done.texts > 80
    assert "texts as tokenizers gives" in str(done)


def test_against_transformers(folder):
    pytest.importorskip("transformers")
    tokenizer = tessella.load("tokenizer.json")
    tokenizer.config = {"tokenizer_class": "PreTrainedTokenizerFast"}
    tokenizer.save_folder("folder")
    done = prove.verify("folder", "transformers")
    assert done, str(done)
    with pytest.raises(ArgumentError, match="reads folders"):
        prove.verify("tokenizer.json", "transformers")


@pytest.mark.parametrize("against", ["tokenizers", "transformers"])
def test_texts_are_compared_whole(folder, against):
    """As sentence-transformers' folders are, whose file cuts and fills up; the end of a text may differ, too."""
    pytest.importorskip(against)
    tokenizer = tessella.load("tokenizer.json")
    tokenizer.config = {"tokenizer_class": "PreTrainedTokenizerFast"}
    tokenizer.enable_truncation(3)
    end = "<|endoftext|>"
    tokenizer.enable_padding(length=5, pad_token=end, pad_id=tokenizer.token_to_id(end))
    tokenizer.save_folder("folder")
    done = prove.verify("folder", against, Path("corpus.txt"))
    assert done, str(done)
    assert "note: texts were compared whole" in str(done)


def test_against_tiktoken(folder):
    pytest.importorskip("tiktoken")
    with pytest.warns(UserWarning, match="pattern"):
        tessella.load("tokenizer.json").save("gpt2.tiktoken")
    os.remove("gpt2.tiktoken.json")
    done = prove.verify("gpt2.tiktoken", "tiktoken", TEXTS, pattern="gpt2")
    assert done, str(done)


def test_tiktoken_reads_what_is_there_now(folder, monkeypatch):
    """It keeps files by their names, relative ones too."""
    pytest.importorskip("tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder / "kept"))
    for size in (285, 275):
        tokenizer = tessella.recipes.get("gpt2").train(TEXTS, vocab_size=size)
        with pytest.warns(UserWarning, match="pattern"):
            tokenizer.save("gpt2.tiktoken")
        os.remove("gpt2.tiktoken.json")
        done = prove.verify("gpt2.tiktoken", "tiktoken", TEXTS, pattern="gpt2")
        assert done, str(done)


def test_texts_that_are_refused(folder, monkeypatch):
    library = pytest.importorskip("tokenizers")
    plain = Tokenizer(models.WordLevel({"a": 0}))
    plain.save("words.json")
    done = prove.verify("words.json", "tokenizers", ["a", "b"])
    assert done
    assert done.notes == (f"{done.texts - 3} of the texts are refused by both",)
    golden = prove.record(plain)
    assert {case.text for case in golden.cases} == {"", "a"}
    with pytest.raises(tessella.errors.ModelError, match="Missing"):
        prove.record(plain, ["a", "b"])
    # What only one of the two refuses is a difference.
    theirs = library.Tokenizer.from_str(plain.to_str())
    said = json.loads(Path("words.json").read_text())
    said["model"]["unk_token"] = "a"
    Path("words.json").write_text(json.dumps(said))
    monkeypatch.setattr(library, "Tokenizer", SimpleNamespace(from_file=lambda path: theirs))
    done = prove.verify("words.json", "tokenizers", ["b"])
    assert not done
    assert "expected 'Exception: WordLevel error" in str(done)


def test_what_a_library_does_not_read_is_named(folder):
    pytest.importorskip("sentencepiece")
    with pytest.raises(UnsupportedError, match=r"sentencepiece does not read tokenizer\.json: "):
        prove.verify("tokenizer.json", "sentencepiece")
    os.mkdir("model")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_prefix="model/spiece", vocab_size=60, hard_vocab_limit=False
    )
    done = prove.verify("model", "sentencepiece", TEXTS)
    assert done, str(done)
    # Whatever else is there was not looked at.
    assert done.notes[0].startswith("model/spiece.model was compared by itself")
    pytest.importorskip("tokenizers")
    with pytest.raises(UnsupportedError, match=r"tokenizers does not read model/tokenizer\.json: "):
        prove.verify("model", "tokenizers")


def test_against_sentencepiece(folder):
    pytest.importorskip("sentencepiece")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_prefix="m", vocab_size=60, hard_vocab_limit=False
    )
    done = prove.verify("m.model", "sentencepiece", TEXTS)
    assert done, str(done)


def test_against_llama_cpp(folder):
    pytest.importorskip("llama_cpp")
    done = prove.verify("tokenizer.json", "llama.cpp", Path("corpus.txt"))
    assert done, str(done)
    tessella.load("tokenizer.json").save("x.gguf")
    assert prove.verify("x.gguf", "llama.cpp", TEXTS)
    Path("broken.gguf").write_bytes(Path("x.gguf").read_bytes()[:-9])
    with pytest.raises(FormatError):
        prove.verify("broken.gguf", "llama.cpp")


class OtherLlama:
    """What stands for llama.cpp: it reads the file that it is given, and gives one text otherwise."""

    def __init__(self, model_path, vocab_only, verbose):
        assert vocab_only and not verbose
        self.tokenizer = tessella.load(model_path)
        self.special = []

    def tokenize(self, text, add_bos, special):
        self.special.append(special)
        ids = self.tokenizer.encode(text.decode(), add_special_tokens=add_bos).ids
        return [*ids, 0] if text == b"naive" else ids


def test_llama_cpp_is_given_a_gguf_file(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(Llama=OtherLlama))
    done = prove.verify("tokenizer.json", "llama.cpp", ["low", "naive"])
    assert [one.text for one in done.mismatches] == ["naive"]
    # What a file is, its first bytes say.
    tessella.load("tokenizer.json").save("x.gguf")
    os.rename("x.gguf", "named otherwise")
    assert prove.verify("named otherwise", "llama.cpp", ["low"])
    assert main(["verify", "tokenizer.json", "--against", "llama.cpp"]) == 0

    def unreadable(**_):
        raise ValueError("Failed to load model from file")

    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(Llama=unreadable))
    with pytest.raises(UnsupportedError, match=r"llama\.cpp does not read tokenizer\.json: Failed"):
        prove.verify("tokenizer.json", "llama.cpp")


def test_without_llama_cpp(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(MissingDependencyError, match=r"pip install llama-cpp-python .*'\.\[llama\]'"):
        prove.verify("tokenizer.json", "llama.cpp")


def test_a_difference_is_made_small(folder, monkeypatch):
    from tessella.prove import libraries

    monkeypatch.setattr(libraries, "_pair", lambda *_: (len, lambda text: len(text) + text.count("w"), ()))
    done = libraries.verify("x", "tokenizers", ["lower", "tile", "wide w"])
    assert [one.text for one in done.mismatches] == ["w"]
    assert done.wrong > 2 and f"and {done.wrong - 1:,} more" in str(done)
    with pytest.raises(ArgumentError, match="must be one of tokenizers"):
        prove.verify("tokenizer.json", "other")


def test_command(folder, capsys):
    assert main(["verify", "tokenizer.json", "--record", "a.golden.json"]) == 0
    assert main(["verify", "a.golden.json"]) == 0
    assert "texts as the golden file" in capsys.readouterr().out
    changed = tessella.load("tokenizer.json")
    changed.normalizer = normalizers.Lowercase()
    changed.save("changed.json")
    assert main(["verify", "changed.json", "--golden", "a.golden.json"]) == 1
    assert "note: the tokenizer is not" in capsys.readouterr().out
    assert main(["verify", "changed.json", "--golden", "a.golden.json", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["wrong"] > 0
    assert main(["verify", "tokenizer.json"]) == 1
    assert "say what to verify" in capsys.readouterr().err
    assert (
        main(
            ["verify", "tokenizer.json", "--record", "b.golden.json", "--corpus", "corpus.txt", "--most", "3"]
        )
        == 0
    )
    assert len(prove.Golden.load("b.golden.json").cases) == 3


def test_the_plug_in_runs_golden_files(folder):
    tokenizer = tessella.load("tokenizer.json")
    prove.record(tokenizer).save("good.golden.json", "tokenizer.json")
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.save("changed.json")
    prove.record(tokenizer, ["Hello"]).save("bad.golden.json", "tokenizer.json")
    path = os.pathsep.join([str(Path(tessella.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tessella.prove.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert '"Hello": ids' in done.stdout
    assert "Traceback" not in done.stdout


def test_a_text_that_is_refused_now_is_told():
    golden = prove.record(Tokenizer(models.WordLevel({"a": 0, "c": 1})), ["a", "c"])
    found = golden.check(Tokenizer(models.WordLevel({"a": 0})))
    assert (found.texts, found.wrong) == (2, 1) and not found
    assert "ModelError" in str(found) and '"c"' in str(found)


def test_a_golden_file_that_was_changed_proves_nothing(folder):
    """Numbers that reading would round, and texts that got lost."""
    tokenizer = tessella.load("tokenizer.json")
    prove.record(tokenizer, ["low lower", "tiles", "Hello"]).save("a.golden.json", "tokenizer.json")
    text = Path("a.golden.json").read_text(encoding="utf-8")
    said = json.loads(text)
    assert said["texts"] == 3
    row = said["cases"][0]
    for key, value in (
        ("ids", [id + 0.5 for id in row["ids"]]),
        ("ids", [str(id) for id in row["ids"]]),
        ("ids", [True]),
        ("ids", str(row["ids"][0])),
        ("offsets", [[start + 0.1, end] for start, end in row["offsets"]]),
        ("decoded", None),
        ("text", 5),
    ):
        changed = {**said, "cases": [{**row, key: value}, *said["cases"][1:]]}
        Path("b.golden.json").write_text(json.dumps(changed))
        with pytest.raises(FormatError, match=r"b\.golden\.json is no golden file .*was expected"):
            prove.Golden.load("b.golden.json")
    lines = text.splitlines()
    Path("b.golden.json").write_text("\n".join([*lines[:1], *lines[2:]]))
    with pytest.raises(FormatError, match="it says that it has 3 texts, and has 2"):
        prove.Golden.load("b.golden.json")
    # Older files do not say how many.
    del said["texts"]
    Path("b.golden.json").write_text(json.dumps({**said, "cases": said["cases"][:2]}))
    assert prove.Golden.load("b.golden.json").check(tokenizer).texts == 2


def test_conversions_are_compared_to_the_end_of_texts():
    """Also where the tokenizers cut or fill up."""
    from argparse import Namespace

    from tessella.cli.commands import convert

    def cutting(d):
        one = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2, "d": d}, "a"))
        one.pre_tokenizer = pre_tokenizers.Whitespace()
        one.enable_truncation(2)
        one.enable_padding(length=2)
        return one

    given = Namespace(check=None)
    number = len(convert.PROBE)
    assert convert._compared(cutting(3), cutting(3), given, False) == (number, number)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convert, "PROBE", [*convert.PROBE, "a b c d"])
        with pytest.raises(UnsupportedError, match="would encode"):
            convert._compared(cutting(3), cutting(4), given, False)
