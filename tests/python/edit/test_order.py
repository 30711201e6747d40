"""Other numbers and other names."""

import json

import pytest
import tessella
from tessella import Tokenizer, edit, models, processors
from tessella.errors import ArgumentError

from .random_tokenizers import KINDS, bpe, sentencepiece_model, texts
from .test_removing import encoded


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_frequent_tokens_first(kind, seed):
    old = KINDS[kind](seed)
    some = texts(seed)
    counts = dict.fromkeys(old.get_vocab().values(), 0)
    for text in some:
        for id in old.encode(text, add_special_tokens=False).ids:
            counts[id] += 1
    try:
        edited = edit.reorder(old, corpus=some)
    except tessella.errors.UnsupportedError:
        # Added tokens have to follow the model's in most files, and where they would match as whole pieces.
        assert kind != "bpe" or old.model.ignore_merges
        return
    order = [edited.id_map.inverse()[id] for id in range(len(edited.id_map))]
    assert order == sorted(counts, key=lambda id: (-counts[id], id))
    for text in some:
        assert edited.id_map.apply(encoded(old, text)) == encoded(edited.tokenizer, text)


def test_one_order_at_a_time():
    with pytest.raises(ArgumentError, match="with one of"):
        edit.reorder(bpe(0))
    with pytest.raises(ArgumentError, match="twice"):
        edit.reorder(bpe(0), ["a", "a"])
    by_text = edit.reorder(bpe(0), key=lambda token, id: token)
    tokens = [by_text.tokenizer.id_to_token(id) for id in range(by_text.tokenizer.get_vocab_size())]
    assert tokens == sorted(tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_to_a_multiple(kind):
    old = KINDS[kind](1)
    edited = edit.pad_to_multiple(old, 64)
    size = edited.tokenizer.get_vocab_size()
    assert size % 64 == 0
    assert edited.id_map.new_size == size
    again = Tokenizer.from_str(edited.tokenizer.to_str())
    assert again.get_vocab() == edited.tokenizer.get_vocab()
    again = edit.pad_to_multiple(edited.tokenizer, 64)
    assert again.id_map.is_identity and again.notes == ()
    assert edited.notes == ("texts that spell `<|reserved_N|>` have the new tokens",)
    for text in texts(1):
        assert encoded(old, text) == encoded(edited.tokenizer, text)
    with pytest.raises(ArgumentError, match="from 1"):
        edit.pad_to_multiple(old, 0)
    with pytest.raises(ArgumentError, match="a place"):
        edit.pad_to_multiple(old, 8, token="<pad>")


def test_padding_of_sentencepiece_models_matches_no_text(tmp_path):
    old = tessella.load(sentencepiece_model("unigram", tmp_path))
    edited = edit.pad_to_multiple(old, 64)
    edited.tokenizer.save(tmp_path / "padded.model")
    reference = pytest.importorskip("sentencepiece").SentencePieceProcessor(str(tmp_path / "padded.model"))
    assert reference.vocab_size() == edited.tokenizer.get_vocab_size() == 64
    assert reference.is_control(63)
    text = "a <|reserved_0|> b"
    assert reference.encode(text) == encoded(edited.tokenizer, text) == encoded(old, text)


def test_which_edits_promise_the_same_ids_for_texts():
    old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "aba": 3}, [("a", "b"), ("ab", "a")]))
    exact = {
        "order": edit.reorder(old, ["b"]),
        "order by key": edit.reorder(old, key=lambda token, id: -id),
        "gaps": edit.compact(edit.remove(old, ["aba"], compact=False).tokenizer),
        "nothing to fill up": edit.pad_to_multiple(old, 4),
        "the last merge": edit.remove(old, ["aba"]),
    }
    for name, edited in exact.items():
        assert edited.id_map.is_exact, name
    drawn = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=0.5))
    for edited in (
        edit.reorder(drawn, ["b"]),
        edit.pad_to_multiple(old, 8),
        edit.extend(old, ["aabb"] * 9, 5),
        edit.replace_special(edit.pad_to_multiple(old, 8).tokenizer, {"<|reserved_0|>": "<tool>"}),
    ):
        assert not edited.id_map.is_exact
    # Equal keys leave the order as it was.
    assert edit.reorder(old, key=lambda token, id: 0).id_map.is_identity


@pytest.fixture
def named(tmp_path):
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[unused1]": 3, "a": 4}))
    tokenizer.add_special_tokens(["[CLS]", "[SEP]", "[UNK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]", [("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.enable_padding(pad_id=2, pad_token="[SEP]")
    tokenizer.config = {
        "sep_token": "[SEP]",
        "added_tokens_decoder": {"2": {"content": "[SEP]", "special": True}},
    }
    tokenizer.chat_template = "{{ messages }}[SEP]"
    return tokenizer


def test_names_change_wherever_they_stand(named, tmp_path):
    edited = edit.replace_special(named, {"[SEP]": "</s>", "[unused1]": "<tool>", "[UNK]": "<?>"})
    made = edited.tokenizer
    assert made.encode("a<tool> b", "a").tokens == ["[CLS]", "a", "<tool>", "<?>", "</s>", "a", "</s>"]
    assert edited.id_map.is_identity
    assert made.padding["pad_token"] == "</s>"
    assert made.config["sep_token"] == "</s>"
    assert made.config["added_tokens_decoder"]["2"]["content"] == "</s>"
    assert made.chat_template == "{{ messages }}</s>"
    assert edited.notes == ("`[SEP]` stood 1 times in chat templates, where it is `</s>` now",)
    assert "[SEP]" not in json.dumps(json.loads(made.to_str()))
    assert "[SEP]" in named.to_str()
    made.save_folder(tmp_path / "folder")
    assert tessella.load(tmp_path / "folder").encode("a<tool>").ids == [1, 4, 3, 2]


@pytest.mark.parametrize("kind", [processors.BertProcessing, processors.RobertaProcessing])
def test_names_change_in_processors_that_name_both_ends(named, kind):
    named.post_processor = kind(("[SEP]", 2), ("[CLS]", 1))
    made = edit.replace_special(named, {"[SEP]": "</s>"}).tokenizer
    assert made.encode("a").tokens == ["[CLS]", "a", "</s>"]
    assert "[SEP]" not in made.to_str() and made.post_processor.sep == ("</s>", 2)


def test_names_change_in_the_files_of_a_folder(named, tmp_path):
    named.config["additional_special_tokens"] = ["[CLS]", "[SEP]"]
    named.save_folder(tmp_path / "old")
    (tmp_path / "old" / "special_tokens_map.json").write_text('{"sep_token": "[SEP]", "more": ["[SEP]"]}')
    edited = edit.replace_special(tessella.load(tmp_path / "old"), {"[SEP]": "</é>"})
    edited.tokenizer.save_folder(tmp_path / "new")
    settings, older = (
        json.loads((tmp_path / "new" / name).read_text(encoding="utf-8"))
        for name in ("tokenizer_config.json", "special_tokens_map.json")
    )
    assert settings["additional_special_tokens"] == ["[CLS]", "</é>"]
    assert older == {"sep_token": "</é>", "more": ["</é>"]}


def test_names_that_are_no_reserved_ones(named):
    with pytest.raises(ArgumentError, match="`a` cannot become `\\[CLS\\]`: the id 1"):
        edit.replace_special(named, {"a": "[CLS]"})
    with pytest.raises(ArgumentError, match="no token"):
        edit.replace_special(named, {"[SEPP]": "x"})
    with pytest.raises(ArgumentError, match="empty"):
        edit.replace_special(named, {"[SEP]": ""})
    merged = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    for token in ("a", "ab"):
        with pytest.raises(ArgumentError, match="texts need it"):
            edit.replace_special(merged, {token: "<tool>"})


def test_names_in_sentencepiece_models(tmp_path):
    old = tessella.load(sentencepiece_model("bpe", tmp_path))
    edited = edit.replace_special(old, {"<s>": "<begin>", "<ctl>": "<other>"})
    edited.tokenizer.save(tmp_path / "renamed.model")
    reference = pytest.importorskip("sentencepiece").SentencePieceProcessor(str(tmp_path / "renamed.model"))
    assert reference.bos_id() == 1
    assert reference.id_to_piece(1) == "<begin>"
    assert reference.piece_to_id("<other>") == old.token_to_id("<ctl>")


@pytest.mark.parametrize("added", [True, False])
def test_an_id_of_two_tokens_is_refused(added):
    # Where a vocabulary has a hole, the id that a file gives an added token may be another token's.
    vocab = {"a": 0, "b": 1, "ab": 4, "c": 3} if added else {"a": 0, "b": 1, "ab": 1}
    said = json.loads(Tokenizer(models.BPE()).to_str())
    said["model"].update(vocab=vocab, merges=[])
    if added:
        token = {"id": 4, "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False}
        said["added_tokens"] = [{**token, "normalized": False, "special": True}]
    old = Tokenizer.from_str(json.dumps(said))
    both = ("ab", "<s>") if added else ("b", "ab")
    assert old.token_to_id(both[0]) == old.token_to_id(both[1])
    edits = (
        edit.compact,
        lambda one: edit.pad_to_multiple(one, 8),
        lambda one: edit.remove(one, [both[1]]),
        lambda one: edit.replace_special(one, {both[1]: "<t>"}),
        lambda one: edit.extend(one, ["abab"], 8),
    )
    for change in edits:
        with pytest.raises(tessella.errors.UnsupportedError, match=f"`{both[0]}` and `{both[1]}` both have"):
            change(old)


def test_tokens_that_a_model_finds_by_their_names_are_not_renamed(tmp_path):
    from tessella.compat.sentencepiece import SentencePieceTrainer

    SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest newer wider"] * 9),
        model_prefix=str(tmp_path / "m"),
        vocab_size=290,
        hard_vocab_limit=False,
        byte_fallback=True,
        control_symbols=["<c>"],
    )
    pieces = tessella.load(tmp_path / "m.model")
    letters = {"<unk>": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}, "a": 257}
    bytes_too = Tokenizer(models.BPE(letters, [], unk_token="<unk>", byte_fallback=True))
    plain = Tokenizer(models.BPE({"a": 0, "b": 1, "<r>": 2}, []))
    for tokenizer, name, why in (
        (pieces, "<0x41>", "it spells a byte"),
        (bytes_too, "<0x41>", "it spells a byte"),
        (plain, "b", "text with it would vanish"),
    ):
        with pytest.raises(ArgumentError, match=f"`{name}` cannot become `<t>`: {why}"):
            edit.replace_special(tokenizer, {name: "<t>"})
    for tokenizer, name in ((pieces, "<c>"), (pieces, "<unk>"), (bytes_too, "<unk>"), (plain, "<r>")):
        edited = edit.replace_special(tokenizer, {name: "<t>"})
        assert edited.tokenizer.token_to_id("<t>") == tokenizer.token_to_id(name)
        for text in ("low A", "ab", "é"):
            assert encoded(edited.tokenizer, text) == encoded(tokenizer, text)


def test_added_tokens_behind_a_gap_do_not_each_list_all_merges(monkeypatch):
    from tessella.edit.bpe import BpeVocabulary

    # The gap has them taken into the model, one by one.
    old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "c": 5}, [("a", "b")]))
    told, calls = BpeVocabulary.told, []
    monkeypatch.setattr(BpeVocabulary, "told", lambda self: calls.append(1) or told(self))
    edited = edit.pad_to_multiple(old, 128)
    assert edited.tokenizer.get_vocab_size() == 126
    assert edited.tokenizer.encode("ab<|reserved_7|>").ids == [2, 13]
    assert len(calls) < 10
