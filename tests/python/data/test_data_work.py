"""How much work token files cost: nothing is done anew for each document, each batch or each small file."""

from collections import Counter

import numpy as np
import pytest
import tessella.data
from data_cases import contents, expected
from tessella.data import documents, packing
from tessella.data.batches import Batch
from tessella.data.layouts import columns
from tessella.data.shuffling import shuffled


def batch(place, length):
    ids = np.arange(place, place + length, dtype=np.uint32)
    return Batch(
        ids, np.array([length]), (f"{place}.txt",), rows=np.array([0]), mask=(ids % 2).astype(np.uint8)
    )


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_column_of_a_group_becomes_arrays_once(tmp_path, rows, tokenizer, monkeypatch, format):
    pytest.importorskip("pyarrow")
    path, texts = rows
    monkeypatch.setattr(columns, "GROUP", 500)
    tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "out", format=format)
    made = Counter()
    arrays = columns._Groups._arrays

    def counted(column):
        made["columns"] += 1
        return arrays(column)

    monkeypatch.setattr(columns._Groups, "_arrays", staticmethod(counted))
    corpus = tessella.data.open(tmp_path / "out")
    assert [one.tolist() for one in corpus.documents] == expected(tokenizer, texts)
    groups = corpus.tokens // 500
    assert groups > 5
    assert made["columns"] <= 2 * groups + 1


def test_short_batches_are_joined_where_they_fill_a_row(monkeypatch):
    length, count = 1000, 5000
    made = Counter()
    joined = packing._joined

    def counted(batches):
        made["ids"] += sum(one.ids.size for one in batches)
        return joined(batches)

    monkeypatch.setattr(packing, "_joined", counted)
    found = list(packing.concat_rows((batch(3 * place, 3) for place in range(count)), length, 0))
    ids, marks = (np.concatenate([getattr(one, name) for one in found]) for name in ("ids", "mask"))
    assert ids.tolist() == list(range(3 * count))
    assert marks.tolist() == (ids % 2).tolist()
    assert all(int(sum(map(sum, one.spans))) == one.ids.size for one in found)
    assert made["ids"] < 2 * 3 * count


def test_documents_of_very_many_files_keep_theirs_when_they_are_shuffled():
    found = list(shuffled((batch(10 * place, place % 4 + 1) for place in range(500)), 3, 0))
    named = [
        (one.paths[file], ids.tolist())
        for one in found
        for file, ids in zip(one.files, one.documents(), strict=True)
    ]
    assert sorted(named) == sorted(
        (f"{10 * place}.txt", list(range(10 * place, 10 * place + place % 4 + 1))) for place in range(500)
    )
    assert [name for name, _ in named] != [f"{10 * place}.txt" for place in range(500)]


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("dtype", ["uint16", "int32", "int64"])
def test_lengths_in_mds_files_are_those_of_their_arrays(tmp_path, mask, dtype):
    from tessella.data.layouts import mds
    from tessella.data.layouts.base import Shape
    from tessella.data.outputs import Outputs
    from tessella.data.places import place

    shape = Shape(dtype, 100, "", None, None, mask)
    sizes = [0, 1, 255, 256, 65535, 65536, 70000, 3]
    given = [Batch(np.arange(size).astype(dtype), np.array([size])) for size in sizes]
    outputs = Outputs(place(str(tmp_path)))
    [part] = mds.write(outputs, "shard", iter(given), shape)
    outputs.commit()
    view = mds.view(str(tmp_path), part, shape)
    assert np.diff(view.ends, prepend=0).tolist() == sizes
    assert view.read(0, view.tokens).tolist() == np.concatenate([one.ids for one in given]).tolist()


@pytest.mark.parametrize("content", ["low tile\n" * 40, "", "low\n\udcff\nlow", "low\n" * 9])
@pytest.mark.parametrize("skips", [False, True])
def test_small_files_come_to_the_same_on_the_calling_thread(tmp_path, tokenizer, monkeypatch, content, skips):
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"{content}new", "utf-8", "surrogateescape")

    def job(name):
        try:
            how = {"separator": "\n", "on_error": "skip" if skips else "raise", "workers": 1}
            made = tessella.data.tokenize_corpus(folder, tokenizer, tmp_path / name, **how)
        except tessella.errors.FormatError as error:
            return str(error)
        return contents(tmp_path / name), made.tokens

    small = job("small")
    monkeypatch.setattr(documents, "SMALL", -1)
    assert job("large") == small
