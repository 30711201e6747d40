"""Reading for training: every item once in an epoch, for any number of ranks and workers, stopped anywhere."""

import pickle
from itertools import islice, pairwise

import pytest
import tessella.data
from data_cases import expected
from tessella.data import Permutation, Stream
from tessella.errors import ArgumentError


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 16, 17, 100, 1000])
def test_a_permutation_has_every_number_once(size):
    orders = [
        [Permutation(size, seed, epoch)[place] for place in range(size)]
        for seed in (0, 1)
        for epoch in (0, 1)
    ]
    for order in orders:
        assert sorted(order) == list(range(size))
    if size > 10:
        assert len({tuple(order) for order in orders}) == 4
        # No part of it is in order.
        assert sum(one + 1 == other for one, other in pairwise(orders[0])) < size / 4
    with pytest.raises(IndexError):
        Permutation(size, 0)[size]


def test_a_permutation_needs_no_memory():
    order = Permutation(10**15, 3)
    assert len({order[place] for place in range(1000)}) == 1000


def test_orders_are_the_same_everywhere():
    """Numbers that were written down: a training that goes on elsewhere must find the same order."""
    assert [Permutation(10, 1)[place] for place in range(10)] == FIRST
    assert [Permutation(10, 1, epoch=1)[place] for place in range(10)] == SECOND


FIRST = [2, 5, 8, 3, 0, 9, 6, 4, 7, 1]
SECOND = [8, 2, 0, 7, 5, 9, 4, 6, 3, 1]


@pytest.mark.parametrize("seed", [None, 5])
@pytest.mark.parametrize("world", [1, 2, 3, 7])
def test_ranks_share_an_epoch(seed, world):
    items = list(range(20))
    whole = list(Stream(items, seed, epochs=2))
    assert sorted(whole) == sorted(items * 2)
    parts = [list(Stream(items, seed, rank, world, epochs=2)) for rank in range(world)]
    assert [parts[place % world][place // world] for place in range(40)] == whole
    assert (whole[:20] == items) == (seed is None)
    assert (whole[:20] == whole[20:]) == (seed is None)


def test_a_state_is_restored_with_another_number_of_ranks():
    items = list(range(50))
    whole = list(islice(Stream(items, 9), 120))
    ranks = [Stream(items, 9, rank, 4) for rank in range(4)]
    taken = [next(stream) for _ in range(6) for stream in ranks]
    assert taken == whole[:24]
    states = [stream.state_dict() for stream in ranks]
    assert all(state == states[0] for state in states)
    others = [Stream(items, 9, rank, 3) for rank in range(3)]
    for stream in others:
        stream.load_state_dict(pickle.loads(pickle.dumps(states[0])))
    assert [next(stream) for _ in range(32) for stream in others] == whole[24:]
    others[0].skip(2)
    assert others[0].state_dict()["taken"] == 126


def test_a_state_of_something_else_is_refused():
    stream = Stream(list(range(5)), 1)
    with pytest.raises(ArgumentError, match="size 5, this one has 6"):
        Stream(list(range(6)), 1).load_state_dict(stream.state_dict())
    with pytest.raises(ArgumentError, match="seed 1, this one has 2"):
        Stream(list(range(5)), 2).load_state_dict(stream.state_dict())
    with pytest.raises(ArgumentError, match="`rank` must be from 0"):
        Stream([1], rank=2, world=2)
    with pytest.raises(ArgumentError, match="the state has no 'taken'"):
        Stream([1]).load_state_dict({})
    for count, error in ((-3, ArgumentError), (1.5, TypeError)):
        with pytest.raises(error, match="`count`"):
            Stream(list(range(5)), 2).skip(count)
    with pytest.raises(ArgumentError, match="`taken` must be 0 or more, found -3"):
        Stream([1]).load_state_dict({"taken": -3, "size": 1, "seed": None})
    # One that was saved before there were epochs in it.
    stream.load_state_dict({"taken": 2, "size": 5, "seed": 1})
    assert stream.state_dict()["epoch"] == 0
    for seed in (1.5, "1", True):
        with pytest.raises(TypeError, match="`seed` must be an int, not"):
            Stream([1], seed)
    assert list(Stream([])) == []


def test_an_epoch_is_chosen():
    items = list(range(30))
    both = list(Stream(items, 4, epochs=2))
    assert list(Stream(items, 4, epochs=1, epoch=1)) == both[30:]
    stream = Stream(items, 4, epochs=1, epoch=1)
    first = list(islice(stream, 7))
    other = Stream(items, 4, epochs=1)
    other.load_state_dict(stream.state_dict())
    assert first + list(other) == both[30:]
    with pytest.raises(ArgumentError, match="`epoch` must be 0 or more"):
        Stream(items, epoch=-1)


def test_a_corpus_is_sent_to_other_processes_by_its_name(tmp_path, rows, tokenizer):
    path, texts = rows
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "out", format="megatron", workers=1)
    corpus = tessella.data.open(tmp_path / "out")
    assert len(corpus.windows(9)) > 3
    sent = pickle.dumps(corpus.windows(9))
    assert len(sent) < 3000
    assert pickle.loads(sent)[3].tolist() == corpus.windows(9)[3].tolist()
    stream = Stream(corpus.documents, 3, epochs=1)
    assert sorted(ids.tolist() for ids in stream) == sorted(expected(tokenizer, texts))


def test_torch_loaders(tmp_path, rows, tokenizer):
    data = pytest.importorskip("torch.utils.data", reason="needs torch", exc_type=ImportError)
    path, _ = rows
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "out", format="megatron", workers=1)
    windows = tessella.data.open(tmp_path / "out").windows(9)
    want = sorted(window.tolist() for window in windows)
    rows_by_number = data.DataLoader(tessella.data.TorchRows(windows), batch_size=4)
    found = [row for batch in rows_by_number for row in batch["input_ids"].tolist()]
    assert sorted(found) == want
    for workers in (0, 2):
        parts = []
        for rank in range(2):
            stream = tessella.data.TorchStream(windows, 7, rank, 2, mask=True)
            assert isinstance(stream, data.IterableDataset)
            for batch in data.DataLoader(stream, batch_size=4, num_workers=workers):
                assert batch["loss_mask"].shape == batch["input_ids"].shape
                parts += batch["input_ids"].tolist()
        assert sorted(parts) == want
    stream = tessella.data.TorchStream(windows, 7)
    first = list(islice(stream, 5))
    again = pickle.loads(pickle.dumps(tessella.data.TorchStream(windows, 7)))
    again.load_state_dict(stream.state_dict())
    rest = [row["input_ids"].tolist() for row in again]
    assert sorted([row["input_ids"].tolist() for row in first] + rest) == want


def drawn(loader, count=None):
    return [row["input_ids"].tolist() for row in islice(loader, count)]


def test_torch_epochs_and_states(tmp_path, rows, tokenizer):
    data = pytest.importorskip("torch.utils.data", reason="needs torch", exc_type=ImportError)
    tessella.data.tokenize_corpus(rows[0], tokenizer, tmp_path / "out", format="megatron", workers=1)
    windows = tessella.data.open(tmp_path / "out").windows(9)
    want = [[windows[number].tolist() for number in Permutation(len(windows), 7, epoch)] for epoch in (0, 1)]
    for workers in (0, 2):
        stream = tessella.data.TorchStream(windows, 7)
        loader = data.DataLoader(stream, batch_size=None, num_workers=workers)
        for epoch in (0, 1, 0):
            stream.set_epoch(epoch)
            # Workers are asked in turns.
            assert drawn(loader) == want[epoch]
    stream = tessella.data.TorchStream(windows, 7)
    stream.set_epoch(1)
    found = drawn(stream, 11)
    state = stream.state_dict()
    again = tessella.data.TorchStream(windows, 7)
    again.load_state_dict(state)
    # Before it goes on, as behind it: where it was.
    assert again.state_dict() == state
    again.set_epoch(1)
    going = iter(again)
    assert again.state_dict() == state
    assert found + drawn(going) == want[1]
    again.load_state_dict(state)
    again.set_epoch(0)
    assert drawn(again) == want[0]
    with pytest.raises(ArgumentError, match="seed 7, this one has 8"):
        tessella.data.TorchStream(windows, 8).load_state_dict(state)
    with pytest.raises(ArgumentError, match="`rank` must be from 0"):
        tessella.data.TorchStream(windows, 7, 3, 2)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stateful_loader_goes_on(tmp_path, rows, tokenizer, workers):
    pytest.importorskip("torch.utils.data", reason="needs torch", exc_type=ImportError)
    stateful = pytest.importorskip("torchdata.stateful_dataloader", reason="needs torchdata")
    tessella.data.tokenize_corpus(rows[0], tokenizer, tmp_path / "out", format="megatron", workers=1)
    windows = tessella.data.open(tmp_path / "out").windows(9)

    def loader():
        stream = tessella.data.TorchStream(windows, 7, 1, 2)
        return stateful.StatefulDataLoader(stream, batch_size=None, num_workers=workers)

    whole = drawn(loader())
    assert len(whole) == len(windows) // 2
    for stop in (0, 1, 8, 21):
        one = loader()
        going = iter(one)
        found = drawn(going, stop)
        state = one.state_dict()
        other = loader()
        other.load_state_dict(state)
        # States of a loader are those of its walk, so that must go on meanwhile.
        going = iter(other)
        found += drawn(going, 3)
        third = loader()
        third.load_state_dict(other.state_dict())
        assert found + drawn(third) == whole
