"""Documents that cannot be read or encoded: left out and listed with their places, where that is asked for."""

import json

import pytest
import tessella.data
from data_cases import contents, expected, make_tokenizer
from tessella import Tokenizer, models, normalizers, pre_tokenizers
from tessella.errors import ArgumentError, FormatError

GOOD = b'{"text": "low new"}\n'
BAD = [b'{"text": "\xff"}\n', b"{broken\n", b'{"body": "low"}\n', b'{"text": 5}\n']
REASONS = ["not UTF-8: 0xff at byte 10 of it", "invalid JSON", "no `text`", "a number, expected a string"]


def tokenize(inputs, tokenizer, out, **options):
    options = {"format": "megatron", "workers": 1, "on_error": "skip", **options}
    return tessella.data.tokenize_corpus(inputs, tokenizer, out, **options)


@pytest.fixture
def poisoned(tmp_path):
    """Lines of which one in fifty is broken, and line and byte of those."""
    path, lines, places = tmp_path / "rows.jsonl", [], []
    byte = 0
    for number in range(600):
        line = BAD[number // 50 % 4] if number % 50 == 7 else GOOD
        if line is not GOOD:
            places.append({"file": str(path), "line": number + 1, "byte": byte})
        lines.append(line)
        byte += len(line)
    path.write_bytes(b"".join(lines))
    return path, places


def places_of(made):
    return [{key: one[key] for key in ("file", "line", "byte")} for one in made.skipped]


def test_broken_lines_are_left_out_and_listed(tmp_path, poisoned, tokenizer):
    path, places = poisoned
    made = tokenize(path, tokenizer, tmp_path / "one")
    assert (made.documents, len(made.skipped)) == (588, 12)
    assert "588 documents, 12 skipped" in str(made)
    assert places_of(made) == places
    for number, one in enumerate(made.skipped):
        assert REASONS[number % 4] in one["reason"]
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["skipped"] == 12
    assert manifest["shards"][0]["skipped"] == made.skipped
    assert tessella.data.inspect(tmp_path / "one")["skipped"] == 12
    want = expected(tokenizer, ["low new"])[0]
    assert [one.tolist() for one in tessella.data.open(tmp_path / "one").documents] == [want] * 588
    # Parts of the file tell the same lines and bytes, whoever makes them.
    assert places_of(tokenize(path, tokenizer, tmp_path / "parts", shard_size=1000)) == places
    tokenize(path, tokenizer, tmp_path / "two", shard_size=1000, workers=2)
    assert contents(tmp_path / "two") == contents(tmp_path / "parts")
    for task in range(2):
        tokenize(path, tokenizer, tmp_path / "jobs", shard_size=1000, task=(task, 2))
    assert len(tessella.data.merge(tmp_path / "jobs").skipped) == 12
    assert contents(tmp_path / "jobs") == contents(tmp_path / "parts")
    assert tessella.data.verify(tmp_path / "parts", tokenizer, sample=3)


def test_nothing_is_left_out_unasked(tmp_path, poisoned, tokenizer):
    path, _ = poisoned
    with pytest.raises(FormatError, match=r"rows.jsonl is not UTF-8: 0xff at byte 150, line 8"):
        tokenize(path, tokenizer, tmp_path / "out", on_error="raise")
    with pytest.raises(ArgumentError, match="`on_error` was 'raise' and is 'skip'"):
        tokenize(path, tokenizer, tmp_path / "out")
    with pytest.raises(ArgumentError, match="`on_error` must be 'raise' or 'skip', found 'ignore'"):
        tokenize(path, tokenizer, tmp_path / "other", on_error="ignore")


def test_a_manifest_says_nothing_of_it_unasked(tmp_path, rows, tokenizer):
    made = tokenize(rows[0], tokenizer, tmp_path / "out", on_error="raise")
    assert "skipped" not in made.manifest and "on_error" not in made.manifest["settings"]
    assert made.skipped == []


def test_too_many_are_an_error(tmp_path, tokenizer, monkeypatch):
    """The wrong field is no exception, and the error says so."""
    monkeypatch.setattr("tessella.data.skipping.MOST", 5)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(GOOD * 10)
    with pytest.raises(
        FormatError, match=r"no `body`.*rows.jsonl, line 6.*5 documents of this shard were skipped"
    ):
        tokenize(path, tokenizer, tmp_path / "out", field="body")


def test_texts_that_the_tokenizer_refuses(tmp_path):
    strict = Tokenizer(models.WordLevel({"low": 0, "</s>": 1}, "[UNK]"))
    strict.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "low"}\n{"text": "other"}\n{"text": "low low"}\n')
    made = tokenize(path, strict, tmp_path / "out")
    assert [one.tolist() for one in tessella.data.open(tmp_path / "out").documents] == [[0, 1], [0, 0, 1]]
    ((one),) = made.skipped
    assert (one["line"], one["byte"]) == (2, 16)


def test_a_limit_that_one_text_exceeds(tmp_path):
    grows = make_tokenizer()
    grows.normalizer = normalizers.Sequence([normalizers.Replace("x", "xx")] * 40)
    path = tmp_path / "a.txt"
    path.write_text("low\n" + "x" * 100 + "\nnew\n")
    made = tokenize(path, grows, tmp_path / "out", separator="\n")
    assert (made.documents, [one["line"] for one in made.skipped]) == (2, [2])
    assert "a replacement would make" in made.skipped[0]["reason"]


def test_rows_of_tables(tmp_path, tokenizer):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    cells = [b"low"] * 70 + [b"a\xff"] + [None, b"new"] + [b"low"] * 1500
    column = pyarrow.array(cells, pyarrow.binary()).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"text": column}), tmp_path / "a.parquet")
    with pyarrow.ipc.new_file(tmp_path / "b.arrow", pyarrow.schema([("text", pyarrow.string())])) as sink:
        sink.write_table(pyarrow.table({"text": column}), 200)
    (tmp_path / "c.csv").write_bytes(b"id,text\n1,low\n2,\xff\n3,new\n")
    for name, row, count in (("a.parquet", 70, 1571), ("b.arrow", 70, 1571), ("c.csv", 1, 2)):
        made = tokenize(tmp_path / name, tokenizer, tmp_path / f"{name}.out")
        assert made.documents == count
        ((one),) = made.skipped
        assert (one["file"], one["row"]) == (str(tmp_path / name), row)
        assert "is not UTF-8: 0xff" in one["reason"]
        replaced = tokenize(
            tmp_path / name, tokenizer, tmp_path / f"{name}.all", errors="replace", on_error="raise"
        )
        assert (replaced.documents, replaced.skipped) == (count + 1, [])


def test_a_damaged_file_is_an_error_all_the_same(tmp_path, tokenizer):
    import gzip
    import os

    packed = gzip.compress(GOOD * 100 + b'{"text": "' + os.urandom(4000).hex().encode() + b'"}\n')
    (tmp_path / "a.jsonl.gz").write_bytes(packed[:-300])
    with pytest.raises(FormatError, match="damaged or cut off"):
        tokenize(tmp_path / "a.jsonl.gz", tokenizer, tmp_path / "out")


def test_on_the_command_line(tmp_path, poisoned, tokenizer, capsys):
    from tessella.cli.main import main

    path, _ = poisoned
    tokenizer.save(tmp_path / "t.json")
    out = str(tmp_path / "out")
    assert main(["data", "tokenize", str(tmp_path / "t.json"), str(path), "-o", out, "--skip-errors"]) == 0
    said = capsys.readouterr()
    assert "588 documents, 12 skipped" in said.out
    assert "line 8, byte 140: not UTF-8" in said.err and "9 more, which manifest.json lists" in said.err
