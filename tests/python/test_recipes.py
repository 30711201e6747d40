"""Recipes: the stages of the published tokenizers, and what they learn."""

import copy
import dataclasses
import json
import os
import pickle
import random
import re
from pathlib import Path

import pytest
import tessella
from tessella import PieceCounts, Tokenizer, models, recipes
from tessella.errors import ArgumentError, OutOfRangeError, TrainError

TEXTS = [
    "The quick brown fox jumps over the lazy dog, 12,000.5 times — naïve café!",
    "def tile(x):\n\treturn x ** 2  # no gap\n",
    "Ελληνικά, русский, 東京都 and 🧩🧩",
    "low lower lowest newer wider well-known",
] * 12

FILES = {
    "bert-cased": "bert-base-cased.json",
    "bert-uncased": "bert-uncased.json",
    "clip": "clip_base.json",
    "cl100k": "cl100k_base.tiktoken",
    "gpt2": "gpt2.json",
    "llama2": "llama2.json",
    "o200k": "o200k_base.tiktoken",
    "xlnet": "xlnet_base_cased.json",
}


def stages(tokenizer):
    """Normalizer, pre-tokenizer, post-processor and decoder as plain data, special tokens by name."""
    alone = Tokenizer(models.BPE())
    for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        setattr(alone, name, getattr(tokenizer, name))
    description = json.loads(alone.to_str())
    names = {id: token.content for id, token in tokenizer.get_added_tokens_decoder().items()}
    if description["decoder"] is not None and description["decoder"]["type"] == "ByteLevel":
        # Its settings are those of the pre-tokenizer and mean nothing.
        description["decoder"] = {"type": "ByteLevel"}

    def by_name(part):
        if isinstance(part, list):
            return [by_name(one) for one in part]
        if not isinstance(part, dict):
            return part
        part = {key: by_name(value) for key, value in part.items()}
        if "ids" in part:
            part["ids"] = [names[id] for id in part["ids"]]
        for key in ("sep", "cls"):
            if isinstance(part.get(key), list):
                part[key] = [part[key][0], names[part[key][1]]]
        return part

    return {
        name: by_name(description[name])
        for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    }


@pytest.mark.parametrize("name", FILES)
def test_stages_are_those_of_the_published_file(name):
    folder = os.environ.get("TESSELLA_MODELS")
    if folder is None or not (path := Path(folder) / FILES[name]).exists():
        pytest.skip("needs the published file in the folder that TESSELLA_MODELS names")
    published = tessella.load(path)
    recipe = recipes.get(name)
    if name == "xlnet":
        rules = json.loads(path.read_text(encoding="utf-8"))["normalizer"]["normalizers"][-1]
        from base64 import b64decode

        recipe = recipes.get(name, charsmap=b64decode(rules["precompiled_charsmap"]))
    expected, found = stages(published), stages(recipe.tokenizer())
    for stage in expected:
        assert found[stage] == expected[stage], stage
    known = {token.content for token in published.get_added_tokens_decoder().values()}
    named = {token.content for token in recipe.special_tokens}
    assert known == named


def test_llama3_cuts_as_cl100k_does():
    # But for blanks at the end of a text.
    llama3, cl100k = (recipes.get(name).tokenizer().pre_tokenizer for name in ("llama3", "cl100k"))
    for text in [*TEXTS[:4], "It's 12345 o'clock, NAÏVE\n\n  x = {y}\r\n\t東京 'LL\n"]:
        assert llama3.pre_tokenize_str(text) == cl100k.pre_tokenize_str(text)


@pytest.mark.parametrize("name", recipes.names())
def test_every_recipe_trains_saves_and_decodes(name, tmp_path):
    recipe = recipes.get(name)
    assert recipe.name == name and recipe.summary
    size = 700
    tokenizer = recipe.train(TEXTS, vocab_size=size)
    assert 0 < tokenizer.get_vocab_size() <= size
    ids = [tokenizer.token_to_id(token.content) for token in recipe.special_tokens]
    vocab = tokenizer.get_vocab()
    assert sorted(vocab.values()) == list(range(len(vocab)))
    assert ids[: len(recipe.first)] == list(range(len(recipe.first)))
    assert ids[len(recipe.first) :] == list(range(len(vocab) - len(recipe.last), len(vocab)))
    assert stages(tokenizer) == stages(recipe.tokenizer())
    tokenizer.save(tmp_path / "tokenizer.json")
    again = tessella.load(tmp_path / "tokenizer.json")
    for text in TEXTS[:4]:
        assert again.encode(text, "low").ids == tokenizer.encode(text, "low").ids
        # What was learned from has no unknown tokens.
        assert "<unk>" not in tokenizer.encode(text).tokens
        assert "[UNK]" not in tokenizer.encode(text).tokens
    if name not in ("bert-uncased", "clip"):
        assert tokenizer.decode(tokenizer.encode("lower lowest").ids) == "lower lowest"


@pytest.mark.parametrize("name", ["gpt2", "roberta", "llama3", "cl100k", "o200k", "starcoder2", "galactica"])
def test_bytes_cover_everything(name):
    tokenizer = recipes.get(name).train(["low"], vocab_size=900)
    text = "".join(map(chr, random.Random(1).choices(range(1, 0xD7FF), k=400))) + "🧩"
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_llama2_learns_nothing_across_words():
    recipe = recipes.get("llama2")
    tokenizer = recipe.train([*TEXTS, "a   b    c 1999 2024"] * 3, vocab_size=700)
    cut = Tokenizer.from_str(tokenizer.to_str())
    recipe.for_counting(cut)
    for text in [*TEXTS[:4], "  lower   lowest 1999", "unseen: ßþ", ""]:
        assert tokenizer.encode(text).ids == cut.encode(text).ids, text
        assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert [tokenizer.id_to_token(id) for id in (0, 2, 3, 258)] == ["<unk>", "</s>", "<0x00>", "<0xFF>"]
    assert "<0xC3>" in tokenizer.encode("ß").tokens


def test_every_byte_ends_a_word_in_clip():
    tokenizer = recipes.get("clip").train(["low lower"], vocab_size=700)
    assert "<|endoftext|>" not in tokenizer.encode("q w ø 5 東").tokens[1:-1]


def test_galactica_keeps_sequences_apart(tmp_path):
    texts = ["protein [START_AMINO]MKTMKTMKT[END_AMINO] MKTMKT MKTMKT 1984 [START_REF]Lee[END_REF]"] * 20
    path = tmp_path / "papers.txt"
    path.write_text("\n".join(texts), encoding="utf-8")
    recipe = recipes.get("galactica")
    tokenizer = recipe.train(texts, vocab_size=330)
    assert recipe.train(path, vocab_size=330).get_vocab() == tokenizer.get_vocab()
    marked = recipes.mark_sequences("MKT [START_AMINO]MKT[END_AMINO][START_REF]MKT[END_REF] 84")
    tokens = tokenizer.encode(marked).tokens
    assert tokens[tokens.index("[START_AMINO]") :][:5] == ["[START_AMINO]", "M", "K", "T", "[END_AMINO]"]
    assert tokens[tokens.index("[START_REF]") :][1] != "M"
    assert tokens[-2:] == ["8", "4"]
    assert recipes.mark_sequences("[START_DNA]AC[END_AMINO]") == "[START_DNA]AC[END_AMINO]"


def test_counts_of_shards_learn_the_same():
    recipe = recipes.get("bert-uncased")
    whole = recipe.train(TEXTS, vocab_size=200)
    merged = PieceCounts()
    for shard in (TEXTS[1::2], TEXTS[::2]):
        merged.merge(recipe.count(iter(shard)))
    assert recipe.train_from_counts(merged, vocab_size=200).get_vocab() == whole.get_vocab()


def test_what_is_refused():
    with pytest.raises(ArgumentError, match="did you mean 'llama3'"):
        recipes.get("llama-3")
    with pytest.raises(ArgumentError, match="no use for a `charsmap`"):
        recipes.get("gpt2", charsmap=b"")
    with pytest.raises(ArgumentError, match="needs more than 256 for its special tokens alone"):
        recipes.get("llama3").train(["low"], vocab_size=200)
    with pytest.raises(OutOfRangeError, match="found 99999999999999999999"):
        recipes.get("gpt2").trainer(99999999999999999999)
    with pytest.raises(FileNotFoundError, match="no such folder for the checkpoint"):
        recipes.get("gpt2").train(TEXTS, 300, checkpoint="no/state")


@pytest.mark.parametrize("name", sorted(set(recipes.names()) - {"transformer-xl"}))
def test_a_small_vocabulary_is_told_what_it_needs(name):
    recipe = recipes.get(name)
    counts = recipe.count(iter(TEXTS))
    least = recipe.reserved + len(recipe.first) + 1
    with pytest.raises(TrainError, match=rf"a vocabulary of {least} cannot hold what {name}") as raised:
        recipe.train_from_counts(counts, least)
    told = re.search(r"hold: (\d+) special tokens? \+ .* = (\d+), .*Ask for (\d+) or more", str(raised.value))
    assert int(told[1]) == len(recipe.special_tokens)
    assert told[2] == told[3]
    assert recipe.train_from_counts(counts, int(told[2])).get_vocab_size() == int(told[2])
    with pytest.raises(TrainError, match="cannot hold"):
        recipe.train_from_counts(counts, int(told[2]) - 1)


def test_forced_tokens_are_in_the_budget():
    with pytest.raises(TrainError, match=r"1 special token \+ 258 characters .* forced tokens = 259"):
        recipes.get("gpt2").train(TEXTS, 258, forced_tokens=["qqq"])


def test_prepared_texts_are_held_out(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"{letter}\n" for letter in "abcdefghij"))
    counts = recipes.get("galactica").count(path, hold_out=5)
    assert [piece for piece, _ in counts.items() if piece.isalpha()] == [*"abcdfghi", "Ċ"]
    named = recipes.get("galactica").count({"x": path, "y": ["k", "l"]}, hold_out=5)
    assert "e" not in named and "k" in named


def test_what_a_recipe_fixes_is_no_option():
    texts = ["low lower lowest"] * 20
    with pytest.raises(
        ArgumentError, match=r"`special_tokens` belong to the recipe gpt2.*add_special_tokens"
    ):
        recipes.get("gpt2").train(texts, vocab_size=280, special_tokens=["<x>"])
    with pytest.raises(ArgumentError, match=r"`unk_token` is '<u>', but it is '<unk>' in the recipe t5"):
        recipes.get("t5").train(texts, vocab_size=130, unk_token="<u>")
    with pytest.raises(
        ArgumentError, match=r"`end_of_word_suffix` is '_', but it is '</w>' in the recipe clip"
    ):
        recipes.get("clip").trainer(end_of_word_suffix="_")
    same = recipes.get("t5").train(texts, vocab_size=130, unk_token="<unk>")
    assert same.to_str() == recipes.get("t5").train(texts, vocab_size=130, show_progress=False).to_str()
    assert recipes.get("gpt2").trainer(show_progress=True).show_progress
    counts = recipes.get("gpt2").count(texts)
    learned = recipes.get("gpt2").train_from_counts(counts, 280, show_progress=False)
    assert learned.to_str() == recipes.get("gpt2").train(texts, vocab_size=280).to_str()


@pytest.mark.parametrize("name", recipes.names())
def test_folders_of_recipes_say_what_special_tokens_are_for(name, tmp_path):
    recipe = recipes.get(name)
    special = {token.content for token in recipe.special_tokens}
    size = len(special) + 560 if recipe.kind == "BPE" else len(special) + 30
    tokenizer = recipe.train(["low lower lowest"] * 20, vocab_size=size)
    tokenizer.save_folder(tmp_path)
    again = tessella.AutoTokenizer.from_pretrained(tmp_path)
    roles = again.special_tokens_map
    assert roles and set(roles.values()) <= special
    assert again("low lower")["input_ids"] == tokenizer.encode("low lower").ids
    if any("pad" in token.lower() for token in special - {"<fim_pad>"}):
        assert len({len(row) for row in again(["low", "low lower low"], padding=True)["input_ids"]}) == 1


def test_transformers_pads_with_a_recipe(tmp_path):
    transformers = pytest.importorskip("transformers")
    recipes.get("bert-uncased").train(["low lower lowest"] * 20, vocab_size=40).save_folder(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    ours = tessella.AutoTokenizer.from_pretrained(tmp_path)
    texts = ["low", "low [MASK] low"]
    assert theirs(texts, padding=True)["input_ids"] == ours(texts, padding=True)["input_ids"]
    assert (theirs.pad_token, theirs.mask_token, theirs.cls_token) == ("[PAD]", "[MASK]", "[CLS]")


def test_recipes_go_to_other_processes():
    for name in recipes.names():
        recipe = recipes.get(name)
        again = pickle.loads(pickle.dumps(recipe))
        assert again.tokenizer().to_str() == recipe.tokenizer().to_str()
        assert (again.name, again.vocab_size, again.special_tokens) == (
            name,
            recipe.vocab_size,
            recipe.special_tokens,
        )
    # Rules that are a caller's own go along.
    rules = recipes.get("t5", charsmap=bytes(4))
    own = pickle.loads(pickle.dumps(rules)).tokenizer().to_str()
    assert own == rules.tokenizer().to_str() != recipes.get("t5").tokenizer().to_str()
    assert copy.deepcopy(rules).tokenizer().to_str() == own
    # One that was changed is not made again as it was.
    changed = dataclasses.replace(recipes.get("gpt2"), vocab_size=7)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(changed)
