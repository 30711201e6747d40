"""Entities from scores, beside the pipeline that people know."""

import random
import types
import warnings
from copy import copy
from functools import partial

import numpy as np
import pytest
from tessella import Tokenizer, models
from tessella.errors import ArgumentError
from tessella.tasks import (
    Entity,
    TokenClassifier,
    TokenScores,
    aggregate,
    drop_overlaps,
    join_entities,
    softmax,
)

from .conftest import LABELS, random_scores, random_text

STRATEGIES = ["none", "simple", "first", "max", "average"]


@pytest.fixture(scope="module")
def pipeline(pieces):
    """The reference pipeline's methods, without a model."""
    pytest.importorskip("torch")
    module = pytest.importorskip("transformers.pipelines.token_classification")
    inner = types.SimpleNamespace(model=types.SimpleNamespace(continuing_subword_prefix="##"))
    tokenizer = types.SimpleNamespace(
        convert_ids_to_tokens=pieces.id_to_token,
        convert_tokens_to_string=" ".join,
        unk_token_id=1,
        _tokenizer=inner,
    )
    pipe = object.__new__(module.TokenClassificationPipeline)
    pipe.tokenizer = tokenizer
    pipe.model = types.SimpleNamespace(config=types.SimpleNamespace(id2label=dict(enumerate(LABELS))))
    return pipe, module.AggregationStrategy


def test_against_the_pipeline(pieces, pipeline):
    pipe, names = pipeline
    rng = random.Random(1)
    compared = 0
    for seed in range(1000):
        text = random_text(rng)
        # Every third text is given as words.
        words = text.split(" ") if seed % 3 == 0 else None
        encoding = pieces.encode(words or text, is_pretokenized=words is not None)
        scores = random_scores(seed, len(encoding.ids))
        strategy = STRATEGIES[seed % 5]
        their = names[strategy.upper()]
        places = []
        for word in words or []:
            start = places[-1][1] + 1 if places else 0
            places.append((start, start + len(word)))
        gathered = pipe.gather_pre_entities(
            text,
            encoding.ids,
            softmax(scores),
            encoding.offsets,
            encoding.special_tokens_mask,
            their,
            word_ids=encoding.word_ids if words else None,
            word_to_chars_map=places if words else None,
        )
        expected = [
            one
            for one in pipe.aggregate(gathered, their)
            if one.get("entity") != "O" and one.get("entity_group") != "O"
        ]
        found = aggregate(encoding, scores, words or text, LABELS, strategy)
        key = "entity" if strategy == "none" else "entity_group"
        assert [(e.label, e.start, e.end) for e in found] == [
            (e[key], e["start"], e["end"]) for e in expected
        ]
        assert [e.score for e in found] == pytest.approx([float(e["score"]) for e in expected], rel=1e-6)
        assert [e.token for e in found] == [e.get("index") for e in expected]
        assert all(e.text == text[e.start : e.end] for e in found)
        compared += len(found)
    assert compared > 3000


def words_between_blanks(pipeline, tokenizer, unk_id, parts, number):
    """Compares random texts under the rule of that pipeline for tokens that do not tell where words go on."""
    pipe, names = copy(pipeline[0]), pipeline[1]
    pipe.tokenizer = types.SimpleNamespace(
        convert_ids_to_tokens=tokenizer.id_to_token,
        convert_tokens_to_string=" ".join,
        unk_token_id=unk_id,
        _tokenizer=types.SimpleNamespace(model=types.SimpleNamespace(continuing_subword_prefix=None)),
    )
    rng = random.Random(2)
    compared = 0
    for seed in range(number):
        text = rng.choice(["", " "]).join(rng.choices(parts, k=rng.randint(1, 8)))
        encoding = tokenizer.encode(text)
        scores = random_scores(seed, len(encoding.ids))
        strategy = STRATEGIES[seed % 5]
        their = names[strategy.upper()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gathered = pipe.gather_pre_entities(
                text, encoding.ids, softmax(scores), encoding.offsets, encoding.special_tokens_mask, their
            )
        key = "entity" if strategy == "none" else "entity_group"
        expected = [(e[key], e["start"], e["end"]) for e in pipe.aggregate(gathered, their) if e[key] != "O"]
        found = aggregate(encoding, scores, text, LABELS, strategy, word_rule="blanks", unk_id=unk_id)
        assert [(e.label, e.start, e.end) for e in found] == expected
        compared += len(found)
        model = partial(lambda scores, _: [scores], scores)
        classifier = TokenClassifier(model, tokenizer, LABELS, strategy=strategy, word_rule="blanks")
        assert classifier(text) == found
    return compared


def test_words_between_blanks_against_the_pipeline(pipeline, bpe):
    parts = ["U.S.", "the", "(Rome)", "in", "", "a-thing", "é日"]
    assert words_between_blanks(pipeline, bpe, None, parts, 1000) > 2000
    with pytest.raises(ArgumentError, match="word_rule"):
        aggregate(bpe.encode("a"), np.zeros((1, len(LABELS))), "a", LABELS, word_rule="spaces")


def test_unknown_text_begins_a_word_between_blanks(pipeline):
    vocab = [("<unk>", 0.0), *((letter, -3.0) for letter in "abc "), ("ab", -4.0)]
    tokenizer = Tokenizer(models.Unigram(vocab, 0))
    parts = ["a", "b", "ab", " ", "c", "é", "日本", "x"]
    assert words_between_blanks(pipeline, tokenizer, 0, parts, 300) > 300


def test_overlaps_against_the_pipeline(pipeline):
    pipe, _ = pipeline
    rng = random.Random(2)
    for _ in range(500):
        entities = []
        for _ in range(rng.randint(0, 8)):
            start = rng.randint(0, 20)
            entities.append(Entity("X", rng.choice([0.25, 0.5, 0.75]), start, start + rng.randint(1, 6), ""))
        expected = pipe.aggregate_overlapping_entities(
            [{"start": e.start, "end": e.end, "score": e.score} for e in entities]
        )
        kept = [(e.start, e.end, e.score) for e in drop_overlaps(entities)]
        assert kept == [(e["start"], e["end"], e["score"]) for e in expected]


def test_strategies_differ_as_they_should(pieces):
    text = "London"
    encoding = pieces.encode(text)
    assert encoding.tokens == ["[CLS]", "Lon", "##don", "[SEP]"]
    rows = np.log([[1, 1, 1], [0.5, 0.4, 0.1], [0.1, 0.2, 0.7], [1, 1, 1]])
    labels = ["B-A", "B-B", "B-C"]

    def found(strategy):
        return [
            (e.label, round(e.score, 3), e.text) for e in aggregate(encoding, rows, text, labels, strategy)
        ]

    assert found("none") == [("B-A", 0.5, "Lon"), ("B-C", 0.7, "don")]
    assert found("simple") == [("A", 0.5, "Lon"), ("C", 0.7, "don")]
    assert found("first") == [("A", 0.5, "London")]
    assert found("max") == [("C", 0.7, "London")]
    assert found("average") == [("C", 0.4, "London")]


def test_words_are_known_by_their_number_not_by_their_looks(bpe):
    # By looks, every byte-level token that follows a letter would be a part of its word.
    text = "the-ring"
    encoding = bpe.encode(text)
    scores = np.zeros((len(encoding.ids), 2))
    scores[0, 1] = 5.0
    scores[1:, 0] = 5.0
    (entity,) = aggregate(encoding, scores, text, ["O", "B-X"], "first")
    assert entity.text == "the"


def capitals(encoding):
    """Scores of `O` and `B-N` for each token: one with a capital letter is a name, the others may be."""
    return [
        [0.0, 9.0] if any("A" <= letter <= "Z" for letter in one) else [1.0, 0.0] for one in encoding.tokens
    ]


def test_words_between_blanks_have_their_marks_with_them(bpe):
    text = "the U.S. (Rome) a-Thing"
    encoding = bpe.encode(text)
    found = aggregate(encoding, capitals(encoding), text, ["O", "B-N"], "max", word_rule="blanks")
    assert [one.text.strip() for one in found] == ["U.S.", "(Rome)", "a-Thing"]


def test_offsets_of_words_count_in_the_text_that_they_make(pieces):
    words = ["Ulm", "to", "London"]
    encoding = pieces.encode(words, is_pretokenized=True)
    for delimiter in (" ", "", " - "):
        text = delimiter.join(words)
        found = aggregate(encoding, capitals(encoding), words, ["O", "B-N"], "max", delimiter=delimiter)
        places = [(one.text, one.start, one.end) for one in found]
        assert places == [("Ulm", 0, 3), ("London", text.index("London"), len(text))]


def test_tokens_without_a_word_decide_for_themselves():
    tokens = [
        TokenScores(0, 0, 3, None, np.array([0.1, 0.9])),
        TokenScores(1, 3, 6, None, np.array([0.6, 0.4])),
    ]
    for strategy in ("first", "max", "average"):
        found = join_entities(tokens, "London", ["A", "B"], strategy)
        assert [(one.label, one.text) for one in found] == [("B", "Lon"), ("A", "don")]


def model(encodings):
    """Capital letters are names."""
    for encoding in encodings:
        scores = np.zeros((len(encoding.ids) + 3, 3), dtype=np.float16)
        for place, token in enumerate(encoding.tokens):
            scores[
                place, 1 if token[:1].isupper() and token[0] != "[" else 2 if token.startswith("##") else 0
            ] = 4
        yield scores


def test_classifier(pieces):
    classifier = TokenClassifier(model, pieces, ["O", "B-N", "I-N"], strategy="simple", batch_size=2)
    text = "Angela flew to London . Ulm"
    assert [e.text for e in classifier(text) if e.text[0].isupper()] == ["Angela", "London", "Ulm"]
    assert classifier.batch([text, "x", ""]) == [classifier(text), classifier("x"), []]
    words = classifier.words(text.split(" "))
    assert words == classifier(text)
    assert [e.text for e in classifier.words(["Ulm", "to", "Ulm"], delimiter="  ")][0::2] == ["Ulm", "Ulm"]
    with pytest.raises(TypeError, match="list of texts"):
        classifier.batch(text)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_windows_tell_the_same_as_the_whole(pieces, strategy):
    rng = random.Random(7)
    whole = TokenClassifier(model, pieces, ["O", "B-N", "I-N"], strategy=strategy)
    for size, stride in [(16, 8), (9, 3), (7, 4), (12, 0)]:
        parts = TokenClassifier(
            model, pieces, ["O", "B-N", "I-N"], strategy=strategy, max_length=size, stride=stride
        )
        for _ in range(20):
            text = random_text(rng, 40)
            assert parts(text) == whole(text)
        assert parts.words(text.split(" ")) == whole.words(text.split(" "))
    assert pieces.truncation is None


def test_the_window_that_sees_more_is_believed(pieces):
    def unsure_at_edges(encodings):
        for encoding in encodings:
            scores = np.zeros((len(encoding.ids), 2))
            scores[3:-3, 1] = 5.0
            yield scores

    text = " ".join(["Ulm"] * 30)
    parts = TokenClassifier(unsure_at_edges, pieces, ["O", "X"], strategy="none", max_length=12, stride=6)
    missed = len(pieces.encode(text).ids) - 2 - len(parts(text))
    # Only at the two ends of the text itself.
    assert missed == 4


@pytest.mark.parametrize("stride", [3, 5, 6])
def test_each_token_is_told_by_the_window_that_has_it_deepest(pieces, stride):
    text = " ".join(["Ulm"] * 21)
    deepest = {}

    def depth(encodings):
        for encoding in encodings:
            last = len(encoding.ids) - 2
            spans = encoding.offsets
            scores = np.zeros((len(spans), 1))
            for place in range(1, last + 1):
                # The ends of the text are no edges.
                before = place - 1 if spans[1][0] else 99
                behind = last - place if spans[last][1] < len(text) else 99
                scores[place] = min(before, behind)
                deepest[spans[place]] = max(deepest.get(spans[place], 0), min(before, behind))
            yield scores

    parts = TokenClassifier(
        depth, pieces, ["X"], strategy="none", probabilities=True, max_length=12, stride=stride
    )
    assert {(one.start, one.end): one.score for one in parts(text)} == deepest


def test_errors(pieces):
    encoding = pieces.encode("x")
    with pytest.raises(ArgumentError, match=r"shape \(2, 3\); tokens by labels are \(3, 2\)"):
        aggregate(encoding, np.zeros((2, 3)), "x", ["O", "A"])
    with pytest.raises(ArgumentError, match="must be one of none, simple"):
        aggregate(encoding, np.zeros((3, 2)), "x", ["O", "A"], "best")
    with pytest.raises(ArgumentError, match="gave 0 arrays"):
        TokenClassifier(lambda encodings: [], pieces, ["O"])("x")


def test_truncation_of_the_tokenizer_does_not_cut_texts(pieces):
    tokenizer = copy(pieces)
    tokenizer.enable_truncation(6)

    def london(encodings):
        for one in encodings:
            yield [[0.0, 9.0] if token in ("Lon", "##don") else [9.0, 0.0] for token in one.tokens]

    text = "Angela flew to London. " * 3
    found = TokenClassifier(london, tokenizer, ["O", "LOC"])(text)
    assert [one.start for one in found] == [15, 38, 61]
    assert tokenizer.truncation is not None
