"""Explanations: their ids are those of encoding, and their stories end where the tokens are."""

import json
import random

import pytest
import tessella
from hypothesis import given, settings
from hypothesis import strategies as st
from tessella import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors
from tessella.explain import Lattice, LongestMatch, Lookup, Merges

from tests.conformance import texts

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
PAIRS = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("in", "g"), ("a", "a"), ("aa", "a"), ("a", "b")]


def _vocab(first, pairs):
    return {token: id for id, token in enumerate(dict.fromkeys([*first, *(a + b for a, b in pairs)]))}


def byte_level():
    made = Tokenizer(models.BPE(_vocab(ALPHABET, PAIRS), PAIRS))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return made


def ignoring_merges():
    vocab = {**_vocab(ALPHABET, PAIRS), "theing": 400}
    made = Tokenizer(models.BPE(vocab, PAIRS, ignore_merges=True))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


def suffixes():
    first = [*"abthein", *(f"{c}</w>" for c in "abthein"), "<unk>"]
    pairs = [("t", "h"), ("th", "e</w>"), ("a", "b"), ("ab", "a</w>"), ("i", "n</w>")]
    model = models.BPE(
        _vocab(first, pairs), pairs, unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=True
    )
    made = Tokenizer(model)
    made.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase()])
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    return made


def byte_fallback():
    first = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁abtheing"]
    pairs = [("t", "h"), ("th", "e"), ("▁", "the"), ("a", "b"), ("▁", "▁")]
    model = models.BPE(_vocab(first, pairs), pairs, unk_token="<unk>", byte_fallback=True)
    made = Tokenizer(model)
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return made


def gaps():
    return Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))


def word_piece():
    pieces = ["[UNK]", "the", "th", "a", "##a", "##e", "##b", "##ab", "in", "##g", ".", "é", "[CLS]", "[SEP]"]
    vocab = {piece: id for id, piece in enumerate(pieces)}
    model = models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=9)
    made = Tokenizer(model)
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 13), ("[CLS]", 12))
    return made


def word_level():
    made = Tokenizer(models.WordLevel({"the": 0, "a": 1, "?": 2}, "?"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def unigram():
    entries = [
        ("<unk>", 0.0),
        ("▁", -2.0),
        ("▁the", -3.0),
        ("t", -4.1),
        ("h", -4.2),
        ("e", -4.3),
        ("the", -3.3),
    ]
    entries += [
        ("a", -2.5),
        ("aa", -4.5),
        ("ab", -4.6),
        ("b", -3.1),
        ("in", -3.2),
        ("ing", -3.4),
        ("é", -6.0),
    ]
    made = Tokenizer(models.Unigram(entries, 0))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    return made


KINDS = [byte_level, ignoring_merges, suffixes, byte_fallback, gaps, word_piece, word_level, unigram]


def prepared(make):
    made = make()
    made.add_special_tokens(["[M]", AddedToken("[X]", lstrip=True)])
    made.add_tokens([AddedToken("Aé", normalized=True), AddedToken("ab", single_word=True)])
    return made


TOKENIZERS = {make.__name__: prepared(make) for make in KINDS}

CHARACTERS = st.text("abthein gé日🙂.\n\t1AE\u0301▁\x00", max_size=25)
TEXTS = st.lists(
    st.one_of(CHARACTERS, st.sampled_from(["the ", "[M]", "  [X]", "Aé", " ab ", "ing"])), max_size=6
).map("".join)


def agrees(tokenizer, text):
    """What must hold of every explanation."""
    explained = tokenizer.explain(text)
    assert explained.ids == tokenizer.encode(text).ids
    plain = tokenizer.encode(text, add_special_tokens=False, truncation=False, padding=False)
    (steps,) = explained.sequences
    told = [token for piece in steps.pieces for token in piece.tokens]
    assert [token.id for token in told] == plain.ids
    assert [(token.start, token.end) for token in told] == plain.offsets
    assert [stage.pieces[0].text for stage in steps.stages[:1]] == [text]
    for stage in steps.stages:
        for piece in stage.pieces:
            assert 0 <= piece.start <= piece.end <= len(text)
    return steps


def story_ends_at_its_tokens(tokenizer, steps):
    model = tokenizer.model
    unknown = model.token_to_id(str(getattr(model, "unk_token", None) or "<unk>"))
    for piece in steps.pieces:
        if piece.piece.added is not None:
            assert [token.id for token in piece.tokens] == [piece.piece.added]
            continue
        ends = [model.token_to_id(token) for token in piece.derivation.tokens]
        ends = [unknown if id is None else id for id in ends]
        assert ends == [token.id for token in piece.tokens], piece


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=40, deadline=None)
@given(text=TEXTS)
def test_the_ids_are_those_of_encoding(name, text):
    tokenizer = TOKENIZERS[name]
    story_ends_at_its_tokens(tokenizer, agrees(tokenizer, text))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_it_can_be_shown(name):
    tokenizer = TOKENIZERS[name]
    explained = tokenizer.explain("the [M] <b>abaa 日\n\x1b[31m", "in")
    for width in (30, 100):
        lines = explained.render(color=False, width=width).split("\n")
        assert max(map(len, lines)) <= width
        assert not any("\x1b" in line for line in lines)
    assert "\x1b[" in explained.render(color=True)
    page = explained.to_html()
    assert "<b>" not in page and "<script" not in page
    assert page.count("<details>") == page.count("</details>") >= 2
    data = json.loads(json.dumps(explained.to_dict()))
    assert data["ids"] == explained.ids
    assert data["sequences"][1]["text"] == "in"
    kinds = {
        piece["derivation"]["kind"] for s in data["sequences"] for piece in s["pieces"] if piece["derivation"]
    }
    assert len(kinds) == 1


def test_colors_are_asked_for(monkeypatch):
    explained = TOKENIZERS["gaps"].explain("ab")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b" not in str(explained)
    monkeypatch.setattr("sys.stdout", type("Screen", (), {"isatty": lambda self: True})())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" in str(explained)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in str(explained)


def test_merges_and_those_that_wait():
    steps = TOKENIZERS["byte_level"].explain("thing the").sequences[0]
    first = steps.pieces[0].derivation
    assert isinstance(first, Merges)
    assert first.symbols == ("Ġ", "t", "h", "i", "n", "g")
    assert [(merge.chosen.result, merge.chosen.rank) for merge in first.merges] == [
        ("th", 0),
        ("in", 3),
        ("ing", 4),
    ]
    assert [one.result for one in first.merges[0].losing] == ["in"]
    assert first.tokens == ("Ġ", "th", "ing")
    whole = TOKENIZERS["ignoring_merges"].explain("theing").sequences[0].pieces[0].derivation
    assert whole.whole and whole.tokens == ("theing",)


def test_merges_follow_their_rule():
    tokenizer = TOKENIZERS["byte_level"]
    chosen = random.Random(1)
    for _ in range(200):
        text = "".join(chosen.choices("thingab ", k=12))
        for piece in tokenizer.explain(text).sequences[0].pieces:
            if piece.derivation is None:
                continue
            for merge in piece.derivation.merges:
                best = (merge.chosen.rank, merge.chosen.position)
                assert all((one.rank, one.position) > best for one in merge.losing)


def test_longest_matches():
    told = TOKENIZERS["word_piece"].explain("thab thx aaaaaaaaaa").sequences[0].pieces
    assert all(isinstance(piece.derivation, LongestMatch) for piece in told)
    first, second, third = (piece.derivation for piece in told)
    assert [match.tried for match in first.matches] == [("thab", "tha", "th"), ("##ab",)]
    assert first.tokens == ("th", "##ab") and first.unknown is None
    assert second.unknown == "no entry begins with ##x" and second.matches[-1].found is None
    assert third.unknown == "it has 10 characters, more than the 9 that the model looks at"


def test_the_lattice():
    told = TOKENIZERS["unigram"].explain("the", n_best=4).sequences[0].pieces[0].derivation
    assert isinstance(told, Lattice)
    assert told.tokens == ("▁the",)
    scores = [path.score for path in told.paths]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True)
    by_token = {edge.token: edge.score for edge in told.edges}
    for path in told.paths:
        assert sum(by_token[token] for token in path.tokens) == pytest.approx(path.score)
    assert {(edge.start, edge.end) for edge in told.edges} >= {(0, 1), (0, 4), (1, 4)}


def test_each_way_through_a_lattice_is_other_tokens():
    """A run of unknown letters that is spelled as an entry was a way of its own, which reads the same."""
    vocab = [("<unk>", 0.0), ("xy", -1.0), ("a", -1.5), ("b", -2.0), ("ab", -3.0)]
    tokenizer = Tokenizer(models.Unigram(vocab, 0))
    for text, wanted in (
        ("axyb", [("a", "xy", "b")]),
        ("xyabxy", [("xy", "ab", "xy"), ("xy", "a", "b", "xy")]),
    ):
        (piece,) = tokenizer.explain(text).sequences[0].pieces
        assert [path.tokens for path in piece.derivation.paths] == wanted
        assert list(piece.derivation.paths[0].tokens) == tokenizer.encode(text).tokens


def test_a_look_into_a_table():
    told = TOKENIZERS["word_level"].explain("the dog").sequences[0].pieces
    assert [piece.derivation for piece in told] == [Lookup(True, ("the",)), Lookup(False, ("?",))]


def test_stages_have_names():
    names = [stage.name for stage in TOKENIZERS["suffixes"].explain("É1 [M] AÉ x").sequences[0].stages]
    assert names == [
        "text",
        "added tokens",
        "normalizer NFD",
        "normalizer Lowercase",
        "added tokens in normalized text",
        "pre-tokenizer Whitespace",
        "pre-tokenizer Digits",
    ]


def test_chance_is_told():
    tokenizer = byte_level()
    tokenizer.model = models.BPE(_vocab(ALPHABET, PAIRS), PAIRS, dropout=0.5)
    for _ in range(20):
        explained = tokenizer.explain("the thing")
        told = [token.id for piece in explained.sequences[0].pieces for token in piece.tokens]
        assert explained.ids == told
        assert explained.chance.startswith("dropout of 0.5")
    assert "dropout" in str(explained)


def test_truncation_and_padding_count():
    tokenizer = word_piece()
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=6)
    explained = tokenizer.explain("the the the the")
    assert explained.ids == tokenizer.encode("the the the the").ids
    assert len(explained.sequences[0].pieces) == 4


def test_special_tokens_as_text():
    tokenizer = prepared(byte_level)
    tokenizer.encode_special_tokens = True
    agrees(tokenizer, "a [M] Aé")


def test_long_pieces_are_not_told():
    told = TOKENIZERS["gaps"].explain("x ab " * 1000).sequences[0].pieces
    assert any(piece.derivation is None and piece.piece.added is None for piece in told) or len(told) > 1000
    long = Tokenizer(models.BPE({"a": 0, "aa": 1}, [("a", "a")])).explain("a" * 5000)
    assert long.sequences[0].pieces[0].derivation is None
    assert "too long to show how" in str(long)


@pytest.mark.parametrize(
    "name",
    [
        "bert-uncased.json",
        "gpt2.json",
        "llama2.json",
        "clip_base.json",
        "xlnet_base_cased.json",
        "llama2.model",
        "nai-t5.model",
        "o200k_base.tiktoken",
    ],
)
def test_real_tokenizers(name):
    folder = texts.folder("TESSELLA_MODELS")
    if folder is None or not (folder / name).exists():
        pytest.skip("TESSELLA_MODELS names no folder with this file")
    tokenizer = tessella.load(folder / name)
    chosen = random.Random(2)
    parts = [
        "the ",
        "Hello",
        "ing",
        "é",
        " ",
        "日本",
        "\n",
        "123",
        "🙂",
        "<s>",
        "[MASK]",
        "e\u0301",
        "ﬁ",
        "▁",
    ]
    for _ in range(6):
        steps = agrees(tokenizer, "".join(chosen.choices(parts, k=8)))
        if name.endswith(".json"):
            story_ends_at_its_tokens(tokenizer, steps)
