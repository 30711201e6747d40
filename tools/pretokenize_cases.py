"""Writes cases for the pre-tokenizers: the reference library's pieces and character offsets.

    python tools/pretokenize_cases.py COUNT SEED > cases.jsonl

The first line is a comment object with the recipe. Inputs are made up here from words, blanks, digits and
characters that are known to part libraries (joiners, folds, unassigned code points). Needs `tokenizers`.
"""

from __future__ import annotations

import json
import random
import sys

import tokenizers
from tokenizers import pre_tokenizers

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
PATTERNS = [
    GPT2,
    CL100K,
    LLAMA3,
    LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}"),  # Qwen
    O200K,
    # DeepSeek's three, and CLIP's
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    # Where Ruby's syntax has a mind of its own
    r"a$",
    r"^\s*",
    r"(?m).",
    r".",
    r"\h+",
    r"(?i:ss|ff|k)",
    r"\p{N}{1,3}+",
    r"x*",
    r"a|",
    r"(?=b)",
    r"\b",
    r"(?<=\d)(?=(?:\d{3})+(?!\d))",
    r"\w+",
    r"\d|\s",
    r"[[:punct:]]",
    r"(\p{L})\1",
    r"\X",
    r"\R",
    r"[^\s]+",
]
LITERALS = [" ", "", "a", "ab", ".", "▁", "\n", "'", "aa", "é", "\\d", "Ġ", "  "]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]

WORDS = [
    "the",
    "The",
    "THE",
    "don't",
    "I'll",
    "we've",
    "Isn't",
    "'S",
    "'ſ",
    "it's",
    "x",
    "aa",
    "bb",
    "ab",
    "foo_bar",
    "naïve",
    "café",
    "café",
    "straße",
    "ΑΣ",
    "Я",
    "привет",
    "日本語",
    "こんにちは",
    "カタカナ",
    "コーヒー",
    "한국어",
    "한글",
    "العربية",
    "עברית",
    "हिन्दी",
    "ไทย",
    "اَل",
    "👍🏽",
    "👨\u200d👩\u200d👧",
    "می\u200cروم",
    "ﬁ",
    "ﬀ",
    "Ⅷ",
    "½",
    "³",
    "٣٤",
    "1",
    "12",
    "123",
    "1234",
    "1234567",
    "3.14",
    "1,000",
    "$5",
    "€",
    "…",
    "«»",
    "。",
    "、",
    "!",
    "?!",
    "--",
    "___",
    "@#",
    "<|endoftext|>",
    "http://a.b/c?d=e",
    "\\d",
    "à́",
    "𝐀",
    "▁",
    "▁▁a",
    "Ġ",
    "Ċ",
    "K",
]
BLANKS = [
    " ",
    " ",
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\r\n",
    "\n\n",
    " \n",
    "\u00a0",
    "\u3000",
    "\u0085",
    "\u1680",
    "\u2028",
    "",
]
ODD = [
    *"\0\x1c\x1f\x7f\u00ad\u180e\u200b\u200c\u200d\ufeff\ufffd\u0378\ue000\U0010ffff\U000e0001\u0301\u20dd\u30fc\u1fe8"
]


def text(rng: random.Random) -> str:
    parts = []
    for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 12])):
        kind = rng.random()
        if kind < 0.72:
            parts.append(rng.choice(WORDS))
        elif kind < 0.86:
            parts.append(rng.choice(ODD))
        else:
            code = rng.choice(
                [rng.randrange(0x20, 0x3000), rng.randrange(0x3000, 0xD800), rng.randrange(0xE000, 0x20000)]
            )
            parts.append(chr(code))
        if rng.random() < 0.7:
            parts.append(rng.choice(BLANKS))
    if rng.random() < 0.3:
        parts.insert(0, rng.choice(BLANKS))
    return "".join(parts)


def single(rng: random.Random) -> dict[str, object]:
    flag = lambda: rng.random() < 0.5  # noqa: E731
    split = lambda pattern: {  # noqa: E731
        "type": "Split",
        "pattern": pattern,
        "behavior": rng.choice(BEHAVIORS),
        "invert": rng.random() < 0.25,
    }
    return rng.choice(
        [
            lambda: {"type": "BertPreTokenizer"},
            lambda: {
                "type": "ByteLevel",
                "add_prefix_space": flag(),
                "trim_offsets": True,
                "use_regex": flag(),
            },
            lambda: {"type": "CharDelimiterSplit", "delimiter": rng.choice(" a▁é.")},
            lambda: {"type": "Digits", "individual_digits": flag()},
            lambda: {"type": "FixedLength", "length": rng.choice([1, 2, 3, 5, 100])},
            lambda: {
                "type": "Metaspace",
                "replacement": rng.choice("▁▁_a"),
                "prepend_scheme": rng.choice(["always", "first", "never"]),
                "split": flag(),
            },
            lambda: {"type": "Punctuation", "behavior": rng.choice(BEHAVIORS)},
            lambda: split({"Regex": rng.choice(PATTERNS)}),
            lambda: split({"Regex": rng.choice(PATTERNS)}),
            lambda: split({"Regex": rng.choice(PATTERNS[:9])}),
            lambda: split({"String": rng.choice(LITERALS)}),
            lambda: {"type": "UnicodeScripts"},
            lambda: {"type": "Whitespace"},
            lambda: {"type": "WhitespaceSplit"},
        ]
    )()


def description(rng: random.Random) -> dict[str, object]:
    stages = [single(rng) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]
    if len(stages) == 1:
        return stages[0]
    if len(stages) == 3 and rng.random() < 0.2:
        stages = [stages[0], {"type": "Sequence", "pretokenizers": stages[1:]}]
    return {"type": "Sequence", "pretokenizers": stages}


def build(spec: dict[str, object]) -> pre_tokenizers.PreTokenizer:
    shell = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": spec,
        "model": {"type": "BPE", "vocab": {}, "merges": []},
    }
    return tokenizers.Tokenizer.from_str(json.dumps(shell)).pre_tokenizer


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    recipe = f"tools/pretokenize_cases.py {count} {seed}, with tokenizers {tokenizers.__version__}"
    print(json.dumps({"recipe": recipe}))
    for _ in range(count):
        spec, sample = description(rng), text(rng)
        pieces = [[piece, *span] for piece, span in build(spec).pre_tokenize_str(sample)]
        print(json.dumps({"spec": spec, "text": sample, "pieces": pieces}, ensure_ascii=False))


if __name__ == "__main__":
    main()
