"""The example learns from real code what one would expect, and exactly what gensim learns."""

import os
import runpy
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("gensim")


EXAMPLE = Path(__file__).parents[3] / "examples" / "code_neighbours.py"


def test_neighbours_in_the_standard_library(capsys):
    names = runpy.run_path(str(EXAMPLE))
    vectors = names["main"](["--bytes", "1500000", "--epochs", "4"])
    shown = capsys.readouterr().out
    assert shown.startswith("Vectors(") and "True: " in shown
    met = [
        word
        for word, expected in names["EXPECTED"].items()
        if expected & {near for near, _ in vectors.most_similar(word, n=10)}
    ]
    # The text is another one in every version of Python.
    assert len(met) >= len(names["EXPECTED"]) // 2, met


def test_vectors_of_code_are_those_of_gensim():
    from gensim.models.word2vec import Word2Vec
    from tessella.embeddings import train_vectors

    folder = os.environ.get("TESSELLA_CORPORA")
    if folder:
        from tests.conformance.texts import read

        text = read(Path(folder, "code.txt.zst"))[:300_000].decode("utf-8", "ignore")
    else:
        text = Path(sysconfig.get_paths()["stdlib"], "argparse.py").read_text("utf-8")
    sequences = [line.split() for line in text.splitlines() if line.strip()]
    options = {"window": 5, "min_count": 2, "epochs": 2, "seed": 11, "workers": 1}
    theirs = Word2Vec(sequences, vector_size=24, negative=8, sg=1, **options)
    ours = train_vectors(sequences, dimensions=24, negatives=8, **options)
    assert ours.keys == theirs.wv.index_to_key
    assert ours.vectors.tobytes() == theirs.wv.vectors.tobytes()
    for word in ours.keys[:50]:
        near, expected = ours.most_similar(word, n=5), theirs.wv.most_similar(word, topn=5)
        assert [other for other, _ in near] == [other for other, _ in expected]
