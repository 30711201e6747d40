"""Columns of Arrow, and functions for columns."""

import pickle

import pytest
import tessella.data
from data_cases import make_tokenizer
from tessella.errors import ArgumentError, FormatError

pyarrow = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()])
def test_a_column_of_texts_becomes_one_of_ids(tokenizer, kind):
    texts = ["low new", None, "", "é 日本 low", None]
    want = [[0, 3], None, [], [9, 10, 0], None]
    column = pyarrow.array(texts, kind)
    assert tessella.data.encode_arrow(tokenizer, column).to_pylist() == want
    assert tessella.data.encode_arrow(tokenizer, column[1:4]).to_pylist() == want[1:4]
    chunked = pyarrow.chunked_array([column, column[:0], column[2:]])
    assert tessella.data.encode_arrow(tokenizer, chunked).to_pylist() == want + want[2:]
    assert tessella.data.encode_arrow(tokenizer, pyarrow.chunked_array([], kind)).to_pylist() == []
    plain = tessella.data.encode_arrow(tokenizer, pyarrow.array(["low"], kind))
    assert (plain.to_pylist(), str(plain.type)) == ([[0]], "large_list<item: uint32>")


def test_other_columns(tokenizer):
    assert tessella.data.encode_arrow(tokenizer, pyarrow.nulls(2)).to_pylist() == [None, None]
    packed = pyarrow.array(["low", "new", "low"]).dictionary_encode()
    assert tessella.data.encode_arrow(tokenizer, packed).to_pylist() == [[0], [3], [0]]
    assert tessella.data.encode_arrow(tokenizer, ["low"]).to_pylist() == [[0]]
    assert tessella.data.encode_arrow(tokenizer, packed[1:]).to_pylist() == [[3], [0]]
    for text in ("low", b"low", None):
        with pytest.raises(TypeError, match="`texts` must be a column of texts"):
            tessella.data.encode_arrow(tokenizer, text)
    with pytest.raises(ArgumentError, match="the column holds int64, expected strings"):
        tessella.data.encode_arrow(tokenizer, pyarrow.array([1]))


@pytest.mark.parametrize(
    "kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.binary()]
)
def test_a_column_is_a_batch(tokenizer, kind):
    texts = ["low new", "", "é 日本 low", "tile"]
    column = pyarrow.array([text.encode() for text in texts]).cast(kind)
    want = tokenizer.encode_ids_batch(texts).to_list()
    for some, rows in [
        (column, want),
        (column[1:3], want[1:3]),
        (column[:0], []),
        (pyarrow.chunked_array([column, column[:0], column[2:]]), want + want[2:]),
        (pyarrow.chunked_array([], kind), []),
    ]:
        for threads in (1, 2):
            assert tokenizer.encode_ids_batch(some, num_threads=threads).to_list() == rows
        assert tokenizer.count_batch(some).tolist() == [len(row) for row in rows]
    if kind != pyarrow.binary():
        packed = pyarrow.array(texts).dictionary_encode()
        assert tokenizer.encode_ids_batch(packed).to_list() == want


def test_texts_of_a_column_may_have_more_bytes_together_than_offsets_of_32_bits_tell():
    """Columns of gigabytes take too long here: what they are put together as holds any number of bytes."""
    from tessella._columns import joined
    from tessella._corpus import spelled_out

    for kind, wide in (("string", "large_string"), ("binary", "large_binary"), ("large_string",) * 2):
        chunk = pyarrow.array([b"low", b"new"]).cast(getattr(pyarrow, kind)())
        numbers = pyarrow.array([1, 0, 1])
        packed = pyarrow.DictionaryArray.from_arrays(numbers, chunk)
        for column, want in (
            (chunk, ["low", "new"]),
            (packed, ["new", "low", "new"]),
        ):
            whole = joined(pyarrow.chunked_array([column, column]))
            assert str(whole.type) == wide
            assert whole.cast(pyarrow.large_string()).to_pylist() == want * 2
        assert str(spelled_out(packed).type) == wide


def test_columns_that_are_no_batch(tokenizer):
    with pytest.raises(ArgumentError, match=r"`texts\[1\]` is null.*encode_arrow"):
        tokenizer.encode_ids_batch(pyarrow.array(["low", None]))
    with pytest.raises(ArgumentError, match="column of int64, expected strings"):
        tokenizer.count_batch(pyarrow.array([1]))
    buffers = [None, pyarrow.array([0, 1, 3], pyarrow.int32()).buffers()[1], pyarrow.py_buffer(b"a\xff\xfe")]
    broken = pyarrow.Array.from_buffers(pyarrow.string(), 2, buffers)
    with pytest.raises(FormatError, match="0xff at byte 0 of row 1"):
        tokenizer.encode_ids_batch(broken)


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()])
def test_columns_with_a_dictionary(tokenizer, tmp_path, kind):
    """Nulls of both kinds: a number that is missing, and the number of a text that is."""
    numbers = pyarrow.array([0, 1, None, 2, 0], pyarrow.uint32())
    column = pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array(["low", None, "new tile"], kind))
    want = [[0], None, None, [3, 5], [0]]
    assert tessella.data.encode_arrow(tokenizer, column).to_pylist() == want
    assert tessella.data.encode_arrow(tokenizer, column[2:4]).to_pylist() == want[2:4]
    assert tessella.data.encode_arrow(tokenizer, pyarrow.chunked_array([column])).to_pylist() == want
    table = pyarrow.table({"text": column})
    with pyarrow.ipc.new_file(tmp_path / "rows.arrow", table.schema) as sink:
        sink.write_table(table)
    made = tessella.data.tokenize_corpus(tmp_path / "rows.arrow", tokenizer, tmp_path / "out", workers=1)
    # Rows without a text are no documents.
    assert (made.documents, made.empty) == (3, 0)
    found = tessella.data.open(tmp_path / "out").documents
    assert [ids.tolist() for ids in found] == [[0, 12], [3, 5, 12], [0, 12]]


def test_polars(tokenizer):
    polars = pytest.importorskip("polars", reason="needs polars")
    column = polars.Series("text", ["low new", None, "tile"])
    found = tessella.data.encode_arrow(tokenizer, column)
    assert polars.from_arrow(found).to_list() == [[0, 3], None, [5]]
    for kind in (polars.Categorical, polars.Enum(["low new", "tile"])):
        again = tessella.data.encode_arrow(tokenizer, column.cast(kind))
        assert polars.from_arrow(again).to_list() == [[0, 3], None, [5]]


def test_encoders_of_equal_tokenizers_are_packed_alike(tokenizer):
    one, other = tessella.data.encoder(tokenizer), tessella.data.encoder(make_tokenizer())
    other.tokenizer.encode("low new wide")
    assert pickle.dumps(one) == pickle.dumps(other)
    # What belongs to a call changes no ids, and so nothing that was made is made again.
    tokenizer.enable_padding()
    tokenizer.enable_truncation(2)
    assert pickle.dumps(tessella.data.encoder(tokenizer)) == pickle.dumps(other)
    assert tessella.data.encoder(tokenizer)({"text": ["low low new", ""]})["input_ids"][0].tolist() == [
        0,
        0,
        3,
    ]
    assert one({"text": "low"}) == {"input_ids": [0]}
    assert pickle.loads(pickle.dumps(one)).fingerprint == tessella.data.fingerprint(tokenizer)


def test_nulls_of_a_data_set_stay_nulls(tokenizer):
    encode = tessella.data.encoder(tokenizer)
    found = encode({"text": ["low", None, ""]})["input_ids"]
    assert [None if ids is None else list(ids) for ids in found] == [[0], None, []]
    assert encode({"text": None}) == {"input_ids": None}


TEXTS = ["low new", None, "", "tile"]
IDS = [[0, 3], None, [], [5]]


def listed(rows):
    return [None if row is None else [int(id) for id in row] for row in rows]


@pytest.mark.parametrize("make", [pyarrow.table, pyarrow.record_batch])
@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()])
def test_a_table_comes_back_with_the_ids(tokenizer, make, kind):
    """As `datasets` hands them to a function over a dataset whose format is "arrow"."""
    table = make({"n": pyarrow.array([1, 2, 3, 4]), "text": pyarrow.array(TEXTS, kind)})
    for some, want in [(table, IDS), (table.slice(1, 2), IDS[1:3]), (table.slice(1, 1), [None])]:
        made = tessella.data.encoder(tokenizer)(some)
        assert (type(made), made.schema.names) == (type(table), ["n", "text", "input_ids"])
        assert made.column("input_ids").to_pylist() == want
        assert str(made.schema.field("input_ids").type) == "list<item: uint32>"
    again = tessella.data.encoder(tokenizer, column="text")(table)
    assert (again.schema.names, again.column("text").to_pylist()) == (["n", "text"], IDS)


def test_columns_of_other_libraries_keep_their_nulls(tokenizer):
    packed = pyarrow.array(["low", None, "low"]).dictionary_encode()
    for column in (packed, pyarrow.chunked_array([packed])):
        assert listed(tessella.data.encoder(tokenizer)({"text": column})["input_ids"]) == [[0], None, [0]]
    with pytest.raises(TypeError, match="expected a batch of `datasets` or a table"):
        tessella.data.encoder(tokenizer)(Odd())


class Odd:
    """Gives a column, and is nothing that could have a further one."""

    def __getitem__(self, name):
        return ["low"]


@pytest.mark.parametrize("kind", ["object", "str", "string", "category"])
def test_frames_of_pandas(tokenizer, kind):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": pandas.Series(TEXTS, dtype=kind)}).set_axis([7, 7, 8, 9])
    made = tessella.data.encoder(tokenizer)(frame)
    found = [None if ids is None or ids is pandas.NA else ids for ids in made["input_ids"]]
    assert (listed(found), list(made.index), list(made)) == (IDS, [7, 7, 8, 9], ["text", "input_ids"])
    assert listed(tessella.data.encoder(tokenizer)({"text": frame["text"]})["input_ids"]) == IDS


def test_frames_of_polars(tokenizer):
    polars = pytest.importorskip("polars")
    made = tessella.data.encoder(tokenizer)(polars.DataFrame({"text": TEXTS}))
    assert (made.columns, made["input_ids"].to_list()) == (["text", "input_ids"], IDS)


@pytest.mark.parametrize("form", [None, "numpy", "arrow", "pandas", "polars"])
@pytest.mark.parametrize("batched", [True, False])
def test_data_sets_of_all_formats(tokenizer, form, batched):
    datasets = pytest.importorskip("datasets")
    if form == "polars":
        pytest.importorskip("polars")
    rows = datasets.Dataset.from_dict({"text": TEXTS, "n": [0, 1, 2, 3]}).with_format(form)
    made = rows.map(tessella.data.encoder(tokenizer), batched=batched, keep_in_memory=True).with_format(None)
    assert listed(made["input_ids"]) == IDS
    assert made["n"][:] == [0, 1, 2, 3]
