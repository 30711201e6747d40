"""Much text by its words, in all that may stand around them: ids, tokens, offsets and words as the reference library gives."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tessella

tokenizers = pytest.importorskip("tokenizers")
sentencepiece = pytest.importorskip("sentencepiece")
from sentencepiece import sentencepiece_model_pb2 as proto  # noqa: E402

#: Characters that vanish, join, become blanks, others or several.
RULES = "200D\t20\nAD\t\nFB01\t66 69\nE9\t65\n200B\t20\n20 308\t78\n304B 3099\t304C\n"
PARTS = [
    *(
        "a",
        "b",
        "é",
        "e\u0301",
        "ﬁ",
        "\u00ad",
        "\u200b",
        "\u0308",
        "か\u3099",
        " ",
        "  ",
        "\n",
        "\r\n",
        ".",
        "x",
    ),
    *(
        "\x01",
        "\u302e",
        "½",
        "İ",
        "ǆ",
        "漢",
        "😀",
        "\u200d",
        "\u0301",
        "▁",
        " \u0308",
        "\u3000",
        "Ａ",
        "①",
        "#",
    ),
]
PIECES = ["a", "b", "e", "é", "f", "fi", "x", "漢", ".", "#", "▁"]


@pytest.fixture(scope="module")
def charsmap(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder: Path = tmp_path_factory.mktemp("charsmap")
    (folder / "rules.tsv").write_text(RULES, encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["abc bad dab", "dab ce abc"] * 50),
        model_prefix=str(folder / "trained"),
        vocab_size=20,
        hard_vocab_limit=False,
        normalization_rule_tsv=str(folder / "rules.tsv"),
        minloglevel=2,
    )
    model = proto.ModelProto()
    model.ParseFromString((folder / "trained.model").read_bytes())
    found: bytes = model.normalizer_spec.precompiled_charsmap
    return found


def normalizers(library: Any, charsmap: bytes) -> list[Callable[[], Any]]:
    of = library.normalizers
    return [
        lambda: of.Precompiled(charsmap),
        lambda: of.Sequence([of.NFKD(), of.StripAccents(), of.Precompiled(charsmap)]),
        lambda: of.Sequence([of.Precompiled(charsmap), of.Lowercase()]),
        lambda: of.Sequence([of.NFKC(), of.Lowercase()]),
        lambda: of.Sequence([of.NFD(), of.StripAccents()]),
        lambda: of.BertNormalizer(),
        lambda: of.Lowercase(),
        lambda: None,
        lambda: of.Sequence([of.NFD(), of.Lowercase(), of.StripAccents()]),
        # What transformers makes of SentencePiece's models.
        lambda: of.Sequence(
            [
                of.Precompiled(charsmap),
                of.Strip(left=False, right=True),
                of.Replace(library.Regex(" {2,}"), "▁"),
            ]
        ),
        lambda: of.Sequence([of.Strip(), of.Precompiled(charsmap), of.Replace(library.Regex(" {2,}"), " ")]),
        lambda: of.Sequence([of.Nmt(), of.NFKC(), of.Replace(library.Regex(" {2,}"), " ")]),
        lambda: of.Sequence([of.Nmt(), of.Strip(left=True, right=False)]),
        lambda: of.Replace(" ", "▁"),
        lambda: of.Sequence([of.Prepend("▁"), of.Replace(" ", "▁")]),
        lambda: of.Sequence([of.NFKC(), of.Lowercase(), of.Prepend("▁"), of.Replace(" ", "▁")]),
        lambda: of.Sequence([of.NFC(), of.Replace(library.Regex(r"\s+"), " "), of.Lowercase()]),
    ]


def pre_tokenizers(library: Any) -> list[Callable[[], Any]]:
    of = library.pre_tokenizers
    return [
        lambda: of.WhitespaceSplit(),
        lambda: of.BertPreTokenizer(),
        lambda: of.Metaspace(),
        lambda: of.Sequence([of.WhitespaceSplit(), of.Metaspace()]),
        lambda: of.Sequence([of.BertPreTokenizer(), of.Metaspace()]),
        lambda: of.Sequence([of.BertPreTokenizer(), of.Metaspace(prepend_scheme="never")]),
        lambda: of.Whitespace(),
        lambda: of.Metaspace(split=False),
        lambda: of.Metaspace(split=False, prepend_scheme="first"),
        lambda: of.Split(" ", "merged_with_previous"),
        lambda: None,
        lambda: of.Sequence([of.Whitespace(), of.Digits(individual_digits=True)]),
        lambda: of.Sequence(
            [of.Split(library.Regex(r"\w+|[^\w\s]"), "removed", invert=True), of.Punctuation()]
        ),
        lambda: of.Sequence([of.WhitespaceSplit(), of.ByteLevel(add_prefix_space=False)]),
    ]


def models(library: Any, tokens: list[str]) -> list[Callable[[], Any]]:
    of = library.models
    scored = [(token, -1.0 - at * 7 % 13 / 3) for at, token in enumerate(tokens)]
    inner = tokens + ["##" + token for token in tokens[1:15]]
    return [
        lambda: of.WordLevel({token: at for at, token in enumerate(tokens)}, "[UNK]"),
        lambda: of.WordPiece({token: at for at, token in enumerate(inner)}, unk_token="[UNK]"),
        lambda: of.Unigram(scored, 0, False),
        lambda: of.Unigram(scored, 0, True),
        lambda: merging(of, tokens),
    ]


def merging(of: Any, tokens: list[str]) -> Any:
    """A BPE model whose tokens of two parts are merges."""
    letters = dict.fromkeys(["[UNK]", *PIECES, *(f"<0x{byte:02X}>" for byte in range(256))])
    vocab = {token: at for at, token in enumerate(letters)}
    merges = []
    for token in tokens[1:]:
        for cut in range(1, len(token)):
            if token not in vocab and token[:cut] in vocab and token[cut:] in vocab:
                merges.append((token[:cut], token[cut:]))
                vocab[token] = len(vocab)
    return of.BPE(
        vocab, merges, unk_token="[UNK]", byte_fallback=len(merges) % 2 == 0, fuse_unk=len(merges) % 3 == 0
    )


#: Some that are looked for behind the normalizer.
ADDED = ["ab", "b a", "xx", "É", ". .", "#b"]


def make(
    library: Any, charsmap: bytes, tokens: list[str], which: tuple[int, int, int], added: list[str]
) -> Any:
    tokenizer = library.Tokenizer(models(library, tokens)[which[0]]())
    tokenizer.normalizer = normalizers(library, charsmap)[which[1]]()
    tokenizer.pre_tokenizer = pre_tokenizers(library)[which[2]]()
    tokenizer.add_tokens([library.AddedToken(token, normalized=True) for token in added])
    return tokenizer


#: What replaces several blanks stands for all of them here, and for the last one there (docs/differences.md, 1).
OTHER_OFFSETS = (9, 10, 11, 16)


def columns(encoding: Any, normalizer: int) -> tuple[list[object], ...]:
    offsets = encoding.offsets if normalizer not in OTHER_OFFSETS else [len(encoding.offsets)]
    return encoding.ids, encoding.tokens, offsets, encoding.word_ids


@pytest.mark.parametrize("model", range(5))
@pytest.mark.parametrize("normalizer", range(17))
def test_words_are_those_of_the_library(
    model: int, normalizer: int, charsmap: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    chance = random.Random(f"{model} {normalizer}")
    for cut in range(14):
        added = chance.sample(ADDED, chance.choice([0, 0, 1, 2]))
        drawn = ("".join(chance.choices(PIECES, k=chance.randrange(1, 4))) for _ in range(30))
        tokens = list(dict.fromkeys(["[UNK]", *drawn]))
        ours, theirs = (
            make(library, charsmap, tokens, (model, normalizer, cut), added)
            for library in (tessella, tokenizers)
        )
        for _ in range(20):
            few = chance.choices(PARTS, k=chance.randrange(1, 7))
            text = "".join(chance.choices(few, k=chance.choice([3, 10, 40, 200])))
            expected = theirs.encode(text)
            for _ in range(2):
                assert columns(ours.encode(text), normalizer) == columns(expected, normalizer), text
                assert ours.encode_ids(text).tolist() == expected.ids, text
