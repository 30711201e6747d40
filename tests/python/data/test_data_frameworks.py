"""Token files opened by the frameworks' own readers, and made by their own writers. Each test needs its framework."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
import tessella.data
from data_cases import contents, expected


@pytest.fixture
def made(tmp_path, rows, tokenizer):
    """A function that makes token files of one format; gives their folder and the documents that are in them."""
    path, texts = rows

    def make(format, **options):
        out = tmp_path / f"{format}-{len(os.listdir(tmp_path))}"
        options = {"shard_size": 9000, "workers": 1, **options}
        tessella.data.tokenize_corpus(path, tokenizer, out, format=format, **options)
        return out, expected(tokenizer, texts)

    return make


def files(folder, ending):
    found = sorted(str(path) for path in folder.iterdir() if path.name.endswith(ending))
    assert found
    return found


@pytest.mark.parametrize("dtype", ["uint16", "int32"])
def test_megatron_reads_and_writes_the_same(tmp_path, made, dtype):
    indexed_dataset = pytest.importorskip(
        "megatron.core.datasets.indexed_dataset", reason="needs megatron-core", exc_type=ImportError
    )
    import torch

    out, want = made("megatron", dtype=dtype)
    found = []
    for path in files(out, ".idx"):
        prefix = path.removesuffix(".idx")
        dataset = indexed_dataset.IndexedDataset(prefix)
        documents = [dataset[number].tolist() for number in range(len(dataset))]
        found += documents
        assert dataset.document_indices.tolist() == list(range(len(dataset) + 1))
        builder = indexed_dataset.IndexedDatasetBuilder(str(tmp_path / "own.bin"), dtype=getattr(np, dtype))
        for document in documents:
            builder.add_document(torch.tensor(document, dtype=torch.int32), [len(document)])
        builder.finalize(str(tmp_path / "own.idx"))
        for ending in ("bin", "idx"):
            assert (tmp_path / f"own.{ending}").read_bytes() == Path(f"{prefix}.{ending}").read_bytes()
    assert found == want


def test_mosaicml_streaming_reads(made):
    streaming = pytest.importorskip("streaming", reason="needs mosaicml-streaming", exc_type=ImportError)
    out, want = made("mds")
    dataset = streaming.LocalDataset(str(out))
    assert [dataset[number]["tokens"].tolist() for number in range(len(dataset))] == want


def test_mosaicml_streaming_writes_the_same(tmp_path, made):
    streaming = pytest.importorskip("streaming", reason="needs mosaicml-streaming", exc_type=ImportError)
    out, want = made("mds", shard_size=10**9)
    with streaming.MDSWriter(columns={"tokens": "ndarray:int32"}, out=str(tmp_path / "own")) as writer:
        for document in want:
            writer.write({"tokens": np.array(document, np.int32)})
    own = (tmp_path / "own" / "shard.00000.mds").read_bytes()
    assert own == (out / "shard-00000.00000.mds").read_bytes()


def test_mosaicml_streaming_reads_packed_rows(made):
    streaming = pytest.importorskip("streaming", reason="needs mosaicml-streaming", exc_type=ImportError)
    out, want = made("mds", pack="best-fit", length=32)
    dataset = streaming.LocalDataset(str(out))
    found = 0
    for number in range(len(dataset)):
        row = dataset[number]
        assert len(row["tokens"]) == 32
        found += int(row["seq_lengths"].sum())
    assert found == sum(map(len, want))


def test_litdata_reads(made):
    litdata = pytest.importorskip("litdata", reason="needs litdata", exc_type=ImportError)
    from litdata.streaming.item_loader import TokensLoader

    out, want = made("litdata")
    dataset = litdata.StreamingDataset(str(out), item_loader=TokensLoader(block_size=16), shuffle=False)
    found = [block.tolist() for block in dataset]
    blocks = []
    for path in files(out, ".bin"):
        count = np.fromfile(path, "<u4", 1)[0]
        offset = 4 + 4 * (int(count) + 1)
        ids = np.fromfile(path, "<i4", offset=offset)
        blocks += ids[: len(ids) // 16 * 16].reshape(-1, 16).tolist()
    assert found == blocks
    assert len(found) * 16 > sum(map(len, want)) * 0.9


def test_litdata_writes_the_same(tmp_path, made):
    pytest.importorskip("litdata", reason="needs litdata", exc_type=ImportError)
    import torch
    from litdata.streaming.item_loader import TokensLoader
    from litdata.streaming.writer import BinaryWriter

    out, want = made("litdata", shard_size=10**9)
    writer = BinaryWriter(str(tmp_path / "own"), chunk_bytes=1 << 26, item_loader=TokensLoader())
    for number, document in enumerate(want):
        writer.add_item(number, torch.tensor(document, dtype=torch.int32))
    writer.done()
    writer.merge()
    assert (tmp_path / "own" / "chunk-0-0.bin").read_bytes() == (out / "shard-00000-0.bin").read_bytes()
    own, ours = (json.loads((folder / "index.json").read_text()) for folder in (tmp_path / "own", out))
    assert own["config"] == ours["config"]


def test_datatrove_writes_the_same(tmp_path, made):
    module = pytest.importorskip(
        "datatrove.pipeline.tokens.tokenizer", reason="needs datatrove", exc_type=ImportError
    )
    out, want = made("datatrove")
    first = 0
    for path in files(out, ".ds"):
        ends = np.fromfile(f"{path}.index", "<u8")
        name = Path(f"{path}.metadata").read_text().split("|")[0]
        file = module.TokenizedFile(
            str(tmp_path), "own.ds", tokenizer_name_or_path=name, save_final_metadata=True
        )
        for document in want[first : first + len(ends)]:
            file.write(document, None)
        file.close()
        first += len(ends)
        for ending in ("", ".index", ".metadata"):
            assert (tmp_path / f"own.ds{ending}").read_bytes() == Path(path + ending).read_bytes()
    assert first == len(want)


def test_datatrove_reads(made):
    pytest.importorskip("torch", reason="datatrove's reader needs torch", exc_type=ImportError)
    module = pytest.importorskip("datatrove.utils.dataset", reason="needs datatrove", exc_type=ImportError)
    out, want = made("datatrove", shard_size=10**9)
    dataset = module.DatatroveFileDataset(files(out, ".ds")[0], 15)
    flat = np.concatenate(want)
    assert len(dataset) == len(flat) // 16
    for number in range(len(dataset)):
        assert dataset[number]["input_ids"].tolist() == flat[number * 16 : number * 16 + 16].tolist()


def test_numbers_are_shortened_as_datatrove_does():
    humanize = pytest.importorskip("humanize", reason="needs datatrove's humanize", exc_type=ImportError)
    from tessella.data.layouts.datatrove import shortly

    for power in range(14):
        for digit in (1, 1.234567, 9.99, 9.9949, 9.995, 9.9999):
            count = math.floor(digit * 10**power)
            assert shortly(count) == humanize.metric(count, unit="T"), count
    assert shortly(0) == humanize.metric(0, unit="T")


def test_olmo_reads(made):
    module = pytest.importorskip("olmo.data.memmap_dataset", reason="needs ai2-olmo", exc_type=ImportError)
    out, want = made("dolma")
    dataset = module.MemMapDataset(*files(out, ".npy"), chunk_size=16, memmap_dtype=np.uint16)
    found = [dataset[number]["input_ids"].tolist() for number in range(len(dataset))]
    blocks = []
    for path in files(out, ".npy"):
        ids = np.memmap(path, np.uint16, "r")
        blocks += ids[: len(ids) // 16 * 16].reshape(-1, 16).tolist()
    assert found == blocks
    assert len(found) * 16 > sum(map(len, want)) * 0.9


def test_olmo_core_reads_document_ends(made):
    utils = pytest.importorskip("olmo_core.data.utils", reason="needs ai2-olmo-core", exc_type=ImportError)
    out, want = made("dolma")
    found = []
    for path in files(out, ".npy"):
        spans = list(utils.iter_document_indices(Path(path), use_array_if_local=False))
        ids = np.memmap(path, np.uint16, "r")
        found += [ids[start:end].tolist() for start, end in spans]
    assert found == want


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_datasets_opens(tmp_path, made, format):
    datasets = pytest.importorskip("datasets", reason="needs datasets", exc_type=ImportError)
    out, want = made(format)
    ending = f".{format}"
    if format == "parquet":
        loaded = datasets.load_dataset(
            "parquet", data_files=files(out, ending), split="train", cache_dir=str(tmp_path / "cache")
        )
    else:
        loaded = datasets.concatenate_datasets(
            [datasets.Dataset.from_file(path) for path in files(out, ending)]
        )
    assert loaded["input_ids"][:] == want


@pytest.mark.parametrize("kind", ["nanogpt", "llm.c"])
def test_numpy_reads_as_these_do(made, kind):
    out, want = made(kind)
    found = []
    for path in files(out, ".bin"):
        if kind == "llm.c":
            head = np.fromfile(path, np.int32, 256)
            assert head[:2].tolist() == [20240520, 1]
            ids = np.fromfile(path, np.uint16, offset=1024)
            assert len(ids) == head[2]
        else:
            ids = np.memmap(path, np.uint16, "r")
        found.append(ids)
    assert np.concatenate(found).tolist() == [id for document in want for id in document]


def test_datasets_map_finds_what_it_has_made(tmp_path):
    """A second run over the same rows with an equal tokenizer comes from the cache."""
    datasets = pytest.importorskip("datasets", reason="needs datasets", exc_type=ImportError)
    from data_cases import make_tokenizer

    source = datasets.Dataset.from_dict({"text": ["low new", "tiles"] * 5})
    hashes = set()
    for use in (False, True):
        tokenizer = make_tokenizer()
        if use:
            tokenizer.encode_ids_batch(["low lower wide"] * 100)
        hashes.add(datasets.fingerprint.Hasher.hash(tokenizer))
        mapped = source.map(tessella.data.encoder(tokenizer), batched=True)
        hashes.add(mapped._fingerprint)
    assert len(hashes) == 2
    assert mapped["input_ids"][:2] == [[0, 3], [6]]
    assert contents(tmp_path) == {}
