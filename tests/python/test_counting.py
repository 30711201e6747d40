"""Counting as an artefact: sources, budgets, weights, files, interrupts."""

import gzip
import json
import os
import pickle
import random
import re
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import tessella
from tessella import PieceCounts, Tokenizer, models, pre_tokenizers
from tessella.counting import read_texts
from tessella.errors import ArgumentError, FormatError, MissingDependencyError, OutOfRangeError

WORDS = ["low", "lower", "día", "東京", "🧩🧩", "e\u0301", "a\tb"]


@pytest.fixture
def words_only():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def texts(seed=1, n=400):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randrange(1, 9))) + "\n" for _ in range(n)]


def tally(lines):
    counted = {}
    for line in lines:
        for word in line.split():
            counted[word] = counted.get(word, 0) + 1
    return sorted(counted.items(), key=lambda pair: pair[0].encode())


def test_every_kind_of_source_counts_the_same(tmp_path, words_only):
    zstandard = pytest.importorskip("zstandard")
    lines = texts()
    plain = tmp_path / "plain.txt"
    plain.write_text("".join(lines), encoding="utf-8")
    rows = "".join(json.dumps({"id": n, "text": line}) + "\n" for n, line in enumerate(lines))
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(plain.read_bytes()))
    (tmp_path / "packed.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(rows.encode()))
    expected = tally(lines)
    for source in [
        plain,
        str(plain),
        tmp_path / "rows.jsonl",
        tmp_path / "packed.txt.gz",
        tmp_path / "packed.jsonl.zst",
        lines,
        iter(lines),
        (lines[n : n + 7] for n in range(0, len(lines), 7)),
        ({"text": line, "other": 1} for line in lines),
        {"one": plain},
    ]:
        counts = tessella.count_pieces(source, words_only)
        assert counts.items() == expected, source
        assert counts.sources[0].texts == len(lines), source
    files = [plain, tmp_path / "rows.jsonl", tmp_path / "packed.txt.gz"]
    assert tessella.count_pieces(files, words_only).items() == [(p, 3 * n) for p, n in expected]


def test_parquet(tmp_path, words_only, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    lines = texts()
    path = tmp_path / "table"
    columns = {"body": [*lines, None], "n": list(range(len(lines) + 1))}
    parquet.write_table(pyarrow.table(columns), path, row_group_size=37)
    counts = tessella.count_pieces(path, words_only, field="body")
    assert counts.items() == tally(lines)
    with pytest.raises(ArgumentError, match="no column `text`, it has `body`, `n`"):
        tessella.count_pieces(path, words_only)
    with pytest.raises(ArgumentError, match="holds int64, expected strings"):
        tessella.count_pieces(path, words_only, field="n")
    broken = pyarrow.array([b"ok", b"b\xc3\xa9d \xff"]).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"text": broken}), path)
    with pytest.raises(FormatError, match="0xff at byte 5 of row 1"):
        tessella.count_pieces(path, words_only)
    replaced = tessella.count_pieces(path, words_only, errors="replace")
    assert replaced.items() == [("béd", 1), ("ok", 1), ("\ufffd", 1)]
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FormatError, match="not a usable Parquet file"):
        tessella.count_pieces(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"pip install pyarrow .*pip install '\.\[arrow\]'"):
        tessella.count_pieces(path)


def test_threads_budgets_and_shards_make_equal_files(tmp_path, words_only):
    rng = random.Random(5)
    lines = [" ".join(f"{rng.randrange(60_000):x}" for _ in range(200)) + "\n" for _ in range(2500)]
    path = tmp_path / "corpus.txt"
    path.write_text("".join(lines), encoding="utf-8")
    whole = tessella.count_pieces(path, words_only)
    whole.save(tmp_path / "whole")
    expected = (tmp_path / "whole").read_bytes()
    assert whole.items() == tally(lines)

    for threads, memory in [(1, None), (3, None), (1, "3MiB"), (3, "6MiB")]:
        counts = tessella.count_pieces(
            path, words_only, num_threads=threads, memory=memory, spill_folder=tmp_path
        )
        counts.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == expected, (threads, memory)
        spilled = [name for name in os.listdir(tmp_path) if name.startswith("tessella-counts")]
        assert bool(spilled) == (memory is not None)
        del counts
    assert sorted(os.listdir(tmp_path)) == ["again", "corpus.txt", "whole"]

    shards = [tessella.count_pieces(iter(lines[n::5]), words_only) for n in range(5)]
    shards[2].save(tmp_path / "shard")
    shards[2] = PieceCounts.load(tmp_path / "shard")
    rng.shuffle(shards)
    merged = PieceCounts()
    for shard in shards:
        merged.merge(shard)
    merged.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == expected


def test_the_budget_bounds_memory(tmp_path):
    """The small version of benchmarks/counting_memory.py."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not tell the peak of a process's own memory")
    script = (
        "import re, sys, tessella\n"
        "from tessella import models, pre_tokenizers\n"
        "tokenizer = tessella.Tokenizer(models.BPE())\n"
        "tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()\n"
        "lines = (' '.join(format(n * 20 + i, '024x') for i in range(20)) for n in range(30_000))\n"
        # What getrusage tells would begin with the size of the process that started this one.
        "def peak():\n"
        "    return int(re.search('VmHWM:\\\\s*([0-9]+) kB', open('/proc/self/status').read())[1])\n"
        "before = peak()\n"
        "memory = sys.argv[1] or None\n"
        "counts = tessella.count_pieces(lines, tokenizer, memory=memory, num_threads=1, spill_folder=sys.argv[2])\n"
        "assert counts.total == len(counts) == 600_000\n"
        "print(peak() - before)\n"
    )
    grown = {}
    for memory in ("4MiB", ""):
        command = [sys.executable, "-c", script, memory, str(tmp_path)]
        grown[memory] = int(subprocess.run(command, check=True, capture_output=True).stdout)
    # Counts of 600,000 pieces take tens of megabytes; a budget, and what threads and buffers need, do not.
    assert grown["4MiB"] < grown[""] / 2, grown


def test_weights_and_languages(words_only):
    sources = {"en": ["low low"], "fr": ["bas"], "de": ["tief"]}
    counts = tessella.count_pieces(
        sources, words_only, weights={"en": 0.5, "fr": "1/3"}, languages={"en": "en", "fr": "fr"}
    )
    # 1/2, 1/3 and 1 are 3, 2 and 6.
    assert counts.items() == [("bas", 2), ("low", 6), ("tief", 6)]
    assert [(one.name, one.language, one.weight) for one in counts.sources] == [
        ("de", "", 6),
        ("en", "en", 3),
        ("fr", "fr", 2),
    ]
    assert tessella.count_pieces(["low"], words_only, weights=7, languages="en").language == "en"
    assert tessella.count_pieces(["low"], words_only, weights=Fraction(5, 2)).total == 5
    with pytest.raises(ArgumentError, match="'it', which is no source; known are 'en', 'fr', 'de'"):
        tessella.count_pieces(sources, words_only, weights={"it": 2})
    for wrong in (0, -1, "x", float("nan"), float("inf")):
        with pytest.raises(ArgumentError, match="a weight must be"):
            tessella.count_pieces(["low"], words_only, weights=wrong)
    with pytest.raises(ArgumentError, match="simpler fractions"):
        tessella.count_pieces(sources, words_only, weights={"en": 0.123456789, "fr": 1.987654321})
    with pytest.raises(ArgumentError, match="`b` exceeds 18446744073709551615"):
        PieceCounts({"b": 2**63}).merge(PieceCounts({"b": 2**63}), 2)


def test_files_of_a_list_have_weights_in_order(tmp_path, words_only):
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text(path.name)
    counts = tessella.count_pieces(paths, words_only, weights=[1, 5, 1])
    assert counts.items() == [("a", 1), ("b", 5), ("c", 1)]
    counts = tessella.count_pieces(paths, words_only, weights={str(paths[2]): 9})
    assert counts.get("c") == 9
    with pytest.raises(ArgumentError, match="2 entries for 3 sources"):
        tessella.count_pieces(paths, words_only, weights=[1, 2])


def test_what_is_refused(tmp_path, words_only, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("there.txt").write_text("low")
    with pytest.raises(IsADirectoryError, match="folders are not walked") as raised:
        tessella.count_pieces(tmp_path)
    assert raised.value.filename == str(tmp_path)
    with pytest.raises(FileNotFoundError) as raised:
        tessella.count_pieces([Path("there.txt"), Path("missing.txt")])
    assert raised.value.filename == "missing.txt"
    with pytest.raises(FileNotFoundError, match="patterns are not expanded"):
        tessella.count_pieces("*.txt")
    with pytest.raises(ArgumentError, match=r"list of pathlib\.Path"):
        tessella.count_pieces(["there.txt"])
    with pytest.raises(TypeError, match="mixes paths and texts"):
        tessella.count_pieces([Path("there.txt"), "low"])
    with pytest.raises(TypeError, match="found bytes"):
        tessella.count_pieces(b"low")
    with pytest.raises(TypeError, match="must yield str"):
        tessella.count_pieces([5])
    with pytest.raises(KeyError, match="a row has no `text`"):
        tessella.count_pieces([{"body": "low"}])
    for empty in ([], [""], {"a": []}):
        with pytest.raises(ArgumentError, match="holds no pieces"):
            tessella.count_pieces(empty, words_only)
    Path("empty.txt").write_text("")
    with pytest.raises(ArgumentError, match="0 texts were read"):
        tessella.count_pieces("empty.txt", words_only)
    with pytest.raises(ArgumentError, match="at least 2097152 bytes"):
        tessella.count_pieces(["low"], memory="1MB", num_threads=1)
    with pytest.raises(ArgumentError, match="'512MB'"):
        tessella.count_pieces(["low"], memory="much")


def test_bytes_that_are_not_utf8(tmp_path, words_only):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"good\nb\xc3\xa9d \xff\n")
    with pytest.raises(FormatError, match=r"bad\.txt is not UTF-8: 0xff at byte 10, line 2"):
        tessella.count_pieces(path, words_only)
    counts = tessella.count_pieces(path, words_only, errors="replace")
    assert counts.items() == [("béd", 1), ("good", 1), ("\ufffd", 1)]
    with pytest.raises(TypeError, match=r"U\+D83E at character 1"):
        tessella.count_pieces(["a\ud83e"], words_only)
    replaced = tessella.count_pieces(["a\ud83e", "\ud83e\udde9"], words_only, errors="replace")
    assert replaced.items() == [("a\ufffd", 1), ("🧩", 1)]


@pytest.mark.parametrize(
    "source",
    [
        [b"a"],
        [[b"a"]],
        [["a", None]],
        ["a\ud83e"],
        [{"text": None}, {"text": "x"}],
        [{"body": "low"}],
        [{"text": 5}],
        [None],
        [5],
        [["a", {"text": "b"}], ("c",)],
    ],
    ids=repr,
)
@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_what_is_read_is_what_is_counted(source, errors):
    def outcome(read):
        try:
            return sorted(read())
        except (TypeError, KeyError) as error:
            return type(error), str(error)

    counted = outcome(lambda: [piece for piece, _ in tessella.count_pieces(source, errors=errors).items()])
    assert outcome(lambda: list(read_texts(source, errors=errors))) == counted
    # Where Python reads them, to leave some out, they are the same.
    assert (
        outcome(
            lambda: [piece for piece, _ in tessella.count_pieces(source, errors=errors, hold_out=99).items()]
        )
        == counted
    )


def test_texts_are_held_out_of_every_source(tmp_path, words_only):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    lines = [f"a{n}\n" for n in range(100)]
    plain, rows, table = (tmp_path / name for name in ("plain.txt", "rows.jsonl", "table"))
    plain.write_text("".join(lines))
    rows.write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    # A row without a text has no number.
    parquet.write_table(pyarrow.table({"text": [None, *lines]}), table, row_group_size=30)
    nested = [[{"text": line}] for line in lines]
    for source in (plain, rows, table, [plain], lines, nested, {"x": plain, "y": table}):
        counts = tessella.count_pieces(source, words_only, hold_out=30)
        aside = list(read_texts(source, only_every=30))
        assert set(aside) == {"a29\n", "a59\n", "a89\n"}
        assert len(counts) == 97 and not any(line.strip() in counts for line in aside)
    # The number runs on through files of one kind; others have their own.
    for source in ([plain, rows], [table, table]):
        assert [*read_texts(source, only_every=30)] == [f"a{n}\n" for n in (29, 59, 89, 19, 49, 79)]
    assert len([*read_texts([plain, table, rows], only_every=30)]) == 9
    for wrong in (-1, 1 << 63):
        with pytest.raises(OutOfRangeError, match="`hold_out`"):
            tessella.count_pieces(lines, hold_out=wrong)
    with pytest.raises(OutOfRangeError, match="`only_every` must be from 1"):
        read_texts(lines, only_every=0)


def test_gzip_may_be_padded(tmp_path, words_only):
    path = tmp_path / "padded.txt.gz"
    path.write_bytes(gzip.compress(b"low\n") + bytes(1000) + gzip.compress(b"low\n") + bytes(300_000))
    assert tessella.count_pieces(path, words_only).items() == [("low", 2)]
    path.write_bytes(gzip.compress(b"low\n") + bytes(1000) + b"no padding")
    with pytest.raises(FormatError, match=r"padded\.txt\.gz is damaged"):
        tessella.count_pieces(path, words_only)


FULL = """
import os, resource, signal, sys
import tessella
from tessella import PieceCounts, trainers
os.chdir(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
counts = PieceCounts({f"{n:x}q{n * 7919:x}": n + 1 for n in range(40_000)})
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
pieces = (f"{n * 7919:x}" * 9 for n in range(60_000))
for name, write in {
    "full.counts": counts.save,
    "full.tsv": counts.to_tsv,
    "full.state": lambda name: trainers.BpeTrainer(show_progress=False).train_from_counts(counts, name),
    "run-000000": lambda _: tessella.count_pieces(pieces, memory="3MB", num_threads=1),
}.items():
    try:
        write(name)
    except OSError as error:
        assert error.errno and error.filename.endswith(name), repr(error)
    else:
        raise AssertionError(name)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="files cannot be limited")
def test_a_full_disk_is_told_with_the_file(tmp_path):
    subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], check=True, timeout=60)
    assert not os.listdir(tmp_path)


def test_files_of_counts_are_named_in_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for read in (PieceCounts.load, PieceCounts.from_tsv):
        with pytest.raises(IsADirectoryError) as raised:
            read(".")
        assert raised.value.filename == "."
    PieceCounts({f"{n:05}": 1 for n in range(50_000)}).save("whole.counts")
    opened = PieceCounts.load("whole.counts")
    os.truncate("whole.counts", 1000)
    with pytest.raises(
        FormatError, match=r"whole\.counts is not a usable file of piece counts: it is cut off"
    ):
        opened.items()


def test_what_an_iterator_raises_comes_out(words_only):
    def failing():
        yield "low"
        raise LookupError("the end of the line")

    for threads in (1, 2):
        with pytest.raises(LookupError, match="the end of the line"):
            tessella.count_pieces(failing(), words_only, num_threads=threads)


def test_files_are_lazy_and_checked(tmp_path):
    path = tmp_path / "counts"
    counts = PieceCounts({f"{n:x}": n + 1 for n in range(40_000)})
    counts.save(path)
    opened = PieceCounts.load(path)
    assert opened.memory < 10_000 < counts.memory
    assert (opened.total, len(opened), opened.get("ff"), opened.get("no")) == (
        counts.total,
        40_000,
        256,
        None,
    )
    assert opened.top(2) == [("9c3f", 40_000), ("9c3e", 39_999)]
    # Saving onto the file that is open, and reading on.
    opened.add("new")
    opened.save(path)
    assert len(opened) == len(PieceCounts.load(path)) == 40_001
    opened.verify()
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 4
    path.write_bytes(damaged)
    with pytest.raises(FormatError, match="checksum"):
        PieceCounts.load(path).verify()
    for place in (8, 12, 15):
        newer = bytearray(damaged)
        newer[place] ^= 2
        path.write_bytes(newer)
        with pytest.raises(FormatError, match="Read it with a newer Tessella"):
            PieceCounts.load(path)
    with pytest.raises(FormatError, match="TSLCOUNT"):
        path.write_bytes(b"something else, and long enough to be looked at in earnest")
        PieceCounts.load(path)
    with pytest.raises(FileNotFoundError):
        PieceCounts.load(tmp_path / "missing")
    with pytest.raises(FileNotFoundError):
        counts.save(tmp_path / "no" / "folder")


def test_exchange_with_sentencepiece(tmp_path):
    path = tmp_path / "words.tsv"
    counts = PieceCounts({"▁the": 5, "▁low": 2})
    counts.to_tsv(path)
    assert path.read_text(encoding="utf-8") == "▁low\t2\n▁the\t5\n"
    assert PieceCounts.from_tsv(path).items() == counts.items()
    with pytest.raises(tessella.errors.UnsupportedError, match="line break"):
        PieceCounts({"a\nb": 1}).to_tsv(path)
    path.write_text("the 5\n")
    with pytest.raises(FormatError, match="line 1"):
        PieceCounts.from_tsv(path)


def test_zipf():
    counts = PieceCounts({f"{rank}": 100_000 // rank for rank in range(1, 3000)})
    shape = counts.zipf()
    assert (shape.distinct, shape.total) == (2999, counts.total)
    assert -1.05 < shape.slope < -0.95
    ordered = [count for _, count in counts.top(3000)]
    for n in (0, 1, 7, 2999, 5000):
        assert shape.coverage(n) == pytest.approx(sum(ordered[:n]) / counts.total)
    for share in (0.1, 0.5, 0.95, 1.0):
        needed = shape.needed(share)
        assert sum(ordered[:needed]) >= share * counts.total > sum(ordered[: needed - 1])
    assert all(ordered[rank - 1] == count for rank, count in shape.points())
    drawn = str(shape).splitlines()
    assert len(drawn) == 14 + 2 + 2 and "100,000 ┤" in drawn[0] and "2,999  rank" in drawn[15]
    assert "slope -1.0" in drawn[16]
    for share in range(101):
        assert PieceCounts({f"{n}": 1 for n in range(100)}).zipf().needed(share / 100) == share
    assert str(PieceCounts().zipf()) == "no pieces"
    assert str(PieceCounts({"a": 1}).zipf())
    assert PieceCounts({"a": 1}).zipf().once == 1
    with pytest.raises(OutOfRangeError, match="found -1"):
        shape.coverage(-1)
    for wrong in (-0.1, 2, float("nan")):
        with pytest.raises(ArgumentError, match=f"from 0 to 1, found {wrong}"):
            shape.needed(wrong)


def test_progress_goes_to_standard_error(tmp_path, words_only, capfd):
    path = tmp_path / "corpus.txt"
    path.write_text("low lower lowest\n" * 200_000)
    tessella.count_pieces(path, words_only, progress="json")
    out, err = capfd.readouterr()
    lines = [json.loads(line) for line in err.splitlines()]
    counting = [line for line in lines if line["stage"] == "count"]
    assert out == "" and counting[-1]["done"] == counting[-1]["total"] == path.stat().st_size
    # Where there is no terminal, a job of less than ten seconds says nothing.
    tessella.count_pieces(path, words_only, progress=True)
    tessella.count_pieces(path, words_only)
    assert capfd.readouterr() == ("", "")
    with pytest.raises(ArgumentError, match="`progress` must be"):
        tessella.count_pieces(path, words_only, progress="loud")


def test_pickle_and_learning(words_only):
    counts = tessella.count_pieces(texts(), words_only, languages="xx")
    again = pickle.loads(pickle.dumps(counts))
    assert (again.items(), again.sources) == (counts.items(), counts.sources)
    trainer = tessella.trainers.BpeTrainer(vocab_size=60, show_progress=False)
    model = trainer.train_from_counts(again)
    words_only.train_from_iterator(texts(), trainer)
    model_vocab = Tokenizer(model).get_vocab()
    assert model_vocab == words_only.get_vocab()


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("kind", ["iterator", "file"])
def test_an_interrupt_stops_counting(tmp_path, kind):
    script = (
        "import sys, itertools, signal, tessella\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def endless():\n"
        "    print('counting', flush=True)\n"
        "    for n in itertools.count():\n"
        "        yield f'{n} ' * 50\n"
        "source = endless() if sys.argv[1] == 'iterator' else sys.argv[2]\n"
        "if sys.argv[1] == 'file':\n"
        "    print('counting', flush=True)\n"
        "try:\n"
        "    tessella.count_pieces(source, memory='8MiB', num_threads=2, spill_folder=sys.argv[3])\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    folder = tmp_path / "spilled"
    folder.mkdir()
    endless = tmp_path / "pipe"
    writer = None
    if kind == "file":
        os.mkfifo(endless)
        writer = subprocess.Popen(["sh", "-c", f"exec yes 'low lower lowest' > '{endless}'"])
    command = [sys.executable, "-c", script, kind, str(endless), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        try:
            assert job.stdout.readline() == "counting\n"
            try:
                job.wait(0.5)
            except subprocess.TimeoutExpired:
                job.send_signal(signal.SIGINT)
            out, _ = job.communicate(timeout=20)
        finally:
            job.kill()
            if writer is not None:
                writer.kill()
                writer.wait()
    assert out == "stopped\n"
    assert os.listdir(folder) == []


def test_counts_may_be_changed_while_they_are_learned_from():
    """A training looks at the counts as they were: no call waits for another, and none sees half a change."""
    counts = PieceCounts({"abab": 3, "ab": 2})

    def allow(left, right, merged, count):
        counts.merge(PieceCounts({"zz": 1}))
        return True

    trainer = tessella.trainers.BpeTrainer(show_progress=False, merge_filter=allow)
    vocab = Tokenizer(trainer.train_from_counts(counts)).get_vocab()
    assert sorted(vocab) == ["a", "ab", "abab", "b"]
    assert counts.items() == [("ab", 2), ("abab", 3), ("zz", 2)]
    counts.merge(counts)
    assert counts.items() == [("ab", 4), ("abab", 6), ("zz", 4)]


def test_a_merge_that_overflows_changes_nothing():
    counts = PieceCounts({"b": 1})
    with pytest.raises(tessella.errors.TessellaError, match="count of the piece `b` exceeds"):
        counts.merge(PieceCounts({"a": 1, "b": 2**64 - 1, "c": 1}))
    with pytest.raises(tessella.errors.TessellaError, match="count of the piece `a` exceeds"):
        counts.merge(PieceCounts({"a": 2, "c": 1}), weight=2**63)
    assert (counts.items(), counts.total, counts.sources) == ([("b", 1)], 1, [])


@pytest.mark.parametrize(
    ("pieces", "error", "told"),
    [
        ({"a": -1}, ValueError, "the count of `a`"),
        ({"a": 1.5}, TypeError, "the count of `a` must be an int, found float 1.5"),
        ({1: 1}, TypeError, "found int 1 for `pieces`"),
        ([("a", 2**64)], ValueError, "the count of `a`"),
    ],
)
def test_counts_of_the_wrong_type_are_named(pieces, error, told):
    with pytest.raises(error, match=re.escape(told)):
        PieceCounts(pieces)
