"""Unsupervised morphs."""

import random

import pytest
from tessella.errors import ArgumentError, FormatError, TrainError
from tessella.words import Morphs
from tessella.words._description_length import DescriptionLength

STEMS = ["talk", "walk", "jump", "climb", "paint", "open", "clean", "start", "help", "cook"]
ENDINGS = ["", "s", "ed", "ing", "er", "ers"]
WORDS = [stem + ending for stem in STEMS for ending in ENDINGS]


def made_up(seed, number=120):
    rng = random.Random(seed)
    syllables = ["".join(rng.choices("aeioukrtslm", k=rng.randint(1, 4))) for _ in range(25)]
    words = {"".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(number)}
    return {word: rng.randint(1, 30) for word in sorted(words)}


def test_stems_and_endings_are_found():
    morphs = Morphs.train(WORDS, seed=1)
    assert morphs.segment("cleaning") == ["clean", "ing"]
    found = sum(morphs.segment(stem + ending)[0] == stem for stem in STEMS for ending in ENDINGS)
    assert found >= 50
    assert morphs.costs == sorted(morphs.costs, reverse=True) and morphs.costs[-1] < 0.8 * morphs.costs[0]
    assert morphs.segment("") == [] and "".join(morphs.segment("unheardof")) == "unheardof"
    assert "".join(morphs.tokenize("He jumped.")) == "Hejumped."


def test_the_same_seed_gives_the_same():
    one, two, other = (Morphs.train(made_up(3), seed=seed) for seed in (5, 5, 6))
    assert one.save() == two.save()
    assert other.costs[-1] == pytest.approx(one.costs[-1], rel=0.02)
    again = Morphs.load(one.save())
    for word in ["kata", "xyz", *list(made_up(3))[:5]]:
        assert again.segment(word) == one.segment(word)


def test_counts_add_up():
    words = made_up(4)
    model = Morphs.train(words, seed=2)
    counts: dict[str, int] = {}
    for word, times in words.items():
        for morph in model.segment(word):
            counts[morph] = counts.get(morph, 0) + times
    assert counts == model.morphs and model.word_count == sum(words.values())
    # The cost that was kept up to date is the cost of the result, counted from nothing.
    cost = DescriptionLength()
    cost.words = model.word_count
    for morph, count in counts.items():
        cost.update(morph, 0, count)
    assert model.costs[-1] == pytest.approx(cost.total(), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_against_morfessor(seed):
    morfessor = pytest.importorskip("morfessor")
    words = made_up(seed)
    theirs = morfessor.BaselineModel()
    theirs.load_data([(count, word) for word, count in words.items()])
    random.seed(seed)
    _, cost = theirs.train_batch()
    ours = Morphs.train(words, seed=seed)
    assert ours.costs[-1] == pytest.approx(cost, rel=1e-3)
    same = sum(ours.segment(word) == theirs.segment(word) for word in words)
    assert same >= 0.95 * len(words)
    if same == len(words):
        for word in made_up(seed + 100, 40):
            if word not in words:
                assert ours.segment(word) == theirs.viterbi_segment(word, addcount=1)[0]


def test_weights():
    few = Morphs.train(WORDS, corpus_weight=5.0)
    many = Morphs.train(WORDS, corpus_weight=0.2)
    assert len(few.morphs) > len(many.morphs)


def test_errors():
    with pytest.raises(TrainError, match="no words"):
        Morphs.train([])
    with pytest.raises(ArgumentError, match="corpus_weight"):
        Morphs.train(["a"], corpus_weight=0)
    with pytest.raises(TypeError, match="one str"):
        Morphs.train("word")
    with pytest.raises(FormatError, match=r"Morphs\.save"):
        Morphs.load("{}")
