"""Small tokenizers of all kinds, and texts that are hard for them."""

import random

import pytest
from tessella import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from tessella.reference.metrics import WORD

TEXTS = [
    "the low lower lowest newer wider tiles, naïve café — 東京",
    "In 1984 there were 1234567 tiles, 12 of them 007; 3.14159",
    "Ein naiver Käfer   saß\tim Gras.",
    "Привет, мир! Это тест 2024 года.",
    "مرحبا بالعالم 👩‍👩‍👧 🇩🇪 e\u0301",
    "low",
    "",
    "   ",
    "def f(x):\n    return x[12] + 1000000",
    "日本語のテキスト　と 空白\u2003です\x1c",
]


def texts(seed, number=60):
    """Random texts out of the words of `TEXTS`, and letters of all kinds."""
    rng = random.Random(seed)
    words = " ".join(TEXTS).split(" ")
    letters = "ab é東👩\u200d\n0123456789\u0301\x00ß"
    made = []
    for _ in range(number):
        some = rng.choices(words, k=rng.randint(0, 12))
        some += ["".join(rng.choices(letters, k=rng.randint(0, 6))) for _ in range(rng.randint(0, 3))]
        made.append(" ".join(some))
    return made


def standing(text, encoding):
    """Offsets, without width where a blank that was put in front has those of the character behind it."""
    found = []
    for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True):
        has_blank = any(one in "▁Ġ" or not WORD.match(one) for one in text[start:end])
        found.append((start, end) if token.strip(" ▁") or has_blank else (start, start))
    return found


def byte_level():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    return tokenizer


def wordpiece():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=90, special_tokens=["[UNK]"], limit_alphabet=30, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    return tokenizer


def metaspace():
    letters = sorted(set("".join(TEXTS).replace(" ", "▁")) - set("東京ä"))
    vocab = [("<unk>", 0.0)] + [(letter, -6.0) for letter in letters]
    vocab += [(word, -4.0) for word in ("▁low", "er", "▁the", "▁t", "ile")]
    vocab += [(f"<0x{byte:02X}>", -9.0) for byte in range(256)]
    tokenizer = Tokenizer(models.Unigram(vocab, unk_id=0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Fuse(), decoders.Replace("▁", " "), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


@pytest.fixture(scope="session")
def tokenizers():
    return {"bytes": byte_level(), "pieces": wordpiece(), "unigram": metaspace()}
