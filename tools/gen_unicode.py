#!/usr/bin/env python3
"""Writes the Unicode tables of tessella-core from the library whose results they must reproduce.

    python tools/gen_unicode.py            write crates/tessella-core/src/unicode/tables.rs
    python tools/gen_unicode.py --check    exit 1 if the file on disk differs from what would be written

Source of truth: the `tokenizers` wheel, 0.23.x, asked code point by code point. Its tables are frozen at
old Unicode versions (normalization at 9.0, general categories at 8.0), so a newer character database
would give other tokens. What is asked, and how:

- decompositions: NFD and NFKD of every code point;
- combining class: which marks of known class a code point changes places with under NFD;
- compositions: a code point that NFC leaves alone although NFD does not is a primary composite, and
  `(NFC of all but the last of its NFD, the last)` is its pair;
- category M: what StripAccents drops; Mn: what BertNormalizer's accent stripping drops;
- Cc, Cf, Co: what BertNormalizer's cleaning drops; P: what BertPreTokenizer isolates;
- numeric: what Digits isolates; lower-casing: what Lowercase changes.

Needs nothing but that wheel. Runs in about a minute.
"""

import pathlib
import sys

from tokenizers import normalizers, pre_tokenizers

TARGET = pathlib.Path(__file__).parent.parent / "crates/tessella-core/src/unicode/tables.rs"

HANGUL = range(0xAC00, 0xAC00 + 11172)
SURROGATES = range(0xD800, 0xE000)
CODE_POINTS = [c for c in range(0x110000) if c not in SURROGATES]

# Bit positions in a class; bits 0 to 7 are the combining class.
FLAGS = [
    ("NFD_CHANGES", "NFD changes it"),
    ("NFKD_CHANGES", "NFKD changes it"),
    ("NFC_UNSAFE", "NFC changes it, or it may compose with what is before it"),
    ("NFKC_UNSAFE", "NFKC changes it, or it may compose with what is before it"),
    ("MARK", "general category M"),
    ("NONSPACING_MARK", "general category Mn"),
    ("OTHER_CONTROL", "general category Cc, Cf or Co"),
    ("PUNCTUATION", "general category P or ASCII punctuation"),
    ("LOWER_CHANGES", "lower-casing changes it"),
    ("NUMERIC", "general category Nd, Nl or No"),
    ("LASTING_MARK", "NFD of it has a mark that is not in Mn and has a combining class"),
]


def ask(function):
    return {c: function(chr(c)) for c in CODE_POINTS}


def combining_classes(nfd):
    """Class of every code point, found by the company it changes places with."""
    low, high = "\u0334", "\u0345"  # classes 1 and 240
    suspects = [
        c
        for c in CODE_POINTS
        if nfd(chr(c)) == chr(c)
        and (nfd(chr(c) + low) != chr(c) + low or nfd(high + chr(c)) != high + chr(c))
    ] + [ord(high)]
    import unicodedata

    # One mark per class; the newer database knows every class of the older one.
    marks = {}
    for c in suspects:
        marks.setdefault(unicodedata.combining(chr(c)), chr(c))
    marks.pop(0, None)
    classes = {}
    for c in suspects:
        mark = chr(c)
        below = [k for k, other in marks.items() if nfd(mark + other) != mark + other]
        above = [k for k, other in marks.items() if nfd(other + mark) != other + mark]
        same = [k for k in marks if k not in below and k not in above]
        assert len(same) == 1 and all(k < same[0] for k in below) and all(k > same[0] for k in above), hex(c)
        classes[c] = same[0]
    return classes


def two_level(values, shift):
    """Blocks of 2**shift values, each block stored once."""
    size = 1 << shift
    blocks, index = [], []
    seen = {}
    for start in range(0, len(values), size):
        block = tuple(values[start : start + size])
        block += (0,) * (size - len(block))
        if block not in seen:
            seen[block] = len(blocks)
            blocks.append(block)
        index.append(seen[block])
    return index, [value for block in blocks for value in block]


def best_two_level(values, width):
    """The block size that takes the fewest bytes; `width` is that of a value."""
    options = []
    for shift in range(4, 10):
        index, data = two_level(values, shift)
        options.append((len(index) * (1 if max(index) < 256 else 2) + len(data) * width, shift, index, data))
    return min(options)[1:]


def array(name, kind, values, what):
    lines = [f"/// {what}", f"pub(super) static {name}: [{kind}; {len(values)}] = ["]
    line = "   "
    for value in values:
        item = f" {value},"
        if len(line) + len(item) > 108:
            lines.append(line)
            line = "   "
        line += item
    lines += [line, "];", ""]
    return lines


def unsigned(values):
    return "u8" if max(values) < 256 else "u16" if max(values) < 65536 else "u32"


def escape(text):
    return "".join(f"\\u{{{ord(c):x}}}" if not (" " <= c <= "~") or c in '"\\' else c for c in text)


def text_constant(name, text, what):
    lines = [f"/// {what}", f'pub(super) static {name}: &str = "\\']
    line = "    "
    for c in text:
        item = escape(c) if c != " " else "\\u{20}"
        if len(line) + len(item) > 108:
            lines.append(line + "\\")
            line = "    "
        line += item
    lines += [line + '";', ""]
    return lines


def generate():
    form = {name: getattr(normalizers, name)().normalize_str for name in ("NFD", "NFKD", "NFC", "NFKC")}
    nfd, nfkd, nfc, nfkc = (ask(form[name]) for name in ("NFD", "NFKD", "NFC", "NFKC"))
    classes = combining_classes(form["NFD"])

    pairs = {}
    for c in CODE_POINTS:
        text = chr(c)
        if c in HANGUL or nfd[c] == text or nfc[c] != text:
            continue
        first, second = form["NFC"](nfd[c][:-1]), nfd[c][-1]
        assert len(first) == 1 and form["NFC"](first + second) == text, hex(c)
        pairs[(ord(second), ord(first))] = c
    seconds = {second for second, _ in pairs} | set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))

    strip_marks = ask(normalizers.StripAccents().normalize_str)

    def bert(**on):
        off = dict.fromkeys(("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), False)
        return normalizers.BertNormalizer(**{**off, **on}).normalize_str

    strip_accents = ask(bert(strip_accents=True))
    clean = ask(bert(clean_text=True))
    lower = ask(normalizers.Lowercase().normalize_str)
    punctuation = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    digits = pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str

    flag = {name: 1 << (8 + i) for i, (name, _) in enumerate(FLAGS)}
    values = [0] * 0x110000
    for c in CODE_POINTS:
        text = chr(c)
        value = classes.get(c, 0)
        control = c <= 0x1F or 0x7F <= c <= 0x9F
        tests = {
            "NFD_CHANGES": nfd[c] != text,
            "NFKD_CHANGES": nfkd[c] != text,
            "NFC_UNSAFE": nfc[c] != text or c in seconds,
            "NFKC_UNSAFE": nfkc[c] != text or c in seconds,
            "MARK": strip_marks[c] == "",
            "NONSPACING_MARK": strip_accents[c] == "",
            "OTHER_CONTROL": control or (clean[c] == "" and c != 0xFFFD),
            "PUNCTUATION": len(punctuation(f"a{text}a")) == 3,
            "LOWER_CHANGES": lower[c] != text,
            "NUMERIC": len(digits(f"a{text}a")) == 3,
            "LASTING_MARK": any(classes.get(ord(d), 0) and strip_accents[ord(d)] for d in nfd[c]),
        }
        for name, test in tests.items():
            value |= flag[name] if test else 0
        # A quick check may stop in front of such a character only if nothing before it can reach it.
        if not tests["NFC_UNSAFE"] and not value & 0xFF:
            assert ord(nfd[c][0]) not in seconds and classes.get(ord(nfd[c][0]), 0) == 0, hex(c)
        values[c] = value

    kinds = sorted(set(values))
    assert len(kinds) < 256
    number = {value: i for i, value in enumerate(kinds)}
    shift, index, data = best_two_level([number[v] for v in values], 1)

    # Decompositions: numbered from 1; canonical and compatible ones share one text.
    blob, places, entries, entry_of = "", {}, [(0, 0, 0, 0)], [0] * 0x30000

    def place(text):
        nonlocal blob
        if text not in places:
            at = blob.find(text)
            places[text] = len((blob[:at] if at >= 0 else blob).encode())
            if at < 0:
                blob += text
        return places[text]

    for c in sorted(CODE_POINTS, key=lambda c: (-len(nfkd[c]), c)):
        text = chr(c)
        if c in HANGUL or nfkd[c] == text == nfd[c]:
            continue
        entry = []
        for result in (nfd[c], nfkd[c]):
            entry += [0, 0] if result == text else [place(result), len(result.encode())]
        entry = tuple(entry)
        if entry not in entries:
            entries.append(entry)
        entry_of[c] = entries.index(entry)
    assert len(blob.encode()) < 65536
    entry_shift, entry_index, entry_data = best_two_level(entry_of, 2)

    out = [
        "//! Normalization data and general categories, as the reference library has them.",
        "//!",
        "//! Generated by `python tools/gen_unicode.py` from the `tokenizers` wheel 0.23.x; verify with `--check`.",
        "//! Do not edit.",
        "",
        "// Numbers stand in rows of equal width; the formatter would put each on its own line.",
        "#![cfg_attr(rustfmt, rustfmt_skip)]",
        "",
    ]
    out += [
        "/// Code points in a block of `CLASS_BLOCKS`, as a power of two.",
        f"pub(super) const CLASS_SHIFT: u32 = {shift};",
        "",
    ]
    for name, what in FLAGS:
        out += [f"/// {what[0].upper()}{what[1:]}.", f"pub(super) const {name}: u32 = {flag[name]:#x};"]
    out.append("")
    out += array(
        "CLASSES",
        "u32",
        [f"{v:#x}" for v in kinds],
        "The distinct classes: combining class in bits 0 to 7, flags above.",
    )
    out += array("CLASS_INDEX", unsigned(index), index, "Block of each stretch of code points.")
    out += array("CLASS_BLOCKS", "u8", data, "Number of each code point's class.")
    out += [
        "/// Code points in a block of `DECOMPOSITION_BLOCKS`, as a power of two.",
        f"pub(super) const DECOMPOSITION_SHIFT: u32 = {entry_shift};",
        "",
    ]
    out += array(
        "DECOMPOSITION_INDEX",
        unsigned(entry_index),
        entry_index,
        "Block of each stretch of code points below U+30000.",
    )
    out += array(
        "DECOMPOSITION_BLOCKS",
        "u16",
        entry_data,
        "Number of each code point's entry in `DECOMPOSITIONS`; 0 for none.",
    )
    out += array(
        "DECOMPOSITIONS",
        "(u16, u8, u16, u8)",
        [str(e) for e in entries],
        "Full decompositions: byte offset and length of the canonical one, then of the compatible one.",
    )
    out += text_constant("DECOMPOSITION_TEXT", blob, "What `DECOMPOSITIONS` points into.")
    out += array(
        "COMPOSITIONS",
        "(u32, u32, u32)",
        [f"({b:#x}, {a:#x}, {c:#x})" for (b, a), c in sorted(pairs.items())],
        "Second, first and what they compose to; sorted.",
    )
    return "\n".join(out).rstrip() + "\n"


def main():
    text = generate()
    if "--check" in sys.argv[1:]:
        same = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
        print(
            "tables.rs is up to date" if same else "tables.rs differs: run tools/gen_unicode.py",
            file=sys.stderr,
        )
        sys.exit(0 if same else 1)
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
