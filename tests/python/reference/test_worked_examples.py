"""The textbook examples, as far as ``tests/python/test_worked_examples.py`` does not tell them number by number."""

import itertools
import math

import pytest
from tessella.pre_tokenizers import BertPreTokenizer
from tessella.reference import (
    ByteBpe,
    Unigram,
    WordBpe,
    WordLevel,
    WordPiece,
    count_substrings,
    gage_compress,
    show_history,
)
from textbook import COURSE, HUGS


def pairs(text):
    return [tuple(pair.split("+")) for pair in text.split()]


def test_gage():
    assert gage_compress("abc").pairs == ()
    everything = bytes(range(256)) * 2
    assert gage_compress(everything).data == everything


def test_history():
    words = {"cat": 5, "cats": 2, "eat": 10, "eating": 3, "running": 2, "jumping": 1, "food": 6}
    bpe = WordBpe.train(words, vocab_size=21)
    assert dict(bpe.history[-1].corpus) == {
        ("cat",): 5,
        ("cat", "s"): 2,
        ("eat",): 10,
        ("eat", "ing"): 3,
        ("r", "u", "n", "n", "ing"): 2,
        ("j", "u", "m", "p", "ing"): 1,
        ("f", "o", "o", "d"): 6,
    }
    shown = show_history(bpe.history, corpus=True)
    assert shown.splitlines()[9].split() == ["2", "e", "+", "at", "eat", "13", "15"]
    assert "c a t" not in shown.split("   3  ")[1]


def test_end_of_word():
    text = "There is an 80% chance of rainfall today. We are pretty sure it is going to rain."
    words = text.split(" ")
    bpe = WordBpe.train(words, merges=1000, end_of_word="</w>")
    assert bpe.decode(token for word in words for token in bpe.encode(word)) == text


def test_raw_bytes():
    bpe = ByteBpe.train("this is an example. I am an engineer. this is test", merges=1)
    assert bpe.decode([0xC3, 0x28, 256]) == "\ufffd(is"


def test_wordpiece():
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = [piece for text in COURSE for piece, _ in BertPreTokenizer().pre_tokenize_str(text)]
    model = WordPiece.train(words, vocab_size=70, special_tokens=specials)
    by_frequency = WordPiece.train(words, vocab_size=70, special_tokens=specials, rule="frequency")
    assert by_frequency.vocab != model.vocab and len(by_frequency.vocab) == 70


def test_bpe_and_wordpiece_read_one_vocabulary_differently():
    bpe = WordBpe(pairs("h+u g+s hu+g"), "hugs")
    assert bpe.encode("hugs") == ["hu", "gs"]
    assert WordPiece(["h", "hu", "hug", "##g", "##s", "##gs"]).encode("hugs") == ["hug", "##s"]


def unigram():
    counts = count_substrings(HUGS)
    for whole in ("pug", "pun", "bun", "hugs"):
        del counts[whole]
    assert counts == dict(
        h=15, u=36, g=20, hu=15, ug=20, p=17, pu=17, n=16, un=16, b=4, bu=4, s=5, hug=15, gs=5, ugs=5
    )
    assert sum(counts.values()) == 210
    return Unigram.from_counts(counts)


def test_unigram():
    model = unigram()
    (_, score), (_, other), (_, last), *_ = model.n_best("hugs", 5)
    assert score == pytest.approx(other, abs=1e-12) == pytest.approx(last, abs=1e-12)
    assert model.least_needed(HUGS, 100)[-1][0] != "pu"
    assert dict(model.least_needed(HUGS, 100))["hug"] == pytest.approx(23.514, abs=1e-3)


def readings(word, scores):
    """Every reading, listed."""
    for cuts in itertools.product([False, True], repeat=len(word) - 1):
        tokens, start = [], 0
        for end, cut in enumerate([*cuts, True], 1):
            if cut:
                tokens.append(word[start:end])
                start = end
        if all(token in scores for token in tokens):
            yield tokens, sum(scores[token] for token in tokens)


def test_n_best_is_the_best_of_all():
    model = unigram()
    for word in ("hugs", "unhug", "pughugs"):
        every = sorted(readings(word, model.scores), key=lambda reading: -reading[1])
        found = model.n_best(word, len(every) + 5)
        assert [score for _, score in found if score > -15] == pytest.approx(
            [score for _, score in every if score > -15]
        )
        assert {tuple(tokens) for tokens, _ in every} <= {tuple(tokens) for tokens, _ in found}


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_samples_follow_the_probabilities(alpha):
    model, word = unigram(), "hugs"
    # Unknown characters do not play a part: every character is an entry.
    weights = {tuple(tokens): math.exp(alpha * score) for tokens, score in readings(word, model.scores)}
    total, runs = sum(weights.values()), 4000
    import random

    rng = random.Random(7)
    drawn = [tuple(model.sample(word, alpha, rng)) for _ in range(runs)]
    for reading, weight in weights.items():
        share = weight / total
        spread = 5 * math.sqrt(share * (1 - share) / runs)
        assert abs(drawn.count(reading) / runs - share) <= spread
    assert model.sample(word, alpha, 3) == model.sample(word, alpha, 3)


def test_word_level():
    model = WordLevel.train({"foot": 3, "ball": 2, "football": 1}, vocab_size=3)
    assert model.encode(["foot", "ball", "football"]) == ["foot", "ball", "[UNK]"]
