"""Packed rows: every token once, no document cut that fits, the same result always, bounded memory."""

import random
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
import tessella.data
from data_cases import contents, expected
from tessella.data.batches import Batch
from tessella.data.packing import best_fit, best_fit_rows, concat_rows
from tessella.errors import ArgumentError, UnsupportedError


def batches(documents, size, mask=False):
    """Documents some at a time; masks tell odd ids."""
    for first in range(0, len(documents), size):
        some = documents[first : first + size]
        ids = np.array([id for one in some for id in one], np.uint32)
        lengths = np.array([len(one) for one in some], np.int64)
        yield Batch(ids, lengths, mask=(ids % 2).astype(np.uint8) if mask else None)


def corpus(seed):
    """Documents of different numbers, so that each token tells where it came from."""
    draw = random.Random(seed)
    longest = draw.choice([3, 10, 40, 200])
    start, documents = 1, []
    for _ in range(draw.randrange(0, 120)):
        length = draw.randrange(1, longest + 1)
        documents.append(list(range(start, start + length)))
        start += length
    return documents, draw.choice([2, 5, 16, 64]), draw.choice([1, 3, 50])


def parts(rows, length, has_mask):
    """The documents in rows, and that what is left is padding."""
    for batch in rows:
        assert (batch.mask is not None) == has_mask
        assert set(batch.lengths.tolist()) <= {length}
        assert len(batch.spans) == len(batch.lengths) == len(batch.ids) // length
        for row, spans in enumerate(batch.spans):
            ids = batch.ids[row * length : (row + 1) * length].tolist()
            at = 0
            for span in spans.tolist():
                assert span > 0
                yield ids[at : at + span]
                at += span
            assert ids[at:] == [0] * (length - at)
            if batch.mask is not None:
                mask = batch.mask[row * length : (row + 1) * length].tolist()
                assert mask == [id % 2 for id in ids]


@pytest.mark.parametrize("seed", range(60))
def test_every_token_is_in_one_row_once(seed):
    documents, length, size = corpus(seed)
    flat = [id for one in documents for id in one]
    mask = bool(seed % 2)
    found = list(parts(concat_rows(batches(documents, size, mask), length, 0), length, mask))
    assert [id for one in found for id in one] == flat
    rows = [*concat_rows(batches(documents, size), length, 0)]
    assert sum(len(batch.lengths) for batch in rows) == -(-len(flat) // length)
    for window in (1, 30, 10**6):
        fitted = list(parts(best_fit_rows(batches(documents, size, mask), length, 0, window), length, mask))
        assert sorted(id for one in fitted for id in one) == flat
        # No document is cut that fits, and a longer one is cut where a row would end.
        want = [one[at : at + length] for one in documents for at in range(0, len(one), length)]
        assert sorted(fitted) == sorted(want)


def test_no_documents_make_no_rows():
    for rows in (concat_rows, best_fit_rows):
        assert list(rows([], 4, 0)) == [] and list(rows(batches([[], []], 1, mask=True), 4, 0)) == []


def test_concat_does_not_depend_on_how_documents_come():
    documents, length, _ = corpus(7)
    one, other = (
        np.concatenate([batch.ids for batch in concat_rows(batches(documents, size), length, 0)])
        for size in (1, 100)
    )
    assert one.tolist() == other.tolist()


@pytest.mark.parametrize("seed", range(8))
def test_best_fit_waits_for_a_whole_window_however_documents_come(seed):
    documents, length, _ = corpus(seed)
    one, other = (
        [batch.ids.tolist() for batch in best_fit_rows(batches(documents, size), length, 0)]
        for size in (1, 1000)
    )
    assert one == other


def simple_best_fit(lengths, length):
    """The same by looking at every row."""
    rows, room, changed = [], [], {}
    for number in sorted(range(len(lengths)), key=lambda number: -lengths[number]):
        fitting = [(room[row], row) for row in range(len(rows)) if room[row] >= lengths[number]]
        if fitting:
            least = min(fitting)[0]
            # Of rows with as much room, the one that came to it last.
            row = max((row for left, row in fitting if left == least), key=lambda row: changed[row])
        else:
            row = len(rows)
            rows.append([])
            room.append(length)
        rows[row].append(number)
        room[row] -= lengths[number]
        changed[row] = len(changed) + sum(map(len, rows))
    return rows


@pytest.mark.parametrize("seed", range(20))
def test_best_fit_finds_the_row_with_the_least_room(seed):
    draw = random.Random(seed)
    length = draw.choice([4, 16, 100])
    lengths = [draw.randrange(1, length + 1) for _ in range(draw.randrange(60))]
    found, want = best_fit(lengths, length), simple_best_fit(lengths, length)
    assert [sum(lengths[number] for number in row) for row in found] == [
        sum(lengths[number] for number in row) for row in want
    ]
    assert sorted(number for row in found for number in row) == list(range(len(lengths)))


def test_documents_that_wait_leave_less_padding():
    documents = [[1] * (6 if number < 500 else 4) for number in range(1000)]
    padded = []
    for window in (600, 10**6):
        rows = sum(len(batch.lengths) for batch in best_fit_rows(batches(documents, 20), 10, 0, window))
        padded.append(1 - 5000 / (rows * 10))
    assert padded[1] == 0
    assert padded[0] < 0.4


def test_memory_is_bounded_by_the_window():
    def many(count):
        for number in range(count):
            lengths = np.full(64, 50 + number % 13, np.int64)
            yield Batch(np.ones(int(lengths.sum()), np.uint16), lengths)

    peaks = []
    for count in (60, 240):
        tracemalloc.start()
        for _ in best_fit_rows(many(count), 128, 0, 1 << 15):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


@pytest.mark.parametrize("format", ["numpy", "mds", "parquet"])
@pytest.mark.parametrize("pack", ["concat", "best-fit"])
def test_packed_files_are_read(tmp_path, rows, tokenizer, format, pack):
    if format == "parquet":
        pytest.importorskip("pyarrow")
    path, texts = rows
    want = expected(tokenizer, texts)
    made = tessella.data.tokenize_corpus(
        path, tokenizer, tmp_path / "out", format=format, pack=pack, length=32, pad="<unk>", workers=1
    )
    corpus = tessella.data.open(tmp_path / "out")
    assert made.tokens == sum(map(len, want))
    assert corpus.tokens == len(corpus.documents) * 32
    assert made.padding == pytest.approx(1 - made.tokens / corpus.tokens)
    assert "padding" in str(made)
    found = []
    for number in range(len(corpus.documents)):
        row = corpus.documents.row(number)
        bounds = row["cu_seqlens"].tolist()
        found += [row["input_ids"][start:end].tolist() for start, end in pairwise(bounds)]
        assert row["position_ids"][: bounds[-1]].tolist() == [
            place for start, end in pairwise(bounds) for place in range(end - start)
        ]
        assert row["loss_mask"].tolist() == [1] * bounds[-1] + [0] * (32 - bounds[-1])
        assert (row["document_ids"] >= 0).tolist() == [True] * bounds[-1] + [False] * (32 - bounds[-1])
        assert set(row["input_ids"][bounds[-1] :].tolist()) <= {tokenizer.token_to_id("<unk>")}
    # From the end, as by other numbers of a sequence.
    documents = corpus.documents
    for name, values in documents.row(-1).items():
        assert values.tolist() == documents.row(len(documents) - 1)[name].tolist()
    for number in (len(documents), -len(documents) - 1):
        with pytest.raises(IndexError, match=f"of {len(documents)}"):
            documents.spans(number)
    if pack == "concat":
        assert [id for one in found for id in one] == [id for one in want for id in one]
    else:
        cut = [one[at : at + 32] for one in want for at in range(0, len(one), 32)]
        assert sorted(found) == sorted(cut)
    told = tessella.data.inspect(tmp_path / "out")
    assert told["padding"] == pytest.approx(made.padding)


def test_packing_is_the_same_with_more_workers(tmp_path, rows, tokenizer):
    for out, workers in (("a", 1), ("b", 2)):
        tessella.data.tokenize_corpus(
            rows[0], tokenizer, tmp_path / out, format="numpy", pack="best-fit", length=50, shuffle=3,
            shard_size=15000, workers=workers,
        )  # fmt: skip
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_what_cannot_be_packed_is_refused(tmp_path, rows, tokenizer):
    def pack(**options):
        tessella.data.tokenize_corpus(rows[0], tokenizer, tmp_path / "out", **options)

    with pytest.raises(UnsupportedError, match=r"megatron files hold documents and no rows.*mds, parquet"):
        pack(pack="concat", length=8)
    with pytest.raises(ArgumentError, match="go together"):
        pack(format="numpy", pack="concat")
    with pytest.raises(ArgumentError, match="go together"):
        pack(format="numpy", length=8)
    with pytest.raises(ArgumentError, match="`length` must be a number of tokens from 2"):
        pack(format="numpy", pack="concat", length=1)
    # Lengths of documents in a row have 32 bits in files, and so have places in it.
    with pytest.raises(ArgumentError, match="from 2 to 2147483647, found 2147483648"):
        pack(format="numpy", pack="best-fit", length=1 << 31)
    with pytest.raises(ArgumentError, match="`pack` must be 'concat', 'best-fit' or None"):
        pack(format="numpy", pack="best", length=8)
    assert not (tmp_path / "out").exists()


def test_token_files_are_packed_and_written_for_others(tmp_path, rows, tokenizer):
    path, texts = rows
    how = {"shard_size": 9000, "workers": 1}
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "tokens", format="megatron", **how)
    options = {"pack": "best-fit", "length": 40, "format": "numpy"}
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "direct", **options, **how)
    made = tessella.data.pack_corpus(tmp_path / "tokens", tmp_path / "packed", **options, workers=2)
    one, other = contents(tmp_path / "direct"), contents(tmp_path / "packed")
    assert {name: hash for name, hash in one.items() if name != "manifest.json"} == {
        name: hash for name, hash in other.items() if name != "manifest.json"
    }
    assert made.tokens == sum(map(len, expected(tokenizer, texts)))
    assert tessella.data.verify(tmp_path / "packed", tokenizer, sample=2)
    # For another reader: documents as they are.
    tessella.data.pack_corpus(
        tmp_path / "tokens", tmp_path / "mds", format="mds", pack=None, length=None, workers=1
    )
    found = [one.tolist() for one in tessella.data.open(tmp_path / "mds").documents]
    assert found == expected(tokenizer, texts)
    with pytest.raises(ArgumentError, match="packed already"):
        tessella.data.pack_corpus(tmp_path / "packed", tmp_path / "again", **options)
    with pytest.raises(ArgumentError, match="`pad` must be an id below 13, found 99"):
        tessella.data.pack_corpus(tmp_path / "tokens", tmp_path / "again", pad=99, **options)
    # Other tokens under the same name are noticed.
    tessella.data.tokenize_corpus(
        path, tokenizer, tmp_path / "tokens", format="megatron", eos="low", resume=False, **how
    )
    with pytest.raises(ArgumentError, match=r"other bytes than shard 0|`eos` was 12 and is 0"):
        tessella.data.pack_corpus(tmp_path / "tokens", tmp_path / "packed", **options, workers=1)


def test_memory_of_packing_does_not_grow_with_the_length_of_a_row():
    tracemalloc.start()
    try:
        rows = best_fit([3, 2, 2], 10**8)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert rows == [[0, 1, 2]]
    # A bit for each amount of room.
    assert peak < 10**8
