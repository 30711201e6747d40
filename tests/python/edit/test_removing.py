"""Tokens taken away: what they do not touch stays, for tokenizers by chance."""

import json
import random

import pytest
from tessella import Tokenizer, decoders, edit, load, models, pre_tokenizers, processors
from tessella.edit import IdMap
from tessella.errors import ArgumentError, UnsupportedError

from .random_tokenizers import KINDS, sentencepiece_model, texts, unigram

SEEDS = range(12)


def removable(tokenizer, draw, number):
    """Tokens that may be named: neither needed nor added special ones."""
    from tessella.edit.pipeline import Pipeline

    pipeline = Pipeline(tokenizer)
    fixed = set(pipeline.named()) | {one["id"] for one in pipeline.added if one["special"]}
    rest = [token for id, token in pipeline.tokens().items() if id not in fixed]
    return draw.sample(sorted(rest), min(number, len(rest)))


def encoded(tokenizer, text):
    return tokenizer.encode(text).ids


def check_unchanged(edited, some):
    """What is proven is so; how many texts that were."""
    old, new, id_map = edited.source, edited.tokenizer, edited.id_map
    proven = 0
    for text in some:
        before, after = encoded(old, text), encoded(new, text)
        if id_map.is_exact_for(before):
            assert id_map.apply(before) == after, text
            proven += 1
    return proven


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_texts_without_removed_tokens_stay(kind, seed):
    old = KINDS[kind](seed)
    draw = random.Random(seed)
    tokens = removable(old, draw, draw.randint(1, 6))
    edited = edit.remove(old, tokens, dependents="remove")
    vocab = edited.tokenizer.get_vocab()
    assert not set(tokens) & set(vocab)
    assert sorted(vocab.values()) == list(range(len(vocab)))
    proven = check_unchanged(edited, texts(seed))
    assert proven or not edited.id_map.is_exact
    # Ids outside of the model were moved too.
    again = edited.tokenizer
    assert again.padding["pad_id"] == vocab["</s>"] == again.encode("a").ids[-1]


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_merge_refers_to_a_missing_token_and_decompositions_spell_the_same(kind, seed):
    old = KINDS[kind](seed)
    edited = edit.remove(old, removable(old, random.Random(seed), 4), dependents="remove")
    state = json.loads(edited.tokenizer.model.__getstate__())
    if kind == "bpe":
        prefix = state["continuing_subword_prefix"] or ""
        for left, right in state["merges"]:
            assert {left, right, left + right[len(prefix) :]} <= state["vocab"].keys()
    unknown = edited.tokenizer.token_to_id("[UNK]" if kind == "wordpiece" else "<unk>")
    for id in edited.id_map.removed_ids:
        parts = edited.id_map.decomposition(id)
        if unknown not in parts and "<0x" not in str([edited.tokenizer.id_to_token(one) for one in parts]):
            bare = "".join(strip(edited.tokenizer.id_to_token(part)) for part in parts)
            assert bare == strip(old.id_to_token(id)), (id, parts)


def strip(token):
    return token.replace("##", "").replace("</w>", "")


@pytest.mark.parametrize("seed", SEEDS)
def test_decoding_stays_whatever_goes(seed):
    """Where no letter goes, every text decodes as before."""
    for kind in ("bpe", "unigram"):
        old = KINDS[kind](seed)
        tokens = [token for token in removable(old, random.Random(seed), 6) if len(strip(token)) > 1]
        edited = edit.remove(
            old, [token for token in tokens if token not in ("cab", "<tool>")], dependents="remove"
        )
        if edited.notes:
            continue
        for text in texts(seed, 60):
            before, after = encoded(old, text), encoded(edited.tokenizer, text)
            assert old.decode(before) == edited.tokenizer.decode(after), text
            mapped = edited.id_map.apply(before, removed="decompose")
            assert edited.tokenizer.decode(mapped) == old.decode(before), text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_one_after_the_other_is_both_at_once(kind, seed):
    old = KINDS[kind](seed)
    draw = random.Random(seed)
    first = edit.remove(old, removable(old, draw, 3), dependents="remove")
    second = edit.remove(first.tokenizer, removable(first.tokenizer, draw, 3), dependents="remove")
    both = first.id_map.then(second.id_map)
    gone = set(old.get_vocab()) - set(second.tokenizer.get_vocab())
    at_once = edit.remove(old, gone)
    assert at_once.tokenizer.get_vocab() == second.tokenizer.get_vocab()
    assert at_once.tokenizer.to_str() == second.tokenizer.to_str()
    assert list(at_once.id_map) == list(both)
    for text in texts(seed, 40):
        ids = encoded(old, text)
        middle = first.id_map.apply(ids, removed="decompose")
        assert both.apply(ids, removed="decompose") == second.id_map.apply(middle, removed="decompose")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_gaps_are_closed_and_the_map_leads_back(kind, seed):
    old = KINDS[kind](seed)
    inner = old.model
    shuffled = sorted(old.get_vocab(), key=lambda token: (inner.token_to_id(token) is None, token[::-1]))
    outer = [token for token in shuffled if inner.token_to_id(token) is None]
    shuffled[-len(outer) :] = sorted(outer, key=old.token_to_id)
    edited = edit.reorder(old, shuffled)
    assert [edited.tokenizer.id_to_token(id) for id in range(len(shuffled))] == shuffled
    assert check_unchanged(edited, texts(seed)) == len(texts(seed))
    back = edited.id_map.inverse()
    assert edited.id_map.then(back) == IdMap.identity(len(shuffled)) or back.new_size == len(shuffled)
    assert [back[edited.id_map[id]] for id in range(len(shuffled))] == list(range(len(shuffled)))


def test_an_order_that_a_model_cannot_have_is_refused():
    with pytest.raises(ValueError, match="added tokens follow"):
        edit.reorder(unigram(0), ["<s>"])


def test_compact_closes_gaps():
    old = Tokenizer(models.BPE({"a": 3, "b": 9, "ab": 7}, [("a", "b")]))
    edited = edit.compact(old)
    assert edited.tokenizer.get_vocab() == {"a": 0, "ab": 1, "b": 2}
    assert list(edited.id_map)[3] == 0
    assert edited.id_map.kind(4) == "unused"
    with pytest.raises(ArgumentError, match="id 4 at position 1 stood for no token"):
        edited.id_map.apply([3, 4])
    holes = edit.remove(edited.tokenizer, ["ab"], compact=False)
    assert holes.tokenizer.get_vocab() == {"a": 0, "b": 2}
    assert edit.compact(holes.tokenizer).tokenizer.get_vocab() == {"a": 0, "b": 1}


def test_added_tokens_that_cannot_have_their_ids_are_an_error_or_taken_into_the_model():
    old = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "b": 2}))
    old.add_special_tokens(["<s>"])
    with pytest.raises(ValueError, match="added tokens follow those of the model"):
        edit.remove(old, ["b"], compact=False)
    other = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    other.add_special_tokens(["<s>"])
    edited = edit.remove(other, ["ab"], compact=False)
    assert edited.tokenizer.get_vocab() == {"a": 0, "b": 1, "<s>": 3}
    assert Tokenizer.from_str(edited.tokenizer.to_str()).encode("ab<s>").ids == [0, 1, 3]


def test_an_added_token_that_the_model_would_find_in_texts_is_not_taken_in():
    """What makes one token of its text without being asked for it: a character, or what `ignore_merges` finds."""
    for name, whole in [("<s>", True), ("z", False)]:
        old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], ignore_merges=whole))
        old.add_special_tokens([name])
        with pytest.raises(
            UnsupportedError, match=f"cannot give the token `{name}` the id 3: added tokens follow"
        ):
            edit.remove(old, ["ab"], compact=False)


def test_added_tokens_stay_outside_of_a_vocabulary_in_any_order():
    old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    old.add_special_tokens(["<s>"])
    edited = edit.reorder(old, ["ab", "b", "a", "<s>"]).tokenizer
    assert edited.get_vocab() == {"ab": 0, "b": 1, "a": 2, "<s>": 3}
    assert edited.model.token_to_id("<s>") is None


def test_letters_may_go_where_there_is_a_token_for_unknown_text_which_stays():
    old = Tokenizer(models.BPE({"?": 0, "a": 1, "b": 2, "ab": 3}, [("a", "b")], unk_token="?"))
    with pytest.raises(ArgumentError, match="it stands for unknown text"):
        edit.remove(old, ["?"])
    edited = edit.remove(old, ["b"], dependents="remove")
    assert edited.tokenizer.get_vocab() == {"?": 0, "a": 1}
    ids = old.encode("aabb").ids
    assert (
        edited.id_map.apply(ids, removed="decompose") == edited.tokenizer.encode("aabb").ids == [1, 1, 0, 0]
    )


@pytest.fixture
def words():
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, [("a", "b"), ("ab", "c")]))
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def test_what_cannot_go_is_refused_with_the_reason(words):
    with pytest.raises(ArgumentError, match=r"made of `ab` and would have to go too: `abc`"):
        edit.remove(words, ["ab"])
    with pytest.raises(ArgumentError, match="text with it would vanish"):
        edit.remove(words, ["c"], dependents="remove")
    with pytest.raises(ArgumentError, match="no token `abd`; did you mean"):
        edit.remove(words, ["abd"])
    with pytest.raises(ArgumentError, match="no token of the id 9"):
        edit.remove(words, [9])
    with pytest.raises(TypeError, match="not one str"):
        edit.remove(words, "abc")
    with pytest.raises(TypeError, match=r"must be a tessella\.Tokenizer"):
        edit.remove("gpt2", ["abc"])


def test_what_stands_round_sequences_and_in_settings_stays(words):
    words.add_special_tokens(["<s>", "<e>"])
    words.config = {
        "eos_token": "<e>",
        "added_tokens_decoder": {"5": {"content": "<s>"}, "6": {"content": "<e>"}},
    }
    with pytest.raises(ArgumentError, match="the settings name it as `eos_token`"):
        edit.remove(words, ["<e>"])
    edited = edit.remove(words, ["abc", "<s>"])
    assert edited.tokenizer.config["added_tokens_decoder"] == {"4": {"content": "<e>"}}
    assert words.config["added_tokens_decoder"].keys() == {"5", "6"}


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"additional_special_tokens": ["<s>", "<e>"]}, "additional_special_tokens"),
        ({"extra_special_tokens": [{"content": "<e>", "lstrip": False}]}, "extra_special_tokens"),
        ({"extra_special_tokens": {"image_token": "<e>"}}, "extra_special_tokens.image_token"),
        (
            {"model_specific_special_tokens": {"image_token": "<e>"}},
            "model_specific_special_tokens.image_token",
        ),
    ],
)
def test_what_lists_of_settings_name_would_come_back_with_the_folder(words, settings, key, tmp_path):
    words.add_special_tokens(["<s>", "<e>"])
    words.config = settings
    with pytest.raises(ArgumentError, match=f"the settings name it as `{key}`: take it out"):
        edit.remove(words, ["<e>"])
    words.config = None
    words.save_folder(tmp_path)
    (tmp_path / "special_tokens_map.json").write_text(json.dumps(settings))
    with pytest.raises(ArgumentError, match=f"the settings name it as `{key}`: take it out"):
        edit.remove(load(tmp_path), ["<e>"])


def test_padding_with_an_id_that_has_no_token():
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 5, "ab": 7}, [("a", "b")]))
    tokenizer.enable_padding(pad_id=2)
    with pytest.raises(ArgumentError, match="padded with the id 2, which has no token"):
        edit.compact(tokenizer)


@pytest.mark.parametrize("where", ["padding", "template"])
def test_new_tokens_do_not_get_an_id_that_is_named_already(where):
    """Padding or a template that names the first free id would put the new token there."""
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    if where == "padding":
        tokenizer.enable_padding(pad_id=3)
    else:
        tokenizer.post_processor = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 3)])
    for edited in (
        lambda: edit.pad_to_multiple(tokenizer, 8),
        lambda: edit.extend(tokenizer, ["abab"] * 9, 4),
        lambda: edit.merge(tokenizer, Tokenizer(models.BPE({"a": 0, "c": 1}, []))),
    ):
        with pytest.raises(ArgumentError, match=r"id 3 has no token, and|id 3, which has no token"):
            edited()


def test_lowest_piece_of_unigram_is_told():
    pieces = [("<unk>", 0.0), ("a", -1.0), ("ab", -9.0)]
    edited = edit.remove(Tokenizer(models.Unigram(pieces, 0)), ["ab"])
    assert "lowest score" in edited.notes[0]
    assert not edited.id_map.is_exact


def test_stages_of_another_dialect_and_in_python_stay(words):
    class Cutter:
        def pre_tokenize(self, text):
            text.split(lambda _, part: part.split("-", "removed"))

    words.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Cutter())
    edited = edit.remove(words, ["abc"])
    assert edited.tokenizer.encode("ab-c").tokens == ["ab", "c"]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_sentencepiece_models(kind, tmp_path):
    old = load(sentencepiece_model(kind, tmp_path))
    draw = random.Random(1)
    long = [token for token in old.get_vocab() if len(token.strip("▁")) > 1 and token[0] != "<"]
    edited = edit.remove(old, draw.sample(sorted(long), 8), dependents="remove")
    edited.tokenizer.save(tmp_path / "edited.model")
    reference = pytest.importorskip("sentencepiece").SentencePieceProcessor(str(tmp_path / "edited.model"))
    assert reference.bos_id() == edited.tokenizer.token_to_id("<s>")
    assert reference.vocab_size() == edited.tokenizer.get_vocab_size() < old.get_vocab_size()
    some = ["abc de", "eeee ddd", "a <tool> b", "x", "ab  cd e", *texts(3)]
    for text in some:
        assert reference.encode(text) == encoded(edited.tokenizer, text)
    assert check_unchanged(edited, some) > 10
    with pytest.raises(ArgumentError, match="control symbol"):
        edit.remove(old, ["<ctl>"])


def test_sentencepiece_models_keep_added_tokens(tmp_path):
    old = load(sentencepiece_model("unigram", tmp_path))
    old.add_special_tokens(["<X>"])
    edited = edit.remove(old, ["<tool>"])
    assert edited.tokenizer.token_to_id("<X>") == old.token_to_id("<X>") - 1
    assert encoded(edited.tokenizer, "ab<X>") == edited.id_map.apply(encoded(old, "ab<X>"))


@pytest.mark.parametrize("kind", ["word", "unigram"])
def test_a_blank_that_is_spelled_by_bytes_is_told(tmp_path, kind):
    from tessella.compat.sentencepiece import SentencePieceTrainer

    SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest newer wider"] * 9),
        model_prefix=str(tmp_path / "m"),
        model_type=kind,
        vocab_size=290,
        hard_vocab_limit=False,
        byte_fallback=True,
    )
    old = load(tmp_path / "m.model")
    edited = edit.remove(old, ["▁lowest"] if kind == "word" else ["▁low"])
    ids = old.encode("low lowest", add_special_tokens=False).ids
    text = edited.tokenizer.decode(edited.id_map.apply(ids, removed="decompose"))
    if kind == "word":
        # Its bytes are those of the mark, which SentencePiece shows as it is.
        assert text == "low▁lowest"
        assert edited.notes == (
            "1 of the removed tokens are spelled by tokens with another text, which is what texts with them "
            "decode to: `▁lowest`",
        )
    else:
        assert (text, edited.notes) == ("low lowest", ())


def test_what_an_added_token_falls_apart_into_is_neither_cut_nor_filled_up():
    old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    old.add_tokens(["abab"])
    for settle in (
        lambda one: one.enable_padding(length=6, pad_id=1),
        lambda one: one.enable_truncation(1),
    ):
        settle(old)
        edited = edit.remove(old, ["abab"])
        assert edited.id_map.decomposition(3) == (2, 2)
        assert edited.dry_run(["abab"]).examples[0].after == ["ab", "ab"]
        old.no_padding()
