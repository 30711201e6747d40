"""What `tessella train` writes hangs together: special tokens, marks of parts of words, decoders."""

import json
import warnings
from pathlib import Path

import pytest
import tessella
from tessella import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, prove
from tessella.cli import main

LINES = [f"low lower lowest newer wider tiles number {n}\n" for n in range(60)]
# Words of the corpus, which so small vocabularies have in parts.
TEXT = "lowest newer wider tiles"


@pytest.fixture(autouse=True)
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text("".join(LINES))


def trained(*typed):
    assert main(["train", "in.txt", *typed, "-o", "made.json", "-q"]) == 0
    return tessella.load("made.json")


def like_published_ones():
    """Special tokens behind the vocabulary, as ModernBERT and CLIP have them, where a template finds them."""
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "c": 2}, [], unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(name, lstrip=name == "[MASK]") for name in SPECIAL])
    # The template knows one that it puts nowhere.
    numbered = [(name, tokenizer.token_to_id(name)) for name in ("[UNK]", "[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", numbered),
        ]
    )
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id("[PAD]"), pad_token="[PAD]", length=20)
    return tokenizer


SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ([], SPECIAL),
        (["-s", "<x>"], ["<x>", *SPECIAL]),
        (["-s", "[SEP]", "-s", "<x>"], ["[SEP]", "<x>", "[UNK]", "[CLS]", "[PAD]", "[MASK]"]),
    ],
)
def test_special_tokens_of_what_is_trained_anew_are_found_by_their_new_ids(typed, first):
    like_published_ones().save("old.json")
    tokenizer = trained("--like", "old.json", "--vocab-size", "300", *typed)
    assert [tokenizer.id_to_token(id) for id in range(len(first))] == first
    encoding = tokenizer.encode("low é", "[MASK] wide")
    assert [tokenizer.id_to_token(id) for id in encoding.ids] == encoding.tokens
    assert encoding.tokens.count("[SEP]") == 2
    assert encoding.tokens[-1] == "[PAD]"
    # What a token takes with it stays.
    assert tokenizer.get_added_tokens_decoder()[tokenizer.token_to_id("[MASK]")].lstrip
    assert tokenizer.decode(encoding.ids) == "low é wide"


def test_settings_of_a_folder_list_the_new_ids():
    old = like_published_ones()
    listed = {str(id): token.__getstate__() for id, token in old.get_added_tokens_decoder().items()}
    old.config = {"added_tokens_decoder": listed, "cls_token": "[CLS]", "pad_token": "[PAD]"}
    old.save("old", format="folder")
    assert (
        main(["train", "in.txt", "--like", "old", "--vocab-size", "300", "-o", "new", "--format", "folder"])
        == 0
    )
    said = json.loads(Path("new/tokenizer_config.json").read_text())
    assert {id: token["content"] for id, token in said["added_tokens_decoder"].items()} == {
        str(id): name for id, name in enumerate(SPECIAL)
    }
    assert not [one for one in prove.doctor("new").findings if one.severity == "error"]


def test_a_unigram_model_that_is_trained_anew_knows_its_unknown_token():
    old = Tokenizer(models.Unigram([("<pad>", 0.0), ("<unk>", 0.0), ("▁", -1.0)], unk_id=1))
    old.pre_tokenizer = pre_tokenizers.Metaspace()
    old.decoder = decoders.Metaspace()
    old.add_special_tokens(["<pad>", "<unk>"])
    old.save("old.json")
    tokenizer = trained("--like", "old.json", "--vocab-size", "60")
    assert tokenizer.encode("low 東").ids[-1] == tokenizer.token_to_id("<unk>") == 1


@pytest.mark.parametrize("kind", ["wordpiece", "wordlevel"])
def test_special_tokens_do_not_drive_the_unknown_one_out(kind):
    whole = ["--model", kind, "--pre-tokenizer", "whitespace", "--vocab-size", "60"]
    tokenizer = trained(*whole, "-s", "[CLS]", "-s", "[SEP]")
    assert tokenizer.encode("東").tokens == ["[UNK]"]
    assert [tokenizer.id_to_token(id) for id in range(3)] == ["[CLS]", "[SEP]", "[UNK]"]


def test_an_unknown_token_that_was_typed_is_in_the_vocabulary():
    whole = ["--model", "bpe", "--pre-tokenizer", "whitespace", "--vocab-size", "60"]
    tokenizer = trained(*whole, "--unk-token", "<unk>")
    assert tokenizer.encode("東").tokens == ["<unk>"]


@pytest.mark.parametrize(
    "typed",
    [
        "wordpiece --pre-tokenizer whitespace",
        "wordpiece --pre-tokenizer whitespace --continuing-subword-prefix @@",
        "wordpiece --pre-tokenizer metaspace",
        "wordpiece --pre-tokenizer byte-level --vocab-size 330",
        "bpe --pre-tokenizer whitespace --continuing-subword-prefix ##",
        "bpe --pre-tokenizer whitespace --end-of-word-suffix </w>",
        "bpe --pre-tokenizer whitespace --end-of-word-suffix </w> --continuing-subword-prefix .* --vocab-size 75",
        "bpe --pre-tokenizer metaspace --end-of-word-suffix </w>",
        "bpe --pre-tokenizer metaspace --continuing-subword-prefix ##",
        "bpe --pre-tokenizer metaspace --vocab-size 48",
        "bpe --pre-tokenizer byte-level --vocab-size 262",
        "unigram --pre-tokenizer metaspace",
    ],
)
def test_marks_of_parts_of_words_are_taken_away_again(typed, reference):
    sized = [] if "--vocab-size" in typed else ["--vocab-size", "55"]
    tokenizer = trained("--model", *typed.split(), *sized)
    encoding = tokenizer.encode(TEXT)
    assert len(encoding.tokens) > 4
    assert tokenizer.decode(encoding.ids) == TEXT
    theirs = reference.Tokenizer.from_file("made.json")
    assert theirs.encode(TEXT).ids == encoding.ids
    assert theirs.decode(encoding.ids) == TEXT


@pytest.fixture
def reference():
    return pytest.importorskip("tokenizers")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (
            "--model wordpiece --end-of-word-suffix </w>",
            "a WordPiece model knows no marks at the ends of words",
        ),
        (
            "--model bpe --pre-tokenizer byte-level --end-of-word-suffix </w>",
            "byte-level does not go with marks",
        ),
        (
            "--recipe bert-uncased --continuing-subword-prefix @@",
            "is '@@', but it is '##' in the recipe bert-uncased",
        ),
        ("--recipe gpt2 --end-of-word-suffix </w>", "is '</w>', but it is None in the recipe gpt2"),
        ("--like old.json --end-of-word-suffix </w>", "is '</w>', but the model of old.json has none"),
        (
            "--like old.json --unk-token <unk>",
            "--unk-token is an option of Unigram, but a BPE model is trained",
        ),
        (
            "--recipe gpt2 --unk-token <unk>",
            "--unk-token is an option of Unigram, but a BPE model is trained",
        ),
    ],
)
def test_marks_that_the_pipeline_does_not_know_are_refused(typed, told, capsys):
    like_published_ones().save("old.json")
    assert main(["train", "in.txt", *typed.split(), "--vocab-size", "300", "-o", "made.json"]) == 1
    assert told in capsys.readouterr().err
    assert not Path("made.json").exists()


def test_what_decodes_with_blanks_within_words_says_so(capsys):
    typed = ["train", "in.txt", "--model", "bpe", "--pre-tokenizer", "whitespace", "--vocab-size", "60", "-o"]
    assert main([*typed, "made.json"]) == 0
    assert "decoding puts a blank between all tokens, within words too" in capsys.readouterr().err


def test_bytes_that_are_not_learned_are_told(capsys):
    tessella.recipes.get("llama2").train(iter(LINES), vocab_size=330).save("old.json")
    typed = ["train", "in.txt", "--like", "old.json", "--vocab-size", "60", "-o", "made.json"]
    assert main(typed) == 0
    assert "the bytes that old.json spells unknown characters with are not learned" in capsys.readouterr().err
    assert tessella.load("made.json").encode("東").tokens[-1] == "<unk>"


def test_what_a_template_puts_in_need_not_be_an_added_token():
    old = Tokenizer(models.WordLevel({"[CLS]": 0, "[UNK]": 1, "a": 2}, unk_token="[UNK]"))
    old.pre_tokenizer = pre_tokenizers.Whitespace()
    old.post_processor = processors.TemplateProcessing("[CLS] $A", None, [("[CLS]", 0)])
    old.save("old.json")
    tokenizer = trained("--like", "old.json", "--vocab-size", "60", "-s", "<x>")
    encoding = tokenizer.encode("low")
    assert encoding.tokens == ["[CLS]", "low"]
    assert encoding.ids == [tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("low")]


def test_ids_that_a_post_processor_has_of_the_vocabulary_before_are_told():
    tokenizer = like_published_ones()
    trainer = tessella.trainers.BpeTrainer(vocab_size=300, special_tokens=SPECIAL, show_progress=False)
    with pytest.warns(UserWarning, match=r"still puts in '\[CLS\]' as 4, and its id is 1 now"):
        tokenizer.train_from_iterator(LINES, trainer)
    # Those of a vocabulary that has the same ids are not.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
        tokenizer.train_from_iterator(LINES, trainer)
        tokenizer.save("old.json")
        trained("--like", "old.json", "--vocab-size", "300")
