"""Word tokenizers: what they cut, where, and that a tokenizer can use them."""

import pickle
import random

import pytest
import tessella
from tessella import Tokenizer, models
from tessella.errors import ArgumentError, DecodeError, RegexError
from tessella.words import (
    Affixes,
    Bytes,
    Characters,
    Morphs,
    Punctuation,
    Rules,
    Treebank,
    UnicodeWords,
    Whitespace,
    WordVocabulary,
)

EXAMPLE = "This sentence is a great, interesting sentence!"
STRINGS = [
    "",
    " ",
    EXAMPLE,
    'He said, "don\'t (ever) do 3.5% -- of that…"\n\tNew line.',
    "naïve café 漢字かな カタカナ 🇩🇪🇫🇷 👩‍👩‍👧 שלום",
    "a" * 50 + "." * 20 + "\x00\u200b",
]


def every():
    return [
        Whitespace(),
        Punctuation(),
        Characters(),
        Bytes(),
        Rules(r"\w+(?:'\w+)?|[^\w\s]"),
        Rules({"number": r"\d+", "word": r"\w+"}),
        Treebank(),
        Treebank(convert_parentheses=True),
        UnicodeWords(),
        UnicodeWords("words"),
        UnicodeWords("all"),
        Affixes(["un", "re"], ["ing", "s", "ly"]),
        Morphs({"sent": 3, "ence": 3, "a": 1}),
    ]


@pytest.mark.parametrize("words", every(), ids=lambda words: type(words).__name__)
@pytest.mark.parametrize("text", STRINGS, ids=range(len(STRINGS)))
def test_words_stand_where_they_say(words, text):
    last = 0
    for word in words.words(text):
        assert last <= word.start < word.end <= len(text) or (
            isinstance(words, Bytes) and word.start < word.end
        )
        last = word.start if isinstance(words, Bytes) else word.end
        if not isinstance(words, (Bytes, Treebank, Affixes)):
            assert word.text == text[word.start : word.end]
    assert [word.text for word in words.words(text)] == words.tokenize(text)
    assert [(word.start, word.end) for word in words.words(text)] == words.spans(text)


@pytest.mark.parametrize("words", every(), ids=lambda words: type(words).__name__)
@pytest.mark.parametrize("text", STRINGS, ids=range(len(STRINGS)))
def test_a_pre_tokenizer_cuts_the_same(words, text):
    pieces = words.pre_tokenizer().pre_tokenize_str(text)
    assert [span for _, span in pieces] == words.spans(text)
    assert [piece for piece, _ in pieces] == words.tokenize(text)


def test_long_texts_are_cut_quickly():
    # A slice from the start for each word would take minutes.
    text = "wörd, " * 30_000
    pieces = Rules(r"\w+|,").pre_tokenizer().pre_tokenize_str(text)
    assert len(pieces) == 60_000 and pieces[-1] == (",", (len(text) - 2, len(text) - 1))


def test_white_space_and_characters():
    assert Whitespace().tokenize(EXAMPLE) == EXAMPLE.split(" ")
    assert len(Whitespace().tokenize(EXAMPLE)) == 7
    assert Punctuation().tokenize(EXAMPLE) == [
        "This", "sentence", "is", "a", "great", ",", "interesting", "sentence", "!"
    ]  # fmt: skip
    assert Characters().tokenize(EXAMPLE) == list(EXAMPLE) and len(EXAMPLE) == 47


def test_rules():
    text = "Hello, this is an example text to demonstrate rule-based tokenization! Isn't it great?"
    expected = "Hello , this is an example text to demonstrate rule - based tokenization ! Isn't it great ?"
    assert Rules(r"\w+(?:'\w+)?|\S").tokenize(text) == expected.split(" ")
    assert Rules(r"x*").spans("axxb") == [(1, 3)]
    assert Rules({"a": "ab?", "b": "a?b"}).kinds("abb") == [("a", "ab"), ("b", "b")]
    with pytest.raises(RegexError, match=r"'word'.*'\('"):
        Rules("(")
    with pytest.raises(ArgumentError):
        Rules({})


def test_rules_find_what_one_after_the_other_finds():
    import re

    rng = random.Random(5)
    for _ in range(200):
        expressions = ["a+", "b?a", "[bc]+", "c", "ab*c"]
        rules = {name: name for name in rng.sample(expressions, 3)}
        text = "".join(rng.choices("abcd", k=20))
        expected, at = [], 0
        while at < len(text):
            for rule in rules:
                match = re.compile(rule).match(text, at)
                if match and match.end() > at:
                    expected.append((rule, match.group()))
                    at = match.end()
                    break
            else:
                at += 1
        assert Rules(rules).kinds(text) == expected


def test_affixes():
    table = Affixes(["un##"], ["##ily", "##s", "##ing", "##ify"])
    assert table.tokenize("unhappily") == ["un##", "happ", "##ily"]
    assert table.pre_tokenizer().pre_tokenize_str("unhappily") == [
        ("un##", (0, 2)), ("happ", (2, 6)), ("##ily", (6, 9))
    ]  # fmt: skip
    # Too little would be left; the longest fits first; several when allowed.
    assert table.tokenize("unit sing") == ["unit", "sing"]
    for mark in ("@", "~~", "##", "#"):
        marked = Affixes([f"un{mark}"], [f"{mark}ing"], mark=mark)
        assert marked.tokenize("untying") == [f"un{mark}", "tying"]
        assert marked.tokenize("undoubting") == [f"un{mark}", "doubt", f"{mark}ing"]
    assert Affixes([], ["s", "ings"]).tokenize("paintings") == ["paint", "##ings"]
    assert Affixes([], ["s", "ing"], at_most=2).tokenize("paintings") == ["paint", "##ing", "##s"]
    assert table.join(table.tokenize("unhappily singing birds")) == "unhappily singing birds"
    with pytest.raises(TypeError, match="not one str"):
        Affixes("un")
    with pytest.raises(ArgumentError, match="empty affix"):
        Affixes([""])


def test_vocabulary():
    texts = ["foot ball foot ball foot", "football"]
    vocabulary = WordVocabulary.build(texts, limit=2, special_tokens=["<pad>"])
    assert vocabulary.words == ["<unk>", "<pad>", "foot", "ball"]
    assert vocabulary.encode("foot football").tokens == ["foot", "<unk>"]
    assert vocabulary.unknown_share(texts) == 1 / 6
    assert vocabulary.decode([2, 0]) == ["foot", "<unk>"]
    with pytest.raises(DecodeError, match="no id 4"):
        vocabulary.decode([4])
    with pytest.raises(ArgumentError, match="more than once"):
        WordVocabulary(["a", "a"])
    for text in STRINGS:
        same = vocabulary.tokenizer().encode(text)
        ours = vocabulary.encode(text)
        assert (same.ids, same.tokens, same.offsets) == (ours.ids, ours.tokens, ours.offsets)


def test_respelled_words_have_the_same_ids_in_a_tokenizer():
    """Quotation marks with a direction and brackets by name are other words than the characters of the text."""
    text = 'She said "no" (twice) and {left}.'
    for splitter in (Treebank(), Treebank(convert_parentheses=True)):
        vocabulary = WordVocabulary.build([text], 99, splitter=splitter)
        ours, same = vocabulary.encode(text), vocabulary.tokenizer().encode(text)
        assert (same.ids, same.tokens, same.offsets) == (ours.ids, ours.tokens, ours.offsets)
        assert "``" in same.tokens and 0 not in same.ids


def test_a_tokenizer_with_words_can_be_saved():
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "do": 1, "n't": 2}))
    for words in (Treebank(), UnicodeWords()):
        tokenizer.pre_tokenizer = words.pre_tokenizer()
        path = f"{type(words).__module__}:{type(words).__name__}"
        again = Tokenizer.from_str(tokenizer.to_str(), allow_custom=[path])
        assert again.encode("don't").tokens == tokenizer.encode("don't").tokens
        assert pickle.loads(pickle.dumps(tokenizer)).encode("don't").ids == tokenizer.encode("don't").ids
    tokenizer.pre_tokenizer = Treebank(convert_parentheses=True).pre_tokenizer()
    with pytest.raises(tessella.errors.UnsupportedError):
        tokenizer.to_str()
