"""Runs: any number of workers, any interruption, and what is refused."""

import gzip
import hashlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import tessella.data
from data_cases import contents, expected, make_tokenizer, sentence
from tessella import Tokenizer, models
from tessella.data.found import find
from tessella.data.places import place
from tessella.data.plan import plan
from tessella.data.slices import SliceStream
from tessella.errors import ArgumentError, FormatError, TessellaError

#: Kills at random moments; TESSELLA_KILLS=100 for a thorough run.
KILLS = int(os.environ.get("TESSELLA_KILLS", "3"))


def tokenize(rows, tokenizer, out, **options):
    options = {"format": "nanogpt", "shard_size": 9000, "workers": 1, **options}
    return tessella.data.tokenize_corpus(rows, tokenizer, out, **options)


def test_any_number_of_workers_and_shards_gives_the_same_documents(tmp_path, rows, tokenizer):
    path, texts = rows
    want = expected(tokenizer, texts)
    for size in (4000, 9000, 10**9):
        made = tokenize(path, tokenizer, tmp_path / str(size), shard_size=size)
        assert made.is_complete
        assert (made.documents, made.empty) == (len(texts), texts.count(""))
        assert made.tokens == sum(map(len, want))
        assert [one.tolist() for one in tessella.data.open(tmp_path / str(size)).documents] == want
    assert len(contents(tmp_path / "4000")) > 6
    tokenize(path, tokenizer, tmp_path / "two", workers=2)
    assert contents(tmp_path / "two") == contents(tmp_path / "9000")


def test_slices_of_lines_give_every_line_once(tmp_path):
    path = tmp_path / "lines.txt"
    lines = ["low", "", "é 日本", "tile " * 50, "new"] * 9
    content = "\n".join(lines).encode()
    path.write_bytes(content)
    for size in (1, 2, 3, 7, 64, 1000):
        read, start = b"", 0
        for shard in plan(find(path), size, True):
            (part,) = shard.slices
            assert part.start == start
            start = part.end
            with open(path, "rb") as file:
                stream = SliceStream(file, part)
                found = b"".join(iter(lambda stream=stream: stream.read(5), b""))
            assert stream.digest == hashlib.sha256(content[part.start : part.end]).hexdigest()
            assert found == b"" or found.endswith(b"\n") or read + found == content
            read += found
        assert (read, start) == (content, len(content))


def test_inputs_of_all_kinds(tmp_path, tokenizer):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    texts = [sentence(number) for number in range(90)]
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    (folder / "a.jsonl").write_bytes(lines)
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(lines))
    table = pyarrow.table({"id": range(90), "text": texts})
    parquet.write_table(table, folder / "c.parquet", row_group_size=20)
    with pyarrow.ipc.new_stream(folder / "d.arrow", table.schema) as sink:
        sink.write_table(table, 25)
    with pyarrow.ipc.new_file(folder / "deep" / "e.arrow", table.schema) as sink:
        sink.write_table(table, 25)
    csv.write_csv(table, folder / "deep" / "f.csv")
    with pyarrow.CompressedOutputStream(str(folder / "deep" / "g.jsonl.zst"), "zstd") as packed:
        packed.write(lines)
    (folder / ".hidden.jsonl").write_text("nonsense")
    (folder / "README").write_text("nonsense")
    for size in (10**9, 4000):
        out = tmp_path / str(size)
        tokenize(folder, tokenizer, out, shard_size=size)
        corpus = tessella.data.open(out)
        assert [one.tolist() for one in corpus.documents] == expected(tokenizer, texts) * 7
    pattern = tokenize(f"{folder}/*.jsonl*", tokenizer, tmp_path / "pattern")
    assert pattern.documents == 180
    several = tokenize([folder / "c.parquet", folder / "a.jsonl"], tokenizer, tmp_path / "several")
    assert several.documents == 180


def test_standard_input(tmp_path, tokenizer, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "low new"}\n')))
    made = tokenize("-", tokenizer, tmp_path / "out", input_format="jsonl")
    assert (made.documents, made.tokens) == (1, 3)
    assert tessella.data.verify(tmp_path / "out", tokenizer).problems == [
        "shard 0 came from standard input and cannot be made again"
    ]


def interrupted(after):
    """An event handler that stops the run when so many shards are done."""
    done = 0

    def on_event(event):
        nonlocal done
        done += event["event"] == "done"
        if done == after:
            raise KeyboardInterrupt

    return on_event


def test_a_stopped_run_goes_on(tmp_path, rows, tokenizer):
    path, _ = rows
    tokenize(path, tokenizer, tmp_path / "whole")
    out = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        tokenize(path, tokenizer, out, on_event=interrupted(2))
    with pytest.raises(ArgumentError, match="is not complete"):
        tessella.data.open(out)
    kept = {name: (out / name).stat().st_mtime_ns for name in contents(out) if name.startswith("shard-0000")}
    events = []
    assert tokenize(path, tokenizer, out, on_event=events.append).is_complete
    assert events[0]["done"] == 2
    assert contents(out) == contents(tmp_path / "whole")
    assert {name: (out / name).stat().st_mtime_ns for name in kept} == kept
    # Once more: nothing is left to do.
    events.clear()
    tokenize(path, tokenizer, out, on_event=events.append)
    assert events == []


def test_a_file_that_lost_its_end_is_made_again(tmp_path, rows, tokenizer):
    path, _ = rows
    tokenize(path, tokenizer, tmp_path / "whole")
    out = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        tokenize(path, tokenizer, out, on_event=interrupted(2))
    (out / "shard-00001.bin").write_bytes(b"short")
    tokenize(path, tokenizer, out)
    assert contents(out) == contents(tmp_path / "whole")


@pytest.mark.parametrize("is_complete", [False, True])
def test_what_changed_is_refused(tmp_path, rows, tokenizer, is_complete):
    path, _ = rows
    out = tmp_path / "out"
    if is_complete:
        tokenize(path, tokenizer, out)
    else:
        with pytest.raises(KeyboardInterrupt):
            tokenize(path, tokenizer, out, on_event=interrupted(2))
    before = contents(out)
    with pytest.raises(ArgumentError, match=r"the tokenizer was \w{16} and is \w{16}"):
        tokenize(path, make_tokenizer(["more"]), out, eos="</s>")
    with pytest.raises(ArgumentError, match=r"`eos` was 12 and is None.*resume=False"):
        tokenize(path, tokenizer, out, eos=None)
    with pytest.raises(ArgumentError, match="`shard_size` was 9000 and is 3000"):
        tokenize(path, tokenizer, out, shard_size=3000)
    other = tmp_path / "other.jsonl"
    shutil.copy(path, other)
    with pytest.raises(ArgumentError, match=r"rows.jsonl is gone; the input .*other.jsonl is new"):
        tokenize(other, tokenizer, out)
    content = path.read_bytes()
    path.write_bytes(content + b'{"text": "low"}\n')
    with pytest.raises(ArgumentError, match=rf"had {len(content)} bytes and has {len(content) + 16}"):
        tokenize(path, tokenizer, out)
    # As many bytes, and others.
    path.write_bytes(content.replace(b"low", b"new", 1))
    with pytest.raises(ArgumentError, match="has other bytes than shard 0 was made of"):
        tokenize(path, tokenizer, out)
    assert contents(out) == before
    # Written again with the same bytes: nothing has changed.
    path.write_bytes(content)
    assert tokenize(path, tokenizer, out).is_complete
    # And anew, if that is asked for.
    assert tokenize(path, tokenizer, out, eos=None, resume=False).manifest["settings"]["eos"] is None
    assert tessella.data.verify(out, tokenizer)


def test_foreign_files_are_not_written_over(tmp_path, rows, tokenizer):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "shard-00000.bin").write_text("mine")
    with pytest.raises(ArgumentError, match=r"shard-00000.bin for one"):
        tokenize(rows[0], tokenizer, tmp_path / "out")
    assert (tmp_path / "out" / "shard-00000.bin").read_text() == "mine"
    (tmp_path / "no").mkdir()
    with pytest.raises(ArgumentError, match=r"has no manifest.json"):
        tessella.data.open(tmp_path / "no")
    (tmp_path / "no" / "manifest.json").write_text('{"kind": "other"}')
    with pytest.raises(FormatError, match="its kind is 'other'"):
        tessella.data.open(tmp_path / "no")
    (tmp_path / "no" / "manifest.json").write_text("{")
    with pytest.raises(FormatError, match="is damaged"):
        tessella.data.open(tmp_path / "no")


def test_jobs_of_an_array_make_one_corpus(tmp_path, rows, tokenizer):
    path, _ = rows
    tokenize(path, tokenizer, tmp_path / "whole")
    out = tmp_path / "out"
    for job in (2, 0):
        made = tokenize(path, tokenizer, out, task=(job, 3))
        assert not made.is_complete
    with pytest.raises(ArgumentError, match=r"of \d+ shards are not made yet \(1\)"):
        tessella.data.merge(out)
    with pytest.raises(ArgumentError, match="`eos` was 12 and is None"):
        tokenize(path, tokenizer, out, task=(1, 3), eos=None)
    tokenize(path, tokenizer, out, task=(1, 3))
    assert tessella.data.merge(out).is_complete
    assert contents(out) == contents(tmp_path / "whole")
    assert tessella.data.merge(out).is_complete
    with pytest.raises(ArgumentError, match="holds no run"):
        tessella.data.merge(tmp_path)


def test_one_process_at_a_time(tmp_path, rows, tokenizer):
    pytest.importorskip("fcntl")
    seen = []

    def on_event(event):
        if event["event"] == "done" and not seen:
            with pytest.raises(ArgumentError, match="another process is at work"):
                tokenize(rows[0], tokenizer, tmp_path / "out")
            seen.append(True)

    tokenize(rows[0], tokenizer, tmp_path / "out", on_event=on_event)
    assert seen


def test_verify_tells_what_is_wrong(tmp_path, rows, tokenizer):
    path, _ = rows
    out = tmp_path / "out"
    tokenize(path, tokenizer, out)
    found = tessella.data.verify(out, tokenizer, sample=100)
    assert found
    assert len(found.remade) == len(json.loads((out / "manifest.json").read_text())["shards"])
    assert "the tokenizer" in tessella.data.verify(out, make_tokenizer(["more"])).problems[0]
    content = bytearray((out / "shard-00001.bin").read_bytes())
    content[-1] ^= 1
    (out / "shard-00001.bin").write_bytes(content)
    (out / "shard-00002.bin").write_bytes(content[:-2])
    (out / "shard-00000.bin").unlink()
    problems = tessella.data.verify(out).problems
    assert "missing" in problems[0]
    assert "other bytes" in problems[1]
    assert "the manifest tells" in problems[2]
    path.write_bytes(path.read_bytes().replace(b"low", b"new"))
    assert "has other bytes than shard" in tessella.data.verify(out, tokenizer).problems[-1]


@pytest.mark.parametrize("options", [{"format": "numpy"}, {"format": "mds"}, {"dedup": "exact"}])
def test_what_a_complete_folder_has_lost_is_made_again(tmp_path, rows, tokenizer, options):
    path, _ = rows
    out = tmp_path / "out"
    tokenize(path, tokenizer, out, **options)
    whole = contents(out)
    shards = sorted(name for name in whole if "shard-00001" in name)
    assert shards
    for name in [*shards, *(name for name in whole if name == "index.json")]:
        (out / name).write_bytes((out / name).read_bytes()[:-1])
        assert tokenize(path, tokenizer, out, **options).is_complete
        assert contents(out) == whole
        (out / name).unlink()
        with pytest.raises(ArgumentError, match=f"has lost {name}"):
            tessella.data.merge(out)
        told = []
        assert tokenize(path, tokenizer, out, on_event=told.append, **options).is_complete
        assert contents(out) == whole
        plan = next(event for event in told if event["event"] == "plan")
        assert plan["missing"] == (name in shards)
    assert not (out / ".tessella").exists()
    assert tessella.data.merge(out).is_complete
    path.write_bytes(path.read_bytes().replace(b"low", b"new"))
    (out / shards[0]).unlink()
    with pytest.raises(ArgumentError, match="has other bytes than shard"):
        tokenize(path, tokenizer, out, **options)
    assert (out / "manifest.json").exists()


FORMATS = (
    "megatron",
    "nanogpt",
    "llm.c",
    "mds",
    "datatrove",
    "dolma",
    "litdata",
    "parquet",
    "arrow",
    "numpy",
)


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_was_cut_off_is_named(tmp_path, rows, tokenizer, form):
    if form in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    out = tmp_path / "out"
    tokenize(rows[0], tokenizer, out, format=form)
    for name in contents(out):
        if "shard-00001" not in name:
            continue
        content = (out / name).read_bytes()
        for hurt in (b"", content[: len(content) // 2], content + b"more"):
            (out / name).write_bytes(hurt)
            corpus = tessella.data.open(out)
            with pytest.raises(FormatError, match=rf"{name} in .* has {len(hurt)} bytes, its manifest tells"):
                corpus.documents[len(corpus.documents) // 2]
                corpus.read(0, corpus.tokens)
        (out / name).write_bytes(content)


def test_a_damaged_manifest_is_refused(tmp_path, rows, tokenizer):
    """Nothing else tells how many documents there are, or which bytes the files had."""
    path, _ = rows
    out = tmp_path / "out"
    made = tokenize(path, tokenizer, out)
    name = out / "manifest.json"
    content = name.read_text()
    assert json.loads(content) == made.manifest == tessella.data.open(out).manifest
    for old, new in [
        ('"documents": ', '"documents": 9'),
        ('"shards"', '"shard"'),
        ('"bytes"', '"byte"'),
        ('"sha256"', '"sha"'),
        ('"empty": 2', '"empty": 3'),
    ]:
        assert old in content
        name.write_text(content.replace(old, new, 1))
        for look in (tessella.data.open, tessella.data.verify, tessella.data.inspect):
            with pytest.raises(FormatError, match=r"manifest.json is damaged: its own SHA-256"):
                look(out)
        with pytest.raises(FormatError, match=r"manifest.json is damaged: its own SHA-256"):
            tokenize(path, tokenizer, out)
    # Spaced in another way it tells the same.
    name.write_text(json.dumps(json.loads(content)))
    assert tessella.data.verify(out, tokenizer)


def test_the_end_of_documents_is_chosen_or_asked_for(tmp_path, rows, tokenizer):
    path, texts = rows
    assert tokenize(path, tokenizer, tmp_path / "auto").manifest["settings"]["eos"] == 12
    tokenize(path, tokenizer, tmp_path / "bos", bos="low", eos=11)
    document = tessella.data.open(tmp_path / "bos").documents[0].tolist()
    assert (document[0], document[-1]) == (0, 11)
    none = tokenize(path, tokenizer, tmp_path / "none", eos=None)
    assert none.tokens == sum(map(len, expected(tokenizer, texts, eos=None)))
    plain = Tokenizer(models.WordLevel({"a": 0}))
    with pytest.raises(ArgumentError, match="say which token ends a document"):
        tokenize(path, plain, tmp_path / "plain")
    with pytest.raises(ArgumentError, match="`bos` is '<s>', which is no token"):
        tokenize(path, tokenizer, tmp_path / "plain", bos="<s>")
    with pytest.raises(ArgumentError, match="`eos` is 99, which is no id"):
        tokenize(path, tokenizer, tmp_path / "plain", eos=99)
    assert not (tmp_path / "plain").exists()
    bare = tokenize(path, tokenizer, tmp_path / "bare", format="nanogpt", eos=None)
    corpus = tessella.data.open(bare.path)
    assert len(corpus.windows(5)) > 0
    with pytest.raises(tessella.errors.UnsupportedError, match="do not tell where documents end"):
        _ = corpus.documents


def test_types_of_numbers(tmp_path, rows, tokenizer):
    path, _ = rows
    wide = Tokenizer(models.WordLevel({"low": 0, "<unk>": 1, "last": 70000}, "<unk>"))
    wide.pre_tokenizer = tokenizer.pre_tokenizer
    made = tokenize(path, wide, tmp_path / "wide", eos="last")
    assert made.manifest["settings"]["dtype"] == "uint32"
    assert (
        tokenize(path, wide, tmp_path / "m", eos="last", format="megatron").manifest["settings"]["dtype"]
        == "int32"
    )
    with pytest.raises(ArgumentError, match="has the id 70000, which does not fit into uint16"):
        tokenize(path, wide, tmp_path / "narrow", eos="last", dtype="uint16")
    with pytest.raises(ArgumentError, match=r"that megatron files know \(uint16, int32\), found 'uint32'"):
        tokenize(path, tokenizer, tmp_path / "narrow", dtype="uint32", format="megatron")
    with pytest.raises(ArgumentError, match="no format `megatrom`; did you mean 'megatron'"):
        tokenize(path, tokenizer, tmp_path / "narrow", format="megatrom")


def test_shuffling_depends_on_the_seed_alone(tmp_path, rows, tokenizer):
    path, texts = rows
    tokenize(path, tokenizer, tmp_path / "plain", shard_size=10**9)
    for out, seed, workers in (("a", 1, 1), ("b", 1, 2), ("c", 2, 1)):
        tokenize(
            path, tokenizer, tmp_path / out, shuffle=seed, workers=workers, format="dolma", shard_size=9000
        )
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert contents(tmp_path / "a") != contents(tmp_path / "c")
    documents = [one.tolist() for one in tessella.data.open(tmp_path / "a").documents]
    want = expected(tokenizer, texts)
    assert documents != want
    assert sorted(documents) == sorted(want)
    # Each document keeps its place of origin.
    with gzip.open(tmp_path / "a" / "shard-00000.csv.gz", "rt") as file:
        lines = [line.strip().split(",") for line in file]
    origin = [int(line[4]) - 1 for line in lines]
    assert [len(one) for one in documents[: len(lines)]] == [
        len(expected(tokenizer, [texts[row]])[0]) for row in origin
    ]


def test_fingerprints(tmp_path, bpe, tokenizer):
    import pickle

    first = tessella.data.fingerprint(bpe)
    assert first == tessella.data.fingerprint(pickle.loads(pickle.dumps(bpe)))
    bpe.encode("the thing in a text")
    bpe.enable_padding()
    assert first == tessella.data.fingerprint(bpe)
    bpe.save(tmp_path / "t.json")
    code = f"import tessella, tessella.data; print(tessella.data.fingerprint(tessella.load({str(tmp_path / 't.json')!r})))"
    loaded = tessella.load(tmp_path / "t.json")
    loaded.no_padding()
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == first
    bpe.encode_special_tokens = True
    assert first != tessella.data.fingerprint(bpe)
    with pytest.raises(TypeError, match="must be one of Tessella's"):
        tessella.data.fingerprint("gpt2")


SCRIPT = """
import sys, tessella, tessella.data
tessella.data.tokenize_corpus({rows!r}, tessella.load({tokenizer!r}), {out!r}, eos="</s>", format={format!r},
                              shard_size=6000, workers=2)
"""


def descendants(pid):
    """The processes that one has started."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(one) for one in found] + [inner for one in found for inner in descendants(int(one))]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
@pytest.mark.parametrize("format", ["megatron", "mds", "datatrove", "parquet"])
def test_killed_at_any_moment(tmp_path, rows, tokenizer, format):
    """Whoever is killed, parent or worker, and whenever: what comes out in the end is the same, and nothing else is there."""
    if format == "parquet":
        pytest.importorskip("pyarrow")
    path, _ = rows
    tokenizer.save(tmp_path / "t.json")
    out = tmp_path / "out"
    script = SCRIPT.format(rows=str(path), tokenizer=str(tmp_path / "t.json"), out=str(out), format=format)
    how = {"format": format, "workers": 1, "shard_size": 6000}
    tokenize(path, tokenizer, tmp_path / "whole", **how)
    want = contents(tmp_path / "whole")
    draw = random.Random(format)
    kills = 0
    longest = 1.0
    for _ in range(max(1, KILLS // 9)):
        shutil.rmtree(out, ignore_errors=True)
        for _ in range(3 if KILLS > 3 else 1):
            process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
            started = time.monotonic()
            # From the moment on that there is something to break.
            while process.poll() is None and not (out / ".tessella").exists():
                time.sleep(0.005)
            time.sleep(draw.random() * longest)
            victims = [process.pid, *descendants(process.pid)]
            workers = victims[1:]
            victim = draw.choice(victims)
            if process.poll() is None:
                os.kill(victim, signal.SIGKILL)
                kills += 1
            if victim != process.pid:
                assert process.wait(60) == 0
            process.wait(60)
            longest = min(longest, time.monotonic() - started)
            for worker in workers:
                wait_for(
                    lambda worker=worker: not Path(f"/proc/{worker}/cmdline").exists() or is_zombie(worker)
                )
        tokenize(path, tokenizer, out, **how)
        assert contents(out) == want
        assert sorted(os.listdir(out)) == sorted(want)
    # A run may end before it is killed, though not every time.
    assert kills or KILLS <= 3


@pytest.mark.parametrize("again", ["run", "merge"])
def test_killed_while_the_work_folder_goes(tmp_path, rows, tokenizer, monkeypatch, again):
    """The manifest is there by then: who comes next removes what is left."""
    from tessella.data.places import LocalPlace

    path, _ = rows
    want = contents(tokenize(path, tokenizer, tmp_path / "whole").path)
    out = tmp_path / "out"

    def killed(place, name):
        os.remove(place.of(f"{name}/run.json"))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(LocalPlace, "remove_folder", killed)
        tokenize(path, tokenizer, out)
    assert (out / ".tessella" / "shard-00000.json").exists()
    if again == "run":
        tokenize(path, tokenizer, out)
    else:
        tessella.data.merge(out)
    assert contents(out) == want


def is_zombie(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def test_a_shard_that_kills_its_workers_is_told(tmp_path, rows, monkeypatch):
    path, _ = rows
    module = tmp_path / "deadly.py"
    module.write_text(
        "import os\nclass Deadly:\n    def __reduce__(self):\n        return (os._exit, (9,))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import deadly
    from tessella.data.engines import local
    from tessella.data.job import Job
    from tessella.data.plan import Shard, Slice

    size = path.stat().st_size
    shards = [Shard(number, (Slice(str(path), 0, size, size, ""),)) for number in range(2)]
    events = []
    job = Job(deadly.Deadly(), "f", None, str(tmp_path / "out"))
    with pytest.raises(TessellaError, match=r"rows.jsonl\) ended 3 workers, the last one with status 9"):
        list(local.run_local(job, shards, 2, events.append))
    assert [event["event"] for event in events].count("retry") >= 2


def test_errors_of_workers_come_out_as_they_were(tmp_path, tokenizer):
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_bytes(
            b'{"text": "low"}\n' * 50 + (b"{broken\n" if number == 1 else b"")
        )
    with pytest.raises(FormatError, match=r"1.jsonl.*line 51"):
        tokenize(tmp_path, tokenizer, tmp_path / "out", shard_size=100, workers=2)
    assert threading.active_count() < 20


def test_windows_read_across_shards(tmp_path, rows, tokenizer):
    path, texts = rows
    tokenize(path, tokenizer, tmp_path / "out", format="megatron")
    corpus = tessella.data.open(tmp_path / "out")
    flat = np.concatenate(expected(tokenizer, texts))
    windows = corpus.windows(65, overlap=1)
    assert len(windows) == (len(flat) - 1) // 64
    for number in (0, 1, len(windows) // 2, len(windows) - 1, -1):
        start = (number % len(windows)) * 64
        assert windows[number].tolist() == flat[start : start + 65].tolist()
    with pytest.raises(IndexError):
        windows[len(windows)]
    assert corpus.read(len(flat) - 3, len(flat) + 10).tolist() == flat[-3:].tolist()
    assert corpus.read(5, 5).tolist() == []
    assert corpus.documents[-1].tolist() == expected(tokenizer, texts)[-1]
    assert repr(corpus).endswith("megatron uint16)")
    assert place(str(tmp_path)).read("nothing") is None


def test_a_file_is_no_folder_of_token_files(tmp_path):
    file = tmp_path / "corpus.txt"
    file.write_text("low", encoding="utf-8")
    for look in (tessella.data.open, tessella.data.verify):
        with pytest.raises(ArgumentError, match=r"corpus\.txt is a file: name a folder of token files"):
            look(file)
