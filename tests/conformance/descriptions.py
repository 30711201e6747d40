"""Random tokenizer descriptions, and random texts that hit what is hard to match.

`describe(seed)` gives a `tokenizer.json` as a dictionary that the reference library has written: random components with
random options around a model that it trained on a random corpus. The generators know the traps: characters that expand or
vanish in normalisation, marks that reorder, joiners, several kinds of white space and of digits, prefix schemes, added
tokens before and after normalisation, word boundaries, affixes, byte fallback, unknowns, ties.
"""

from __future__ import annotations

import json
import random
from typing import Any

import tokenizers
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

ALPHABETS = [
    "abcdefgh ABC",
    "aàáâäåæçéèêëïñôöüßÿœ ÀÉÎÕÜ",
    "ﬁﬂﬀﬃ①②½¼³²™℃Å㎏ｱｶﾞﾊﾟ",
    "а б в г д Ж И Й ё Ё І ї",
    "αβγδςσΣΆάὰ ",
    "שלום עולם العربية ١٢٣",
    "日本語テストひらがなカタカナー漢字中文字 、。「」",
    "한국어 각갂까 ㄱㅏ",
    "हिन्दी क्षत्रिय தமிழ் ภาษาไทย ก็",
    "👩‍👩‍👧‍👦🏳️‍🌈👍🏽😀🇩🇪",
    "e\u0301a\u0308o\u0323\u0302\u0327u\u031b\u0323 \u0344\u0958",
    " \t\n\r\u00a0\u2003\u3000\u200b\u200d\u200c\ufeff\u00ad\u0085\u001c\u180e",
    "0123456789٠١٢३४५Ⅷ½²",
    ".,;:!?'\"()[]{}<>-_—–…«»¿¡$€+=*/\\|@#%^&~`",
    "'s 't 're 've 'm 'll 'd ſ K İ ı",
    "▁ ▁a Ġ Ċ č \u2581\u2581",
    "\x00\x01\x1f\x7f\ufffd\ue000\U000f0000\u0378",
    "<s></s>[CLS][SEP][UNK][MASK]<unk>",
]

WORDS = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "Hello",
    "world",
    "test",
    "TEST",
    "Straße",
    "naïve",
    "don't",
    "3.14",
    "foo_bar",
    "x86",
    "C++",
    "東京",
    "привет",
    "[MASK]",
    "<s>",
]


def text(rng: random.Random, longest: int = 40) -> str:
    """A random text: words, characters of a few alphabets, repeats."""
    parts: list[str] = []
    pools = rng.sample(ALPHABETS, rng.randint(1, 4))
    for _ in range(rng.randint(0, longest)):
        kind = rng.random()
        if kind < 0.25:
            parts.append(rng.choice(WORDS) + rng.choice(["", " ", "  ", "\n"]))
        elif kind < 0.35:
            parts.append(" " * rng.randint(1, 4))
        elif kind < 0.42:
            parts.append(rng.choice(rng.choice(pools)) * rng.randint(2, 6))
        else:
            parts.append(rng.choice(rng.choice(pools)))
    return "".join(parts).encode("utf-8", "ignore").decode("utf-8")


def corpus(rng: random.Random) -> list[str]:
    """Texts to train on: repetitive enough for merges."""
    base = [text(rng, 25) for _ in range(rng.randint(4, 14))]
    return [piece for piece in base for _ in range(rng.randint(1, 3))] + [" ".join(WORDS)] * 3


def some(rng: random.Random, makers: list[Any], most: int) -> list[Any]:
    return [rng.choice(makers)() for _ in range(rng.randint(1, most))]


def normalizer(rng: random.Random) -> Any:
    flag = lambda: rng.random() < 0.5  # noqa: E731
    makers = [
        normalizers.NFC,
        normalizers.NFD,
        normalizers.NFKC,
        normalizers.NFKD,
        normalizers.Lowercase,
        normalizers.StripAccents,
        normalizers.Nmt,
        lambda: normalizers.Strip(left=flag(), right=flag()),
        lambda: normalizers.BertNormalizer(
            clean_text=flag(),
            handle_chinese_chars=flag(),
            strip_accents=rng.choice([None, True, False]),
            lowercase=flag(),
        ),
        # One character by any text: wider matches have other offsets on purpose.
        lambda: normalizers.Replace(
            rng.choice([" ", "a", "é", "▁", "."]), rng.choice(["▁", "", "xy", "é", " "])
        ),
        lambda: normalizers.Replace(
            Regex(rng.choice([r"\s", r"[0-9]", r"\p{Lu}", r"[^\w\s]"])), rng.choice(["▁", "", "0", "zz"])
        ),
        lambda: normalizers.Prepend(rng.choice(["▁", "x", "ab"])),
    ]
    chosen = some(rng, makers, 3)
    if rng.random() < 0.1:
        chosen.append(normalizers.ByteLevel())
    return chosen[0] if len(chosen) == 1 else normalizers.Sequence(chosen)


BEHAVIOURS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]

PATTERNS = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"\p{N}{1,3}+",
    r"\w+|[^\w\s]+",
    r"\d+",
    r"[一-龥ぁ-ん]+",
    r"(?<=[a-z])(?=[A-Z])",
    r"\s+$",
    r"a|ab|abc",
    r"\b",
    r"[^\S\n]+",
    r"(?i:ss|k)",
]


def pre_tokenizer(rng: random.Random) -> Any:
    flag = lambda: rng.random() < 0.5  # noqa: E731
    scheme = lambda: rng.choice(["always", "first", "never"])  # noqa: E731
    makers = [
        pre_tokenizers.BertPreTokenizer,
        pre_tokenizers.Whitespace,
        pre_tokenizers.WhitespaceSplit,
        pre_tokenizers.UnicodeScripts,
        lambda: pre_tokenizers.ByteLevel(add_prefix_space=flag(), use_regex=flag()),
        lambda: pre_tokenizers.Metaspace(prepend_scheme=scheme(), split=flag()),
        lambda: pre_tokenizers.Digits(individual_digits=flag()),
        lambda: pre_tokenizers.Punctuation(rng.choice(BEHAVIOURS)),
        lambda: pre_tokenizers.CharDelimiterSplit(rng.choice([" ", "a", "。", "-"])),
        lambda: pre_tokenizers.FixedLength(length=rng.randint(1, 6)),
        lambda: pre_tokenizers.Split(
            rng.choice([" ", "a", "。", "ab", "  "]), rng.choice(BEHAVIOURS), invert=flag()
        ),
        lambda: pre_tokenizers.Split(
            Regex(rng.choice(PATTERNS)), rng.choice(BEHAVIOURS), invert=rng.random() < 0.2
        ),
        lambda: pre_tokenizers.Split(Regex(rng.choice(PATTERNS)), "isolated"),
    ]
    if rng.random() < 0.2:
        # As Unigram models have it: what is cut, and a mark in front of it.
        cuts = [pre_tokenizers.BertPreTokenizer, pre_tokenizers.WhitespaceSplit, pre_tokenizers.Punctuation]
        return pre_tokenizers.Sequence(
            [rng.choice(cuts)(), pre_tokenizers.Metaspace(prepend_scheme=scheme(), split=flag())]
        )
    chosen = some(rng, makers, 3)
    return chosen[0] if len(chosen) == 1 else pre_tokenizers.Sequence(chosen)


def model_and_trainer(rng: random.Random, specials: list[str]) -> tuple[Any, Any]:
    kind = rng.choice(["bpe", "bpe", "wordpiece", "wordlevel", "unigram"])
    size = rng.choice([60, 120, 300])
    if kind == "bpe":
        affixes = {}
        if rng.random() < 0.2:
            affixes["continuing_subword_prefix"] = "##"
        if rng.random() < 0.2:
            affixes["end_of_word_suffix"] = "</w>"
        model = models.BPE(
            unk_token="<unk>",
            fuse_unk=rng.random() < 0.5,
            byte_fallback=rng.random() < 0.3,
            ignore_merges=rng.random() < 0.2,
            **affixes,
        )
        initial = pre_tokenizers.ByteLevel.alphabet() if rng.random() < 0.4 else []
        trainer = trainers.BpeTrainer(
            vocab_size=size + len(initial),
            special_tokens=specials,
            show_progress=False,
            initial_alphabet=initial,
            **rng.choice([{}, {"limit_alphabet": 20}, {"limit_alphabet": 60}]),
            **affixes,
        )
        return model, trainer
    if kind == "wordpiece":
        model = models.WordPiece(unk_token="<unk>", max_input_chars_per_word=rng.choice([100, 5, 20]))
        return model, trainers.WordPieceTrainer(
            vocab_size=size,
            special_tokens=specials,
            show_progress=False,
            limit_alphabet=rng.choice([30, 1000]),
        )
    if kind == "wordlevel":
        return models.WordLevel(unk_token="<unk>"), trainers.WordLevelTrainer(
            vocab_size=size, special_tokens=specials, show_progress=False
        )
    return models.Unigram(), trainers.UnigramTrainer(
        vocab_size=size, special_tokens=specials, unk_token="<unk>", show_progress=False, max_piece_length=6
    )


def post_processor(rng: random.Random) -> Any:
    flag = lambda: rng.random() < 0.5  # noqa: E731
    cls, sep = ("<s>", 1), ("</s>", 2)
    makers = [
        lambda: processors.BertProcessing(sep, cls),
        lambda: processors.RobertaProcessing(sep, cls, trim_offsets=flag(), add_prefix_space=flag()),
        lambda: processors.ByteLevel(trim_offsets=flag()),
        lambda: processors.TemplateProcessing(
            single=rng.choice(["<s> $A </s>", "$A </s>", "<s>:2 $A:2", "$A"]),
            pair=rng.choice(["<s> $A </s> $B:1 </s>:1", "$A </s> $B", "$B:1 </s> $A:3"]),
            special_tokens=[cls, sep],
        ),
    ]
    chosen = rng.choice(makers)()
    if rng.random() < 0.15:
        return processors.Sequence([processors.ByteLevel(trim_offsets=flag()), chosen])
    return chosen


def decoder(rng: random.Random) -> Any:
    flag = lambda: rng.random() < 0.5  # noqa: E731
    makers = [
        decoders.ByteLevel,
        lambda: decoders.WordPiece(cleanup=flag()),
        lambda: decoders.Metaspace(prepend_scheme=rng.choice(["always", "first", "never"])),
        decoders.BPEDecoder,
        lambda: decoders.CTC(cleanup=flag()),
        lambda: decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        ),
    ]
    return rng.choice(makers)()


def added_tokens(rng: random.Random) -> list[AddedToken]:
    """Contents that do not touch white space and do not hide one another: those cases differ on purpose."""
    contents = rng.sample(
        ["[MASK]", "<x>", "foo", "Test", "日本", "É", "don", "##", "ab", "</", "😀", "ＡＢ"],
        rng.randint(0, 4),
    )
    tokens = []
    for content in contents:
        special = rng.random() < 0.3
        tokens.append(
            AddedToken(
                content,
                lstrip=rng.random() < 0.3,
                rstrip=rng.random() < 0.3,
                single_word=rng.random() < 0.2,
                # A special token that is normalized is skipped by id here and by content there.
                normalized=not special and rng.random() < 0.5,
                special=special,
            )
        )
    return tokens


def can_start_inside(outer: str, inner: str) -> bool:
    """Whether `inner` can begin after the first character of `outer`."""
    tails = (outer[start:] for start in range(1, len(outer)))
    return any(tail.startswith(inner) or inner.startswith(tail) for tail in tails)


def apart(tokens: list[AddedToken], normalize: Any) -> list[AddedToken]:
    """Tokens whose matched forms have no blank at an end, and where none can begin inside a single-word one."""
    forms = [(token, normalize(token.content) if token.normalized else token.content) for token in tokens]
    forms = [(token, form) for token, form in forms if form and form == form.strip() and "\u2581" not in form]
    taken = [form for _, form in forms] + ["<unk>", "<s>", "</s>"]
    return [
        token
        for token, form in forms
        if not token.single_word
        or (
            not any(
                can_start_inside(form, other) or form.startswith(other) for other in taken if other != form
            )
            and not can_start_inside(form, form)
        )
    ]


def describe(seed: int) -> tuple[dict[str, Any], list[str]]:
    """A description, and texts to try it on."""
    rng = random.Random(seed)
    specials = ["<unk>", "<s>", "</s>"]
    model, trainer = model_and_trainer(rng, specials)
    tokenizer = Tokenizer(model)
    if rng.random() < 0.7:
        tokenizer.normalizer = normalizer(rng)
    if rng.random() < 0.85:
        tokenizer.pre_tokenizer = pre_tokenizer(rng)
    learned = corpus(rng)
    try:
        tokenizer.train_from_iterator(learned, trainer)
    except BaseException as error:  # the reference panics on some corpora; those describe nothing
        if isinstance(error, KeyboardInterrupt):
            raise
        return describe(seed + 1_000_000_007)
    if rng.random() < 0.6:
        tokenizer.post_processor = post_processor(rng)
    if rng.random() < 0.7:
        tokenizer.decoder = decoder(rng)
    normalize = tokenizer.normalizer.normalize_str if tokenizer.normalizer else str
    tokenizer.add_tokens(apart(added_tokens(rng), normalize))
    if rng.random() < 0.15:
        tokenizer.enable_truncation(
            rng.randint(6, 12), stride=rng.randint(0, 2), direction=rng.choice(["left", "right"])
        )
    if rng.random() < 0.15:
        tokenizer.enable_padding(
            direction=rng.choice(["left", "right"]),
            length=rng.choice([None, 16]),
            pad_to_multiple_of=rng.choice([None, 4]),
        )
    description = json.loads(tokenizer.to_str())
    texts = [text(rng) for _ in range(8)] + [learned[0], "", " "]
    return description, texts


__all__ = ["describe", "text", "tokenizers"]
