"""Repeated documents: the first of equal texts stays, whoever makes the shards and however often a run is stopped."""

import gzip
import json
import os
import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import tessella.data
from data_cases import WORDS, contents, expected
from tessella.data import repeats
from tessella.data.engines import local
from tessella.data.job import WORK
from tessella.errors import ArgumentError, FormatError, TessellaError


def tokenize(inputs, tokenizer, out, **options):
    options = {"format": "megatron", "workers": 1, "dedup": "exact", **options}
    return tessella.data.tokenize_corpus(inputs, tokenizer, out, **options)


def line(text):
    return json.dumps({"text": text}).encode() + b"\n"


@pytest.fixture
def repeated(tmp_path):
    """Files of all kinds with texts that come again, inside a file and across, and the texts in their order."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    draw = random.Random(5)
    folder = tmp_path / "texts"
    folder.mkdir()
    drawn = [" ".join(draw.choice(WORDS) for _ in range(draw.randint(0, 4))) for _ in range(700)]
    parts = [drawn[at : at + 140] for at in range(0, 700, 140)]
    (folder / "a.jsonl").write_bytes(b"".join(map(line, parts[0])))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(b"".join(map(line, parts[1]))))
    parquet.write_table(pyarrow.table({"text": [None, *parts[2]]}), folder / "c.parquet", row_group_size=20)
    rows = "".join(f"{number},{text}\n" for number, text in enumerate(parts[3]))
    (folder / "d.csv").write_text("id,text\n" + rows)
    (folder / "e.jsonl").write_bytes(b"".join(map(line, parts[4])))
    return folder, drawn


def test_the_first_of_equal_texts_stays(tmp_path, repeated, tokenizer):
    folder, texts = repeated
    unique = list(dict.fromkeys(texts))
    assert 100 < len(unique) < 650
    made = tokenize(folder, tokenizer, tmp_path / "one")
    assert (made.documents, made.duplicates) == (len(unique), len(texts) - len(unique))
    assert f", {made.duplicates:,} duplicates left out" in str(made)
    found = [one.tolist() for one in tessella.data.open(tmp_path / "one").documents]
    assert found == expected(tokenizer, unique)
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["duplicates"] == made.duplicates and manifest["settings"]["dedup"] == "exact"
    assert tessella.data.inspect(tmp_path / "one")["duplicates"] == made.duplicates
    assert not (tmp_path / "one" / WORK).exists()
    # What is cut otherwise keeps the same documents.
    tokenize(folder, tokenizer, tmp_path / "small", shard_size=900)
    found = [one.tolist() for one in tessella.data.open(tmp_path / "small").documents]
    assert found == expected(tokenizer, unique)


def test_workers_jobs_and_cluster_make_the_same(tmp_path, repeated, tokenizer, monkeypatch):
    folder, _ = repeated
    tokenize(folder, tokenizer, tmp_path / "one", shard_size=1500)
    want = contents(tmp_path / "one")
    tokenize(folder, tokenizer, tmp_path / "two", shard_size=1500, workers=2)
    assert contents(tmp_path / "two") == want
    # Jobs that run one after the other, the last one first.
    for task in (2, 0, 1):
        tokenize(folder, tokenizer, tmp_path / "jobs", shard_size=1500, task=(task, 3))
    tessella.data.merge(tmp_path / "jobs")
    assert contents(tmp_path / "jobs") == want
    # Runs of hashes and ranges of any size.
    monkeypatch.setattr(repeats, "RUN", 7)
    monkeypatch.setattr(repeats, "RANGE", 500)
    tokenize(folder, tokenizer, tmp_path / "small", shard_size=1500)
    assert contents(tmp_path / "small") == want


def test_a_run_goes_on_wherever_it_was_stopped(tmp_path, repeated, tokenizer, monkeypatch):
    """Stopped before each thing that is done, and started again."""
    folder, _ = repeated
    tokenize(folder, tokenizer, tmp_path / "one", shard_size=1500)
    real, left, out = local.make, [0], tmp_path / "out"

    def stopped(job, shard, step):
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        return real(job, shard, step)

    monkeypatch.setattr(local, "make", stopped)
    stops = 0
    while True:
        left[0] = 1
        try:
            tokenize(folder, tokenizer, out, shard_size=1500)
        except KeyboardInterrupt:
            stops += 1
            continue
        break
    # Each shard is hashed and made, and there is one range.
    assert stops == 2 * len(list((tmp_path / "one").glob("*.bin")))
    assert contents(out) == contents(tmp_path / "one")


def test_verify_makes_shards_again(tmp_path, repeated, tokenizer):
    folder, _ = repeated
    tokenize(folder, tokenizer, tmp_path / "out", shard_size=1500)
    assert tessella.data.verify(tmp_path / "out", tokenizer, sample=99)
    hidden = sorted((tmp_path / "out").glob(".shard-*.repeats.npy"))[-1]
    np.save(hidden, np.load(hidden)[1:])
    problems = tessella.data.verify(tmp_path / "out", tokenizer, sample=99).problems
    assert any("repeats.npy has" in one for one in problems)
    assert any("duplicates, the manifest tells" in one for one in problems)


def test_broken_and_refused_documents_are_no_duplicates(tmp_path):
    from tessella import Tokenizer, models, pre_tokenizers

    strict = Tokenizer(models.WordLevel({"low": 0, "</s>": 1, "new": 2}, "[UNK]"))
    strict.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path / "a.jsonl"
    lines = [
        line("low"),
        b"{broken\n",
        line("other"),
        line("low"),
        line("new"),
        line("other"),
        line("new low"),
    ]
    path.write_bytes(b"".join(lines))
    plain = tokenize(path, strict, tmp_path / "plain", on_error="skip", dedup=None)
    made = tokenize(path, strict, tmp_path / "out", on_error="skip")
    assert made.skipped == plain.skipped
    assert [one["line"] for one in made.skipped] == [2, 3, 6]
    assert (plain.documents, made.documents, made.duplicates) == (4, 3, 1)
    assert [one.tolist() for one in tessella.data.open(tmp_path / "out").documents] == [
        [0, 1],
        [2, 1],
        [2, 0, 1],
    ]
    with pytest.raises(FormatError, match=r"a\.jsonl.*line 2"):
        tokenize(path, strict, tmp_path / "strict")
    (tmp_path / "b.jsonl").write_bytes(line("low") + line("other"))
    said = []
    for dedup in (None, "exact"):
        with pytest.raises(TessellaError) as refused:
            tokenize(tmp_path / "b.jsonl", strict, tmp_path / f"refused-{dedup}", dedup=dedup)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_conversations(tmp_path, tokenizer):
    pytest.importorskip("jinja2", reason="needs jinja2")
    from tessella.batch import PretrainedTokenizer
    from test_data_chat import TEMPLATE

    chat = PretrainedTokenizer(tokenizer_object=tokenizer)
    chat.chat_template = TEMPLATE
    one = [{"role": "user", "content": "low"}, {"role": "assistant", "content": "tile wide"}]
    # The same with its keys in another order, and one where the assistant says something else.
    same = [dict(reversed(list(message.items()))) for message in one]
    other = [one[0], {**one[1], "content": "wide"}]
    rows = [one, other, same, one, other]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"messages": row}) + "\n" for row in rows))
    made = tokenize(tmp_path / "a.jsonl", chat, tmp_path / "out", mask="assistant", format="numpy")
    assert (made.documents, made.duplicates) == (2, 3)
    documents = tessella.data.open(tmp_path / "out").documents
    assert [documents.mask(number).tolist() for number in range(2)] == [[0, 1, 1], [0, 1]]


def test_inputs_must_not_change_between_looking_and_encoding(tmp_path, tokenizer, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("low") * 3 + line("new"))
    stamp = path.stat()
    real = local.make

    def changes(job, shard, step):
        found = real(job, shard, step)
        if job.stage == repeats.HASH:
            path.write_bytes(line("new") * 3 + line("low"))
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        return found

    monkeypatch.setattr(local, "make", changes)
    with pytest.raises(FormatError, match="it is not what it was when repeated documents were looked for"):
        tokenize(path, tokenizer, tmp_path / "out")
    monkeypatch.setattr(local, "make", real)
    os.utime(path, ns=(1, 1))
    with pytest.raises(ArgumentError, match="has other bytes than shard 0 was made of"):
        tokenize(path, tokenizer, tmp_path / "out")
    assert tokenize(path, tokenizer, tmp_path / "out", resume=False).duplicates == 2


def test_what_cannot_be_is_refused(tmp_path, rows, tokenizer):
    with pytest.raises(ArgumentError, match="`dedup` must be 'exact' or None, found 'near'"):
        tokenize(rows[0], tokenizer, tmp_path / "out", dedup="near")
    with pytest.raises(ArgumentError, match="standard input cannot be"):
        tokenize("-", tokenizer, tmp_path / "out")
    tokenize(rows[0], tokenizer, tmp_path / "out", dedup=None)
    with pytest.raises(ArgumentError, match="`dedup` was None and is 'exact'"):
        tokenize(rows[0], tokenizer, tmp_path / "out")


def test_memory_does_not_grow_with_the_corpus(tmp_path, tokenizer, monkeypatch):
    monkeypatch.setattr(repeats, "RUN", 500)
    monkeypatch.setattr(repeats, "RANGE", 24 * 500)
    peaks = []
    for number, copies in enumerate((1, 8)):
        folder = tmp_path / str(number)
        folder.mkdir()
        for part in range(copies):
            texts = (f"{part} {row} low" for row in range(2000))
            (folder / f"{part}.jsonl").write_bytes(b"".join(map(line, texts)))
        tracemalloc.start()
        tokenize(folder, tokenizer, tmp_path / f"out-{number}", shard_size=60_000)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


def test_on_the_command_line(tmp_path, tokenizer, capsys):
    from tessella.cli.main import main

    tokenizer.save(tmp_path / "t.json")
    (tmp_path / "a.jsonl").write_bytes(line("low") * 5 + line("new"))
    out = tmp_path / "out"
    given = [
        "data",
        "tokenize",
        str(tmp_path / "t.json"),
        str(tmp_path / "a.jsonl"),
        "-o",
        str(out),
        "--dedup",
    ]
    assert main(given) == 0
    assert "2 documents, 4 duplicates left out, 4 tokens" in capsys.readouterr().out
    assert main(["data", "inspect", str(out)]) == 0
    assert "duplicates" in capsys.readouterr().out
    assert (
        sorted(path.name for path in Path(out).iterdir() if not path.name.startswith("."))[0]
        == "manifest.json"
    )
