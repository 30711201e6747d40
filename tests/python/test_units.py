"""Texts that nothing splits, by the hundred: ids as in the libraries, and as on the plain way."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import tessella

tokenizers = pytest.importorskip("tokenizers")
sentencepiece = pytest.importorskip("sentencepiece")
from sentencepiece import sentencepiece_model_pb2 as proto  # noqa: E402

MARK = "▁"
#: Characters of the vocabularies; the others are spelled in bytes.
LETTERS = ["a", "b", "c", "d", ".", "1", "é", "漢", MARK]
PARTS = [
    *LETTERS,
    *"abcd",
    " ",
    " ",
    "  ",
    "     ",
    "x",
    "\n",
    "\0",
    "ж",
    "😀",
    "字",
    "</s>",
    "<s>",
    "a b",
    "dé",
]
TEXTS = ["", " ", MARK, f"a{MARK}", "  a", "a  ", " " * 40, "abcd" * 30, "漢字" * 20, "<s>", "a<s> b</s>"]


def texts(chance: random.Random, count: int) -> list[str]:
    drawn = []
    for _ in range(count):
        few = chance.sample(PARTS, chance.randint(1, len(PARTS)))
        drawn.append("".join(chance.choices(few, k=chance.choice([1, 4, 20, 80, 700]))))
    return [*TEXTS, *drawn]


def merged(chance: random.Random, count: int) -> tuple[list[str], list[tuple[str, str]]]:
    """Tokens and a list of merges in which most tokens come about in several ways."""
    tokens = list(LETTERS)
    merges: dict[tuple[str, str], None] = {}
    while len(merges) < count:
        left, right = chance.choice(tokens), chance.choice(tokens)
        if len(left + right) <= 7 and (right[0] != MARK or chance.random() < 0.05):
            merges[left, right] = None
            if left + right not in tokens:
                tokens.append(left + right)
    for token in tokens:
        ways = [(token[:at], token[at:]) for at in range(1, len(token))]
        merges.update(dict.fromkeys(way for way in ways if way[0] in tokens and way[1] in tokens))
    listed = list(merges)
    chance.shuffle(listed)
    return tokens, listed


def description(chance: random.Random, prefix: bool, fallback: bool = True) -> str:
    tokens, merges = merged(chance, chance.choice([3, 20, 60]))
    names = [
        "<unk>",
        "<s>",
        "</s>",
        *(f"<0x{byte:02X}>" for byte in range(256 if fallback else 255)),
        *tokens,
    ]
    blanks = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [{"id": at, "content": names[at], **special} for at in range(3)],
            "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": MARK}, blanks]}
            if prefix
            else blanks,
            "pre_tokenizer": None,
            "post_processor": None,
            "decoder": None,
            "model": {
                "type": "BPE",
                "unk_token": "<unk>",
                "fuse_unk": True,
                "byte_fallback": True,
                "vocab": {token: at for at, token in enumerate(names)},
                "merges": [list(pair) for pair in merges],
            },
        }
    )


def both(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[tessella.Tokenizer, tessella.Tokenizer]:
    """By the hundred, and on the plain way."""
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    fast = tessella.load(path)
    fast.encode_ids("a")
    monkeypatch.setenv("TESSELLA_LANES", "off")
    return fast, tessella.load(path)


def columns(encoding: tessella.Encoding) -> tuple[list[object], ...]:
    return encoding.ids, encoding.offsets, encoding.tokens, encoding.word_ids


def takes_units(tokenizer: tessella.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    return any("what no token reaches over" in f"{step}" for step in tokenizer.explain_plan())


@pytest.mark.parametrize("seed", range(8))
def test_merges_of_a_list_are_those_of_the_library(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    path = tmp_path / "tokenizer.json"
    path.write_text(description(chance, prefix=seed % 4 != 3), encoding="utf-8")
    theirs = tokenizers.Tokenizer.from_file(str(path))
    fast, plain = both(path, monkeypatch)
    assert takes_units(fast, monkeypatch)
    for text in texts(chance, 60):
        whole = theirs.encode(text, add_special_tokens=False)
        expected = whole.ids
        assert plain.encode_ids(text).tolist() == expected, text
        assert fast.encode_ids(text).tolist() == expected, text
        assert fast.count(text) == len(expected)
        encoding = fast.encode(text, add_special_tokens=False)
        assert (encoding.ids, encoding.offsets, encoding.tokens) == (expected, whole.offsets, whole.tokens), (
            text
        )
        assert columns(encoding) == columns(plain.encode(text, add_special_tokens=False)), text


@pytest.mark.parametrize("seed", range(8))
def test_two_texts_of_one_id_are_both_made(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    data = json.loads(description(chance, prefix=False))
    vocabulary, merges = data["model"]["vocab"], data["model"]["merges"]
    halves = {half for pair in merges for half in pair}
    one, other = chance.sample([left + right for left, right in merges if left + right not in halves], 2)
    vocabulary[one] = vocabulary[other]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    theirs = tokenizers.Tokenizer.from_file(str(path))
    fast, plain = both(path, monkeypatch)
    for text in [one, other, one + other, *texts(chance, 60)]:
        expected = theirs.encode(text, add_special_tokens=False).ids
        assert plain.encode_ids(text).tolist() == expected, text
        assert fast.encode_ids(text).tolist() == expected, text


def test_without_a_token_for_some_byte_nothing_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    path = tmp_path / "tokenizer.json"
    path.write_text(description(chance, prefix=True, fallback=False), encoding="utf-8")
    fast, plain = both(path, monkeypatch)
    assert not takes_units(fast, monkeypatch)
    for text in texts(chance, 20):
        assert fast.encode_ids(text).tolist() == plain.encode_ids(text).tolist(), text


def sentencepiece_model(chance: random.Random, ties: str) -> bytes:
    """A BPE model; `ties` says which pieces share a score."""
    tokens, _ = merged(chance, chance.choice([10, 40]))
    lengths = range(2, 9) if chance.random() < 0.5 else chance.sample(range(2, 20), chance.randint(1, 18))
    tokens = [token for token in tokens if token.strip(MARK)] + [MARK * count for count in (1, *lengths)]
    chance.shuffle(tokens)
    model = proto.ModelProto()
    model.trainer_spec.model_type = proto.TrainerSpec.BPE
    model.trainer_spec.byte_fallback = True
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = chance.random() < 0.8
    model.normalizer_spec.remove_extra_whitespaces = False
    kinds = proto.ModelProto.SentencePiece
    model.pieces.add(piece="<unk>", score=0, type=kinds.UNKNOWN)
    model.pieces.add(piece="<s>", score=0, type=kinds.CONTROL)
    for byte in range(256):
        model.pieces.add(piece=f"<0x{byte:02X}>", score=0, type=kinds.BYTE)
    for at, token in enumerate(tokens):
        is_run = not token.strip(MARK)
        score = -1e9 if ties == "runs" and is_run else -1.0 - at % 5 if ties == "all" else -1.0 - at
        model.pieces.add(piece=token, score=score, type=kinds.NORMAL)
    return model.SerializeToString()


def are_as_in(
    theirs: sentencepiece.SentencePieceProcessor,
    fast: tessella.Tokenizer,
    plain: tessella.Tokenizer,
    text: str,
) -> None:
    """Ids are the library's on both ways, and all columns the same."""
    expected = theirs.encode(text)
    assert plain.encode_ids(text, add_special_tokens=False).tolist() == expected, text[:300]
    assert fast.encode_ids(text, add_special_tokens=False).tolist() == expected, text[:300]
    assert columns(fast.encode(text)) == columns(plain.encode(text)), text[:300]


@pytest.mark.parametrize("ties", ["none", "runs", "all"])
@pytest.mark.parametrize("seed", range(10))
def test_merges_by_scores_are_those_of_the_library(
    seed: int, ties: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    path = tmp_path / "tokenizer.model"
    path.write_bytes(sentencepiece_model(chance, ties))
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    fast, plain = both(path, monkeypatch)
    assert takes_units(fast, monkeypatch) == (ties != "all")
    for text in texts(chance, 60):
        are_as_in(theirs, fast, plain, text)


def unigram_model(chance: random.Random, ties: bool) -> bytes:
    """A Unigram model; many ways through a word come to the same sum if `ties`, and sums soon come to where they are
    counted anew."""
    tokens, _ = merged(chance, chance.choice([10, 40]))
    tokens = [token for token in tokens if chance.random() < 0.9 or token == MARK]
    model = proto.ModelProto()
    model.trainer_spec.model_type = proto.TrainerSpec.UNIGRAM
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = chance.random() < 0.8
    model.normalizer_spec.remove_extra_whitespaces = chance.random() < 0.6
    kinds = proto.ModelProto.SentencePiece
    model.pieces.add(piece="<unk>", score=0, type=kinds.UNKNOWN)
    model.pieces.add(piece="<s>", score=0, type=kinds.CONTROL)
    deep = chance.choice([1, 30])
    for token in tokens:
        score = -len(token) - 0.001 * chance.randrange(3) if ties else -chance.uniform(2, 12)
        model.pieces.add(piece=token, score=deep * score, type=kinds.NORMAL)
    for token in chance.sample(["a.", "<s>b", "字", "x1"], chance.randrange(3)):
        if token not in tokens:
            model.pieces.add(piece=token, score=0, type=kinds.USER_DEFINED)
    return model.SerializeToString()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_sums_of_scores_are_those_of_the_library(
    seed: int, ties: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    path = tmp_path / "tokenizer.model"
    path.write_bytes(unigram_model(chance, ties))
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    fast, plain = both(path, monkeypatch)
    assert takes_units(fast, monkeypatch)
    drawn = texts(chance, 60)
    # Long enough for sums of 32 bits to lose what tells ways apart, and for counting anew.
    long = ["".join(chance.choices(drawn[20:], k=300)) for _ in range(2)]
    for text in [*drawn, *long]:
        are_as_in(theirs, fast, plain, text)


#: Characters that compose, decompose, vanish, become blanks, or are no blanks but for some rule.
CHANGING = [
    "e",
    "e\u0301",
    "\u0301",
    "é",
    "и\u0306",
    "か\u3099",
    "ﬁ",
    "①",
    "\u3000",
    "\xa0",
    "\u200b",
    "\x01",
    "¨",
    "각",
    "\t",
]


@pytest.mark.parametrize("drops", [True, False])
@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc_cf", "identity"])
def test_normalized_texts_are_those_of_the_library(
    rule: str, drops: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(f"{rule} {drops}")
    sentences = [" ".join(chance.choices(["abc", "bad", "dab.", "cé", "ad1", "éa"], k=9)) for _ in range(200)]
    prefix = tmp_path / "trained"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_prefix=str(prefix),
        vocab_size=30,
        hard_vocab_limit=False,
        normalization_rule_name=rule,
        remove_extra_whitespaces=drops,
        user_defined_symbols=["<x>", "жa"],
        minloglevel=2,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    fast, plain = both(Path(f"{prefix}.model"), monkeypatch)
    assert takes_units(fast, monkeypatch)
    parts = [*CHANGING, *PARTS, "<x>", "<", "жa", "abc bad ", "漢字かな", "cé", "\ue000\ue001"]
    for _ in range(150):
        few = chance.sample(parts, chance.randint(1, 9))
        text = "".join(chance.choices(few, k=chance.choice([1, 4, 20, 80, 300])))
        are_as_in(theirs, fast, plain, text)


#: Single characters as symbols: with rules of their own and before others, unknown otherwise, blanks, parts of longer symbols.
SINGLE = [
    ".",
    "-",
    "a",
    "e",
    "é",
    "①",
    "ﬁ",
    "ж",
    "☃",
    "😀",
    "\u3000",
    "\xa0",
    "\u0301",
    "<",
    "か",
    "각",
    "¨",
    " ",
]


@pytest.mark.parametrize("drops", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_symbols_of_one_character_stay_as_in_the_library(
    seed: int, drops: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    words = ["abc", "bad-", "dab.", "cé", "ad1", "é-a", "e<"]
    prefix = tmp_path / "trained"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([" ".join(chance.choices(words, k=9)) for _ in range(200)]),
        model_prefix=str(prefix),
        vocab_size=30,
        hard_vocab_limit=False,
        normalization_rule_name=chance.choice(["nmt_nfkc", "nfkc_cf", "identity"]),
        remove_extra_whitespaces=drops,
        minloglevel=2,
    )
    model = proto.ModelProto()
    path = Path(f"{prefix}.model")
    model.ParseFromString(path.read_bytes())
    known = {piece.piece: piece for piece in model.pieces}
    for symbol in [*chance.sample(SINGLE, 6), *chance.sample(["<x>", "жa", " -", ".."], seed % 4)]:
        piece = known.get(symbol) or model.pieces.add(piece=symbol, score=0)
        piece.type = proto.ModelProto.SentencePiece.USER_DEFINED
    path.write_bytes(model.SerializeToString())
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    fast, plain = both(path, monkeypatch)
    assert takes_units(fast, monkeypatch)
    parts = [*CHANGING, *SINGLE, *words, "<x>", "..", "жa", "abc bad ", "cé.-", "☃" * 20, "漢字", " - "]
    for _ in range(120):
        few = chance.sample(parts, chance.randint(1, 9))
        text = "".join(chance.choices(few, k=chance.choice([1, 4, 20, 80, 300])))
        are_as_in(theirs, fast, plain, text)
