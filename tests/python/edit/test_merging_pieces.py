"""SentencePiece models merged as such: their own library gives the same ids for what is saved."""

import random
from dataclasses import replace
from math import exp, fsum

import pytest
import tessella
from tessella import edit, models
from tessella.compat import sentencepiece
from tessella.edit.piece_file import NORMAL
from tessella.edit.pipeline import Pipeline
from tessella.errors import ArgumentError, UnsupportedError

ONE = ["low lower lowest tile tiles", "naïve café 1984"] * 30
OTHER = ["newer wider tiles", "東京 tower tiles lowest"] * 30
TEXTS = [*ONE[:2], *OTHER[:2], "  tile 東京 zzz  lower [x]low", ""]


def trained(folder, name, corpus, kind, **options):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus),
        model_prefix=str(folder / name),
        model_type=kind,
        hard_vocab_limit=False,
        minloglevel=2,
        **{"vocab_size": 45, **options},
    )
    return tessella.load(folder / f"{name}.model")


def scores(tokenizer):
    return {
        piece.text: piece.score
        for piece in Pipeline(tokenizer).vocabulary.entries.values()
        if piece.kind == NORMAL
    }


def assert_as_their_library(tokenizer, folder):
    reference = pytest.importorskip("sentencepiece")
    tokenizer.save(folder / "merged.model")
    processor = reference.SentencePieceProcessor(str(folder / "merged.model"))
    for text in TEXTS:
        assert tokenizer.encode(text, add_special_tokens=False).ids == processor.encode(text)


@pytest.mark.parametrize("kind", ["unigram", "bpe", "word", "char"])
def test_all_pieces_of_both_are_there(tmp_path, kind):
    made = [trained(tmp_path, name, corpus, kind) for name, corpus in (("a", ONE), ("b", OTHER))]
    merged = edit.merge(*made, when_conflicting="first")
    vocab = merged.tokenizer.get_vocab()
    assert set(vocab) == {*made[0].get_vocab(), *made[1].get_vocab()}
    for tokenizer, id_map in zip(made, (merged.id_map, merged.other_map), strict=True):
        assert all(id_map[id] == vocab[token] for token, id in tokenizer.get_vocab().items())
    assert_as_their_library(merged.tokenizer, tmp_path)


def test_unigram_scores_are_those_of_the_mixture(tmp_path):
    one = trained(tmp_path, "a", ONE, "unigram", user_defined_symbols=["[x]"])
    two = trained(tmp_path, "b", OTHER, "unigram", user_defined_symbols=["[x]", "[y]"])
    merged = edit.merge(one, two, weight=0.25)
    mine, theirs, found = scores(one), scores(two), scores(merged.tokenizer)
    sums = [fsum(map(exp, each.values())) for each in (mine, theirs)]
    assert set(found) == {*mine, *theirs}
    for piece, score in found.items():
        parts = [exp(each[piece]) if piece in each else 0 for each in (mine, theirs)]
        assert exp(score) == pytest.approx(0.75 * parts[0] + 0.25 * parts[1] * sums[0] / sums[1], rel=1e-5)
    ids = merged.tokenizer.encode("a[y]b[x]", add_special_tokens=False).tokens
    assert {"[x]", "[y]"} <= set(ids)
    assert_as_their_library(merged.tokenizer, tmp_path)


def test_pieces_of_bpe_keep_both_orders(tmp_path):
    draw = random.Random(3)
    words = ["".join(draw.choice("lowst") for _ in range(draw.randint(2, 6))) for _ in range(60)] * 3
    one = trained(tmp_path, "a", words, "bpe", vocab_size=60)
    # The second is the first without some of its pieces, and with others: nothing contradicts.
    leaves = {piece for piece in scores(one) if len(piece) > 3}
    two = edit.remove(one, leaves).tokenizer if leaves else one
    two = edit.merge(two, trained(tmp_path, "b", ["xyzxyz xyz xy"] * 9, "bpe", vocab_size=12)).tokenizer
    merged = edit.merge(one, two)
    found = scores(merged.tokenizer)
    assert leaves and {"xy", *scores(one)} <= set(found)
    for each in (one, two):
        order = sorted(
            (piece for piece in scores(each) if len(piece) > 1), key=lambda one: -scores(each)[one]
        )
        assert order == sorted(order, key=lambda piece: -found[piece])
    for text in words[:20]:
        # No new piece can stand in these texts.
        assert merged.tokenizer.encode(text).ids == one.encode(text).ids
    assert_as_their_library(merged.tokenizer, tmp_path)


def test_orders_that_contradict_are_named(tmp_path):
    one = trained(tmp_path, "a", ["ab ab ab cd cd"] * 9, "bpe", vocab_size=14)
    two = trained(tmp_path, "b", ["cd cd cd ab ab"] * 9, "bpe", vocab_size=14)
    with pytest.raises(ArgumentError, match=r"pieces stand in opposite orders, such as `.+` before `.+`"):
        edit.merge(one, two)
    merged = edit.merge(one, two, when_conflicting="first")
    assert merged.conflicts and "come in the first one's order" in merged.notes[0]
    order = [piece for piece in scores(one) if len(piece) > 1]
    assert order == sorted(order, key=lambda piece: -scores(merged.tokenizer)[piece])


def with_scores(tokenizer, folder, changes):
    pipeline = Pipeline(tokenizer)
    entries = pipeline.vocabulary.entries
    for id, piece in entries.items():
        entries[id] = replace(piece, score=changes.get(piece.text, piece.score))
    return pipeline.build()


def test_pieces_of_the_same_score_stay_so(tmp_path):
    """As the rows of blanks of Llama do."""
    one = trained(tmp_path, "a", ["ab ab ab cd cd"] * 9, "bpe", vocab_size=14)
    one = with_scores(one, tmp_path, {"ab": -1e9, "cd": -1e9})
    two = trained(tmp_path, "b", ["xy xy xyz"] * 9, "bpe", vocab_size=12)
    found = scores(edit.merge(one, two).tokenizer)
    assert found["ab"] == found["cd"] != found["xy"]
    assert_as_their_library(edit.merge(one, two).tokenizer, tmp_path)
    # In the second model another piece comes between them.
    made = edit.merge(one, two).tokenizer
    between = with_scores(made, tmp_path, {"ab": -2000.0, "xy": -2001.0, "cd": -2002.0})
    with pytest.raises(UnsupportedError, match="have the same score in one model"):
        edit.merge(one, between)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"model_type": "bpe"}, "`kind of model`"),
        ({"add_dummy_prefix": False}, r"`normalizer\.add_dummy_prefix`: 1 and 0"),
        ({"normalization_rule_name": "identity"}, r"`normalizer\.precompiled_charsmap`"),
        ({"unk_piece": "[UNK]"}, "`the name of <unk>`: b'<unk>' and b'\\[UNK\\]'"),
        ({"control_symbols": ["▁low"]}, "the piece `▁low` is of another kind in each model"),
    ],
)
def test_models_that_mean_other_things_are_refused(tmp_path, options, why):
    one = trained(tmp_path, "a", ONE, "unigram", user_defined_symbols=["▁low"])
    kind = options.pop("model_type", "unigram")
    with pytest.raises(ArgumentError, match=why):
        edit.merge(one, trained(tmp_path, "b", ONE, kind, **options))


def test_a_model_and_a_tokenizer_json_are_two_kinds(tmp_path):
    one = trained(tmp_path, "a", ONE, "unigram")
    other = tessella.Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0))
    with pytest.raises(UnsupportedError, match="no common vocabulary"):
        edit.merge(one, other)
