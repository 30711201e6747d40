"""Each layout, byte for byte. The bytes of MDS and LitData are what these libraries' own writers made of the same documents."""

import gzip
import json
import struct

import numpy as np
import pytest
from tessella.data.batches import Batch
from tessella.data.layouts import LAYOUTS, Shape
from tessella.data.layouts.bare import write_llmc
from tessella.data.outputs import Outputs
from tessella.data.places import place
from tessella.errors import FormatError, UnsupportedError

DOCUMENTS = [[1, 2, 3], [4], [5, 6]]
MEGATRON = "4d4d4944494458000001000000000000000802000000000000000300000000000000030000000100000000000000000000000600000000000000000000000000000001000000000000000200000000000000"
MDS = "03000000cd000000d9000000e1000000eb0000007b22636f6c756d6e5f656e636f64696e6773223a205b226e6461727261793a75696e743136225d2c2022636f6c756d6e5f6e616d6573223a205b22696e7075745f696473225d2c2022636f6c756d6e5f73697a6573223a205b6e756c6c5d2c2022636f6d7072657373696f6e223a206e756c6c2c2022666f726d6174223a20226d6473222c2022686173686573223a205b5d2c202273697a655f6c696d6974223a2036373130383836342c202276657273696f6e223a20327d080000000403010002000300040000000401040006000000040205000600"
LITDATA = "030000001400000020000000240000002c000000010000000200000003000000040000000500000006000000"


def batch(documents, dtype, **more):
    return Batch(
        np.array([id for one in documents for id in one], np.dtype(dtype).newbyteorder("<")),
        np.array([len(one) for one in documents], np.int64),
        **more,
    )


def written(folder, name, dtype, batches, **shape):
    """Writes a shard; gives its parts and the shape."""
    made = Shape(dtype, 100, "f" * 64, **shape)
    outputs = Outputs(place(str(folder)))
    parts = LAYOUTS[name].write(outputs, "shard", batches, made)
    outputs.commit()
    return parts, made


def test_megatron(tmp_path):
    written(tmp_path, "megatron", "uint16", [batch([[1, 2, 3], [4]], "uint16")])
    assert (tmp_path / "shard.idx").read_bytes().hex() == MEGATRON
    assert (tmp_path / "shard.bin").read_bytes() == struct.pack("<4H", 1, 2, 3, 4)


def test_nanogpt(tmp_path):
    written(tmp_path, "nanogpt", "uint16", [batch(DOCUMENTS, "uint16")])
    assert np.memmap(tmp_path / "shard.bin", np.uint16, "r").tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("dtype", "magic", "version"), [("uint16", 20240520, 1), ("uint32", 20240801, 7)])
def test_llmc(tmp_path, dtype, magic, version):
    written(tmp_path, "llm.c", dtype, [batch(DOCUMENTS, dtype)])
    content = (tmp_path / "shard.bin").read_bytes()
    assert np.frombuffer(content[:1024], "<i4").tolist() == [magic, version, 6] + [0] * 253
    assert np.frombuffer(content[1024:], dtype).tolist() == [1, 2, 3, 4, 5, 6]


def test_llmc_begins_another_file_where_a_head_could_not_tell_more(tmp_path):
    shape = Shape("uint16", 100, "f" * 64)
    outputs = Outputs(place(str(tmp_path)))
    parts = write_llmc(outputs, "shard", [batch(DOCUMENTS, "uint16"), batch([[7]], "uint16")], shape, most=4)
    outputs.commit()
    assert [(part["name"], part["documents"], part["tokens"]) for part in parts] == [
        ("shard.bin", 2, 4),
        ("shard-001.bin", 2, 3),
    ]
    assert np.fromfile(tmp_path / "shard-001.bin", "<u2", offset=1024).tolist() == [5, 6, 7]
    assert np.fromfile(tmp_path / "shard.bin", "<i4", 3).tolist() == [20240520, 1, 4]
    outputs = Outputs(place(str(tmp_path)))
    with pytest.raises(FormatError, match=r"has 3 tokens, and a file of llm\.c holds 2"):
        write_llmc(outputs, "shard", [batch([[1, 2, 3]], "uint16")], shape, most=2)
    outputs.abandon()


def test_datatrove(tmp_path):
    written(tmp_path, "datatrove", "uint32", [batch(DOCUMENTS, "uint32")], has_mask=True)
    assert (tmp_path / "shard.ds").read_bytes() == struct.pack("<6I", 1, 2, 3, 4, 5, 6)
    assert (tmp_path / "shard.ds.index").read_bytes() == struct.pack("<3Q", 3, 4, 6)
    assert (tmp_path / "shard.ds.loss").read_bytes() == b"\1" * 6
    assert (tmp_path / "shard.ds.metadata").read_text() == f"tessella:{'f' * 16}|4\n6\n6.00 T"


def test_mds(tmp_path, monkeypatch):
    monkeypatch.setattr("tessella.data.layouts.mds._columns", lambda shape: [("input_ids", "uint16")])
    monkeypatch.setattr(
        "tessella.data.layouts.mds._values",
        lambda batch, shape: [[document] for document in batch.documents()],
    )
    parts, shape = written(tmp_path, "mds", "uint16", [batch(DOCUMENTS, "uint16")])
    assert (tmp_path / parts[0]["name"]).read_bytes().hex() == MDS
    index = json.loads(LAYOUTS["mds"].finish(parts, shape)["index.json"])
    assert index == {
        "shards": [
            {
                "column_encodings": ["ndarray:uint16"],
                "column_names": ["input_ids"],
                "column_sizes": [None],
                "compression": None,
                "format": "mds",
                "hashes": [],
                "raw_data": {"basename": "shard.00000.mds", "bytes": 235, "hashes": {}},
                "samples": 3,
                "size_limit": 67108864,
                "version": 2,
                "zip_data": None,
            }
        ],
        "version": 2,
    }


def test_litdata(tmp_path):
    parts, shape = written(tmp_path, "litdata", "int32", [batch(DOCUMENTS, "int32")])
    assert (tmp_path / "shard-0.bin").read_bytes().hex() == LITDATA
    index = json.loads(LAYOUTS["litdata"].finish(parts, shape)["index.json"])
    assert index["chunks"] == [{"chunk_bytes": 44, "chunk_size": 3, "dim": 6, "filename": "shard-0.bin"}]
    assert index["config"]["data_format"] == ["no_header_tensor:16"]


@pytest.mark.parametrize(("name", "error"), [("litdata", UnsupportedError), ("mds", FormatError)])
def test_offsets_that_a_file_cannot_tell(tmp_path, monkeypatch, name, error):
    monkeypatch.setattr(f"tessella.data.layouts.{name}.MOST", 600)
    written(tmp_path, name, "int32", [batch([[1] * 4], "int32")])
    with pytest.raises(error, match=r"would have .* bytes"):
        written(tmp_path, name, "int32", [batch([[1] * 149], "int32")])


def test_a_document_that_mds_cannot_tell(tmp_path, monkeypatch):
    """Its size stands in 32 bits in front of it, before there is a place to tell."""
    monkeypatch.setattr("tessella.data.layouts.mds.MOST", 600)
    with pytest.raises(FormatError, match=r"a document of 400 tokens would have 1603 bytes.*cut it"):
        written(tmp_path, "mds", "int32", [batch([[1] * 400], "int32")])


@pytest.mark.parametrize("name", ["litdata", "mds"])
def test_full_files_are_followed_by_others(tmp_path, monkeypatch, name):
    module = "mds" if name == "mds" else "litdata"
    monkeypatch.setattr(f"tessella.data.layouts.{module}.SIZE", 400 if name == "mds" else 16)
    parts, shape = written(tmp_path, name, "int32", [batch(DOCUMENTS, "int32")] * 6)
    assert len(parts) > 1
    assert sum(part["documents"] for part in parts) == 18
    views = [LAYOUTS[name].view(str(tmp_path), part, shape) for part in parts]
    assert np.concatenate([view.read(0, view.tokens) for view in views]).tolist() == [1, 2, 3, 4, 5, 6] * 6


def test_dolma(tmp_path):
    made = batch(DOCUMENTS, "uint16", paths=("a/b.jsonl",), rows=np.array([0, 2, 3]))
    written(tmp_path, "dolma", "uint16", [made])
    assert np.memmap(tmp_path / "shard.npy", np.uint16, "r").tolist() == [1, 2, 3, 4, 5, 6]
    lines = gzip.decompress((tmp_path / "shard.csv.gz").read_bytes()).decode()
    assert lines == (
        "0,3,b.jsonl:1,a/b.jsonl,1\r\n3,4,b.jsonl:3,a/b.jsonl,3\r\n4,6,b.jsonl:4,a/b.jsonl,4\r\n"
    )


def test_numpy(tmp_path):
    written(tmp_path, "numpy", "uint16", [batch(DOCUMENTS, "uint16")])
    assert np.load(tmp_path / "shard.npy").tolist() == [1, 2, 3, 4, 5, 6]
    assert np.load(tmp_path / "shard.offsets.npy").tolist() == [0, 3, 4, 6]


@pytest.mark.parametrize("name", ["parquet", "arrow"])
def test_columns(tmp_path, name):
    pytest.importorskip("pyarrow")
    written(tmp_path, name, "int32", [batch(DOCUMENTS, "int32")], eos=6)
    if name == "parquet":
        from pyarrow import parquet

        table = parquet.read_table(tmp_path / "shard.parquet")
    else:
        import pyarrow

        table = pyarrow.ipc.open_stream(tmp_path / "shard.arrow").read_all()
    assert table.column("input_ids").to_pylist() == DOCUMENTS
    assert str(table.schema.field("input_ids").type).startswith("list<")
    assert table.schema.metadata[b"tessella.tokenizer"] == b"f" * 64
    assert table.schema.metadata[b"tessella.eos"] == b"6"


@pytest.mark.parametrize("name", list(LAYOUTS))
def test_what_is_written_is_read(tmp_path, name):
    if name in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    dtype = LAYOUTS[name].dtypes[0]
    marks = np.array([1, 0, 1, 0, 1, 0], np.uint8)
    batches = [batch([[1, 2, 9], [9], [5, 9]], dtype, mask=marks), batch([[7, 9]], dtype)]
    parts, shape = written(tmp_path, name, dtype, batches, eos=9, has_mask=True)
    (part,) = parts
    view = LAYOUTS[name].view(str(tmp_path), part, shape)
    assert (part["documents"], part["tokens"], view.tokens) == (4, 8, 8)
    assert view.ends.tolist() == [3, 4, 6, 8]
    assert view.read(0, 8).tolist() == [1, 2, 9, 9, 5, 9, 7, 9]
    assert view.read(2, 5).tolist() == [9, 9, 5]
    assert view.read(3, 3).tolist() == []
    assert view.mask(0, 8).tolist() == [1, 0, 1, 0, 1, 0, 1, 1]


@pytest.mark.parametrize("name", list(LAYOUTS))
def test_nothing_can_be_written_and_read(tmp_path, name):
    if name in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    dtype = LAYOUTS[name].dtypes[0]
    parts, shape = written(tmp_path, name, dtype, [], eos=9, has_mask=True)
    views = [LAYOUTS[name].view(str(tmp_path), part, shape) for part in parts]
    assert sum(view.tokens for view in views) == 0
    assert all(len(view.ends) == 0 for view in views)
    assert isinstance(LAYOUTS[name].finish(parts, shape), dict)


@pytest.mark.parametrize("name", [name for name, one in LAYOUTS.items() if one.holds_rows])
def test_packed_rows_tell_their_documents(tmp_path, name):
    if name in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    dtype = LAYOUTS[name].dtypes[0]
    packed = batch([[1, 2, 3, 4], [5, 6, 0, 0]], dtype, spans=(np.array([3, 1]), np.array([2])))
    parts, shape = written(tmp_path, name, dtype, [packed, packed], length=4)
    view = LAYOUTS[name].view(str(tmp_path), parts[0], shape)
    assert view.ends.tolist() == [4, 8, 12, 16]
    assert [view.spans(row).tolist() for row in range(4)] == [[3, 1], [2]] * 2
    assert view.read(4, 12).tolist() == [5, 6, 0, 0, 1, 2, 3, 4]


def test_damaged_heads_are_told(tmp_path):
    shape = Shape("uint16", 100, "f")
    (tmp_path / "a.idx").write_bytes(b"nonsense")
    (tmp_path / "a.bin").write_bytes(b"")
    with pytest.raises(FormatError, match=r"a.idx is no Megatron index"):
        LAYOUTS["megatron"].view(str(tmp_path), {"name": "a"}, shape)
    (tmp_path / "a.idx").write_bytes(bytes.fromhex(MEGATRON)[:-8])
    with pytest.raises(FormatError, match="its head promises 82"):
        LAYOUTS["megatron"].view(str(tmp_path), {"name": "a"}, shape)
    (tmp_path / "a.idx").write_bytes(bytes.fromhex(MEGATRON))
    with pytest.raises(FormatError, match="tells of 4 tokens"):
        LAYOUTS["megatron"].view(str(tmp_path), {"name": "a"}, shape)
    (tmp_path / "b.bin").write_bytes(b"\0" * 1024)
    with pytest.raises(FormatError, match=r"b.bin is no file of llm.c"):
        LAYOUTS["llm.c"].view(str(tmp_path), {"name": "b.bin"}, shape)
