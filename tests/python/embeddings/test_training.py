"""Learned vectors are those of gensim."""

import random
import sys

import pytest
from tessella.embeddings import train_vectors
from tessella.errors import ArgumentError, MissingDependencyError, TrainError


def sequences(seed, number=80):
    rng = random.Random(seed)
    items = [f"item{n}" for n in range(40)]
    return [rng.choices(items, range(1, 41), k=rng.randint(1, 30)) for _ in range(number)]


@pytest.mark.parametrize("seed", [1, 7])
def test_against_gensim(seed):
    word2vec = pytest.importorskip("gensim.models.word2vec")
    corpus = sequences(seed)
    options = {"window": 10, "min_count": 2, "epochs": 3, "seed": seed, "workers": 1}
    theirs = word2vec.Word2Vec(corpus, vector_size=16, negative=20, sg=1, **options)
    ours = train_vectors(corpus, dimensions=16, negatives=20, **options)
    assert ours.keys == theirs.wv.index_to_key
    assert ours.vectors.tobytes() == theirs.wv.vectors.tobytes()
    assert ours.counts == [theirs.wv.get_vecattr(key, "count") for key in ours.keys]


def test_items_may_be_anything():
    pytest.importorskip("gensim")
    corpus = sequences(3)
    tuples = [[("song", item) for item in row] for row in corpus]
    one, two = train_vectors(iter(corpus), epochs=1), train_vectors((iter(row) for row in tuples), epochs=1)
    assert one.vectors.tobytes() == two.vectors.tobytes() and two.keys[0] == ("song", one.keys[0])
    assert one.vectors.shape[1] == 32


def test_what_belongs_together_is_found():
    pytest.importorskip("gensim")
    rng = random.Random(1)
    groups = [[f"{name}{n}" for n in range(6)] for name in ("rock", "jazz", "folk")]
    playlists = [rng.sample(rng.choice(groups), 5) for _ in range(600)]
    songs = train_vectors(playlists, dimensions=12, negatives=5, subsampling=0, epochs=10)
    for group in groups:
        near = {key for key, _ in songs.most_similar(group[0], n=5)}
        assert near == set(group[1:])


def test_long_sequences_are_learned_whole():
    pytest.importorskip("gensim")
    long = ["a", "b"] * 10_000 + ["c", "d"]
    vectors = train_vectors([long], dimensions=4, epochs=1, negatives=1)
    assert set(vectors.keys) == set("abcd") and vectors.counts is not None and sum(vectors.counts) == 20_002


def test_errors(monkeypatch):
    with pytest.raises(ArgumentError, match="`window` is 0"):
        train_vectors([["a"]], window=0)
    pytest.importorskip("gensim")
    with pytest.raises(TypeError, match="found one str: 'abc'"):
        train_vectors(["abc"])
    with pytest.raises(TrainError, match="1 different items, none of them at least 5 times"):
        train_vectors([["a"]], min_count=5)
    with pytest.raises(TrainError, match="nothing to learn from"):
        train_vectors([])
    monkeypatch.setitem(sys.modules, "gensim.models.word2vec", None)
    with pytest.raises(
        MissingDependencyError, match=r"needs gensim.*pip install gensim .*pip install '\.\[embeddings\]'"
    ):
        train_vectors([["a"]])
