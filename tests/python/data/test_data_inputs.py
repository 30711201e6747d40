"""Which files are read, and which column of them: names that could be meant in two ways give no wrong documents."""

import gzip
import io
import json
import os
import sys

import pytest
import tessella.data
from data_cases import expected
from tessella import AddedToken
from tessella.batch import PretrainedTokenizer
from tessella.cli import main
from tessella.errors import ArgumentError, FormatError


def write(path, *texts):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def write_table(path, rows):
    """Writes a table of Arrow's as the ending of its name says."""
    import pyarrow.parquet

    with open(path, "wb") as file:
        if path.suffix == ".parquet":
            pyarrow.parquet.write_table(rows, file)
        else:
            with pyarrow.ipc.new_file(file, rows.schema) as writer:
                writer.write_table(rows)


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
        write_table(path, pyarrow.table([["low"], ["new"], ["wide"]], names=["text", "text", "id"]))
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


def packed_with_a_frame_to_skip(path, content):
    """As programs write it that pack by several threads: in front of the frames stands one with what they know of them."""
    pyarrow = pytest.importorskip("pyarrow")
    path.write_bytes(b"\x50\x2a\x4d\x18\x04\0\0\0size")
    with open(path, "ab") as file, pyarrow.CompressedOutputStream(file, "zstd") as packed:
        packed.write(content)
    return path


def test_packed_files_are_not_cut_whatever_they_begin_with(tmp_path, tokenizer):
    rows = [{"text": "low new"}, {"text": "wide"}] * 200
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path = packed_with_a_frame_to_skip(tmp_path / "a.jsonl.zst", lines)
    found = make(path, tokenizer, tmp_path / "out", shard_size=path.stat().st_size // 2)
    assert found == expected(tokenizer, [row["text"] for row in rows])


def test_conversations_are_unpacked_whatever_they_begin_with(tmp_path, tokenizer):
    pytest.importorskip("jinja2", reason="needs jinja2")
    chat = PretrainedTokenizer(tokenizer_object=tokenizer)
    chat.chat_template = "{% generation %}{{ messages[0].content }}{% endgeneration %}"
    row = json.dumps({"messages": [{"role": "assistant", "content": "low new"}]}) + "\n"
    path = packed_with_a_frame_to_skip(tmp_path / "a.jsonl.zst", row.encode() * 3)
    assert len(make(path, chat, tmp_path / "out", mask="assistant")) == 3


@pytest.mark.parametrize("content", [b"low new\r\nwide\r\n", b"low new\r\nwide", b"low new\nwide\n"])
def test_line_ends_of_windows_are_no_text(tmp_path, content):
    tokenizer = tessella.Tokenizer(tessella.models.WordLevel({"low new": 0, "wide": 1}))
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert make(path, tokenizer, tmp_path / "out", separator="\n", format="numpy", eos=None) == [[0], [1]]
    assert tokenizer.encode_files(path, "\n").to_list() == [[0], [1]]


@pytest.mark.parametrize("packed", [False, True])
def test_rows_on_standard_input_are_asked_for(tmp_path, tokenizer, monkeypatch, capsys, packed):
    """Nothing names them as rows, and as text they would be one document of braces and keys."""
    rows = b'{"text": "low new"}\n{"text": "wide"}\n'

    def given(content):
        content = gzip.compress(content) if packed else content
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
        return "-"

    with pytest.raises(ArgumentError, match="begins with an object of JSON: say `--input jsonl`"):
        make(given(rows), tokenizer, tmp_path / "out")
    assert make(given(rows), tokenizer, tmp_path / "rows", input_format="jsonl") == expected(
        tokenizer, ["low new", "wide"]
    )
    assert make(given(rows), tokenizer, tmp_path / "text", input_format="text") == expected(
        tokenizer, [rows.decode()]
    )
    for text in (b"low new", b"{low", b"[1]\n", b""):
        assert make(given(text), tokenizer, tmp_path / "plain", resume=False) == expected(
            tokenizer, [text.decode()] if text else []
        )
    tokenizer.save(tmp_path / "tokenizer.json")
    given(rows)
    assert main(["count", "-", "--tokenizer", str(tmp_path / "tokenizer.json"), "--quiet"]) == 1
    assert "begins with an object of JSON" in capsys.readouterr().err


def test_special_tokens_may_be_text(tmp_path, tokenizer, capsys):
    """A document that holds the token between documents would be two for a reader that knows no others."""
    tokenizer.add_special_tokens([AddedToken("</d>")])
    tokenizer.save(tmp_path / "tokenizer.json")
    path = write(tmp_path / "a.jsonl", "low </d> new", "wide")
    ends = tokenizer.token_to_id("</d>")
    told = [str(tmp_path / "tokenizer.json"), str(path), "--no-eos", "--format", "numpy", "--workers", "1"]
    assert main(["data", "tokenize", *told, "-o", str(tmp_path / "token")]) == 0
    assert main(["data", "tokenize", *told, "-o", str(tmp_path / "text"), "--specials-as-text"]) == 0
    assert ends in documents(tmp_path / "token")[0]
    assert ends not in documents(tmp_path / "text")[0]
    again = ["data", "verify", str(tmp_path / "text"), "--tokenizer", told[0]]
    assert main([*again, "--specials-as-text"]) == 0
    assert main(again) != 0
    capsys.readouterr()


@pytest.mark.parametrize("kind", ["string_view", "binary_view"])
def test_columns_of_views(tmp_path, tokenizer, kind):
    """As Polars writes its texts."""
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    texts = ["low new", None, "", "a text that is too long to lie in its view: wide", None]
    column = pyarrow.array(texts, pyarrow.string_view())
    if kind == "binary_view":
        column = pyarrow.array([text and text.encode() for text in texts], pyarrow.binary_view())
    rows = pyarrow.table({"text": column})
    with (
        pyarrow.OSFile(str(tmp_path / "a.arrow"), "wb") as file,
        pyarrow.ipc.new_file(file, rows.schema) as writer,
    ):
        writer.write_table(rows)
    if kind == "binary_view":
        with pytest.raises(ArgumentError, match="binary_view"):
            make(tmp_path / "a.arrow", tokenizer, tmp_path / "out")
        return
    assert make(tmp_path / "a.arrow", tokenizer, tmp_path / "out") == expected(
        tokenizer, [text for text in texts if text]
    )


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_names_of_files_that_are_no_utf8(tmp_path, tokenizer):
    """Bytes of a name that are no UTF-8 are lone surrogates in Python: the file is read like any other."""

    def named(ending):
        return tmp_path / f"caf\udce9.{ending}"

    rows = write(named("jsonl"), "low new", "wide", "low new")
    with gzip.open(named("jsonl.gz"), "wb") as file:
        file.write(rows.read_bytes())
    named("txt").write_text("newer")
    ordinary = write(tmp_path / "rows.jsonl", "low new", "wide", "low new")
    wanted = make(ordinary, tokenizer, tmp_path / "wanted")
    out = tmp_path / "out\udce9"
    for path in (rows, named("jsonl.gz"), tmp_path / "c*\udce9.jsonl"):
        assert make(path, tokenizer, out, resume=False) == wanted
    assert make(named("txt"), tokenizer, out, resume=False, workers=2) == expected(tokenizer, ["newer"])
    assert tessella.data.verify(out, tokenizer).problems == []
    packed = tessella.data.pack_corpus(out, tmp_path / "packed\udce9", format="numpy", length=4, workers=1)
    assert packed.documents == 1
    assert make([rows, named("txt")], tokenizer, out, resume=False, dedup="exact")[:2] == wanted[:2]
    with rows.open("a") as file:
        print("{}", file=file)
    made = tessella.data.tokenize_corpus(rows, tokenizer, out, workers=1, resume=False, on_error="skip")
    assert [one["file"] for one in made.skipped] == [str(rows)]
    with pytest.raises(FormatError, match=r"caf\\udce9.jsonl, line 4"):
        make(rows, tokenizer, out, resume=False)
    named("jsonl.gz").write_text("{}")
    with pytest.raises(FormatError, match=r"caf\\udce9.jsonl.gz is named like a gzip file"):
        make(named("jsonl.gz"), tokenizer, out, resume=False)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_tables_whose_names_are_no_utf8(tmp_path, tokenizer, format):
    """pyarrow itself takes no such name as a `str`."""
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    texts = ["low new", "wide"]
    path, out = tmp_path / f"caf\udce9.{format}", tmp_path / "out\udce9"
    write_table(path, pyarrow.table({"text": texts}))
    assert make(path, tokenizer, out, format=format) == expected(tokenizer, texts)
    if format == "parquet":
        assert [len(ids) for ids in tokenizer.encode_files([path])] == [2, 1]
    comma = tmp_path / "caf\udce9.csv"
    comma.write_text("text\nwide low\n")
    assert make(comma, tokenizer, out, resume=False) == expected(tokenizer, ["wide low"])


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_pipe_is_no_input_by_its_name(tokenizer, tmp_path):
    """It has no size to plan by, and nothing that is read again to tell whether it changed."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArgumentError, match=r"pipe is a pipe or a device.*standard input"):
        make(tmp_path / "pipe", tokenizer, tmp_path / "out")
    assert not (tmp_path / "out").exists()
