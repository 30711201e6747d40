#!/usr/bin/env python3
"""Writes the cases of tests/conformance/normalize from the `tokenizers` wheel 0.23.x.

    python tools/gen_unicode_cases.py                       rewrite the committed files
    python tools/gen_unicode_cases.py --check               exit 1 if they would change
    python tools/gen_unicode_cases.py --random N --seed S --out FILE
                                                            N more random cases, for a longer run

- code_points.jsonl: for each operation the CRC-32 of its results on every block of 4096 code points;
- random.jsonl: random texts through random normalizers, with the original bytes of every character;
- string_ops.jsonl: random chains of operations on a NormalizedString, and slices of the result.

All texts are made up here, character by character, from an alphabet chosen to be hostile. Where the
library is known to be wrong (an insertion's span, an empty prefix) no case is made.
"""

import argparse
import json
import pathlib
import random
import sys
import zlib

from tokenizers import NormalizedString, PreTokenizedString, Regex, normalizers, pre_tokenizers

FOLDER = pathlib.Path(__file__).parent.parent / "tests/conformance/normalize"
RECIPE = {"recipe": "python tools/gen_unicode_cases.py, tokenizers 0.23.x"}

ALPHABET = (
    list("abcXYZ  \t\n7.-")
    + list("éàÀẞßİıΣςйЁğŒﬁﬀ①½²Åﾊﾟがかプ한가각漢字あ\u0130\u01c5\u1e9e\u212a\u2126\u212b")
    + [
        chr(c)
        for c in (0x300, 0x301, 0x302, 0x303, 0x304, 0x307, 0x308, 0x30A, 0x323, 0x327, 0x328, 0x331, 0x334)
    ]
    + [
        chr(c)
        for c in (
            0x338,
            0x340,
            0x342,
            0x343,
            0x344,
            0x345,
            0x360,
            0x5B0,
            0x5BF,
            0x64B,
            0x651,
            0x670,
            0xF71,
            0xF72,
            0xF73,
            0xF74,
            0xF81,
        )
    ]
    + [
        chr(c)
        for c in (0x302E, 0x302F, 0x3099, 0x309A, 0x1100, 0x1112, 0x1161, 0x1175, 0x11A7, 0x11A8, 0x11C2)
    ]
    + [
        chr(c)
        for c in (
            0x915,
            0x93C,
            0x94D,
            0x903,
            0x958,
            0x9C7,
            0x9BE,
            0x9D7,
            0xB47,
            0xB56,
            0xBC6,
            0xBBE,
            0xDD9,
            0xDCA,
            0xDCF,
        )
    ]
    + [
        chr(c)
        for c in (
            0x1D15E,
            0x1D157,
            0x1D165,
            0x1D16D,
            0x1D16E,
            0x110BA,
            0x11099,
            0x11127,
            0x11131,
            0x16D63,
            0x16D67,
        )
    ]
    + [chr(c) for c in (0xF900, 0x2F800, 0x2B820, 0x2B920, 0x3400, 0x20000, 0xFDFA, 0xFB2C, 0x1F82, 0x1FB4)]
    + [
        chr(c)
        for c in (
            0,
            1,
            0x0B,
            0x0C,
            0x1F,
            0x7F,
            0x85,
            0x8F,
            0x9F,
            0xA0,
            0xAD,
            0x200B,
            0x200D,
            0x2028,
            0x2029,
            0x202F,
            0x205F,
            0x2581,
            0x3000,
            0xFEFF,
            0xFFFD,
        )
    ]
    + [
        chr(c)
        for c in (
            0x378,
            0xE0041,
            0xE0100,
            0xF0000,
            0x10FFFF,
            0x1F600,
            0x1E94A,
            0x1E900,
            0x10400,
            0xA64A,
            0x1C90,
            0x10C80,
        )
    ]
)


# Pattern, and whether it is literal. The last one matches nothing, in between.
SPLITS = [
    (" ", True),
    ("é", True),
    ("ab", True),
    (r"\s+", False),
    ("[a-zà-ÿ]", False),
    (r"\p{M}", False),
    ("x?", False),
]


def bert(clean, chinese, accents, lower):
    spec = {
        "type": "Bert",
        "clean_text": clean,
        "handle_chinese_chars": chinese,
        "strip_accents": accents,
        "lowercase": lower,
    }
    return spec, normalizers.BertNormalizer(clean, chinese, accents, lower)


def plain(name):
    return {"type": name}, getattr(normalizers, name)()


def random_normalizer(rng):
    kind = rng.randrange(10)
    if kind < 3:
        return plain(rng.choice(["NFC", "NFD", "NFKC", "NFKD"]))
    if kind < 5:
        return bert(
            rng.random() < 0.6, rng.random() < 0.6, rng.choice([None, True, False]), rng.random() < 0.6
        )
    if kind == 5:
        left, right = rng.random() < 0.6, rng.random() < 0.6
        return {"type": "Strip", "left": left, "right": right}, normalizers.Strip(left, right)
    if kind == 6:
        prefix = rng.choice(["▁", "ab", "é\u0301"])
        return {"type": "Prepend", "prepend": prefix}, normalizers.Prepend(prefix)
    if kind == 7:
        return plain(rng.choice(["Lowercase", "ByteLevel"]))
    if kind == 8:
        return plain(rng.choice(["StripAccents", "Nmt"]))
    source, literal = rng.choice([(" ", True), ("é", True), ("[a-zé]", False), (r"\s", False)])
    content = rng.choice(["▁", "", "xy", "é"])
    spec = {"type": "Replace", "pattern": {"Literal" if literal else "Regex": source}, "content": content}
    return spec, normalizers.Replace(source if literal else Regex(source), content)


def random_text(rng, most=14):
    pool = ALPHABET if rng.random() < 0.8 else rng.sample(ALPHABET, 6)
    text = [rng.choice(pool) for _ in range(rng.randrange(most))]
    # Now and then anything at all.
    return "".join(
        chr(rng.choice([rng.randrange(0x20, 0xD800), rng.randrange(0xE000, 0x110000)]))
        if rng.random() < 0.04
        else c
        for c in text
    )


def spans_after(text, change):
    """Each character of the changed text with the original bytes that it stands for."""
    pieces = PreTokenizedString(text)
    pieces.normalize(change)
    pieces.split(lambda _, piece: piece.split(Regex(r"(?m)."), "isolated"))
    splits = pieces.get_splits("original", "byte")
    assert all(len(piece) == 1 for piece, _, _ in splits)
    return "".join(piece for piece, _, _ in splits), [list(offsets) for _, offsets, _ in splits]


def random_cases(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        chain = [random_normalizer(rng) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        text = random_text(rng)
        normalizer = normalizers.Sequence([engine for _, engine in chain])
        out, spans = spans_after(text, normalizer.normalize)
        yield {"normalizer": [spec for spec, _ in chain], "text": text, "out": out, "spans": spans}


def random_operation(rng):
    kind = rng.randrange(8)
    if kind < 3:
        name = rng.choice(["nfd", "nfkd", "nfc", "nfkc", "lowercase", "uppercase"])
        return [name], lambda n: getattr(n, name)()
    if kind == 3:
        name = rng.choice(["lstrip", "rstrip", "strip"])
        return [name], lambda n: getattr(n, name)()
    if kind == 4:
        text = rng.choice(["x", "▁é", "ab"])
        return ["prepend", text], lambda n: n.prepend(text)
    if kind == 5:
        text = rng.choice(["x", "▁é", "ab", ""])
        # Behind an empty text the library's spans are left over from nothing.
        return ["append", text], lambda n: n.append(text) if n.normalized else None
    if kind == 6:
        gone = "".join(rng.sample(ALPHABET, 12))
        return ["remove", gone], lambda n: n.filter(lambda c: c not in gone)
    chars = rng.sample(ALPHABET, 4)
    table = dict(zip(chars[:2], chars[2:], strict=True))
    return ["map", "".join(table), "".join(table.values())], lambda n: n.map(lambda c: table.get(c, c))


def string_cases(count, seed):
    rng = random.Random(seed)
    while count:
        chain = [random_operation(rng) for _ in range(rng.randrange(1, 5))]
        text = random_text(rng)
        length = []

        def change(n, chain=chain, length=length):
            for _, operation in chain:
                operation(n)
            length.append(n.normalized)

        out, spans = spans_after(text, change)
        string = NormalizedString(text)
        for _, operation in chain:
            operation(string)
        assert string.normalized == out
        slices = []
        for _ in range(2):
            start = rng.randrange(len(out) + 2)
            end = start + 1 + rng.randrange(len(out) + 2)
            part = string.slice((start, end))
            slices.append([start, end, part and [part.normalized, part.original]])
        source, literal = rng.choice(SPLITS)
        behavior = rng.choice(
            ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
        )
        pieces = string.split(source if literal else Regex(source), behavior)
        split = [
            {"Literal" if literal else "Regex": source},
            behavior,
            [[p.normalized, p.original] for p in pieces],
        ]
        operations = [spec for spec, _ in chain]
        yield {
            "operations": operations,
            "text": text,
            "out": out,
            "spans": spans,
            "slices": slices,
            "split": split,
        }
        count -= 1


def code_point_cases():
    punctuation = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    digits = pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str
    blanks = pre_tokenizers.WhitespaceSplit().pre_tokenize_str

    def uppercase(c):
        string = NormalizedString(c)
        string.uppercase()
        return string.normalized

    operations = {
        name: getattr(normalizers, name)().normalize_str
        for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")
    }
    operations["Bert"] = normalizers.BertNormalizer().normalize_str
    operations["BertCased"] = normalizers.BertNormalizer(lowercase=False).normalize_str
    operations["BertAccents"] = normalizers.BertNormalizer(False, False, True, False).normalize_str
    operations["Strip"] = normalizers.Strip().normalize_str
    operations["uppercase"] = uppercase
    operations["is_punctuation"] = lambda c: "01"[len(punctuation(f"a{c}a")) == 3]
    operations["is_numeric"] = lambda c: "01"[len(digits(f"a{c}a")) == 3]
    operations["is_whitespace"] = lambda c: "01"[len(blanks(f"a{c}a")) == 2]
    for name, operation in operations.items():
        sums = []
        for block in range(0, 0x110000, 4096):
            results = (operation(chr(c)) for c in range(block, block + 4096) if not 0xD800 <= c < 0xE000)
            sums.append(zlib.crc32("".join(result + "\n" for result in results).encode()))
        yield {"operation": name, "crc32": " ".join(f"{s:08x}" for s in sums)}


def lines(cases):
    return "".join(json.dumps(case, ensure_ascii=True) + "\n" for case in [RECIPE, *cases])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--random", type=int)
    parser.add_argument("--strings", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    options = parser.parse_args()
    if options.random or options.strings:
        cases = (
            random_cases(options.random, options.seed)
            if options.random
            else string_cases(options.strings, options.seed)
        )
        pathlib.Path(options.out).write_text(lines(cases))
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    stale = []
    for name, cases in {
        "code_points.jsonl": code_point_cases(),
        "random.jsonl": random_cases(240, 9),
        "string_ops.jsonl": string_cases(160, 9),
    }.items():
        path, text = FOLDER / name, lines(cases)
        if options.check:
            if not path.exists() or path.read_text() != text:
                stale.append(name)
        else:
            path.write_text(text)
    if stale:
        sys.exit("stale: " + ", ".join(stale))


if __name__ == "__main__":
    main()
