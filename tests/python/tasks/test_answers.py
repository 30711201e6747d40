"""Answers: the best spans are the best of all, over all windows."""

import random
from copy import copy

import numpy as np
import pytest
from tessella import Tokenizer, models, pre_tokenizers, processors, recipes
from tessella.errors import ArgumentError
from tessella.tasks import Answer, BestSpans, QuestionAnswerer, best_spans, softmax, windows

from .conftest import WORDS, random_text


def by_looking_at_all(starts, ends, allowed, longest):
    """Every pair, as the reference pipeline scores it: masked, made probabilities, the upper triangle."""
    mask = np.array([True, *(bool(one) for one in allowed[1:])])
    start, end = (softmax(np.where(mask, row, -10000.0)) for row in (starts, ends))
    none = start[0] * end[0]
    start[0] = end[0] = 0.0
    table = np.tril(np.triu(np.outer(start, end)), longest - 1)
    pairs = [
        (i, j, table[i, j]) for i, j in np.ndindex(*table.shape) if allowed[i] and allowed[j] and i and j >= i
    ]
    pairs = [pair for pair in pairs if pair[1] - pair[0] < longest]
    return sorted(pairs, key=lambda pair: (-pair[2], pair[:2])), none


def test_best_spans_are_the_best_of_all():
    rng = np.random.default_rng(1)
    for seed in range(1000):
        size = int(rng.integers(1, 30))
        starts, ends = rng.normal(size=(2, size)) * 3
        if seed % 2:
            starts, ends = starts.astype(np.float32), ends.astype(np.float32)
        allowed = (rng.random(size) < 0.7).astype(int)
        allowed[0] = 0
        longest, n = int(rng.integers(1, 16)), int(rng.integers(1, 12))
        expected, none = by_looking_at_all(starts, ends, allowed, longest)
        found = best_spans(starts, ends, allowed, n, max_tokens=longest)
        assert [span[:2] for span in found.spans] == [pair[:2] for pair in expected[:n]]
        assert [span[2] for span in found.spans] == pytest.approx(
            [pair[2] for pair in expected[:n]], rel=1e-6
        )
        assert found.no_answer == pytest.approx(float(none))


def pointer(answer):
    """Points at where an answer is, among the tokens' texts."""

    def model(encodings):
        for encoding in encodings:
            rows = np.zeros((2, len(encoding.ids) + 2))
            rows[:, 0] = 1.0
            for place, (token, sequence) in enumerate(
                zip(encoding.tokens, encoding.sequence_ids, strict=True)
            ):
                # The question says it too, and is not to be listened to.
                if token == answer[0]:
                    rows[0, place] = 8.0 if sequence == 1 else 20.0
                if token == answer[1]:
                    rows[1, place] = 8.0 if sequence == 1 else 20.0
            yield rows[0], rows[1]

    return model


def test_answers_are_characters_of_the_text(pieces):
    ask = QuestionAnswerer(pointer(("Lon", "##don")), pieces, max_length=24, stride=6)
    text = " ".join(["flew to Ulm"] * 12) + " , London . " + " ".join(["flew to Ulm"] * 12)
    (answer,) = ask("to London", text)
    assert (answer.text, text[answer.start : answer.end]) == ("London", "London")
    assert len(ask.windows("to London", text)) > 5
    three = ask("to London", text, n=3)
    assert len(three) == 3 and three[0] == answer and len({(a.start, a.end) for a in three}) == 3
    assert pieces.truncation is None


def test_whole_words_and_sides(pieces):
    text = "flew to London ."
    part = QuestionAnswerer(pointer(("Lon", "Lon")), pieces, whole_words=False)("x", text)[0]
    whole = QuestionAnswerer(pointer(("Lon", "Lon")), pieces)("x", text)[0]
    assert (part.text, whole.text) == ("Lon", "London") and whole.score >= part.score

    def model(encodings):
        for encoding in encodings:
            rows = [9.0 if token == "Ang" else 0.0 for token in encoding.tokens]
            yield rows, rows

    other = QuestionAnswerer(model, pieces, question_first=False, max_length=16, stride=4)
    assert other("flew", " ".join(["to Ulm ,"] * 10) + " Angela")[0].text == "Angela"


def test_an_answer_scores_the_same_however_many_are_asked_for():
    """Words of several tokens have many pairs of tokens: each answer is told once, with its best."""
    vocab = ["[CLS]", "[SEP]", "who", "a", "##b", "##c", "##d", "##e", "##f", "z"]
    tokenizer = Tokenizer(models.WordPiece({token: id for id, token in enumerate(vocab)}))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 0), ("[SEP]", 1)]
    )

    def model(encodings):
        for encoding in encodings:
            rows = [2.0 if token == "a" or token[0] == "#" else 0.0 for token in encoding.tokens]
            yield rows, rows

    every = QuestionAnswerer(model, tokenizer)("who", "z abcdef z", n=50)
    assert [answer.text for answer in every[:3]] == ["abcdef", "z abcdef", "abcdef z"] and len(every) == 6
    for n in range(1, 6):
        assert QuestionAnswerer(model, tokenizer)("who", "z abcdef z", n=n) == every[:n]
    tokens = QuestionAnswerer(model, tokenizer, whole_words=False)("who", "z abcdef z")
    assert every[0].score == tokens[0].score


def test_no_answer(pieces):
    ask = QuestionAnswerer(pointer(("?", "?")), pieces, no_answer=True)
    answer = ask("x", "flew to Ulm .", n=1)[0]
    assert not answer and answer.text == "" and (answer.start, answer.end) == (0, 0)
    ask = QuestionAnswerer(pointer(("Lon", "##don")), pieces, no_answer=True)
    found = ask("x", "to London", n=50)
    assert found[0].text == "London" and "" in [answer.text for answer in found]
    assert QuestionAnswerer(pointer(("a", "a")), pieces)("x", "") == []


def test_long_questions_are_cut(pieces):
    ask = QuestionAnswerer(pointer(("Lon", "##don")), pieces, max_length=20, max_question_tokens=6)
    assert ask("to flew " * 40, "It was London")[0].text == "London"
    assert all(len(window.ids) <= 20 for window in ask.windows("to flew " * 40, "to Ulm " * 40))
    with pytest.raises(ArgumentError, match="no room for the text"):
        QuestionAnswerer(pointer(("a", "a")), pieces, max_length=8, stride=2)("to flew " * 40, "x")
    with pytest.raises(ArgumentError, match="smaller than `max_length`"):
        QuestionAnswerer(pointer(("a", "a")), pieces, max_length=8, stride=8)
    with pytest.raises(ArgumentError, match="2 tokens"):
        best_spans([1.0], [1.0], [0, 1])


def test_windows_hold_everything(pieces):
    rng = random.Random(5)
    for _ in range(50):
        text = random_text(rng, 30)
        size, stride = rng.randint(6, 14), rng.randint(0, 3)
        found = windows(pieces, text, max_length=size, stride=stride)
        whole = pieces.encode(text)
        seen = {span for window in found for span in window.offsets if span[1] > span[0]}
        assert seen == {span for span in whole.offsets if span[1] > span[0]}
        assert all(len(window.ids) <= size and window.tokens[0] == "[CLS]" for window in found)
    assert WORDS


def test_windows_cut_the_text_that_is_asked_for(pieces):
    """Of a pair the second by default; the other one is whole in every window."""
    one, other = "to London " * 5, "flew to Ulm " * 4
    sizes = [len(pieces.encode(text, add_special_tokens=False).ids) for text in (one, other)]
    for truncated, whole in [(None, 0), ("only_second", 0), ("only_first", 1)]:
        found = windows(pieces, one, other, max_length=max(sizes) + 8, truncated=truncated)
        assert len(found) > 1
        assert {window.sequence_ids.count(whole) for window in found} == {sizes[whole]}


def test_padding_and_truncation_of_the_tokenizer_are_not_part_of_the_question(pieces):
    tokenizer = copy(pieces)
    tokenizer.enable_padding(length=128, pad_token="[PAD]")
    tokenizer.enable_truncation(4)
    text = "Angela flew to London. " * 9
    found = QuestionAnswerer(None, tokenizer, max_length=24).windows("London flew to Ulm", text)
    expected = QuestionAnswerer(None, pieces, max_length=24).windows("London flew to Ulm", text)
    assert [window.ids for window in found] == [window.ids for window in expected]


def test_nothing_at_all_has_no_answer(bpe):
    """Without special tokens, an empty question about an empty text is a window without tokens."""
    assert best_spans([], [], []) == BestSpans([], 0.0)
    assert softmax([]).shape == (0,) and softmax(np.zeros((0, 3))).shape == (0, 3)

    def model(encodings):
        return [(np.zeros(len(one.ids)),) * 2 for one in encodings]

    assert QuestionAnswerer(model, bpe)("", "") == []
    assert QuestionAnswerer(model, bpe, no_answer=True)("", "") == [Answer("", 0.0, 0, 0)]


def test_a_question_that_is_cut_within_a_character_keeps_to_its_length():
    """A character of four tokens, the question cut after the first: all four came, and windows had no room."""
    tokenizer = recipes.get("gpt2").train(["low lower"] * 9, vocab_size=260)
    end = ("<|endoftext|>", tokenizer.token_to_id("<|endoftext|>"))
    tokenizer.post_processor = processors.TemplateProcessing("$A", "$A <|endoftext|> $B:1", [end])
    asked = []

    def model(encodings):
        asked.extend(encodings)
        return [([0.0] * len(one.ids), [0.0] * len(one.ids)) for one in encodings]

    # A character has four tokens: `a`, then one whole character at most.
    for most, kept in enumerate([0, 1, 1, 1, 1, 5]):
        ask = QuestionAnswerer(model, tokenizer, max_length=8, stride=0, max_question_tokens=most)
        assert ask("a😀😀", "lower low")
        assert {sum(number == 0 for number in one.sequence_ids) for one in asked} == {kept}
        asked.clear()


def test_what_is_left_out_on_the_way_is_not_among_the_best(monkeypatch):
    from tessella.tasks import answers

    rng = np.random.default_rng(2)
    for _ in range(300):
        size, n = int(rng.integers(1, 60)), int(rng.integers(1, 30))
        # Few different scores: most answers are as good as others.
        starts, ends = rng.integers(0, 3, size=(2, size)).astype(float)
        allowed = (rng.random(size) < 0.8).astype(int)
        allowed[0] = 0
        monkeypatch.setattr(answers, "_HELD", 1 << 30)
        all_held = best_spans(starts, ends, allowed, n, max_tokens=size)
        monkeypatch.setattr(answers, "_HELD", -n)
        assert best_spans(starts, ends, allowed, n, max_tokens=size) == all_held
