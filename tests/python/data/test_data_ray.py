"""A cluster of Ray on this machine: the same bytes as one process, also while workers and nodes are lost."""

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

import pytest
import tessella.data
from data_cases import WORDS, contents
from tessella.errors import ArgumentError, FormatError

#: How often somebody is killed, for each format.
KILLS = int(os.environ.get("TESSELLA_KILLS", "3"))
ray = pytest.importorskip("ray", reason="needs ray")
pytestmark = pytest.mark.skipif(
    not os.environ.get("TESSELLA_RAY"), reason="a cluster takes half a minute; TESSELLA_RAY=1 runs it"
)


@pytest.fixture(scope="module")
def cluster():
    """Four nodes with a core each."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [made.add_node(num_cpus=1) for _ in range(3)]
    os.environ["PYTHONPATH"] = str(Path(tessella.__file__).parents[1])
    ray.init(
        address=made.address,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}},
    )
    yield made, nodes
    ray.shutdown()
    made.shutdown()


def test_a_cluster_makes_what_one_process_makes(cluster, tmp_path, rows, tokenizer):
    path, _ = rows
    how = {"format": "datatrove", "shard_size": 3000}
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "one", workers=1, **how)
    made, nodes = cluster
    ended = []

    def lose_nodes():
        time.sleep(0.3)
        made.remove_node(nodes.pop())
        ended.append("node")

    losing = threading.Thread(target=lose_nodes)
    events = []

    def on_event(event):
        events.append(event["event"])
        if events.count("done") == 1 and not ended and not losing.is_alive():
            losing.start()

    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "many", engine="ray", on_event=on_event, **how)
    if losing.ident is not None:
        losing.join()
    assert contents(tmp_path / "many") == contents(tmp_path / "one")


def test_lost_workers_are_replaced(cluster, tmp_path, rows, tokenizer):
    path, _ = rows
    how = {"format": "nanogpt", "shard_size": 2000}
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "one", workers=1, **how)
    killed = []

    def on_event(event):
        if event["event"] == "done" and len(killed) < 3:
            for found in Path("/proc").glob("[0-9]*/cmdline"):
                if b"ray::_made" in found.read_bytes():
                    os.kill(int(found.parent.name), signal.SIGKILL)
                    killed.append(found.parent.name)
                    break

    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "many", engine="ray", on_event=on_event, **how)
    assert killed
    assert contents(tmp_path / "many") == contents(tmp_path / "one")


def test_errors_come_out_as_they_were(cluster, tmp_path, tokenizer):
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "low"}\n{broken\n')
    with pytest.raises(FormatError, match=r"a.jsonl.*line 2"):
        tessella.data.tokenize_corpus(tmp_path / "a.jsonl", tokenizer, tmp_path / "out", engine="ray")
    with pytest.raises(ArgumentError, match="cannot be read by a cluster"):
        tessella.data.tokenize_corpus("-", tokenizer, tmp_path / "in", engine="ray")


def test_broken_documents_are_skipped_alike(cluster, tmp_path, tokenizer):
    lines = [b'{"text": "low new"}\n', b"{broken\n", b'{"text": "\xff"}\n']
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines[(n % 70 == 9) + (n % 140 == 9)] for n in range(600)))
    how = {"shard_size": 2000, "on_error": "skip"}
    one = tessella.data.tokenize_corpus(tmp_path / "a.jsonl", tokenizer, tmp_path / "one", workers=1, **how)
    assert len(one.skipped) == 9
    tessella.data.tokenize_corpus(tmp_path / "a.jsonl", tokenizer, tmp_path / "many", engine="ray", **how)
    assert contents(tmp_path / "many") == contents(tmp_path / "one")


def test_repeated_documents_are_left_out_alike(cluster, tmp_path, tokenizer):
    lines = [
        json.dumps({"text": f"low new {WORDS[number % 37 % len(WORDS)]}"}) + "\n" for number in range(600)
    ]
    (tmp_path / "a.jsonl").write_text("".join(lines))
    how = {"shard_size": 2000, "dedup": "exact"}
    one = tessella.data.tokenize_corpus(tmp_path / "a.jsonl", tokenizer, tmp_path / "one", workers=1, **how)
    assert (one.documents, one.duplicates) == (len(WORDS), 600 - len(WORDS))
    tessella.data.tokenize_corpus(tmp_path / "a.jsonl", tokenizer, tmp_path / "many", engine="ray", **how)
    assert contents(tmp_path / "many") == contents(tmp_path / "one")


SCRIPT = """
import ray, tessella, tessella.data
ray.init(address={address!r}, log_to_driver=False, runtime_env={{"env_vars": {{"PYTHONPATH": {path!r}}}}})
tessella.data.tokenize_corpus({rows!r}, tessella.load({tokenizer!r}), {out!r}, eos="</s>", format={format!r},
                              shard_size=3000, engine="ray")
"""


def workers():
    """The processes that make shards."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::_made" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("format", ["megatron", "mds", "datatrove"])
def test_killed_at_any_moment(cluster, tmp_path, rows, tokenizer, format):
    """The process that asked, or one that works: what comes out in the end is the same, and nothing else is there."""
    path, _ = rows
    tokenizer.save(tmp_path / "t.json")
    out = tmp_path / "out"
    given = {
        "address": cluster[0].address,
        "path": str(Path(tessella.__file__).parents[1]),
        "rows": str(path),
    }
    script = SCRIPT.format(tokenizer=str(tmp_path / "t.json"), out=str(out), format=format, **given)
    how = {"format": format, "workers": 1, "shard_size": 3000}
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "whole", **how)
    want = contents(tmp_path / "whole")
    draw = random.Random(format)
    kills = 0
    for number in range(KILLS):
        if number % 3 == 0:
            shutil.rmtree(out, ignore_errors=True)
        process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
        while process.poll() is None and not (out / ".tessella" / "run.json").exists():
            time.sleep(0.005)
        time.sleep(draw.random() * 0.3)
        found = workers()
        victim = draw.choice([process.pid, *found])
        if process.poll() is None:
            os.kill(victim, signal.SIGKILL)
            kills += 1
        if victim != process.pid:
            assert process.wait(120) == 0
        process.wait(120)
        # What a killed parent's workers have in hand may still come to an end.
        end = time.monotonic() + 20
        while workers() and time.monotonic() < end:
            time.sleep(0.02)
        if number % 3 == 2 or number == KILLS - 1:
            tessella.data.tokenize_corpus(path, tokenizer, out, **how)
            assert contents(out) == want
            assert sorted(os.listdir(out)) == sorted(want)
    # A run may end before it is killed, though not every time.
    assert kills or KILLS <= 3
