"""Penn Treebank words, beside the library that everybody compares with."""

import os
import random
import time
from pathlib import Path

import pytest
from tessella.words import Treebank, treebank_join

PARTS = [
    "can't",
    "cannot",
    "wanna",
    "wanna\x1c",
    "'tis",
    "'twas",
    "don't",
    '"',
    "''",
    "``",
    "--",
    "...",
    ".",
    "'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "d'ye",
    "more'n",
    "it's",
    "N'T",
    "x'",
    "-LRB-",
    "gonna",
    "$5",
    "1,000",
    "a:b",
    ",",
    "é",
    "gimme",
    "lemme",
    "?",
    "!",
    ";",
    "@",
    "#",
    "%",
    "&",
    "~",
    "they'll",
    "I'd",
    "\n",
    "\xa0",
    "\x1c",
    "  ",
    "<",
    ">",
    "\u2003",
]


def texts(number):
    rng = random.Random(11)
    for _ in range(number):
        parts = rng.choices(PARTS, k=rng.randint(0, 12))
        yield "".join(part + rng.choice(["", " "]) for part in parts)
    for _ in range(number):
        yield "".join(rng.choices("ab .,:;\"'`()[]{}<>-?!$%&@#~\n\t1", k=rng.randint(0, 25)))


def compare(text):
    from nltk.tokenize.treebank import TreebankWordDetokenizer, TreebankWordTokenizer

    theirs, joined = TreebankWordTokenizer(), TreebankWordDetokenizer()
    words = Treebank().words(text)
    tokens = [word.text for word in words]
    assert tokens == theirs.tokenize(text)
    assert [(word.start, word.end) for word in words] == list(theirs.span_tokenize(text))
    assert treebank_join(tokens) == joined.detokenize(tokens)
    converted = Treebank(convert_parentheses=True).words(text)
    tokens = [word.text for word in converted]
    assert tokens == theirs.tokenize(text, convert_parentheses=True)
    assert [word[1:] for word in converted] == [word[1:] for word in words]
    assert treebank_join(tokens, True) == joined.detokenize(tokens, convert_parentheses=True)


def test_against_nltk():
    pytest.importorskip("nltk")
    for text in texts(120):
        compare(text)


#: Of real English; NLTK takes half a minute for a megabyte.
BYTES = int(os.environ.get("TESSELLA_WORDS_BYTES", "40000"))


def test_english_against_nltk():
    pytest.importorskip("nltk")
    folder = os.environ.get("TESSELLA_CORPORA")
    if not folder:
        pytest.skip("TESSELLA_CORPORA is not set")
    import zstandard

    with open(Path(folder) / "english.txt.zst", "rb") as file:
        text = zstandard.ZstdDecompressor().stream_reader(file).read(BYTES).decode("utf-8", "ignore")
    for paragraph in text.split("\n\n"):
        compare(paragraph)


def test_any_tokens_are_joined_as_by_nltk():
    treebank = pytest.importorskip("nltk.tokenize.treebank")
    joined = treebank.TreebankWordDetokenizer()
    rng = random.Random(12)
    # Tokens of other programs may hold blanks, and control characters that are none in Unicode.
    for _ in range(400):
        tokens = rng.choices([*PARTS, "''", "\x1c", "\x1f"], k=rng.randint(0, 10))
        for convert in (False, True):
            assert treebank_join(tokens, convert) == joined.detokenize(tokens, convert_parentheses=convert), (
                tokens
            )


def test_words_are_found_in_the_text():
    for text in texts(300):
        for word in Treebank().words(text):
            found = text[word.start : word.end]
            assert found == word.text or (word.text in ("``", "''") and found in ('"', "''"))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("don't", ["do", "n't"]),
        ("the book's end.", ["the", "book", "'s", "end", "."]),
        ('"Hi," he said.', ["``", "Hi", ",", "''", "he", "said", "."]),
        ("Mr. X cannot.", ["Mr.", "X", "can", "not", "."]),
    ],
)
def test_examples(text, tokens):
    assert Treebank().tokenize(text) == tokens


def test_hostile_texts_take_linear_time():
    began = time.process_time()
    for unit in (".)", "'", "a.", '"', "n't ", " . "):
        assert Treebank().words(unit * 100_000)
    # All together take a second; one whose time grows with the square of the length would take minutes.
    assert time.process_time() - began < 15
