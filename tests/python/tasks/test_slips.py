"""What would be an answer that nobody meant: windows that are too long, no numbers, another text, one text for many."""

import numpy as np
import pytest
from tessella import Tokenizer, edit, models, pre_tokenizers, processors
from tessella.errors import ArgumentError, TruncationError
from tessella.tasks import (
    QuestionAnswerer,
    TokenClassifier,
    aggregate,
    best_spans,
    labels_of_words,
    spans_of_tags,
    windows,
)
from tessella.words import Affixes, Bytes, Characters, Punctuation, Rules, Treebank, UnicodeWords, Whitespace

TEXT = "a b c d e"
LABELS = ["O", "B-X", "I-X"]


@pytest.fixture
def tokenizer():
    vocab = {token: id for id, token in enumerate(["[CLS]", "[SEP]", *TEXT.split()])}
    tokenizer = Tokenizer(models.WordLevel(vocab))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0))
    return tokenizer


def test_no_window_is_longer_than_it_may_be(tokenizer):
    for length in (3, 4, 5, 7, 20):
        assert max(len(one) for one in windows(tokenizer, TEXT, max_length=length)) <= length
    with pytest.raises(TruncationError, match="max_length is 2, but the special tokens alone are 2"):
        windows(tokenizer, TEXT, max_length=2)
    with pytest.raises(TruncationError, match="max_length is 3, but the special tokens alone are 3"):
        windows(tokenizer, TEXT, TEXT, max_length=3)
    # Room for one token of two texts: one of them would be a window by itself, whole.
    with pytest.raises(TruncationError, match="max_length is 4"):
        windows(tokenizer, TEXT, TEXT, max_length=4, truncated="longest_first")
    with pytest.raises(TruncationError, match="max_length is 2"):
        TokenClassifier(lambda encodings: [], tokenizer, LABELS, max_length=2)


def test_scores_are_numbers(tokenizer):
    encoding = tokenizer.encode(TEXT)
    scores = np.zeros((len(encoding), 3))
    scores[2, 1] = np.nan
    with pytest.raises(ArgumentError, match=r"the scores hold NaN, at \(2, 1\)"):
        aggregate(encoding, scores, TEXT, LABELS)
    with pytest.raises(ArgumentError, match=r"NaN, at \(1,\)"):
        best_spans([0.0, np.nan, 1.0], [0.0, 0.0, 1.0], [0, 1, 1])
    # What is no part of an answer is not looked at, and a score may be without end.
    assert best_spans([0.0, np.nan, 1.0], [0.0, -np.inf, 1.0], [0, 0, 1]).spans[0][:2] == (2, 2)
    answerer = QuestionAnswerer(
        lambda encodings: [(np.full(len(one), np.nan),) * 2 for one in encodings], tokenizer
    )
    with pytest.raises(ArgumentError, match="NaN"):
        answerer("a", TEXT)


def test_the_text_is_the_one_that_was_encoded(tokenizer):
    encoding = tokenizer.encode(TEXT)
    scores = np.zeros((len(encoding), 3))
    scores[:, 0], scores[5, 1] = 1, 9
    assert [one.text for one in aggregate(encoding, scores, TEXT, LABELS)] == ["e"]
    with pytest.raises(ArgumentError, match="`text` has 3 characters, but the encoding reaches to 9"):
        aggregate(encoding, scores, "a b", LABELS)


def test_one_text_for_many(tokenizer):
    with pytest.raises(TypeError, match="`labels` must be a list of labels, not one str"):
        labels_of_words(tokenizer.encode(TEXT), "OOOOO")
    with pytest.raises(TypeError, match="a tag must be a str, not int 3"):
        spans_of_tags(["B-X", 3])
    with pytest.raises(TypeError, match="`names` must be a dict of old texts and new ones, not list"):
        edit.replace_special(tokenizer, ["[CLS]"])
    with pytest.raises(TypeError, match="`compact` must be a bool"):
        edit.remove(tokenizer, ["a"], compact="no")
    with pytest.raises(TypeError, match=r"`model` must be a folder of a model.*not ndarray"):
        edit.resize_embeddings(np.zeros((7, 2)), edit.IdMap.identity(7))


@pytest.mark.parametrize(
    "words",
    [
        Affixes(["un"]),
        Bytes(),
        Characters(),
        Punctuation(),
        Rules(r"\w+"),
        Treebank(),
        UnicodeWords(),
        Whitespace(),
    ],
    ids=lambda words: type(words).__name__,
)
@pytest.mark.parametrize("text", [3, None, b"a", ["a", "b"]], ids=repr)
def test_words_are_of_a_text(words, text):
    with pytest.raises(TypeError, match="str"):
        words.tokenize(text)
