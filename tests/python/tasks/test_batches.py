"""Batches for training, and scores."""

import copy
import multiprocessing
import os
import pickle
import random
import sys
import types

import numpy as np
import pytest
from tessella.errors import ArgumentError, MissingDependencyError
from tessella.tasks import (
    CausalCollator,
    MaskedCollator,
    TokenLabelCollator,
    example_of,
    pad_batch,
    score_entities,
    spans_of_tags,
)


def examples(seed, labels=True):
    rng = random.Random(seed)
    rows = []
    for _ in range(rng.randint(1, 6)):
        size = rng.randint(1, 12)
        row = {"input_ids": rng.choices(range(1, 50), k=size), "attention_mask": [1] * size}
        if labels:
            row["labels"] = rng.choices([-100, 0, 1, 2], k=size)
        rows.append(row)
    return rows


def test_everything_is_padded():
    batch = pad_batch(
        [
            {"input_ids": [1, 2, 3], "special_tokens_mask": [1, 0, 1], "other": [7, 7, 7]},
            {"input_ids": [4], "special_tokens_mask": [0], "other": [8]},
        ],
        9,
        multiple_of=4,
        fill={"other": 5},
    )
    assert batch["input_ids"].tolist() == [[1, 2, 3, 9], [4, 9, 9, 9]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 0], [1, 0, 0, 0]]
    assert batch["special_tokens_mask"].tolist() == [[1, 0, 1, 1], [0, 1, 1, 1]]
    assert batch["other"].tolist() == [[7, 7, 7, 5], [8, 5, 5, 5]]
    left = pad_batch([{"input_ids": [1, 2]}, {"input_ids": [3]}, {"input_ids": []}], 0, side="left", length=3)
    assert left["input_ids"].tolist() == [[0, 1, 2], [0, 0, 3], [0, 0, 0]]


def test_padding_complains():
    with pytest.raises(ArgumentError, match="no examples"):
        pad_batch([], 0)
    with pytest.raises(ArgumentError, match="`labels` of example 1 has 2 values for 1 tokens"):
        pad_batch([{"input_ids": [1], "labels": [1]}, {"input_ids": [1], "labels": [1, 2]}], 0)
    with pytest.raises(ArgumentError, match="other columns"):
        pad_batch([{"input_ids": [1], "labels": [1]}, {"input_ids": [1]}], 0)
    with pytest.raises(ArgumentError, match="no `input_ids`"):
        pad_batch([{"labels": [1]}], 0)
    with pytest.raises(ArgumentError, match="0 tokens, but 1 labels"):
        from tessella import Encoding

        example_of(Encoding(), [1])


def test_against_the_reference_collators():
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")

    class Padder:
        padding_side, pad_token_id, pad_token, mask_token = "right", 0, "[PAD]", "[MASK]"

        def __init__(self):
            self.deprecation_warnings = {"Asking-to-pad-a-fast-tokenizer": True}

        def pad(self, rows, **options):
            import torch

            batch = pad_batch([{k: v for k, v in row.items() if k != "labels"} for row in rows], 0)
            return {name: torch.from_numpy(array) for name, array in batch.items()}

    theirs = transformers.DataCollatorForTokenClassification(Padder())
    ours = TokenLabelCollator(pad_id=0)
    for seed in range(100):
        expected = theirs([dict(row) for row in examples(seed)])
        found = ours(examples(seed))
        assert {name: array.tolist() for name, array in found.items()} == {
            name: tensor.tolist() for name, tensor in expected.items()
        }


def test_causal_labels_are_the_ids():
    batch = CausalCollator(pad_id=0, multiple_of=8)(examples(3, labels=False))
    kept = batch["attention_mask"] == 1
    assert (batch["labels"][kept] == batch["input_ids"][kept]).all()
    assert (batch["labels"][~kept] == -100).all() and batch["input_ids"].shape[1] % 8 == 0


def test_what_a_tokenizer_has_padded_has_no_label():
    rows = [
        {"input_ids": [4, 5, 0, 0], "attention_mask": [1, 1, 0, 0]},
        {"input_ids": [0, 6], "attention_mask": [1, 1]},
    ]
    batch = CausalCollator(pad_id=0)(rows)
    assert batch["labels"].tolist() == [[4, 5, -100, -100], [0, 6, -100, -100]]
    assert batch["input_ids"].tolist() == [[4, 5, 0, 0], [0, 6, 0, 0]]


def test_masks_fall_as_often_as_they_should():
    rows = [
        {"input_ids": [2, *range(10, 110), 3], "special_tokens_mask": [1, *[0] * 100, 1]} for _ in range(400)
    ] + [{"input_ids": [2, 50, 3], "special_tokens_mask": [1, 0, 1]}]
    batch = MaskedCollator(pad_id=0, mask_id=1, vocab_size=1000, special_ids=[60], seed=4)(rows)
    before = pad_batch(rows, 0)
    ids, labels, chosen = batch["input_ids"], batch["labels"], batch["labels"] != -100
    assert "special_tokens_mask" not in batch
    assert (
        not chosen[before["special_tokens_mask"] == 1].any() and not chosen[before["input_ids"] == 60].any()
    )
    assert (labels[chosen] == before["input_ids"][chosen]).all()
    assert (ids[~chosen] == before["input_ids"][~chosen]).all()
    number = chosen.sum()
    assert abs(number / 39_600 - 0.15) < 0.01
    masked, same = (ids[chosen] == 1).sum(), (ids[chosen] == labels[chosen]).sum()
    assert abs(masked / number - 0.8) < 0.03 and abs(same / number - 0.1) < 0.03
    again = MaskedCollator(pad_id=0, mask_id=1, vocab_size=1000, special_ids=[60], seed=4)(rows)
    assert (again["input_ids"] == ids).all()
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        MaskedCollator(0, 1, 10, probability=1.5)


def test_random_tokens_are_those_of_the_vocabulary():
    collate = MaskedCollator(0, 1, 3, probability=1.0, mask_share=0.0, random_share=1.0, seed=2)
    drawn = collate([{"input_ids": [9] * 300}])["input_ids"]
    assert set(drawn.ravel().tolist()) == {0, 1, 2}


def test_scores_against_seqeval():
    metrics = pytest.importorskip("seqeval.metrics")
    rng = random.Random(6)
    names = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    for _ in range(50):
        sizes = [rng.randint(1, 9) for _ in range(rng.randint(1, 5))]
        true, given = ([rng.choices(range(5), k=size) for size in sizes] for _ in range(2))
        found = score_entities(true, given, names=names)
        as_names = [[[names[tag] for tag in row] for row in rows] for rows in (true, given)]
        assert found.f1 == pytest.approx(metrics.f1_score(*as_names, zero_division=0))
        assert found.precision == pytest.approx(metrics.precision_score(*as_names, zero_division=0))
        assert found.accuracy == pytest.approx(metrics.accuracy_score(*as_names))
        assert found.support == sum(row.support for row in found.by_label.values())
    # What is ignored in the truth is ignored.
    one = score_entities([["B-A", -100, "O"]], [["B-A", "B-A", "O"]])
    assert one.f1 == 1.0 and "label" in str(one)
    strict = score_entities([["B-A"]], [["I-A"]], scheme="IOB2")
    assert strict.f1 == 0.0 and score_entities([["B-A"]], [["I-A"]]).f1 == 1.0
    with pytest.raises(ArgumentError, match="give `names`"):
        score_entities([[1]], [[1]])
    with pytest.raises(ArgumentError, match="sentence 0"):
        score_entities([["O"]], [["O", "O"]])


def test_tags_of_bilou_are_read_kindly():
    pytest.importorskip("seqeval")
    one = score_entities([["U-PER", "U-PER"]], [["B-PER", "L-PER"]])
    assert (one.f1, one.support, list(one.by_label)) == (0.0, 2, ["PER"])
    rng = random.Random(5)
    for _ in range(300):
        true, given = (
            [rng.choice(["O", *(f"{at}-{name}" for at in "BILU" for name in ("A", "B"))]) for _ in range(6)]
            for _ in "tg"
        )
        spans = [set(spans_of_tags(tags, "BILOU")) for tags in (true, given)]
        found = score_entities([true], [given])
        assert found.support == len(spans[0])
        assert found.recall == pytest.approx(len(spans[0] & spans[1]) / max(len(spans[0]), 1))
        assert found.precision == pytest.approx(len(spans[0] & spans[1]) / max(len(spans[1]), 1))


def test_a_missing_package_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "seqeval.metrics", None)
    with pytest.raises(
        MissingDependencyError,
        match=r"scoring entities needs seqeval.*pip install seqeval .*pip install '\.\[tasks\]'",
    ):
        score_entities([["O"]], [["O"]])
    assert np.ndarray


@pytest.mark.parametrize("side", ["left", "right"])
def test_numbers_that_are_not_whole_stay_what_they_are(side):
    rows = [
        {"input_ids": [1, 2], "labels": [0.5, 0.25]},
        {"input_ids": [3], "labels": [1]},
        {"input_ids": [], "labels": []},
    ]
    batch = pad_batch(rows, 0, side=side)
    assert batch["labels"].dtype == np.float32 and batch["input_ids"].dtype == np.int64
    filled = [[0.5, 0.25], [1, -100], [-100, -100]]
    assert batch["labels"].tolist() == (
        filled if side == "right" else [row[::-1] if row[0] == 1 else row for row in filled]
    )


@pytest.mark.parametrize("value", [3, None, ["a", "b"], [(0, 1), (1, 2)], [1, 2, 3]])
def test_columns_without_a_number_for_each_token_are_named(value):
    with pytest.raises(ArgumentError, match="`odd` of example 1"):
        pad_batch([{"input_ids": [1], "odd": [1]}, {"input_ids": [1, 2], "odd": value}], 0)


@pytest.mark.parametrize(
    "options", [{"mask_share": -0.5, "random_share": 1.0}, {"random_share": -0.1}, {"vocab_size": 0}]
)
def test_shares_and_vocabularies_are_checked(options):
    with pytest.raises(ArgumentError):
        MaskedCollator(**{"pad_id": 0, "mask_id": 1, "vocab_size": 9, **options})


def test_scores_of_nothing():
    assert score_entities([], []).support == 0


def in_forked(collate, rows):
    """What two processes that were forked one after the other make of the same rows."""
    context = multiprocessing.get_context("fork")
    made = []
    for _ in range(2):
        inward, outward = context.Pipe(duplex=False)
        process = context.Process(target=lambda end=outward: end.send(collate(rows)["labels"].tolist()))
        process.start()
        made.append(inward.recv())
        process.join()
    return made


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_workers_and_epochs_choose_other_tokens(monkeypatch):
    """Workers start with a copy of the collator as it was before the first epoch."""
    rows = [{"input_ids": list(range(5, 205))}]

    def told():
        return MaskedCollator(0, 1, 300, probability=0.5)

    one, other = in_forked(told(), rows)
    assert one != other
    seeded = MaskedCollator(0, 1, 300, probability=0.5, seed=3)
    one, other = in_forked(seeded, rows)
    assert one == other == seeded(rows)["labels"].tolist()

    worker = types.SimpleNamespace(id=0, seed=11)
    monkeypatch.setitem(
        sys.modules, "torch.utils.data", types.SimpleNamespace(get_worker_info=lambda: worker)
    )
    for collate in (told(), MaskedCollator(0, 1, 300, probability=0.5, seed=3)):
        worker.seed = 11
        one, again = in_forked(collate, rows)
        worker.seed = 2**63 - 1
        other, _ = in_forked(collate, rows)
        assert one == again != other
    assert in_forked(MaskedCollator(0, 1, 300, probability=0.5, seed=4), rows)[0] != other


def test_a_copy_of_a_collator_goes_on_alike():
    rows = [{"input_ids": list(range(5, 205))}]
    collate = MaskedCollator(0, 1, 300, seed=3)
    collate(rows)
    copies = [copy.deepcopy(collate), pickle.loads(pickle.dumps(collate))]
    assert os.getpid() not in collate.__getstate__().values(), "the same in every process"
    expected = collate(rows)["labels"].tolist()
    assert [one(rows)["labels"].tolist() for one in copies] == [expected] * 2
