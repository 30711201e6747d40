"""An order drawn over the documents of all shards: every document once, the same files whoever makes them."""

import numpy as np
import pytest
import tessella.data
from data_cases import contents
from tessella.data import shuffling
from tessella.data.batches import Batch
from tessella.data.training import Permutation
from tessella.errors import ArgumentError


@pytest.fixture
def corpus(tmp_path, rows, tokenizer):
    path, _ = rows
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "in", shard_size=9000, workers=1)
    return tmp_path / "in"


def pack(corpus, out, **options):
    options = {"format": "megatron", "pack": None, "length": None, "shuffle": 5, "across": True, **options}
    return tessella.data.pack_corpus(corpus, out, **{"workers": 1, **options})


def test_every_document_once_in_the_drawn_order(corpus, tmp_path):
    made = pack(corpus, tmp_path / "out")
    before = [one.tolist() for one in tessella.data.open(corpus).documents]
    after = [one.tolist() for one in tessella.data.open(tmp_path / "out").documents]
    order = Permutation(len(before), 5)
    assert after == [before[order[place]] for place in range(len(before))]
    assert made.shards == len(tessella.data.open(corpus).manifest["shards"]) > 3
    # Documents of every shard come to the first one.
    first = {order[place] * 4 // len(before) for place in range(len(before) // 4)}
    assert first == {0, 1, 2, 3}
    assert tessella.data.inspect(tmp_path / "out")["shuffle"] == 5


def test_workers_and_interrupts_change_nothing(corpus, tmp_path):
    pack(corpus, tmp_path / "one")
    pack(corpus, tmp_path / "two", workers=2)
    assert contents(tmp_path / "two") == contents(tmp_path / "one")

    def stop(event):
        if event["event"] == "done" and event["shard"] == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pack(corpus, tmp_path / "stopped", on_event=stop)
    events = []
    pack(corpus, tmp_path / "stopped", on_event=events.append)
    assert events[0]["done"] == 2
    assert contents(tmp_path / "stopped") == contents(tmp_path / "one")
    with pytest.raises(ArgumentError, match="`shuffle` was 5 and is 6"):
        pack(corpus, tmp_path / "one", shuffle=6)
    with pytest.raises(ArgumentError, match="`across` was True and is False"):
        pack(corpus, tmp_path / "one", across=False)
    with pytest.raises(ArgumentError, match="name its seed"):
        pack(corpus, tmp_path / "none", shuffle=None)


def test_rows_are_packed_of_the_drawn_order(corpus, tmp_path):
    made = pack(corpus, tmp_path / "out", format="numpy", pack="concat", length=32)
    assert made.tokens == tessella.data.open(corpus).tokens


def test_shuffled_documents_are_the_same_in_any_portions(monkeypatch):
    sizes = [3, 0, 1, 4, 1, 5, 9, 2, 6]
    ids = np.arange(sum(sizes), dtype=np.uint32)
    batch = Batch(ids, np.array(sizes), ("a",), rows=np.arange(len(sizes)), mask=(ids % 2).astype(np.uint8))
    ends = np.cumsum(sizes)
    for portion in (1, 4, 7, 1000):
        monkeypatch.setattr(shuffling, "PORTION", portion)
        found = [
            (row, document.tolist())
            for one in shuffling.shuffled(iter([batch]), seed=3, shard=0)
            for row, document in zip(one.rows.tolist(), one.documents(), strict=True)
            if (one.mask == one.ids % 2).all()
        ]
        want = shuffling.order(len(sizes), 3, 0).tolist()
        assert found == [(row, ids[ends[row] - sizes[row] : ends[row]].tolist()) for row in want]
