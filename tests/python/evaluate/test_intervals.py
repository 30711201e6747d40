"""Intervals hold what they promise, and follow from the seed."""

import numpy as np
import pytest
from tessella.evaluate.intervals import Counted, Stratum, jackknife, of_difference, of_ratio, student

#: Draws of a corpus; the share of intervals that hold the truth is then known to 1.1 %.
CORPORA = 400


def documents(rng, number):
    """Tokens of documents of very different length, and bytes that go with them: 4 for each token."""
    tokens = np.ceil(np.exp(rng.normal(3, 1, number)))
    return np.stack([np.round(tokens * rng.gamma(20, 4 / 20, number)), tokens], axis=1)


def test_intervals_of_ratios_hold_the_truth():
    rng = np.random.default_rng(1)
    held = 0
    for number in range(CORPORA):
        found = of_ratio([Stratum.of(documents(rng, 60), 300, number)], 0, 1)
        held += found.low <= 4 <= found.high
    assert 0.925 <= held / CORPORA <= 0.975


def test_intervals_of_differences_hold_the_truth_and_are_narrower():
    rng = np.random.default_rng(2)
    held, paired, apart = 0, [], []
    for number in range(CORPORA):
        first = documents(rng, 60)
        # The other takes a tenth more tokens, and whims of its own.
        second = np.ceil(first[:, 1] * rng.gamma(200, 1.1 / 200, len(first)) + 0.5)
        stratum = Stratum.of(np.column_stack([first, second]), 300, number)
        truth = 4 - 4 / 1.1
        found = of_difference([stratum], (0, 1), (0, 2))
        # Rounding up adds half a token to a document, of about 33.
        held += found.low <= truth + 4 / 1.1 - 4 * 33.2 / (33.2 * 1.1 + 1) <= found.high
        ratios = [of_ratio([stratum], 0, 1), of_ratio([stratum], 0, 2)]
        paired.append(found.high - found.low)
        apart.append(sum((one.high - one.low) ** 2 for one in ratios) ** 0.5)
    assert 0.92 <= held / CORPORA <= 0.98
    assert np.mean(paired) < np.mean(apart) / 3


def test_corpora_are_drawn_apart():
    """What differs from corpus to corpus is not a matter of luck."""
    rng = np.random.default_rng(3)
    one = np.column_stack([rng.integers(80, 120, 200), np.full(200, 25)])
    other = one[::-1] * [3, 1]
    apart = of_ratio([Stratum.of(one, 500, 0, 0), Stratum.of(other, 500, 0, 1)], 0, 1)
    mixed = of_ratio([Stratum.of(np.vstack([one, other]), 500, 0)], 0, 1)
    assert apart.value == pytest.approx(mixed.value)
    assert apart.high - apart.low < (mixed.high - mixed.low) / 2


def test_entropy_without_its_bias():
    """The truth is the entropy of what documents are drawn from; that of a sample is too small."""
    rng = np.random.default_rng(4)
    share = 1 / np.arange(1, 301)
    share /= share.sum()
    truth = -(share * np.log(share)).sum()

    def entropy(counts):
        own = counts[counts > 0] / counts.sum()
        return float(-(own * np.log(own)).sum())

    held, below = 0, 0
    for _ in range(CORPORA):
        groups = []
        for _ in range(24):
            counts = rng.multinomial(400, share)
            used = np.flatnonzero(counts)
            groups.append((used, counts[used]))
        found = jackknife(Counted([groups], 300, entropy))
        held += found.low <= truth <= found.high
        below += found.value < truth
    assert 0.92 <= held / CORPORA <= 0.98
    assert below > CORPORA * 0.7


def test_differences_of_distributions():
    rng = np.random.default_rng(5)
    groups = [(np.arange(9), rng.integers(1, 9, 9)) for _ in range(16)]
    one = Counted([groups], 9, lambda counts: float(counts[0] / counts.sum()))
    other = Counted([groups], 9, lambda counts: float(counts[1] / counts.sum()))
    found = jackknife(one, other)
    assert found.value == pytest.approx(one.value - other.value)
    assert found.low < found.value < found.high
    assert jackknife(one, one).note == "the same in every document"


def test_the_same_seed_gives_the_same_and_another_another():
    blocks = documents(np.random.default_rng(6), 50)
    first = of_ratio([Stratum.of(blocks, 200, 7)], 0, 1)
    assert first == of_ratio([Stratum.of(blocks, 200, 7)], 0, 1)
    assert first != of_ratio([Stratum.of(blocks, 200, 8)], 0, 1)
    # By value, so that a release or a machine that draws otherwise is noticed.
    weights = Stratum.of(np.ones((4, 1)), 3, 11).weights
    assert weights.tolist() == [[2, 1, 1, 0], [3, 0, 0, 1], [0, 1, 2, 1]]


@pytest.mark.parametrize(
    ("blocks", "note"),
    [
        ([[2, 1]] * 30, "the same in every document"),
        ([[0, 1]] * 30, "the same in every document"),
        ([[2, 1], [1, 1]] * 14, "no interval from fewer than 30 documents: 28"),
        ([[0, 100]] * 40 + [[1, 100]] * 3, "too few documents differ for an interval"),
        ([[0, 1]] * 40 + [[0, 0], [0, 0]], "the same in every document"),
        ([[3, 1]] * 8 + [[0, 0]] * 30 + [[1, 2]], "no interval: only 9 documents differ"),
        ([[0, 0]] * 30, "there is nothing to divide by"),
    ],
)
def test_where_there_is_no_interval_it_says_why(blocks, note):
    found = of_ratio([Stratum.of(np.array(blocks, dtype=float), 100, 0)], 0, 1)
    assert found.low is None and found.high is None
    assert found.note == note


def test_quantiles_of_students_distribution():
    for freedom, wanted in [(7, 2.36462), (15, 2.13145), (31, 2.03951), (1000, 1.96234)]:
        assert student(0.975, freedom) == pytest.approx(wanted, rel=2e-3)


def test_a_corpus_of_one_document_has_no_interval():
    """Its draws are all alike: nothing would vary, and the interval would be as wide as its luck."""
    rng = np.random.default_rng(9)
    singles = [Stratum.of(documents(rng, 1), 100, 0, number) for number in range(40)]
    assert of_ratio(singles, 0, 1).low is None
    many = Stratum.of(documents(rng, 100), 100, 0, 41)
    found = of_ratio([many, singles[0]], 0, 1)
    assert found.low is None and "single" in found.note
    assert of_ratio([many], 0, 1).low is not None
    few = [Stratum.of(documents(rng, 3), 100, 0, number) for number in range(12)]
    assert "fewer than 10 documents of a corpus" in of_ratio(few, 0, 1).note


def test_there_are_no_ends_without_draws_beyond_them():
    rng = np.random.default_rng(10)
    rows = documents(rng, 60)
    assert "40 draws" in of_ratio([Stratum.of(rows, 39, 0)], 0, 1).note
    assert of_ratio([Stratum.of(rows, 40, 0)], 0, 1).low is not None
    assert of_ratio([Stratum.of(rows, 40, 0)], 0, 1, confidence=0.99).low is None
