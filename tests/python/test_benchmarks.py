"""The programs that measure: what they make of results is checked, never how fast anything is."""

import importlib.util
import json

import pytest

from benchmarks import compare, page, run, worst
from tests.conformance import texts

DEFINITIONS = [
    json.loads(path.read_text()) for path in sorted(run.HERE.joinpath("definitions").glob("*.json"))
]


def test_the_page_follows_from_its_record():
    assert page.written(page.PAGE.read_text()) == page.PAGE.read_text(), "run python -m benchmarks.page"


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="no marks"):
        page.written("# Benchmarks\n")


def row(engine, fresh, agree=True, **more):
    what = {"part": "ids", "case": "GPT-2", "text": "english", "document": 0, "kind": "ids", "threads": 1}
    calls = {"hello": 1.25, "100 characters": 2.0, "4 kB": 9.0}
    figures = {"first": fresh / 2, "fresh": fresh, "warm": fresh * 2, "load_ms": 40.4, "peak_mb": 90}
    ratio = {"first": 1.5, "fresh": 1.5, "warm": 1.5}
    return {
        **what,
        "engine": engine,
        **figures,
        "calls_us": calls,
        "ids_agree": agree,
        "ratio": ratio,
        **more,
    }


def test_tables_name_the_fastest_whose_ids_are_right():
    rows = [row("tessella", 90.0), row("quick", 60.0), row("quicker", 300.0, agree=False), row("slow", 6.0)]
    record = {
        "date": "2026-11-22",
        "machine": "M",
        "cores": 2,
        "python": "3.11",
        "versions": {"quick": "1.0"},
    }
    record["definition"] = {"rounds": 3, "bytes": 1000, "given": {"rounds": 1, "bytes": None}}
    told = page.tables({**record, "load": [[0.5, 0.25], [1.0, 1.0]], "rows": rows})
    assert (
        "| GPT-2 | english | whole | 45 : 30 quick | **1.50** | 90 : 60 quick | **1.50** | 180 : 120" in told
    )
    assert "| GPT-2 | quicker (other ids) | 300 | 1.25 | 2.00 | 9.00 | 40 | 90 |" in told
    assert "Rounds: 1; 1,000 bytes" in told
    assert "Other models" not in told


def test_every_engine_of_a_definition_is_there():
    cases = [case for one in DEFINITIONS for part in one["parts"] for case in part.get("cases", [])]
    assert len(cases) > 10
    for case in cases:
        assert case["engines"][0] == "tessella"
        for engine in case["engines"]:
            assert importlib.util.find_spec(f"benchmarks.engines.{engine}_engine"), engine
    for one in DEFINITIONS:
        assert all(part["part"] in page.PARTS for part in one["parts"])


def test_texts_of_the_worst_kind_are_the_same_every_time():
    for kind in worst.KINDS:
        text = worst.text(kind, 20_000)
        assert 20_000 <= len(text.encode()) < 26_000
        assert text == worst.text(kind, 20_000)
    words = worst.text("distinct-words", 20_000).split()
    assert len(set(words)) > 0.98 * len(words)


def test_slower_is_what_most_pairs_say():
    assert compare.judged([0.9, 0.95, 0.96, 0.9]) == (0.925, True)
    assert compare.judged([1.0, 0.99, 1.01, 0.98])[1] is False, "within the tolerance"
    assert compare.judged([0.5, 0.6, 1.2, 1.3])[1] is False, "the pairs do not agree"
    assert compare.judged([1.2, 1.3])[1] is False


def test_one_case_is_measured_and_recorded(tmp_path, monkeypatch, bpe):
    """A definition of one small case, through the programs as they run."""
    models, corpora = tmp_path / "models", tmp_path / "corpora"
    models.mkdir()
    corpora.mkdir()
    bpe.save(models / "small.json")
    (corpora / "english.txt").write_text("the thing in the air\n" * 2000)
    monkeypatch.setenv("TESSELLA_MODELS", str(models))
    monkeypatch.setenv("TESSELLA_CORPORA", str(corpora))
    assert texts.folder("TESSELLA_MODELS") == models
    engines = ["tessella", "tokenizers", "no_such_engine"]
    case = {"name": "small", "file": "small.json", "engines": engines}
    part = {"part": "ids", "corpora": ["english"], "documents": [100], "cases": [case]}
    definition = {"rounds": 1, "bytes": 20_000, "given": {"bytes": None, "rounds": None}}
    pytest.importorskip("tokenizers")
    rows = list(run.run_part(part, definition, models, corpora, ""))
    assert [(row["engine"], row["ids_agree"]) for row in rows] == [("tessella", True), ("tokenizers", True)]
    assert all(row["fresh"] > 0 and row["document"] == 100 for row in rows)
    job = {"file": str(models / "small.json"), "text": str(corpora / "english.txt")}
    package = compare.folder(str(run.HERE.parent / "python"))
    ratios = compare.compare([package, package], job, 1)
    assert ratios is not None and set(ratios) == {
        "first",
        "fresh",
        "warm",
        "load",
        *["`hello`", "`100 characters`", "`4 kB`"],
    }


@pytest.mark.parametrize(
    ("value", "said"), [("", "it is not set"), ("/no/such/folder", "'/no/such/folder' is no folder")]
)
def test_a_program_without_its_folders_says_what_to_set(value, said, monkeypatch, capsys):
    monkeypatch.setenv("TESSELLA_MODELS", value)
    with pytest.raises(SystemExit) as ended:
        texts.needed("TESSELLA_MODELS")
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"Set TESSELLA_MODELS to a folder of tokenizer files: {said}.\n"


def test_a_folder_that_is_there_is_given(monkeypatch, tmp_path):
    monkeypatch.setenv("TESSELLA_CORPORA", str(tmp_path))
    assert texts.needed("TESSELLA_CORPORA") == tmp_path
