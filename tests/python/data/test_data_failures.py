"""What goes wrong is told with file, row and byte; what was finished stays, and nothing half done does."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tessella.data
from data_cases import contents, expected
from tessella.errors import ArgumentError, EncodeError, FormatError

GOOD = b'{"text": "low new"}\n'


def tokenize(inputs, tokenizer, out, **options):
    options = {"format": "megatron", "workers": 1, "shard_size": 2000, **options}
    return tessella.data.tokenize_corpus(inputs, tokenizer, out, **options)


def fails(tmp_path, tokenizer, name, content, pattern, kind=FormatError, **options):
    """A bad file behind a good one: the error names it, and the good one's shard stays and is used again."""
    tmp_path = tmp_path / f"{len(os.listdir(tmp_path))}"
    folder = tmp_path / "in"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(GOOD * 100)
    bad = folder / name
    bad.write_bytes(content)
    out = tmp_path / "out"
    with pytest.raises(kind, match=pattern) as caught:
        tokenize([folder / "a.jsonl", bad], tokenizer, out, **options)
    assert name in str(caught.value)
    found = contents(out)
    # What was finished before is there, each with its entry, and nothing of the shard that failed.
    names = {one.partition(".")[0] for one in found if one.startswith("shard-")}
    assert "shard-00000" in names
    assert names == {
        one.split("/")[1].partition(".")[0] for one in found if one.startswith(".tessella/shard-")
    }
    assert not [one for one in found if one.endswith((".tmp", ".save"))]
    with pytest.raises(ArgumentError, match="not complete"):
        tessella.data.open(out)


def test_what_cannot_be_leaves_no_folder(tmp_path, tokenizer):
    (tmp_path / "a.jsonl").write_bytes(GOOD)
    for options, message in (
        ({"workers": -1}, "`workers` must be 1"),
        ({"engine": "spark"}, "`engine` must be"),
    ):
        with pytest.raises(ArgumentError, match=message):
            tokenize(tmp_path / "a.jsonl", tokenizer, tmp_path / "out", **options)
    with pytest.raises(ArgumentError, match="holds no run of tokenize_corpus: nothing to merge"):
        tessella.data.merge(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    tokenize(tmp_path / "a.jsonl", tokenizer, tmp_path / "out")
    with pytest.raises(ArgumentError, match="`number` must be 0 or more, found -1"):
        tessella.data.drawn(1, -1, 0)


def test_not_utf8(tmp_path, tokenizer):
    content = GOOD * 200 + b'{"text": "\xff"}\n' + GOOD
    where = len(GOOD) * 200 + 10
    fails(tmp_path, tokenizer, "b.jsonl", content, rf"not UTF-8.*byte {where}.*line 201")


def test_not_json(tmp_path, tokenizer):
    fails(tmp_path, tokenizer, "b.jsonl", GOOD * 300 + b'{"text": \n', r"line 301")


def test_truncated_gzip(tmp_path, tokenizer):
    packed = gzip.compress(os.urandom(4000).hex().encode() + b"\n" + GOOD * 100)
    fails(
        tmp_path,
        tokenizer,
        "b.jsonl.gz",
        packed[:-300],
        r"b\.jsonl\.gz",
        input_format="text",
        kind=(FormatError, OSError),
    )


def test_bad_parquet_page(tmp_path, tokenizer):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "good.parquet"
    texts = [f"low new {number}" for number in range(3000)]
    parquet.write_table(pyarrow.table({"text": texts}), path, row_group_size=1000, use_dictionary=False)
    content = bytearray(path.read_bytes())
    group = parquet.ParquetFile(path).metadata.row_group(1).column(0)
    start = group.data_page_offset
    content[start : start + 40] = b"\xff" * 40
    fails(
        tmp_path,
        tokenizer,
        "b.parquet",
        bytes(content),
        r"row group 1, row 1000 or one behind",
    )
    fails(tmp_path, tokenizer, "b.parquet", b"PAR1" + b"x" * 90, "not a usable Parquet file")


def test_text_that_is_not_utf8_in_a_table(tmp_path, tokenizer):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    cells = pyarrow.array([b"low"] * 70 + [b"a\xff"], pyarrow.binary()).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"text": cells}), tmp_path / "bad.parquet")
    content = (tmp_path / "bad.parquet").read_bytes()
    fails(tmp_path, tokenizer, "b.parquet", content, r"0xff at byte 1 of row 70, column `text`")
    fails(
        tmp_path, tokenizer, "c.csv", b"id,text\n1,low\n2,\xff\n", r"0xff at byte 0 of row 1, column `text`"
    )
    fails(
        tmp_path,
        tokenizer,
        "c.csv",
        b"id,body\n1,low\n",
        "has no column `text`, it has `id`, `body`",
        kind=ArgumentError,
    )


def test_input_that_changes_while_it_is_read(tmp_path, tokenizer):
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD * 400)
    out = tmp_path / "out"

    def change(event):
        if event["event"] == "done" and event["shard"] == 1:
            with open(path, "ab") as file:
                file.write(GOOD)

    with pytest.raises(
        FormatError, match=r"a.jsonl changed while it was read: it had 8000 bytes and has 8020"
    ):
        tokenize(path, tokenizer, out, on_event=change)
    assert len([one for one in contents(out) if one.endswith(".bin")]) == 2
    # The same bytes again: the run goes on.
    path.write_bytes(GOOD * 400)
    assert tokenize(path, tokenizer, out).documents == 400


def test_input_that_shrinks_below_a_part(tmp_path, tokenizer):
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD * 400)

    def change(event):
        if event["event"] == "started" and event["shard"] == 2:
            path.write_bytes(GOOD * 300)

    with pytest.raises(FormatError, match=r"changed while it was read"):
        tokenize(path, tokenizer, tmp_path / "out", on_event=change)


def test_missing_inputs(tmp_path, tokenizer):
    with pytest.raises(FileNotFoundError, match="missing"):
        tokenize(tmp_path / "missing.jsonl", tokenizer, tmp_path / "out")
    with pytest.raises(FileNotFoundError, match="no file fits the pattern"):
        tokenize(f"{tmp_path}/*.jsonl", tokenizer, tmp_path / "out")
    with pytest.raises(ArgumentError, match="has no file that ends with"):
        tokenize(tmp_path, tokenizer, tmp_path / "out")
    with pytest.raises(ArgumentError, match="there are no inputs"):
        tokenize([], tokenizer, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_empty_inputs(tmp_path, tokenizer):
    (tmp_path / "a.jsonl").write_bytes(b"")
    (tmp_path / "b.jsonl").write_bytes(b'{"text": ""}\n{"text": null}\n\n')
    made = tokenize([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tokenizer, tmp_path / "out")
    assert (made.documents, made.empty, made.tokens) == (1, 1, 0)
    corpus = tessella.data.open(tmp_path / "out")
    assert (len(corpus.documents), corpus.tokens, len(corpus.windows(4))) == (0, 0, 0)
    assert tessella.data.verify(tmp_path / "out", tokenizer)
    assert tessella.data.inspect(tmp_path / "out")["tokens"] == 0


def test_one_large_document(tmp_path, tokenizer):
    """Far more than what is read at a time, in one document; TESSELLA_LARGE=1000 makes it one of a GB."""
    words = 1_000_000 * int(os.environ.get("TESSELLA_LARGE", "9")) // 6
    with open(tmp_path / "a.txt", "w") as file:
        for start in range(0, words, 100_000):
            file.write("lower " * min(100_000, words - start))
    made = tokenize(tmp_path / "a.txt", tokenizer, tmp_path / "out")
    assert (made.documents, made.tokens) == (1, words + 1)
    found = tessella.data.open(tmp_path / "out").documents[0]
    assert (len(found), set(found[:-1].tolist() if words < 10**7 else found[:-1:997].tolist())) == (
        words + 1,
        {1},
    )
    assert tessella.data.verify(tmp_path / "out")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="an administrator may write anywhere"
)
def test_read_only_folder(tmp_path, tokenizer):
    (tmp_path / "a.jsonl").write_bytes(GOOD)
    (tmp_path / "out").mkdir(mode=0o555)
    with pytest.raises(PermissionError, match="out"):
        tokenize(tmp_path / "a.jsonl", tokenizer, tmp_path / "out")


def test_a_file_in_the_place_of_the_folder(tmp_path, tokenizer):
    (tmp_path / "a.jsonl").write_bytes(GOOD)
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OSError, match="out"):
        tokenize(tmp_path / "a.jsonl", tokenizer, tmp_path / "out")


FULL = """
import resource, sys, tessella, tessella.data
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
tessella.data.tokenize_corpus({inputs!r}, tessella.load({tokenizer!r}), {out!r}, workers={workers}, shard_size={size})
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_full_disk(tmp_path, tokenizer, workers):
    """Files may not grow beyond a limit, as on a full disk: the error names the file, and a later run goes on."""
    pytest.importorskip("resource")
    folder = tmp_path / "in"
    folder.mkdir()
    for number, count in enumerate((10, 5000)):
        (folder / f"{number}.jsonl").write_bytes(b'{"text": "%s"}\n' % (b"low " * 5) * count)
    # The small one first, so that a shard is there.
    tokenizer.save(tmp_path / "t.json")
    out = tmp_path / "out"
    inputs = [str(folder / "0.jsonl"), str(folder / "1.jsonl")]
    size = 1000 if workers == 1 else 20000
    script = FULL.format(
        inputs=inputs, tokenizer=str(tmp_path / "t.json"), out=str(out), workers=workers, size=size
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    if workers == 1:
        assert re.search(r"OSError: \[Errno 27\] File too large: '.*out/.*'", done.stderr), done.stderr
    assert not [one for one in contents(out) if one.endswith((".tmp", ".save"))]
    tessella.data.tokenize_corpus(inputs, tokenizer, out, workers=1, shard_size=size)
    texts = [json.loads(line)["text"] for path in inputs for line in Path(path).read_text().splitlines()]
    assert [one.tolist() for one in tessella.data.open(out).documents] == expected(tokenizer, texts)


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_files_go_though_taking_them_away_was_interrupted(tmp_path):
    from tessella._files import _Replacements
    from tessella.data.engines.worker import _let_go

    def clean_up(files):
        raise SystemExit(1)

    def work():
        files = _Replacements()
        files.open(str(tmp_path / "a"))
        try:
            raise OSError(27, "File too large")
        except OSError:
            clean_up(files)

    try:
        work()
    except SystemExit as error:
        assert len(contents(tmp_path)) == 1
        _let_go(error)
        assert not contents(tmp_path)


def test_a_text_that_the_model_cannot_encode(tmp_path):
    from tessella import Tokenizer, models

    strict = Tokenizer(models.WordLevel({"low": 0, "</s>": 1}, "[UNK]"))
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "low"}\n{"text": "other"}\n')
    with pytest.raises((EncodeError, tessella.errors.ModelError)):
        tokenize(tmp_path / "a.jsonl", strict, tmp_path / "out")


@pytest.mark.parametrize("look", ["read", "mask"])
def test_a_place_before_the_first_is_refused(tmp_path, rows, tokenizer, look):
    tessella.data.tokenize_corpus(rows[0], tokenizer, tmp_path / "out", workers=1)
    corpus = tessella.data.open(tmp_path / "out")
    with pytest.raises(ArgumentError, match="a place must be 0 or more, found -5"):
        getattr(corpus, look)(-5, 3)
    assert len(getattr(corpus, look)(2, 5)) == 3
