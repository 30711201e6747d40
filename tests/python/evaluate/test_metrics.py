"""Every metric is what plain Python says by its definition."""

import copy
import json

import numpy as np
import pytest
from tessella import Tokenizer, models, pre_tokenizers
from tessella._vocabulary import entries
from tessella.evaluate import METRICS, evaluate
from tessella.evaluate.facts import edges
from tessella.evaluate.metrics.stability import CHANGES, distance
from tessella.reference import cuts, metrics

from .conftest import TEXTS, standing, texts

SEEDS = [0, 1, 2]


def expected(tokenizer, given, baseline):
    """All metrics by the reference."""
    facts = entries(tokenizer)
    coded = [tokenizer.encode(text, add_special_tokens=False) for text in given]
    lengths = [len(one) for one in coded]
    spans = [standing(text, one) for text, one in zip(given, coded, strict=True)]
    ids = [id for one in coded for id in one.ids]
    counts = [ids.count(id) for id in range(len(facts))]
    vocabulary = tokenizer.get_vocab_size()
    fallback = {id for token, id in tokenizer.get_vocab().items() if token.startswith("<0x")}
    unknown = {facts.unknown} - {None}
    return {
        "bytes_per_token": metrics.bytes_per_token(given, lengths),
        "characters_per_token": metrics.characters_per_token(given, lengths),
        "tokens": sum(lengths),
        "normalised_length": metrics.normalised_length(
            lengths, [len(baseline.encode(text)) for text in given]
        ),
        "fertility": metrics.fertility(given, spans),
        "continued_words": metrics.continued_words(given, spans),
        "single_words": metrics.single_words(
            given, spans, [[id in unknown for id in one.ids] for one in coded]
        ),
        "shannon_efficiency": metrics.shannon_efficiency(counts, vocabulary),
        "renyi_efficiency": metrics.renyi_efficiency(counts, vocabulary),
        "average_rank": metrics.average_rank(counts),
        "utilisation": metrics.utilisation(counts, vocabulary),
        "unknown_rate": metrics.rate(ids, unknown),
        "byte_fallback_rate": sum(id in fallback for id in ids) / sum(len(text.encode()) for text in given),
        "round_trip_failures": metrics.round_trip_failures(
            given, lambda text: tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False)
        ),
        "digit_tokens": metrics.digit_tokens(given, spans),
        "digit_grouping": cuts.digit_grouping(given, spans),
    }


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["bytes", "pieces", "unigram"])
def test_metrics_are_those_of_the_reference(tokenizers, name, seed):
    given = texts(seed) if seed else TEXTS * 3
    both = {"base": tokenizers["bytes"], "it": tokenizers[name]}
    report = evaluate(both, given, baseline="base", bootstrap=0, detail="all", num_threads=1)
    wanted = expected(tokenizers[name], given, tokenizers["bytes"])
    for metric, value in wanted.items():
        assert report.value("it", metric).value == pytest.approx(value, rel=1e-12), metric
    assert len(set(METRICS) - set(wanted)) == 10


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_of_characters(tokenizers, seed):
    tokenizer, given = tokenizers["bytes"], texts(seed)
    report = evaluate(tokenizer, given, bootstrap=0)
    spelled = entries(tokenizer).bytes
    ids = [tokenizer.encode_ids(text).tolist() for text in given]
    found = [cuts.parts_of_characters([spelled[id] for id in one]) for one in ids]
    partial, crossing, split = map(sum, zip(*found, strict=True))
    total, characters = sum(map(len, ids)), sum(map(len, given))
    assert partial > 0
    assert report.value("tokenizer", "partial_tokens").value == pytest.approx(partial / total)
    assert report.value("tokenizer", "crossing_tokens").value == pytest.approx(crossing / total)
    assert report.value("tokenizer", "split_characters").value == pytest.approx(split / characters)


def test_every_way_of_being_a_part():
    whole = "aé東👩"
    spelled = whole.encode()
    for start in range(len(spelled)):
        for end in range(start + 1, len(spelled) + 1):
            before, token, after = spelled[:start], spelled[start:end], spelled[end:]
            partial, several, _ = cuts.parts_of_characters([one for one in (before, token, after) if one])
            begins, ends, crosses = edges(token)
            owners = [bool(edges(one)[0] or edges(one)[1]) for one in (before, token, after) if one]
            assert (sum(owners), begins or ends) == (partial, begins or ends)
            crossing = [edges(one)[2] for one in (before, token, after) if one]
            assert sum(crossing) == several
            assert crosses <= (begins or ends)


def test_stability_is_the_edit_distance(tokenizers):
    given = [text for text in texts(5) if text]
    for tokenizer in tokenizers.values():
        report = evaluate(tokenizer, given, bootstrap=0)
        plain = [tokenizer.encode_ids(text[:160], False).tolist() for text in given]
        for name, change in CHANGES.items():
            changed = [tokenizer.encode_ids(change(text[:160]), False).tolist() for text in given]
            edits = sum(metrics.distance(*pair) for pair in zip(plain, changed, strict=True))
            wanted = edits / sum(map(len, plain))
            assert report.value("tokenizer", f"{name}_edits").value == pytest.approx(wanted), name


def test_distances():
    rng = np.random.default_rng(1)
    for _ in range(300):
        one, other = (rng.integers(0, 4, rng.integers(0, 9)).tolist() for _ in range(2))
        assert distance(one, other) == metrics.distance(one, other)


def test_a_blank_that_is_put_in_front_touches_nothing():
    """Where it does not join the first letters it is a token of its own, and has their offsets."""
    vocabulary = [("?", 0.0), ("▁", -1.0), ("é", -1.0), ("1", -1.0), ("é1", -1.0)]
    unigram = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    assert unigram.encode("é").offsets == [(0, 1), (0, 1)]
    found = evaluate(unigram, ["é1", "é1 é", "1"], bootstrap=0)
    assert found.value("tokenizer", "single_words").value == 1
    assert found.value("tokenizer", "continued_words").value == 0
    assert found.value("tokenizer", "digit_tokens").value == 1
    assert found.value("tokenizer", "fertility").value == 2
    # A mark that the text has is a part of its word.
    found = evaluate(unigram, ["▁é"], bootstrap=0)
    assert found.value("tokenizer", "continued_words").value == 1


def test_words_of_ones_own(tokenizers):
    given = texts(7)
    letters = lambda text: [(place, place + 1) for place, one in enumerate(text) if one.isalpha()]  # noqa: E731
    report = evaluate(tokenizers["bytes"], given, words=letters, bootstrap=0)
    number = sum(one.isalpha() for text in given for one in text)
    tokens = sum(len(tokenizers["bytes"].encode(text)) for text in given)
    assert report.value("tokenizer", "fertility").value == pytest.approx(tokens / number)


def test_scripts_add_up(tokenizers):
    report = evaluate(tokenizers["pieces"], TEXTS, bootstrap=0).to_dict()
    rows = {row["script"]: row for row in report["scripts"]}
    assert sum(row["characters"] for row in rows.values()) == sum(map(len, TEXTS))
    assert rows["Cyrillic"]["characters"] == 20
    assert rows["Latin"]["unknown"] < rows["Latin"]["characters"]
    fallback = evaluate(tokenizers["unigram"], ["東京 low"], bootstrap=0).to_dict()["scripts"]
    assert [row["byte_fallback"] for row in fallback if row["script"] == "Han"] == [2]


def test_numbers_by_length(tokenizers):
    rows = evaluate(tokenizers["bytes"], ["12 34", "56", "123456789012345"], bootstrap=0).to_dict()["numbers"]
    assert [(row["digits"], row["numbers"]) for row in rows] == [(2, 3), (12, 1)]
    assert all(row["entropy"] >= 0 for row in rows)


def test_public_scorer_agrees(tokenizers, capsys):
    scorer = pytest.importorskip("tokenization_scorer")
    given = texts(3)
    for name, tokenizer in tokenizers.items():
        lines = [" ".join(map(str, tokenizer.encode_ids(text, False).tolist())) for text in given]
        size = tokenizer.get_vocab_size()
        report = evaluate(tokenizer, given, bootstrap=0)
        for metric, power in (("renyi_efficiency", 2.5), ("shannon_efficiency", 1.0)):
            wanted = scorer.score(iter(lines), metric=metric, power=power, vocab=size)
            assert report.value("tokenizer", metric).value == pytest.approx(wanted), name


def test_the_entries_spell_the_text(tokenizers):
    spelled = entries(tokenizers["bytes"]).bytes
    for text in texts(4):
        assert b"".join(spelled[id] for id in tokenizers["bytes"].encode_ids(text)) == text.encode()


def test_the_curve_of_sizes_is_that_of_smaller_vocabularies(tokenizers):
    """Against tokenizers with fewer merges, each encoding the text."""
    tokenizer, given = tokenizers["bytes"], texts(8)
    found = evaluate(tokenizer, given, bootstrap=0).to_dict()["growth"]["tokenizer"]
    state = json.loads(tokenizer.model.__getstate__())
    merges = [tuple(one) if isinstance(one, list) else tuple(one.split(" ", 1)) for one in state["merges"]]
    size, base = sum(len(text.encode()) for text in given), len(state["vocab"]) - len(merges)
    assert len(found["points"]) > 20 and found["points"][-1][0] == tokenizer.get_vocab_size()
    for entries_, value in found["points"][::5]:
        smaller = copy.deepcopy(tokenizer)
        smaller.model = models.BPE(state["vocab"], merges[: entries_ - base])
        tokens = sum(len(smaller.encode(text)) for text in given)
        assert value == pytest.approx(size / tokens), entries_
    assert found["knee"] in [entries_ for entries_, _ in found["points"]]
    assert evaluate(tokenizers["unigram"], given, bootstrap=0).to_dict()["growth"] == {"tokenizer": None}


def test_a_token_that_ends_inside_a_character_cuts_no_word_there():
    alphabet = {letter: id for id, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges = [("a", "Ã"), ("Ġ", "aÃ"), ("¤", "b")]
    vocab = {**alphabet, **{left + right: 256 + at for at, (left, right) in enumerate(merges)}}
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert tokenizer.encode(" aäb").tokens == ["ĠaÃ", "¤b"]
    gold = {"aäb": ["a", "ä", "b"], "cd": ["c", "d"]}
    found = evaluate({"t": tokenizer}, ["x y"] * 3, gold=gold, bootstrap=0).to_dict()["morphology"]["values"]
    values = {one["metric"]: one["value"] for one in found}
    # Of three cuts in the gold words, the one of "cd" alone.
    assert (values["boundary_precision"], values["boundary_recall"]) == (1.0, pytest.approx(1 / 3))
