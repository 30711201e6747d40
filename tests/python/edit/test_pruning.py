"""Tokens taken away by rules: leaves first, least frequent first."""

import json
import random

import numpy as np
import pytest
from tessella import Tokenizer, decoders, edit, load, models, recipes
from tessella.errors import ArgumentError

from .random_tokenizers import KINDS, bpe, sentencepiece_model, texts
from .test_removing import SEEDS, check_unchanged, encoded


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("seed", SEEDS)
def test_texts_without_pruned_tokens_stay(kind, seed):
    old = KINDS[kind](seed)
    edited = edit.prune(old, corpus=texts(seed + 1), least=random.Random(seed).randint(1, 9))
    assert set(old.get_vocab()) >= set(edited.tokenizer.get_vocab())
    assert check_unchanged(edited, texts(seed)) or not edited.id_map.is_exact
    for letter in "abcd":
        assert (old.token_to_id(letter) is None) == (edited.tokenizer.token_to_id(letter) is None)


def leaves_by_hand(tokenizer, corpus, number):
    """One after the other: the leaf whose occurrences are least, those of what was pruned passed on."""
    vocab, merges = tokenizer.model._state()["vocab"], tokenizer.model._state()["merges"]
    merges = [merge.split(" ") if isinstance(merge, str) else list(merge) for merge in merges]
    counts = dict.fromkeys(vocab, 0)
    for text in corpus:
        for token in tokenizer.encode(text, add_special_tokens=False).tokens:
            counts[token] += 1
    gone = []
    for _ in range(number):
        used = {part for merge in merges for part in merge}
        leaves = [token for token in counts if len(token) > 1 and token not in used and token != "<unk>"]
        least = min(leaves, key=lambda token: (counts[token], -vocab[token]))
        first = next((merge for merge in merges if "".join(merge) == least), None)
        for part in first or ():
            counts[part] += counts[least]
        merges = [merge for merge in merges if "".join(merge) != least]
        del counts[least]
        gone.append(least)
    return set(gone)


@pytest.mark.parametrize("seed", range(12))
def test_leaves_go_as_they_would_by_hand(seed):
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcd", k=draw.randint(1, 8))) for _ in range(200)]
    old = Tokenizer(models.BPE())
    from tessella.trainers import BpeTrainer

    old.train_from_iterator(words, BpeTrainer(vocab_size=60, show_progress=False))
    corpus = draw.sample(words, 50)
    edited = edit.prune(old, 60 - 30, corpus)
    assert set(old.get_vocab()) - set(edited.tokenizer.get_vocab()) == leaves_by_hand(old, corpus, 30)


@pytest.fixture(scope="module")
def trained():
    corpus = ["low lower lowest newer wider", "naïve café", "東京 東京都 tōkyō", "1984 1985"] * 20
    return recipes.get("gpt2").train(corpus, vocab_size=330), corpus


def test_a_size_that_cannot_be_reached(trained):
    old, corpus = trained
    with pytest.raises(ArgumentError, match=r"`size` is 100, but only \d+ of 303 tokens may go: 257 stay"):
        edit.prune(old, 100, corpus)
    with pytest.raises(ArgumentError, match="there are only 303 tokens"):
        edit.prune(old, 400, corpus)


def test_rules(trained):
    old, corpus = trained
    han = edit.prune(old, by="script", scripts="Han").tokenizer
    assert not any("東" in han.decode([id]) for id in range(han.get_vocab_size()))
    assert any("東" in old.decode([id]) for id in range(303))
    short = edit.prune(old, by="length", longest=2).tokenizer
    assert max(len(short.decode([id])) for id in range(short.get_vocab_size() - 1)) == 2
    digits = edit.prune(old, by="regex", pattern="[0-9]{2}").tokenizer
    assert digits.encode("1984").tokens == ["1", "9", "8", "4"]
    mine = edit.prune(old, by=lambda token, id: token.startswith("Ġ"))
    assert mine.tokenizer.encode("low lower").tokens[:2] == ["low", "Ġ"]
    kept = edit.prune(old, by="length", longest=2, keep=["Ġlower"]).tokenizer
    assert kept.encode(" lower").tokens == ["Ġlower"]
    with pytest.raises(ArgumentError, match="by='script' needs `scripts`"):
        edit.prune(old, by="script")
    with pytest.raises(ArgumentError, match="`longest` belongs to by='length'"):
        edit.prune(old, 300, corpus, longest=3)
    with pytest.raises(ArgumentError, match="needs a `corpus`"):
        edit.prune(old, 300, by="frequency")
    # It would leave the letters.
    with pytest.raises(ArgumentError, match="by='frequency' needs a `size`, or with `least`"):
        edit.prune(old, corpus=corpus)
    with pytest.raises(ArgumentError, match="must be a function or one of"):
        edit.prune(old, 300, corpus, by="rarity")
    for options, message in (
        ({"by": "length", "longest": 0}, "`longest` must be 1 or more, found 0"),
        ({"corpus": corpus, "least": -1}, "`least` must be 0 or more, found -1"),
        ({"corpus": corpus, "by": "residue", "ratio": 5}, "`ratio` must be from 0 to 1, found 5"),
    ):
        with pytest.raises(ArgumentError, match=message):
            edit.prune(old, **options)
    with pytest.raises(ArgumentError, match="`ratio` must be from 0 to 1, found nan"):
        edit.residues(old, corpus, float("nan"))


def test_parts_of_what_stays_stay_and_are_told():
    merges = [("a", "b"), ("ab", "c")]
    old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "c": 3, "abc": 4}, merges))
    edited = edit.prune(old, by=lambda token, id: token == "ab")
    assert edited.id_map.is_identity
    assert edited.notes[0].startswith("1 tokens stay though the rule would let them go")


def test_residues_are_steps_that_are_not_left():
    merges = [("a", "b"), ("ab", "c"), ("d", "e")]
    old = Tokenizer(models.BPE({"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "ab": 5, "abc": 6, "de": 7}, merges))
    old.decoder = decoders.Fuse()
    corpus = ["abc"] * 9 + ["ab"]
    found = edit.residues(old, corpus, ratio=0.1)
    assert [(one.token, one.used, one.steps) for one in found] == [("de", 0, 0), ("ab", 1, 9)]
    edited = edit.prune(old, corpus=corpus, by="residue", ratio=0.1)
    assert set(edited.tokenizer.get_vocab()) == {"a", "b", "c", "d", "e", "ab", "abc"}


@pytest.mark.parametrize("seed", range(10))
def test_a_dry_run_counts_what_encoding_shows(seed):
    old = bpe(seed)
    some = texts(seed)
    edited = edit.prune(old, corpus=some, least=3)
    effect = edited.dry_run(some)
    changed = 0
    for text in some:
        before, after = encoded(old, text), encoded(edited.tokenizer, text)
        changed += [edited.id_map[id] for id in before] != after
    assert effect.changed == changed
    assert effect.texts == len(some)
    assert effect.bytes == sum(len(text.encode()) for text in some)
    assert effect.tokens_before == sum(len(encoded(old, text)) for text in some)
    assert effect.tokens_after == sum(len(encoded(edited.tokenizer, text)) for text in some)
    assert f"texts changed    {changed:,}" in str(effect)
    assert effect.to_dict()["tokens_per_byte_after"] == effect.tokens_after / effect.bytes


def test_scores_of_unknown_characters_and_symbols_of_users_stay(tmp_path):
    old = load(sentencepiece_model("unigram", tmp_path))
    edited = edit.prune(old, corpus=["a b c d e"], least=1, keep_alphabet=False)
    assert edited.tokenizer.token_to_id("<tool>") is not None
    assert edited.tokenizer.get_vocab_size() < 30
    assert edited.id_map.is_exact
    assert check_unchanged(edited, ["a b x", "x xx a東", "<tool> e"]) == 3


def test_frequencies_are_those_of_encoding():
    old = bpe(3)
    some = texts(3)
    from tessella.edit.usage import frequencies

    ids = np.concatenate([old.encode(text, add_special_tokens=False).ids for text in some]).astype(int)
    assert (
        frequencies(old, some).tolist()
        == np.bincount(ids, minlength=max(old.get_vocab().values()) + 1).tolist()
    )


def test_what_is_drawn_by_chance_neither_counts_nor_proves():
    texts = ["low lower lowest newer wider"] * 40
    plain = recipes.get("gpt2").train(texts, vocab_size=275)
    said = json.loads(plain.to_str())
    said["model"]["dropout"] = 0.5
    drawn = Tokenizer.from_str(json.dumps(said))
    wanted, found = (edit.prune(one, 266, texts) for one in (plain, drawn))
    assert found.tokenizer.get_vocab() == wanted.tokenizer.get_vocab()
    assert found.id_map.decomposition(max(found.id_map.removed_ids)) == wanted.id_map.decomposition(
        max(wanted.id_map.removed_ids)
    )
    assert found.dry_run(texts) == wanted.dry_run(texts)
    ids = plain.encode("wider").ids
    # The same text has other ids each time, so none are proven.
    assert not found.id_map.is_exact_for([ids[0]]) and wanted.id_map.is_exact
    assert found.tokenizer.model.dropout == 0.5
