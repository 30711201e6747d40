"""Parity-aware BPE: equal to the reference trainer, and what it says when something is wrong."""

from __future__ import annotations

import json
import os
import pickle
import random
from typing import Any

import pytest
import tessella
from tessella import models, trainers

#: Random trainings that are compared with the reference library's.
CASES = int(os.environ.get("TESSELLA_PARITY_CASES", "150"))

ALPHABETS = ["abcd", "abé漢", "xyab", "the anr", "αβγa"]


def corpus(chance: random.Random, alphabet: str, size: int) -> list[str]:
    """Words with repetition: some frequent, many rare, some with repeated letters."""
    words = ["".join(chance.choices(alphabet, k=chance.randint(1, 7))) for _ in range(size)]
    return [" ".join(chance.choices(words, k=chance.randint(1, 12))) for _ in range(size)]


def options(chance: random.Random, languages: int) -> dict[str, Any]:
    """Options of a trainer. No affixes: the reference library's order depends on hashing with them."""
    chosen: dict[str, Any] = {
        "num_merges": chance.choice([0, 1, 5, 20, 60]),
        "variant": chance.choice(["base", "window"]),
        "min_frequency": chance.choice([0, 0, 2, 5]),
        "global_merges": chance.choice([0, 0, 3, 30]),
        "window_size": chance.choice([1, 3, 10, 100]),
        # Below 1 the window can shut every language out; the reference library may never end then.
        "alpha": chance.choice([1.0, 2.0, float(languages), 3.5]),
        "total_symbols": chance.random() < 0.2,
        "special_tokens": chance.choice([[], ["<s>"], ["ab", "<s>"]]),
        "max_token_length": chance.choice([None, None, 3, 4, 6]),
    }
    if chance.random() < 0.3:
        chosen["ratio"] = [round(chance.uniform(0.5, 3), 2) for _ in range(languages)]
    if chance.random() < 0.2:
        chosen["initial_alphabet"] = ["q", "a"]
    return chosen


def train(library: Any, chosen: dict[str, Any], texts: list[Any], dev: Any, ratio: Any) -> Any:
    tokenizer = library.Tokenizer(library.models.BPE())
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    trainer = library.trainers.ParityBpeTrainer(show_progress=False, **chosen)
    trainer.train_from_iterator(tokenizer, texts, dev, ratio)
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], model["merges"]


def never_ends(chosen: dict[str, Any], languages: int) -> bool:
    """Where a window may shut out the last language that is left, the reference library may not come back."""
    return chosen["variant"] == "window" and chosen["alpha"] < languages


def test_equal_to_the_reference() -> None:
    reference = pytest.importorskip("tokenizers")
    chance = random.Random(11)
    learned = 0
    for case in range(CASES):
        languages = chance.randint(1, 4)
        texts = [corpus(chance, chance.choice(ALPHABETS), chance.randint(1, 40)) for _ in range(languages)]
        dev = None
        if chance.random() < 0.4:
            dev = [corpus(chance, chance.choice(ALPHABETS), 6) for _ in range(languages)]
        chosen = options(chance, languages)
        if never_ends(chosen, languages):
            # With merges enough for everybody no language is used up.
            chosen.update(num_merges=min(chosen["num_merges"], 5), min_frequency=0)
            texts = [corpus(chance, ALPHABETS[at], 40) for at in range(languages)]
        ratio = [1.0 + at for at in range(languages)] if chance.random() < 0.15 else None
        expected = train(reference, chosen, texts, dev, ratio)
        assert train(tessella, chosen, texts, dev, ratio) == expected, (case, chosen, dev is not None, ratio)
        learned += len(expected[1])
    assert learned > 5 * CASES  # most comparisons are not empty


def test_a_window_that_shuts_the_last_language_out_ends() -> None:
    """The reference library goes on for ever here."""
    texts = [["abcdefgh abcdefgh"] * 9, ["x"], ["y"]]
    chosen = {"num_merges": 50, "variant": "window", "window_size": 4, "alpha": 0.5}
    _, merges = train(tessella, chosen, texts, None, None)
    assert len(merges) == 7


def test_the_smaller_language_is_served() -> None:
    """By its ratio, a language with a hundredth of the text gets half of the merges."""
    texts = [["abcdefghijkl"] * 1000, ["mnopqrstuvwx"] * 10]
    _, merges = train(tessella, {"num_merges": 10}, texts, None, [1.0, 1.0])
    assert sum(left[0] >= "m" for left, _ in merges) == 5
    _, plain = train(tessella, {"num_merges": 10}, texts, None, None)
    assert all(left[0] < "m" for left, _ in plain)


def test_what_it_refuses() -> None:
    tokenizer = tessella.Tokenizer(models.BPE())
    trainer = trainers.ParityBpeTrainer(show_progress=False)
    with pytest.raises(ValueError, match="unknown variant 'x'"):
        trainers.ParityBpeTrainer(variant="x")
    with pytest.raises(ValueError, match="train_iterators"):
        trainer.train_from_iterator(tokenizer, [])
    with pytest.raises(ValueError, match="1 languages, `train_iterators` of 2"):
        trainer.train_from_iterator(tokenizer, [["a"], ["b"]], [["a"]])
    with pytest.raises(ValueError, match="ratio has 1 numbers for 2"):
        trainer.train_from_iterator(tokenizer, [["a"], ["b"]], ratio=[1.0])
    with pytest.raises(ValueError, match=r"ratio\[1\] is -1"):
        trainer.train_from_iterator(tokenizer, [["a"], ["b"]], ratio=[1.0, -1.0])
    with pytest.raises(ValueError, match="window_size"):
        trainers.ParityBpeTrainer(variant="window", window_size=0, show_progress=False).train_from_iterator(
            tokenizer, [["a"]]
        )
    with pytest.raises(TypeError, match="train_from_iterator"):
        tokenizer.train_from_iterator(["a"], trainer)
    with pytest.raises(tessella.errors.TrainError, match="can only train a BPE"):
        trainer.train_from_iterator(tessella.Tokenizer(models.WordPiece()), [["a"]])


def test_written_and_pickled_like_the_reference() -> None:
    reference = pytest.importorskip("tokenizers")
    chosen = {"num_merges": 10, "ratio": [1.0, 2.0], "special_tokens": ["<s>"], "alpha": 1.5}
    ours, theirs = (library.trainers.ParityBpeTrainer(**chosen) for library in (tessella, reference))
    assert repr(ours) == repr(theirs)
    assert ours.__getstate__() == theirs.__getstate__()
    again = pickle.loads(pickle.dumps(ours))
    assert again.__getstate__() == ours.__getstate__()


def test_languages_are_lists_of_texts() -> None:
    trainer, tokenizer = trainers.ParityBpeTrainer(show_progress=False), tessella.Tokenizer(models.BPE())
    with pytest.raises(TypeError, match=r"`train_iterators\[0\]` must yield .* found one str"):
        trainer.train_from_iterator(tokenizer, ["the cat", "die katze"])
    with pytest.raises(TypeError, match=r"`dev_iterators\[1\]` must yield .* found one str"):
        trainer.train_from_iterator(tokenizer, [["the cat"], ["die katze"]], [["the"], "die"])
    with pytest.raises(tessella.errors.TrainError, match="the corpus holds no pieces"):
        trainer.train_from_iterator(tokenizer, [[], []])
