"""Readings with the fewest tokens, beside all readings, and by the engine."""

import random
from math import log

import pytest
from tessella import models
from tessella.errors import ArgumentError
from tessella.reference import WordBpe, train_fewest_tokens

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def readings(word, entries):
    if not word:
        yield []
    for end in range(1, len(word) + 1):
        if word[:end] in entries:
            yield from ([word[:end], *rest] for rest in readings(word[end:], entries))


def drawn(seed):
    draw = random.Random(seed)
    return {
        "".join(draw.choice("aabbc") for _ in range(draw.randint(1, 9))): draw.randint(1, 30)
        for _ in range(25)
    }


@pytest.mark.parametrize("seed", range(6))
def test_the_fewest_and_of_those_the_most_probable(seed):
    words = drawn(seed)
    model = train_fewest_tokens(words, vocab_size=14)
    assert len(model.scores) == 14 and set("".join(words)) <= set(model.scores)
    for word in words:
        found = model.encode(word)
        every = list(readings(word, model.scores))
        fewest = min(map(len, every))
        assert len(found) == fewest
        best = max(sum(model.scores[token] for token in one) for one in every if len(one) == fewest)
        assert sum(model.scores[token] for token in found) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_engine_reads_alike(seed):
    words = drawn(seed)
    model = train_fewest_tokens(words, vocab_size=14)
    engine = models.Unigram(list(model.scores.items()))
    for word in words:
        assert [token.value for token in engine.tokenize(word)] == model.encode(word)


def test_no_more_tokens_than_byte_pairs():
    """The same entries, read with fewer tokens: what the method is for."""
    words = drawn(9)
    bpe = WordBpe.train(words, vocab_size=20)
    same = train_fewest_tokens(words, vocab_size=len(bpe.vocab), overshoot=1)
    assert set(same.scores) == set(bpe.vocab)
    assert all(len(same.encode(word)) <= len(bpe.encode(word)) for word in words)


def test_scores_and_limits():
    model = train_fewest_tokens(HUGS, vocab_size=9, delta=0.5)
    # Each score is half a logarithm of a share, less one.
    assert min(model.scores.values()) >= 0.5 * log(0.5 / 100) - 1
    assert max(model.scores.values()) < -1
    with pytest.raises(ArgumentError, match="`rounds` is 0"):
        train_fewest_tokens(HUGS, vocab_size=9, rounds=0)
    with pytest.raises(ArgumentError, match="7 different characters"):
        train_fewest_tokens(HUGS, vocab_size=5)
