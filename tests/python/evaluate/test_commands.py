"""`tessella evaluate`, as it is typed."""

import io
import json
import sys

import pytest
from tessella.cli import main
from tessella.evaluate import Report


@pytest.fixture
def folder(tokenizers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("bytes", "pieces"):
        tokenizers[name].save(f"{name}.json")
    (tmp_path / "one.txt").write_text("".join(f"low {n} lower\n" for n in range(60)))
    (tmp_path / "two.txt").write_text("".join(f"newer {n * n} — tiles\n" for n in range(60)))
    return tmp_path


def run(capsys, *arguments, status=0):
    assert main(["evaluate", *arguments]) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_a_table_for_people(folder, capsys):
    out, _ = run(
        capsys, "bytes.json", "pieces.json", "one.txt", "two.txt", "--language", "one.txt=en", "two.txt=en"
    )
    blocks = out.split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == [
        "all text", "corpus one.txt", "corpus two.txt", "language en",
    ]  # fmt: skip
    assert "bytes_per_token" in blocks[0] and " to " in blocks[0]
    out, _ = run(capsys, "bytes.json", "one.txt", "--metric", "tokens", "fertility")
    assert [line.split()[0] for line in out.splitlines()] == ["metric", "tokens", "fertility"]


def test_json_for_programs(folder, capsys):
    out, _err = run(
        capsys, "bytes.json", "pieces.json", "one.txt", "--baseline", "pieces.json", "--json", "--seed", "3"
    )
    data = json.loads(out)
    assert data["settings"]["baseline"] == "pieces.json" and data["settings"]["seed"] == 3
    assert {row["second"] for row in data["differences"]} == {"pieces.json"}
    again, _ = run(
        capsys, "bytes.json", "pieces.json", "one.txt", "--baseline", "pieces.json", "--json", "--seed", "3",
        "--threads", "1", "--quiet",
    )  # fmt: skip
    assert again == out
    out, _ = run(capsys, "bytes.json", "one.txt", "--json", "--metric", "tokens")
    assert {row["metric"] for row in json.loads(out)["values"]} == {"tokens"}


def test_files_are_written(folder, capsys):
    out, _ = run(capsys, "bytes.json", "one.txt", "-o", "report.json", "-o", "report.md", "--bootstrap", "0")
    assert out == ""
    assert (folder / "report.md").read_text() == Report.load("report.json").to_markdown()


def test_standard_input_and_words(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"low,lower\nx\n")))
    out, _ = run(capsys, "bytes.json", "-", "--words", "unicode", "--json", "--bootstrap", "0")
    data = json.loads(out)
    assert data["corpora"][0]["name"] == "standard input"
    assert data["settings"]["words"].endswith("spans")
    (fertility,) = [row["value"] for row in data["values"] if row["metric"] == "fertility"]
    (tokens,) = [row["value"] for row in data["values"] if row["metric"] == "tokens"]
    # By Unicode's rules "low", ",", "lower" and "x".
    assert fertility == tokens / 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["one.txt"], "name at least one tokenizer"),
        (["bytes.json", "one.txt", "--metric", "fertilty"], "did you mean 'fertility'"),
        (["bytes.json", "one.txt", "-o", "report.pdf"], "saved as"),
        (["bytes.json", "one.txt", "-o", "no/report.md"], "no such folder"),
        (["bytes.json", "one.txt", "--baseline", "x"], "--baseline is `x`, which is no tokenizer"),
        (["bytes.json", "one.txt", "--language", "en"], "--language takes FILE=TAG"),
        (["bytes.json", "one.txt", "--language", "x.txt=en"], "which is no file; known: one.txt"),
        (["bytes.json", "none.txt"], "none.txt"),
        (["bytes.json", "one.txt", "one.txt"], "given twice"),
    ],
)
def test_slips_are_told(folder, capsys, arguments, told):
    out, err = run(capsys, *arguments, status=1)
    assert out == "" and told in err
    assert not list(folder.glob("report*"))


def test_languages_and_morphemes(folder, capsys):
    (folder / "gold.tsv").write_text("lower\tlow er\n")
    given = ("bytes.json", "one.txt", "--gold", "gold.tsv", "--parallel", "en=one.txt", "de=two.txt")
    out, _ = run(capsys, *given, "--metric", "tokens")
    assert "tokens against en" in out and "Gini" in out and "morph_score" in out
    for slip, told in (("one.txt", "--parallel takes TAG=FILE"), ("en=two.txt", "twice")):
        assert told in run(capsys, "bytes.json", "one.txt", "--parallel", "en=one.txt", slip, status=1)[1]


def test_audit_for_people_and_programs(folder, capsys):
    assert main(["audit", "bytes.json", "one.txt"]) == 0
    out = capsys.readouterr().out
    assert "proven never to come out: no text" in out and "hardly more than steps" in out
    assert main(["audit", "bytes.json", "--json", "-o", "audit.json", "--quiet"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["unreachable"]) == 13 and data["residues"] is None
    assert main(["report", "audit.json"]) == 0
    assert capsys.readouterr().out.startswith("# Audit of bytes.json")
    assert main(["audit", "bytes.json", "--embeddings", "none.npy"]) == 1
    assert "none.npy" in capsys.readouterr().err


def test_reports_in_other_forms(folder, capsys):
    run(capsys, "bytes.json", "one.txt", "-o", "report.json", "--bootstrap", "0")
    assert main(["report", "report.json", "-o", "again.json", "-o", "again.md", "-o", "again.html"]) == 0
    assert json.loads((folder / "again.json").read_text()) == json.loads((folder / "report.json").read_text())
    assert main(["report", "report.json"]) == 0
    assert capsys.readouterr().out == (folder / "again.md").read_text()
    assert main(["report", "one.txt"]) == 1
    assert "one.txt is no report" in capsys.readouterr().err
