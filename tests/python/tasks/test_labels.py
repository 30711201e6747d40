"""Labels of words, tokens and characters."""

import random
import time
from copy import copy

import pytest
from tessella import normalizers, pre_tokenizers
from tessella.errors import ArgumentError
from tessella.tasks import (
    IGNORED,
    convert_tags,
    ids_of_labels,
    labels_of_spans,
    labels_of_words,
    spans_of_labels,
    spans_of_tags,
    split_tag,
    tags_of_spans,
    words_of_labels,
)

from .conftest import random_text

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def random_spans(rng, length):
    spans, at = [], 0
    while at < length:
        at += rng.randint(0, 2)
        end = at + rng.randint(1, 3)
        if end <= length:
            spans.append((rng.choice(["PER", "LOC"]), at, end))
        at = end
    return spans


@pytest.mark.parametrize("scheme", ["BIO", "IOB2", "IOB1", "BILOU"])
def test_spans_and_tags_are_the_same_thing(scheme):
    rng = random.Random(1)
    for _ in range(500):
        length = rng.randint(0, 12)
        spans = random_spans(rng, length)
        tags = tags_of_spans(spans, length, scheme)
        assert [tuple(span) for span in spans_of_tags(tags, scheme)] == spans
        for other in ("BIO", "IOB1", "BILOU"):
            converted = convert_tags(tags, source=scheme, to=other)
            assert convert_tags(converted, source=other, to=scheme) == tags


@pytest.mark.parametrize(("scheme", "strict"), [("IOB2", "IOB2"), ("IOB1", "IOB1"), ("BILOU", "BILOU")])
def test_tags_against_seqeval(scheme, strict):
    pytest.importorskip("seqeval")
    from seqeval import scheme as schemes
    from seqeval.metrics.sequence_labeling import get_entities

    rng = random.Random(2)
    for _ in range(500):
        length = rng.randint(1, 10)
        spans = random_spans(rng, length)
        tags = tags_of_spans(spans, length, scheme)
        found = schemes.Entities([tags], getattr(schemes, strict)).entities[0]
        assert [(entity.tag, entity.start, entity.end) for entity in found] == spans
        if scheme == "IOB2":
            # Broken tags are read alike.
            tags = [rng.choice(NAMES) for _ in range(length)]
            kind = [(label, start, end + 1) for label, start, end in get_entities(tags)]
            assert [tuple(span) for span in spans_of_tags(tags)] == kind


def test_tags_complain():
    assert split_tag("I-a-b") == ("I", "a-b")
    for tag in ("B", "X-PER", "B-", "L-PER"):
        with pytest.raises(ArgumentError, match="is no BIO tag"):
            split_tag(tag)
    with pytest.raises(ArgumentError, match="overlaps"):
        tags_of_spans([("A", 0, 2), ("B", 1, 3)], 3)
    with pytest.raises(ArgumentError, match="does not fit 3 words"):
        tags_of_spans([("A", 0, 4)], 3)
    with pytest.raises(ArgumentError, match="must be one of"):
        tags_of_spans([], 1, "BIOX")


def test_words_to_tokens():
    ids = [None, 0, 1, 1, 1, 2, None]
    words = ["O", "B-LOC", "I-LOC"]
    assert labels_of_words(ids, words) == [-100, "O", "B-LOC", -100, -100, "I-LOC", -100]
    assert labels_of_words(ids, words, "all") == [-100, "O", "B-LOC", "I-LOC", "I-LOC", "I-LOC", -100]
    assert labels_of_words(ids, words, "same") == [-100, "O", "B-LOC", "B-LOC", "B-LOC", "I-LOC", -100]
    numbers = ids_of_labels(words, NAMES)
    assert labels_of_words(ids, numbers, "all", names=NAMES) == [-100, 0, 3, 4, 4, 4, -100]
    assert labels_of_words(ids, words, ignored=-1)[0] == -1
    with pytest.raises(ArgumentError, match="give `names`"):
        labels_of_words(ids, numbers, "all")
    with pytest.raises(ArgumentError, match=r"`labels` has length 1, but the encoding has [23] words"):
        labels_of_words(ids, ["O"])
    with pytest.raises(ArgumentError, match="not among the names"):
        ids_of_labels(["B-X"], NAMES)
    with pytest.raises(ArgumentError, match="'first', 'all' or 'same'"):
        labels_of_words(ids, words, "some")


def test_ends_of_bilou_do_not_end_at_each_token():
    ids, tags = [0, 0, 1, 2, 2], ["U-LOC", "B-PER", "L-PER"]
    assert labels_of_words(ids, tags) == ["U-LOC", -100, "B-PER", "L-PER", -100]
    with pytest.raises(ArgumentError, match=r"'[LU]-\w+' is one of BILOU.*convert_tags"):
        labels_of_words(ids, tags, "all")
    with pytest.raises(ArgumentError, match="is one of BILOU"):
        labels_of_words([0, 0], [1], "all", names=["O", "U-LOC"])
    plain = convert_tags(tags, source="BILOU", to="BIO")
    assert labels_of_words(ids, plain, "all") == ["B-LOC", "I-LOC", "B-PER", "I-PER", "I-PER"]


def test_there_and_back(pieces):
    rng = random.Random(3)
    for _ in range(200):
        text = random_text(rng)
        words = text.split(" ")
        labels = tags_of_spans(random_spans(rng, len(words)), len(words))
        encoding = pieces.encode(words, is_pretokenized=True)
        for how in ("first", "all", "same"):
            assert words_of_labels(encoding, labels_of_words(encoding, labels, how)) == labels


def test_characters_to_tokens_and_back(pieces):
    rng = random.Random(4)
    for _ in range(300):
        text = random_text(rng)
        encoding = pieces.encode(text)
        places = [span for span in encoding.offsets if span[1] > span[0]]
        spans = [(label, places[a][0], places[b - 1][1]) for label, a, b in random_spans(rng, len(places))]
        for scheme in ("BIO", "BILOU"):
            found = labels_of_spans(encoding, spans, scheme)
            assert not found.cut
            assert spans_of_labels(encoding, found.labels, scheme) == spans
            assert [label == -100 for label in found.labels] == [
                mask == 1 for mask in encoding.special_tokens_mask
            ]


def test_spans_that_cut_tokens_are_reported(pieces):
    encoding = pieces.encode("to London .")
    assert encoding.tokens[1:-1] == ["t", "##o", "Lon", "##don", "."]
    found = labels_of_spans(encoding, [("LOC", 4, 7)])
    assert found.labels == [-100, "O", "O", "B-LOC", "I-LOC", "O", -100]
    assert found.cut == [("LOC", 4, 7, (3, 9))]
    # Two spans in one token: the first has it.
    found = labels_of_spans(encoding, [("A", 3, 4), ("B", 4, 9)])
    assert found.labels == [-100, "O", "O", "B-A", "B-B", "O", -100]
    assert [one.label for one in found.cut] == ["A", "B"]
    # White space has no token.
    assert labels_of_spans(encoding, [("A", 2, 3)]).cut == [("A", 2, 3, (2, 2))]
    with pytest.raises(ArgumentError, match="is empty"):
        labels_of_spans(encoding, [("A", 3, 3)])


def test_spaces_of_byte_level_tokens_are_no_part_of_a_span(bpe):
    text = "in the ring"
    encoding = bpe.encode(text)
    assert encoding.tokens[1] == "Ġthe" and encoding.offsets[1] == (2, 6)
    spans = [("A", 3, 6), ("B", 7, 11)]
    assert [one.label for one in labels_of_spans(encoding, spans).cut] == ["A"]
    found = labels_of_spans(encoding, spans, text=text)
    assert not found.cut and found.labels[:3] == ["O", "B-A", "O"]
    assert spans_of_labels(encoding, found.labels, text=text) == spans


def test_a_stretch_ends_with_its_last_word_where_first_tokens_alone_have_labels(pieces):
    rng = random.Random(6)
    for _ in range(300):
        text = random_text(rng)
        encoding = pieces.encode(text)
        words = [encoding.word_to_chars(word) for word in range(max(encoding.word_ids[1:-1], default=-1) + 1)]
        spans = [(label, words[a][0], words[b - 1][1]) for label, a, b in random_spans(rng, len(words))]
        tags = tags_of_spans([(label, *places(words, a, b)) for label, a, b in spans], len(words))
        for how in ("first", "all"):
            assert spans_of_labels(encoding, labels_of_words(encoding, tags, how), text=text) == spans
    encoding = pieces.encode("to London .", "to London .")
    labels = [-100, "O", -100, "B-LOC", -100, "O", -100, "O", -100, "B-LOC", -100, "O", -100]
    assert spans_of_labels(encoding, labels) == [("LOC", 3, 9), ("LOC", 3, 9)]


def places(words, start, end):
    """The first word of a stretch, and the one behind its last."""
    return [word[0] for word in words].index(start), [word[1] for word in words].index(end) + 1


def test_encodings_of_words_have_no_places_in_a_text(pieces):
    """Their offsets begin anew with each word: stretches would be those of something else."""
    for words in (["in", "Rome"], ["London", "Lon"], ["to", "London", "."]):
        encoding = pieces.encode(words, is_pretokenized=True)
        with pytest.raises(ArgumentError, match="one of words"):
            labels_of_spans(encoding, [("LOC", 0, 2)])
        with pytest.raises(ArgumentError, match="one of words"):
            spans_of_labels(encoding, ["B-LOC"] * len(encoding.ids))
    # One word is a text. What a character becomes stands where it stood.
    assert not labels_of_spans(pieces.encode(["Rome"], is_pretokenized=True), [("LOC", 0, 4)]).cut
    spread = copy(pieces)
    spread.normalizer = normalizers.Replace("\u2026", " . . . ")
    encoding = spread.encode("\u2026 in Rome")
    assert encoding.word_ids[1:4] == [0, 1, 2] and encoding.offsets[1:4] == [(0, 1)] * 3
    spread.pre_tokenizer = pre_tokenizers.Whitespace()
    spread.normalizer = normalizers.Replace("\u00bd", "1/2")
    halves = spread.encode("\u00bdnd Rome")
    assert halves.offsets[1:4] == [(0, 1), (0, 1), (0, 3)] and halves.word_ids[1:4] == [0, 1, 2]
    assert not labels_of_spans(halves, [("LOC", 4, 8)]).cut
    labels = ["B-LOC" if word == 4 else "O" for word in encoding.word_ids]
    assert spans_of_labels(encoding, labels)[0][:2] == ("LOC", 5)


def test_spans_of_another_form_are_refused(pieces):
    with pytest.raises(TypeError, match=r"a label, a start and an end.*found \(0, 2, 'PER'\)"):
        labels_of_spans(pieces.encode("in Rome"), [(0, 2, "PER")])
    with pytest.raises(TypeError, match=r"a label, a start and an end.*found \(1, 0, 2\)"):
        labels_of_spans(pieces.encode("in Rome"), [(1, 0, 2)])


def test_the_other_text_of_a_pair_is_left_out(pieces):
    encoding = pieces.encode("to London", "London flew")
    labels = labels_of_spans(encoding, [("LOC", 0, 6)], sequence=1).labels
    assert labels == [-100] * 6 + ["B-LOC", "I-LOC", "O", "O", -100]


def test_words_of_a_pair_are_those_of_one_sequence(pieces):
    """The words of both count from 0: labels of one must not fall on the other."""
    pieces = copy(pieces)
    pieces.post_processor = None
    encoding = pieces.encode(["in", "Rome"], ["Rome", "in", "Rome"], is_pretokenized=True)
    first, second = ["O", "B-LOC"], ["B-PER", "O", "B-LOC"]
    tokens = [pieces.encode([word], is_pretokenized=True).ids for word in ("in", "Rome")]
    one, other = len(tokens[0]) + len(tokens[1]), 2 * len(tokens[1]) + len(tokens[0])
    labels = labels_of_words(encoding, first, "same")
    assert labels[one:] == [IGNORED] * other and IGNORED not in labels[:one]
    assert words_of_labels(encoding, labels) == first
    labels = labels_of_words(encoding, second, "all", sequence=1)
    assert labels[:one] == [IGNORED] * one and labels[one] == "B-PER"
    assert words_of_labels(encoding, labels, sequence=1) == second


def test_words_that_were_cut_off_have_a_label_where_their_number_is_known(pieces):
    cut = copy(pieces)
    cut.enable_truncation(4)
    words = ["in", "Rome", "to", "London"]
    encoding = cut.encode(words, is_pretokenized=True)
    labels = labels_of_words(encoding, ["O", "B-LOC", "O", "B-LOC"])
    known = words_of_labels(encoding, labels)
    assert 0 < len(known) < 4
    assert words_of_labels(encoding, labels, "?", number=4) == known + ["?"] * (4 - len(known))
    assert words_of_labels(encoding, labels, number=len(known)) == known
    with pytest.raises(ArgumentError, match="but the encoding has"):
        words_of_labels(encoding, labels, number=0)


def test_a_text_of_a_pair_may_be_shorter_than_the_other(pieces):
    long, short = "in Rome in Rome in Rome", "in Rome"
    encoding = pieces.encode(long, short)
    found = labels_of_spans(encoding, [("LOC", 3, 7)], sequence=1, text=short)
    assert not found.cut and spans_of_labels(encoding, found.labels, text=short) == [("LOC", 3, 7)]
    with pytest.raises(ArgumentError, match="`text` has 7"):
        labels_of_spans(encoding, [("LOC", 3, 7)], text=short)


def test_what_would_be_lost_is_refused(pieces):
    encoding = pieces.encode("in Rome")
    for spans in ([("LOC", 3, 7), ("PER", 3, 7)], [("PER", 5, 7), ("LOC", 3, 7)], [("A", 0, 4), ("B", 3, 7)]):
        with pytest.raises(ArgumentError, match="overlaps"):
            labels_of_spans(encoding, spans)
    assert labels_of_spans(encoding, [("A", 0, 2), ("B", 2, 7)]).labels
    for wrong in (["O"], ["O"] * (len(encoding.ids) + 1)):
        with pytest.raises(ArgumentError, match="labels"):
            spans_of_labels(encoding, wrong)


def test_labels_of_a_long_text_take_time_that_grows_with_it(pieces):
    long = copy(pieces)
    long.no_truncation()
    text = "the " * 20_000
    encoding = long.encode(text, add_special_tokens=False)
    began = time.process_time()
    labels = labels_of_spans(encoding, [("PER", place, place + 3) for place in range(0, len(text), 4)]).labels
    assert len(spans_of_labels(encoding, labels)) == 20_000
    # It took half a minute when each token looked at all places before it.
    assert time.process_time() - began < 5
