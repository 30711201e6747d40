"""Vectors: held, compared, written and read."""

import struct
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from tessella import Tokenizer, models
from tessella.embeddings import Vectors, load_vectors
from tessella.errors import ArgumentError, FormatError, OutOfRangeError

KEYS = ["the", "Ġcat", "▁sat", "é", "漢字", "<unk>", '"quoted"', "&amp;"]


def make(keys=KEYS, dimensions=5, seed=1, counts=None):
    return Vectors(keys, np.random.default_rng(seed).normal(size=(len(keys), dimensions)), counts)


def same(one, other):
    return one.keys == other.keys and one.vectors.tobytes() == other.vectors.tobytes()


@pytest.mark.parametrize("name", ["v.vec", "v.txt", "v.bin", "v.safetensors"])
def test_files_give_back_the_same_bits(tmp_path, name):
    for vectors in (make(), make([]), make(["one"], 1), make(dimensions=300)):
        vectors.save(tmp_path / name)
        assert same(load_vectors(tmp_path / name), vectors)
        assert [path.name for path in tmp_path.iterdir()] == [name]


def test_safetensors_keep_numbers_and_counts(tmp_path):
    vectors = make([3, "3", 0], counts=[9, 8, 1])
    vectors.save(tmp_path / "v.safetensors")
    again = load_vectors(tmp_path / "v.safetensors")
    assert same(again, vectors) and again.counts == [9, 8, 1]


def test_safetensors_are_those_of_the_library(tmp_path):
    vectors = make()
    vectors.save(tmp_path / "v.safetensors")
    library = pytest.importorskip("safetensors.numpy")
    assert (library.load_file(tmp_path / "v.safetensors")["vectors"] == vectors.vectors).all()


def test_word2vec_files_are_those_of_gensim(tmp_path):
    gensim = pytest.importorskip("gensim.models")
    vectors = make()
    for binary in (False, True):
        ours, theirs = tmp_path / f"ours{binary}", tmp_path / f"theirs{binary}"
        vectors.save(ours, "binary" if binary else "text")
        read = gensim.KeyedVectors.load_word2vec_format(str(ours), binary=binary)
        assert read.index_to_key == KEYS and (read.vectors == vectors.vectors).all()
        read.save_word2vec_format(str(theirs), binary=binary)
        assert same(load_vectors(theirs, "binary" if binary else "text"), vectors)


def test_vectors_with_line_ends_between_them_are_read(tmp_path):
    path = tmp_path / "v.bin"
    path.write_bytes(b"2 1\na " + struct.pack("<f", 1.5) + b"\nb " + struct.pack("<f", 2.5) + b"\n")
    assert load_vectors(path).vectors.tolist() == [[1.5], [2.5]]


def test_keys_that_do_not_fit_a_format(tmp_path):
    for key in ("a b", "", 5, "a\n"):
        with pytest.raises(ArgumentError, match="save as safetensors"):
            make([key]).save(tmp_path / "v.vec")
    with pytest.raises(ArgumentError, match="is a tuple"):
        make([("a", 1)]).save(tmp_path / "v.safetensors")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ArgumentError, match="one of text, binary"):
        make().save(tmp_path / "v", "json")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.vec", b""),
        ("v.vec", b"2 2\na 1 2\n"),
        ("v.vec", b"1 2\na 1\n"),
        ("v.vec", b"1 1\na x\n"),
        ("v.vec", b"1 1\n\xff 1\n"),
        ("v.vec", b"2 1\na 1\na 2\n"),
        ("v.bin", b"3 4\na 1234"),
        ("v.bin", b"-1 4\n"),
        ("v.safetensors", b""),
        ("v.safetensors", b"\xff" * 8 + b"{}"),
        ("v.safetensors", struct.pack("<Q", 2) + b"{}"),
        ("v.safetensors", struct.pack("<Q", 2) + b"[]"),
        ("v.safetensors", struct.pack("<Q", 100_000) + b"[" * 100_000),
    ],
)
def test_broken_files(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match="v\\.") as caught:
        load_vectors(path)
    assert caught.value.filename == str(path)


def test_every_truncated_file_is_refused(tmp_path):
    for name in ("v.bin", "v.safetensors"):
        make().save(tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        for end in range(0, len(whole), 7):
            (tmp_path / name).write_bytes(whole[:end])
            with pytest.raises(FormatError):
                load_vectors(tmp_path / name)


def test_similarity_against_gensim():
    gensim = pytest.importorskip("gensim.models")
    keys = [f"k{n}" for n in range(300)]
    vectors = make(keys, 16)
    theirs = gensim.KeyedVectors(16)
    theirs.add_vectors(keys, vectors.vectors)
    for n in (1, 10, 299, 1000):
        found = vectors.most_similar("k7", n=n)
        expected = theirs.most_similar("k7", topn=n)
        assert [key for key, _ in found] == [key for key, _ in expected]
        assert [value for _, value in found] == pytest.approx([value for _, value in expected], abs=1e-6)
    found = vectors.most_similar(["k1", "k2"], unlike=["k3"])
    expected = theirs.most_similar(positive=["k1", "k2"], negative=["k3"])
    assert [key for key, _ in found] == [key for key, _ in expected]
    assert vectors.most_similar(vectors["k5"], n=1)[0][0] == "k5"
    assert vectors.similarity("k1", "k2") == pytest.approx(float(theirs.similarity("k1", "k2")), abs=1e-6)


def test_matrices():
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "the": 1, "x": 2, "é": 5}))
    vectors = make()
    rows = vectors.matrix(tokenizer)
    assert rows.shape == (6, 5) and rows.dtype == np.float32
    assert (rows[1] == vectors["the"]).all() and not rows[2].any() and (rows[5] == vectors["é"]).all()
    mean = vectors.matrix(["the", "x"], missing="mean")
    assert mean[1] == pytest.approx(vectors.vectors.mean(axis=0))
    assert (vectors.matrix(["x"], missing="random") == vectors.matrix(["x"], missing="random")).all()
    by_id = make([2, 0])
    assert (by_id.matrix({"a": 0, "b": 1, "c": 2})[[2, 0]] == by_id.vectors).all()


def test_a_row_is_that_of_its_key():
    """Numbers that are keys are no ids, keys may come twice, and no id counts from the end."""
    songs = Vectors([0, 1, 2], [[1.0], [2.0], [3.0]])
    assert songs.matrix([2, 9, 0]).tolist() == [[3.0], [0.0], [1.0]]
    assert songs.matrix({7: 0, 1: 1}).tolist() == [[0.0], [2.0]]
    assert songs.matrix({"a": 1, "b": 0, "c": 5})[:2].tolist() == [[1.0], [2.0]]
    assert songs.matrix([1, 0, 1]).tolist() == [[2.0], [1.0], [2.0]]
    with pytest.raises(OutOfRangeError, match="must be 0 or more"):
        songs.matrix({1: -1, 2: 4})


def test_a_matrix_is_a_layer():
    torch = pytest.importorskip("torch")
    vectors = make()
    layer = torch.nn.Embedding.from_pretrained(torch.from_numpy(vectors.matrix(["x", "the"])))
    assert layer(torch.tensor([1, 0])).tolist() == [vectors["the"].tolist(), [0.0] * 5]


def test_errors():
    with pytest.raises(KeyError, match="no vector of 'teh'; near to it are 'the'"):
        make()["teh"]
    with pytest.raises(ArgumentError, match="8 keys"):
        Vectors(KEYS, np.zeros((3, 2)))
    with pytest.raises(ArgumentError, match="'a' is there more than once"):
        make(["a", "a"])
    with pytest.raises(ArgumentError, match=r"shape \(3,\)"):
        make().most_similar(np.zeros(3))
    with pytest.raises(ArgumentError, match="`to` is empty"):
        make().most_similar([])
    assert make(["z"]).most_similar("z") == []
    own = np.ones((1, 2), dtype=np.float32)
    with pytest.raises(ValueError, match="read-only"):
        Vectors(["a"], own)["a"][0] = 2.0
    own[0] = 2.0
    assert not np.isnan(Vectors(["a", "b"], np.zeros((2, 3))).similarity("a", "b"))


def test_pictures():
    for vectors in (make(), make([]), make(["one"]), make(dimensions=1), make(["a\x00b", "\ud800", 5])):
        root = ElementTree.fromstring(vectors.picture().encode("utf-8"))
        names = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert len(names) == len(vectors)
        dots = [dot.attrib for dot in root.iter("{http://www.w3.org/2000/svg}circle")]
        assert all(0 <= float(dot["cx"]) <= 800 and 0 <= float(dot["cy"]) <= 600 for dot in dots)
    assert make().picture(["é"]).count("<circle") == 1 and ">&amp;amp;<" in make().picture()


@pytest.mark.parametrize("size", [1e-38, 1e-30, 1e-20, 1.0, 1e18, 1e25, 3e38])
def test_directions_of_very_long_and_short_vectors(size):
    rows = np.array([[0.6, 0.8], [0.8, 0.6], [-0.6, -0.8], [0.0, 0.0]]) * [[size], [size], [1.0], [1.0]]
    vectors = Vectors(["a", "b", "c", "zero"], rows)
    assert vectors.similarity("a", "b") == pytest.approx(0.96, abs=1e-5)
    assert vectors.similarity("a", "c") == pytest.approx(-1.0, abs=1e-5)
    assert vectors.similarity("a", "zero") == 0.0
    for asked in ("a", rows[0], rows[0].astype(np.float32)):
        found = dict(vectors.most_similar(asked, unlike=["zero"]))
        assert found["b"] == pytest.approx(0.96, abs=1e-5)
        assert found["c"] == pytest.approx(-1.0, abs=1e-5)
