"""What notebooks show: pages of results, and progress."""

import html.parser
import sys
import types

import numpy as np
import pytest
import tessella
from tessella import PieceCounts, Tokenizer, models, pre_tokenizers, trainers
from tessella.tracing import Trace

HOSTILE = "<script>alert(1)</script>\"'&\x1b[2J\u202e</code><img src=x onerror=y>"


class Page(html.parser.HTMLParser):
    """Which elements a page has, all of which are closed."""

    def __init__(self, text):
        super().__init__()
        self.names, self.open, self.text = set(), [], ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.open.append(tag)
        assert all(name in ("class", "title") for name, _ in attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


KNOWN = set(
    ["style", "div", "b", "code", "details", "summary", "table", "thead", "tbody", "tr", "th", "td", "span"]
)


def checked(shown):
    page = Page(shown._repr_html_())
    assert page.names <= KNOWN
    assert not set("\x1b\u202e") & set(page.text)
    return page.text


@pytest.fixture
def hostile():
    tokenizer = Tokenizer(models.WordLevel({HOSTILE: 0, "low": 1, "?": 2}, "?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(["[CLS]" + HOSTILE])
    return tokenizer


def test_results_are_pages_and_harmless(hostile):
    encoding = hostile.encode(HOSTILE + " low [CLS]" + HOSTILE)
    assert "<script>alert(1)</script>" in checked(encoding)
    assert "low" in checked(hostile)
    assert "8 occurrences" in checked(PieceCounts({HOSTILE: 5, "low": 3}))
    assert "engine" in checked(hostile.explain_plan())
    trace = Trace()
    trainer = trainers.BpeTrainer(vocab_size=80, show_progress=False)
    trainer.train_from_counts(PieceCounts({HOSTILE: 5, "<b>": 3}), trace=trace)
    assert "steps" in checked(trace) and len(trace.merges) > 3
    trace = Trace()
    unigram = trainers.UnigramTrainer(vocab_size=12, show_progress=False)
    unigram.train_from_counts(PieceCounts({"<b>low": 5, "<b>lower": 3, "newer": 9}), trace=trace)
    assert "estimated" in checked(trace)
    for empty in (tessella.Encoding(), PieceCounts(), Trace(), Tokenizer(models.BPE())):
        checked(empty)


def test_long_results_are_cut(hostile):
    text = "low " * 20_000
    page = checked(hostile.encode(text))
    assert "and 19,800 more tokens" in page and len(page) < 100_000
    counts = PieceCounts({f"word{n}": n + 1 for n in range(500)})
    assert "and 480 more pieces" in checked(counts)


def test_a_plan_prints_as_a_table():
    plan = tessella.recipes.get("gpt2").tokenizer().explain_plan()
    head, *rows = str(plan).splitlines()
    assert head.split() == ["stage", "engine", "why"] and len(rows) == len(plan)
    assert all(row.startswith(step.stage) for row, step in zip(rows, plan, strict=True))
    assert isinstance(plan, list) and isinstance(plan[0], tessella.PlanStep)


def test_ragged_ids_become_lists_and_arrow(hostile):
    batch = hostile.encode_ids_batch(["low", "", "low low"])
    assert batch.tolist() == batch.to_list() == [[1], [], [1, 1]]
    pyarrow = pytest.importorskip("pyarrow")
    array = batch.to_arrow()
    assert isinstance(array, pyarrow.LargeListArray) and array.to_pylist() == batch.tolist()
    assert np.shares_memory(array.values.to_numpy(), batch.ids)


class Bar:
    made = []  # noqa: RUF012

    def __init__(self, desc, total, **options):
        self.desc, self.total, self.options, self.n, self.closed = desc, total, options, 0, False
        self.seen = []
        Bar.made.append(self)

    def refresh(self):
        self.seen.append((self.n, self.total))

    def close(self):
        self.closed = True


@pytest.fixture
def notebook(monkeypatch):
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = Bar
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    monkeypatch.setattr(Bar, "made", [])
    return Bar.made


def test_progress_in_a_notebook(notebook, tmp_path, capfd):
    (tmp_path / "a.txt").write_text("low lower lowest\n" * 2000)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    counts = tessella.count_pieces(tmp_path / "a.txt", tokenizer, progress=True)
    assert {bar.desc for bar in notebook} >= {"count"} and all(bar.closed for bar in notebook)
    assert notebook[0].options == {"unit": "B", "unit_scale": True}
    assert notebook[0].seen[-1] == (34000, 34000)
    notebook.clear()
    trainers.BpeTrainer(vocab_size=20).train_from_counts(counts)
    assert "merge" in {bar.desc for bar in notebook} and all(bar.closed for bar in notebook)
    assert capfd.readouterr().err == ""
    notebook.clear()
    tessella.count_pieces(tmp_path / "a.txt", tokenizer)
    assert notebook == []


def test_nobody_is_asked_without_a_notebook(notebook, monkeypatch, tmp_path):
    sys.modules["IPython"].get_ipython = lambda: None
    (tmp_path / "a.txt").write_text("low")
    tessella.count_pieces(tmp_path / "a.txt", progress=True)
    assert notebook == []
