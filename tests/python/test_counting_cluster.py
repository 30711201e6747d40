"""Counting on a cluster of Ray: the file of one machine, byte for byte, also while workers and nodes are lost."""

import gzip
import io
import os
import random
import signal
import threading
from pathlib import Path

import pytest
import tessella
from tessella import Tokenizer, models, pre_tokenizers
from tessella.errors import ArgumentError, FormatError


@pytest.fixture
def tokenizer():
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


def test_what_a_cluster_does_not_count(tokenizer, tmp_path, capsys, monkeypatch):
    from tessella.cli.main import main

    monkeypatch.setattr("sys.stdin", io.StringIO("low\n"))
    (tmp_path / "a.txt").write_text("low\n")
    with pytest.raises(ArgumentError, match="`engine` must be 'local' or 'ray', found 'spark'"):
        tessella.count_pieces(tmp_path / "a.txt", tokenizer, engine="spark")
    with pytest.raises(ArgumentError, match="a cluster counts files"):
        tessella.count_pieces(["low lower"], tokenizer, engine="ray")
    tokenizer.save(tmp_path / "t.json")
    for given in (["-", "--tokenizer", str(tmp_path / "t.json")], ["--merge", str(tmp_path / "a.counts")]):
        assert main(["count", *given, "--engine", "ray"]) != 0
    said = capsys.readouterr().err
    assert "a cluster counts files" in said and "leave --engine out" in said
    with pytest.raises(ArgumentError, match="`hold_out` counts texts from the first to the last"):
        tessella.count_pieces(tmp_path / "a.txt", tokenizer, engine="ray", hold_out=3)


@pytest.fixture(scope="module")
def cluster():
    """Three nodes with a core each."""
    ray = pytest.importorskip("ray", reason="needs ray")
    if not os.environ.get("TESSELLA_RAY"):
        pytest.skip("a cluster takes half a minute; TESSELLA_RAY=1 runs it")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [made.add_node(num_cpus=1) for _ in range(2)]
    path = str(Path(tessella.__file__).parents[1])
    ray.init(address=made.address, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    yield made, nodes
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def corpus(tmp_path):
    """Forty files: text, packed text, JSON lines, Parquet where it can be written."""
    drawn = random.Random(3)
    made = []
    for number in range(40):
        lines = [" ".join(f"w{int(drawn.paretovariate(0.4)) % 9999}é" for _ in range(20)) for _ in range(60)]
        path = tmp_path / f"{number:02}.txt"
        content = "".join(line + "\n" for line in lines).encode()
        if number % 4 == 1:
            path = path.with_suffix(".gz")
            content = gzip.compress(content)
        elif number % 4 == 2:
            path = path.with_suffix(".jsonl")
            content = "".join(f'{{"text": "{line}"}}\n' for line in lines).encode()
        path.write_bytes(content)
        if number % 4 == 3:
            pyarrow = pytest.importorskip("pyarrow")
            from pyarrow import parquet

            path.unlink()
            path = path.with_suffix(".parquet")
            parquet.write_table(pyarrow.table({"text": lines}), path)
        made.append(path)
    return made


def saved(counts, path):
    counts.save(path)
    return path.read_bytes()


def test_a_cluster_counts_what_one_machine_counts(cluster, corpus, tokenizer, tmp_path, monkeypatch):
    made, nodes = cluster
    # Many groups of several parts.
    monkeypatch.setattr("tessella._counting_cluster.GROUP", 20_000)
    monkeypatch.setattr("tessella._counting_cluster.PARTS", 3)
    named = {"one": corpus[:25], "two": corpus[25:]}
    how = {"weights": {"one": 0.5, "two": 2}, "languages": {"one": "en"}}
    want = saved(tessella.count_pieces(named, tokenizer, **how), tmp_path / "one.counts")
    killed = []

    def lose_a_worker_and_a_node():
        for _ in range(400):
            for found in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    is_counting = b"ray::_counted" in found.read_bytes()
                except OSError:
                    continue
                if is_counting and len(killed) < 2:
                    killed.append(int(found.parent.name))
                    os.kill(killed[-1], signal.SIGKILL)
            if len(killed) == 2:
                made.remove_node(nodes.pop())
                return
            threading.Event().wait(0.01)

    losing = threading.Thread(target=lose_a_worker_and_a_node)
    losing.start()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    counts = tessella.count_pieces(named, tokenizer, engine="ray", memory="40MB", spill_folder=scratch, **how)
    losing.join()
    assert killed
    assert saved(counts, tmp_path / "many.counts") == want
    assert counts.sources == tessella.PieceCounts.load(tmp_path / "one.counts").sources
    del counts
    assert list(scratch.iterdir()) == []


def test_merging_made_again(tokenizer, tmp_path):
    """A task that was lost when its work was nearly done: some of what it merged is gone already."""
    from tessella import _counting_cluster as cluster

    whole = tessella.PieceCounts()
    work = cluster._Work(tokenizer, None, None, str(tmp_path), groups=3, parts=2)
    for group in range(work.groups):
        counts = tessella.PieceCounts({f"w{number}": group + 1 for number in range(group, 40)})
        whole.merge(counts)
        Path(work.folder_of(group)).mkdir()
        counts.save_parts(work.folder_of(group), work.parts)
    together = tessella.PieceCounts()
    for part in range(work.parts):
        merge = work.of_part(part)
        cluster._merged(work, merge)
        cluster._merged(work, merge)
        together.merge(tessella.PieceCounts.load(merge.target))
    assert saved(together, tmp_path / "a") == saved(whole, tmp_path / "b")
    for _ in range(2):
        cluster._merged(work, work.of_all())
    assert Path(work.of_all().target).read_bytes() == (tmp_path / "b").read_bytes()
    assert [path.name for path in tmp_path.rglob("*.counts")] == ["all.counts"]


def test_on_the_command_line(cluster, corpus, tokenizer, tmp_path, capsys):
    from tessella.cli.main import main

    tokenizer.save(tmp_path / "t.json")
    given = [*map(str, corpus[:6]), "--tokenizer", str(tmp_path / "t.json"), "--quiet"]
    for engine in ("local", "ray"):
        assert main(["count", *given, "--engine", engine, "-o", str(tmp_path / f"{engine}.counts")]) == 0
    assert (tmp_path / "ray.counts").read_bytes() == (tmp_path / "local.counts").read_bytes()


def test_what_a_task_raises_comes_out_as_it_was(cluster, tokenizer, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"low\n\xff\n")
    with pytest.raises(FormatError, match=r"a\.txt is not UTF-8: 0xff at byte 4, line 2"):
        tessella.count_pieces(tmp_path / "a.txt", tokenizer, engine="ray")
