"""A tokenizer that was changed step by step does what one does that is made as it is now: nothing is kept of what it was."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
from tessella import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

_TEXTS = ["Ab ab AB É é x", "b_a  <S>ab<s> É\u0301ab", "", "aB É" * 30, "éab e\u0301AB bab"]
_WORDS = ["[UNK]", "a", "b", "ab", "AB", "É", "é", "e", "##b", "##a", "▁", "_", "x", "s", "<", ">", "S", " "]


def _models() -> list[Callable[[], models.Model]]:
    vocab = {word: at for at, word in enumerate(_WORDS)}
    scores = [(word, -1.0 - at % 5) for at, word in enumerate(_WORDS)]
    return [
        lambda: models.WordLevel(vocab, unk_token="[UNK]"),
        lambda: models.WordPiece(vocab, unk_token="[UNK]"),
        lambda: models.BPE(vocab, [("a", "b")], unk_token="[UNK]"),
        lambda: models.Unigram(scores, unk_id=0),
    ]


def _change(tokenizer: Tokenizer, rng: random.Random) -> str:
    special = AddedToken(
        rng.choice(["AB", "ab", "É", "<s>", "b_a", "x", " a"]),
        normalized=rng.random() < 0.7,
        lstrip=rng.random() < 0.3,
        rstrip=rng.random() < 0.3,
        single_word=rng.random() < 0.3,
    )
    template = processors.TemplateProcessing(single="$A a", pair="$A a $B a", special_tokens=[("a", 1)])
    components = {
        "model": _models(),
        "normalizer": [
            lambda: None,
            normalizers.Lowercase,
            lambda: normalizers.Replace("a", "b"),
            lambda: normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
            lambda: normalizers.Prepend("_"),
        ],
        "pre_tokenizer": [
            lambda: None,
            pre_tokenizers.Whitespace,
            pre_tokenizers.WhitespaceSplit,
            pre_tokenizers.Metaspace,
        ],
        "post_processor": [lambda: None, lambda: template],
        "decoder": [lambda: None, decoders.Fuse, decoders.Metaspace, decoders.WordPiece],
    }
    other: dict[str, Callable[[], object]] = {
        "add_tokens": lambda: tokenizer.add_tokens([special]),
        "add_special_tokens": lambda: tokenizer.add_special_tokens([special]),
        "enable_truncation": lambda: tokenizer.enable_truncation(rng.randrange(2, 9)),
        "no_truncation": tokenizer.no_truncation,
        "enable_padding": lambda: tokenizer.enable_padding(length=rng.randrange(1, 12)),
        "no_padding": tokenizer.no_padding,
    }
    name = rng.choice([*components, *components, *other])
    if name in components:
        setattr(tokenizer, name, rng.choice(components[name])())
    else:
        other[name]()
    return name


def _does(tokenizer: Tokenizer) -> list[object]:
    done: list[object] = [tokenizer.explain_plan(), sorted(tokenizer.get_vocab().items())]
    for text in _TEXTS:
        encoding = tokenizer.encode(text)
        done += [encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids]
        done += [encoding.attention_mask, encoding.special_tokens_mask]
        done += [tokenizer.encode_ids(text).tolist(), tokenizer.count(text), tokenizer.decode(encoding.ids)]
    done += [pair.ids for pair in tokenizer.encode_batch(list(itertools.pairwise(_TEXTS)))]
    return done


@pytest.mark.parametrize("seed", range(20))
def test_changed_and_made(seed: int) -> None:
    rng = random.Random(seed)
    tokenizer = Tokenizer(rng.choice(_models())())
    changes = []
    for _ in range(15):
        changes.append(_change(tokenizer, rng))
        assert _does(tokenizer) == _does(Tokenizer.from_str(tokenizer.to_str())), changes
