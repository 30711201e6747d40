"""Unicode word boundaries, beside the rules written down literally, and beside another engine."""

import random
import re

import pytest
from tessella.words.unicode_words import UnicodeWords, boundaries, break_class

# One letter for each class, so that the rules can be written as expressions over classes.
LETTERS = {
    "Other": "o", "ALetter": "a", "CR": "r", "Double_Quote": "q", "Extend": "e", "ExtendNumLet": "x",
    "Format": "f", "Hebrew_Letter": "h", "Katakana": "k", "LF": "n", "MidLetter": "l", "MidNum": "m",
    "MidNumLet": "b", "Newline": "w", "Numeric": "9", "Regional_Indicator": "R", "Single_Quote": "s",
    "WSegSpace": "_", "ZWJ": "z", "Picture": "p",
}  # fmt: skip
# What the standard says: what stands before and after a place, and whether that is a boundary. First hit wins.
# `i` is the place for ignored characters, which WB4 allows after everything from then on.
RULES = [
    ("r", "n", False),
    ("[rnw]", "", True),
    ("", "[rnw]", True),
    ("z", "p", False),
    ("_", "_", False),
    ("", "[efz]", False),
    ("[ah]i", "[ah]", False),
    ("[ah]i", "[lbs]i[ah]", False),
    ("[ah]i[lbs]i", "[ah]", False),
    ("hi", "s", False),
    ("hi", "qih", False),
    ("hiqi", "h", False),
    ("9i", "9", False),
    ("[ah]i", "9", False),
    ("9i", "[ah]", False),
    ("9i[mbs]i", "9", False),
    ("9i", "[mbs]i9", False),
    ("ki", "k", False),
    ("[ah9kx]i", "x", False),
    ("xi", "[ah9k]", False),
    ("(?:^|[^Refz])i(?:RiRi)*Ri", "R", False),
    ("^i(?:RiRi)*Ri", "R", False),
]
COMPILED = [
    (
        re.compile(f"(?:{left.replace('i', '[efz]*')})$" if left else ""),
        re.compile(right.replace("i", "[efz]*")),
        cut,
    )
    for left, right, cut in RULES
]


def by_the_book(classes):
    """Boundaries of a text of class letters, place by place."""
    places = [0] if classes else []
    for at in range(1, len(classes)):
        hits = (rule for rule in COMPILED if rule[0].search(classes[:at]) and rule[1].match(classes, at))
        cut = next((cut for _, _, cut in hits), True)
        if cut:
            places.append(at)
    return [*places, len(classes)] if classes else []


def alphabet():
    chars = {name: [] for name in LETTERS}
    for code in [*range(0x3100), *range(0xFE00, 0x10000), *range(0x1F1E6, 0x1F200), *range(0x1D7CE, 0x1D800)]:
        chars[break_class(chr(code))].append(chr(code))
    chars["Picture"] = list("😀👩❤✂🚀")
    pictures = {char for char in chars["Other"] if not char.isascii() and 0x2000 < ord(char) < 0x3300}
    chars["Other"] = sorted(set(chars["Other"]) - pictures - {"©", "®"})
    assert all(chars.values())
    return chars


def test_against_the_rules():
    chars = alphabet()
    rng = random.Random(1)
    kinds = list(LETTERS)
    for _ in range(4000):
        names = rng.choices(kinds, k=rng.randint(0, 9))
        text = "".join(rng.choice(chars[name]) for name in names)
        assert boundaries(text) == by_the_book("".join(LETTERS[name] for name in names)), ascii(text)


def test_against_another_engine():
    regex = pytest.importorskip("regex")
    pattern = regex.compile(r"(?w)\b", regex.V1)
    chars = alphabet()
    # That engine pairs flags otherwise, and looks at one ignored character only.
    for name in ("Regional_Indicator", "Extend", "Format", "ZWJ"):
        del chars[name]
    rng = random.Random(2)
    kinds = list(chars)
    for _ in range(4000):
        text = "".join(rng.choice(chars[name]) for name in rng.choices(kinds, k=rng.randint(1, 12)))
        assert boundaries(text) == [match.start() for match in pattern.finditer(text)], ascii(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("can't stop", ["can't", "stop"]),
        ("3.5 and 1,000.", ["3.5", "and", "1,000", "."]),
        ("🇩🇪🇫🇷🇮", ["🇩🇪", "🇫🇷", "🇮"]),
        ("👩‍👩‍👧!", ["👩‍👩‍👧", "!"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("カタカナ漢字", ["カタカナ", "漢", "字"]),
        ("snake_case", ["snake_case"]),
    ],
)
def test_examples(text, words):
    assert UnicodeWords().tokenize(text) == words


def test_nothing_is_lost():
    text = "Some text.\r\n  With\tspaces, and: “signs”…"
    assert "".join(UnicodeWords(keep="all").tokenize(text)) == text
    assert UnicodeWords(keep="words").tokenize(text) == ["Some", "text", "With", "spaces", "and", "signs"]
