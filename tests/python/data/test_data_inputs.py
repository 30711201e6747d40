"""Which files are read, and which column of them: names that could be meant in two ways give no wrong documents."""

import json
import os

import pytest
import tessella.data
from data_cases import expected
from tessella.errors import ArgumentError, FormatError


def write(path, *texts):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def documents(out):
    return [ids.tolist() for ids in tessella.data.open(out).documents]


def make(inputs, tokenizer, out, **options):
    tessella.data.tokenize_corpus(inputs, tokenizer, out, **{"workers": 1, **options})
    return documents(out)


@pytest.mark.parametrize("table", ["csv", "arrow", "parquet"])
def test_a_column_named_twice_is_refused(tmp_path, tokenizer, table):
    path = tmp_path / f"rows.{table}"
    if table == "csv":
        path.write_text("text,text,id\nlow,new,wide\n")
    else:
        pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
        rows = pyarrow.table([["low"], ["new"], ["wide"]], names=["text", "text", "id"])
        if table == "parquet":
            import pyarrow.parquet

            pyarrow.parquet.write_table(rows, path)
        else:
            with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, rows.schema) as writer:
                writer.write_table(rows)
    with pytest.raises(ArgumentError, match=r"rows\.\w+ has 2 columns `text`"):
        make(path, tokenizer, tmp_path / "out")


@pytest.mark.parametrize("format", ["megatron", "parquet"])
@pytest.mark.parametrize("inside", ["out", "."])
@pytest.mark.parametrize("form", ["", "*.*", "**"])
def test_results_are_no_inputs(tmp_path, tokenizer, format, inside, form):
    """The folder of the results may lie among the inputs, or be theirs."""
    if form == "*.*" and inside == "out":
        inside = "."
    corpus = tmp_path / "corpus"
    write(corpus / "a.jsonl", "low new", "wide")
    inputs, out = os.path.join(corpus, form) if form else corpus, corpus / inside
    want = make(inputs, tokenizer, out, format=format)
    assert want == expected(tokenizer, ["low new", "wide"])
    assert make(inputs, tokenizer, out, format=format) == want
    assert make(inputs, tokenizer, out, format=format, resume=False) == want


def test_a_pattern_follows_no_circle(tmp_path, tokenizer):
    write(tmp_path / "corpus" / "a.jsonl", "low")
    write(tmp_path / "corpus" / "inner" / "b.jsonl", "new")
    os.symlink("..", tmp_path / "corpus" / "inner" / "up")
    found = make(tmp_path / "corpus" / "**" / "*.jsonl", tokenizer, tmp_path / "out")
    assert found == expected(tokenizer, ["low", "new"])


def test_urls_of_files(tmp_path, tokenizer):
    path = write(tmp_path / "a.jsonl", "low")
    assert make(f"file://{path}", tokenizer, tmp_path / "out") == expected(tokenizer, ["low"])


def test_a_field_without_a_name(tmp_path, tokenizer):
    path = tmp_path / "a.jsonl"
    path.write_text('{"": "low", "text": "new"}\n')
    assert make(path, tokenizer, tmp_path / "out", field="") == expected(tokenizer, ["low"])


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
def test_a_file_named_like_a_packed_one_is_refused(tmp_path, tokenizer, name):
    """By ``tokenize_corpus`` as by ``encode_files``, in the same words."""
    path = write(tmp_path / name, "low new", "wide")
    told = []
    for read in (lambda: make(path, tokenizer, tmp_path / "out"), lambda: tokenizer.encode_files(path)):
        with pytest.raises(FormatError, match=r"named like a \w+ file, but its first bytes are not") as error:
            read()
        told.append(str(error.value))
    assert told[0] == told[1]


@pytest.mark.parametrize("content", [b"low new\r\nwide\r\n", b"low new\r\nwide", b"low new\nwide\n"])
def test_line_ends_of_windows_are_no_text(tmp_path, content):
    tokenizer = tessella.Tokenizer(tessella.models.WordLevel({"low new": 0, "wide": 1}))
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert make(path, tokenizer, tmp_path / "out", separator="\n", format="numpy", eos=None) == [[0], [1]]
    assert tokenizer.encode_files(path, "\n").to_list() == [[0], [1]]
