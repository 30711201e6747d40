"""The textbook examples, number by number."""

import itertools
import math

import pytest
from tessella.errors import ArgumentError
from tessella.pre_tokenizers import BertPreTokenizer, ByteLevel
from tessella.reference import (
    ByteBpe,
    Unigram,
    WordBpe,
    WordLevel,
    WordPiece,
    count_substrings,
    gage_compress,
    gage_expand,
    number_words,
    show_history,
)

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COURSE = [
    "This is the Hugging Face Course.",
    "This chapter is about tokenization.",
    "This section shows several tokenizer algorithms.",
    "Hopefully, you will be able to understand how they are trained and generate tokens.",
]


def pieces(pre_tokenizer, *texts):
    return [piece for text in texts for piece, _ in pre_tokenizer.pre_tokenize_str(text)]


def pairs(text):
    return [tuple(pair.split("+")) for pair in text.split()]


def test_gage():
    packed = gage_compress("aaabdaaabac")
    assert packed.states == (b"aaabdaaabac", b"ZabdZabac", b"ZYdZYac", b"XdXac")
    assert packed.table == {"Z": b"aa", "Y": b"ab", "X": b"ZY"}
    assert gage_expand(packed) == b"aaabdaaabac"
    assert gage_compress("abc").pairs == ()
    everything = bytes(range(256)) * 2
    assert gage_compress(everything).data == everything


def test_cats():
    words = {"cat": 5, "cats": 2, "eat": 10, "eating": 3, "running": 2, "jumping": 1, "food": 6}
    bpe = WordBpe.train(words, vocab_size=21)
    assert len(bpe.alphabet) == 16
    assert bpe.merges == pairs("a+t e+at c+at i+n in+g")
    assert len(bpe.vocab) == 21
    assert dict(bpe.history[-1].corpus) == {
        ("cat",): 5,
        ("cat", "s"): 2,
        ("eat",): 10,
        ("eat", "ing"): 3,
        ("r", "u", "n", "n", "ing"): 2,
        ("j", "u", "m", "p", "ing"): 1,
        ("f", "o", "o", "d"): 6,
    }
    with pytest.raises(ArgumentError, match="16 different characters"):
        WordBpe.train(words, vocab_size=15)
    more = WordBpe.train(words, merges=1000)
    assert more.ended == f"no pair is left after {len(more.merges)} merges" and len(more.merges) < 1000
    shown = show_history(bpe.history, corpus=True)
    assert [line.split() for line in shown.splitlines()][9] == [
        "2",
        "e",
        "+",
        "at",
        "eat",
        "13",
        "15",
    ] and "c a t" not in shown.split("   3  ")[1]


def test_end_of_word():
    text = "There is an 80% chance of rainfall today. We are pretty sure it is going to rain."
    words = text.split(" ")
    bpe = WordBpe.train(words, merges=1000, end_of_word="</w>")
    symbols = [symbol for word in words for symbol in bpe.spell(word)]
    assert (len(bpe.alphabet), len(words)) == (24, 17)
    assert [symbols.count(symbol) for symbol in ("</w>", "a", "e")] == [17, 7, 7]
    first = "e+</w> r+e</w> i+n i+s is+</w> a+n r+a ra+in t+o .+</w> T+h Th+e The+re</w> an+</w> 8+0"
    assert bpe.merges[:15] == pairs(first)
    assert bpe.history[0].count == 5
    left = [step.symbols for step in bpe.history]
    assert (left[0], left[13], max(left), left[49], len(left)) == (25, 31, 31, 16, 50)
    assert bpe.ended == "no pair is left after 50 merges"
    assert bpe.decode(token for word in words for token in bpe.encode(word)) == text


def test_hugs():
    bpe = WordBpe.train(HUGS, merges=3)
    assert bpe.merges == pairs("u+g u+n h+ug")
    assert bpe.encode("bug") == ["b", "ug"]
    assert bpe.encode("mug") == ["[UNK]", "ug"]
    assert bpe.encode("thug") == ["[UNK]", "hug"]


def test_course_bpe():
    bpe = WordBpe.train(pieces(ByteLevel(False), *COURSE), vocab_size=49)
    assert bpe.merges == pairs(
        "Ġ+t i+s e+r Ġ+a Ġt+o e+n T+h Th+is o+u s+e Ġto+k Ġtok+en n+d Ġ+is Ġt+h Ġth+e i+n Ġa+b Ġtoken+i"
    )
    assert bpe.history[0].count == 7
    tokens = [
        token for piece in pieces(ByteLevel(False), "This is not a token.") for token in bpe.encode(piece)
    ]
    assert tokens == ["This", "Ġis", "Ġ", "n", "o", "t", "Ġa", "Ġtoken", "."]
    longer = [COURSE[0] + " This is for you", *COURSE[1:]]
    (step,) = WordBpe.train(pieces(ByteLevel(False), *longer), merges=1).history
    assert (step.pair, step.count) == (("i", "s"), 7)


def test_raw_bytes():
    text = "this is an example. I am an engineer. this is test"
    bpe = ByteBpe.train(text, merges=1)
    assert len(text.encode()) == 50
    assert bpe.merges == {(105, 115): 256} and bpe.history[0].count == 4
    assert len(bpe.encode(text)) == 46
    assert bpe.encode("a") == [97]
    assert bpe.decode([0xC3, 0x28, 256]) == "\ufffd(is"
    assert bpe.compression_ratio(text) == 50 / 46


def test_wordpiece():
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = pieces(BertPreTokenizer(), *COURSE)
    model = WordPiece.train(words, vocab_size=70, special_tokens=specials)
    assert len(model.vocab) - len(model.history) - 5 == 40
    assert [step.made for step in model.history] == [
        "ab",
        "##fu",
        "Fa",
        "Fac",
        "##ct",
        "##ful",
        "##full",
        "##fully",
        "Th",
        "ch",
        "##hm",
        "cha",
        "chap",
        "chapt",
        "##thm",
        "Hu",
        "Hug",
        "Hugg",
        "sh",
        "th",
        "is",
        "##thms",
        "##za",
        "##zat",
        "##ut",
    ]
    assert model.encode("Hugging") == ["Hugg", "##i", "##n", "##g"]
    assert model.encode("HOgging") == ["[UNK]"]
    text = pieces(BertPreTokenizer(), "This is the Hugging Face course!")
    assert [token for word in text for token in model.encode(word)] == (
        [
            "Th",
            "##i",
            "##s",
            "is",
            "th",
            "##e",
            "Hugg",
            "##i",
            "##n",
            "##g",
            "Fac",
            "##e",
            "c",
            "##o",
            "##u",
            "##r",
            "##s",
            "##e",
            "[UNK]",
        ]
    )
    by_frequency = WordPiece.train(words, vocab_size=70, special_tokens=specials, rule="frequency")
    assert by_frequency.vocab != model.vocab and len(by_frequency.vocab) == 70


def test_bpe_and_wordpiece_read_one_vocabulary_differently():
    bpe = WordBpe(pairs("h+u g+s hu+g"), "hugs")
    assert bpe.encode("hugs") == ["hu", "gs"]
    assert WordPiece(["h", "hu", "hug", "##g", "##s", "##gs"]).encode("hugs") == ["hug", "##s"]


def unigram():
    counts = count_substrings(HUGS)
    for whole in ("pug", "pun", "bun", "hugs"):
        del counts[whole]
    assert counts == dict(
        h=15, u=36, g=20, hu=15, ug=20, p=17, pu=17, n=16, un=16, b=4, bu=4, s=5, hug=15, gs=5, ugs=5
    )
    assert sum(counts.values()) == 210
    return Unigram.from_counts(counts)


def test_unigram():
    model = unigram()
    best = {"hug": 0.0714286, "pug": 0.0077098, "pun": 0.0061678, "bun": 0.0014512, "hugs": 0.0017007}
    for word, probability in best.items():
        assert round(model.probability(word), 7) == probability
    (first, score), (second, other), (third, last), *_ = model.n_best("hugs", 5)
    assert {tuple(first), tuple(second), tuple(third)} == {("hug", "s"), ("h", "ugs"), ("hu", "gs")}
    assert score == pytest.approx(other, abs=1e-12) == pytest.approx(last, abs=1e-12)
    assert model.encode("unhug") == ["un", "hug"]
    assert round(model.probability("unhug"), 7) == 0.0054422
    assert round(model.loss(HUGS), 3) == 169.803
    assert round(model.without("hug").loss(HUGS), 3) == 193.317
    assert round(model.without("pu").loss(HUGS), 3) == 169.803
    assert model.least_needed(HUGS, 100)[-1][0] != "pu"
    assert dict(model.least_needed(HUGS, 100))["hug"] == pytest.approx(23.514, abs=1e-3)


def readings(word, scores):
    """Every reading, listed."""
    for cuts in itertools.product([False, True], repeat=len(word) - 1):
        tokens, start = [], 0
        for end, cut in enumerate([*cuts, True], 1):
            if cut:
                tokens.append(word[start:end])
                start = end
        if all(token in scores for token in tokens):
            yield tokens, sum(scores[token] for token in tokens)


def test_n_best_is_the_best_of_all():
    model = unigram()
    for word in ("hugs", "unhug", "pughugs"):
        every = sorted(readings(word, model.scores), key=lambda reading: -reading[1])
        found = model.n_best(word, len(every) + 5)
        assert [score for _, score in found if score > -15] == pytest.approx(
            [score for _, score in every if score > -15]
        )
        assert {tuple(tokens) for tokens, _ in every} <= {tuple(tokens) for tokens, _ in found}


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_samples_follow_the_probabilities(alpha):
    model, word = unigram(), "hugs"
    # Unknown characters do not play a part: every character is an entry.
    weights = {tuple(tokens): math.exp(alpha * score) for tokens, score in readings(word, model.scores)}
    total, runs = sum(weights.values()), 4000
    import random

    rng = random.Random(7)
    drawn = [tuple(model.sample(word, alpha, rng)) for _ in range(runs)]
    for reading, weight in weights.items():
        share = weight / total
        spread = 5 * math.sqrt(share * (1 - share) / runs)
        assert abs(drawn.count(reading) / runs - share) <= spread
    assert model.sample(word, alpha, 3) == model.sample(word, alpha, 3)


def test_word_level():
    words = [
        "The",
        "weather",
        "is",
        "sunny",
        "today.",
        "We",
        "should",
        "go",
        "out",
        "and",
        "get",
        "some",
        "sun",
        "to",
        "relax.",
    ]
    assert number_words(words)["relax."] == 14 and list(number_words(words))[:3] == ["The", "weather", "is"]
    assert number_words(["a", "b", "a"])["a"] == 2
    model = WordLevel.train({"foot": 3, "ball": 2, "football": 1}, vocab_size=3)
    assert model.encode(["foot", "ball", "football"]) == ["foot", "ball", "[UNK]"]
