"""Folders say which special tokens a tokenizer does without, and what else its class is made by."""

from __future__ import annotations

import json

import pytest
import tessella
import tessella.compat.transformers
from tessella import AddedToken, models, pre_tokenizers
from tessella.batch.special import ROLES

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "low", "lower"]
PIECES = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), ("<pad>", 0.0), ("▁low", -1.0), ("▁", -2.0)]


def bert(folder):
    tokenizer = tessella.Tokenizer(models.WordPiece({word: id for id, word in enumerate(WORDS)}))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(WORDS[:5])
    tokenizer.config = {"tokenizer_class": "BertTokenizer"}
    tokenizer.save_folder(folder)


def of_pieces(name, vocab=PIECES):
    def written(folder):
        tokenizer = tessella.Tokenizer(models.Unigram(vocab, 0))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.add_special_tokens([text for text, score in vocab if score == 0.0])
        tokenizer.config = {"tokenizer_class": name}
        tokenizer.save_folder(folder)

    return written


FOLDERS = {"BertTokenizer": bert} | {
    name: of_pieces(name)
    for name in ("T5Tokenizer", "XLMRobertaTokenizer", "BarthezTokenizer", "ReformerTokenizer")
}


def roles(tokenizer):
    return {role: getattr(tokenizer, role) for role in ROLES}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_role_without_a_token_stays_so_in_a_saved_folder(name, tmp_path):
    FOLDERS[name](tmp_path / "one")
    usual = tessella.AutoTokenizer.from_pretrained(tmp_path / "one")
    assert any(roles(usual).values())
    for role, token in roles(usual).items():
        if token is None:
            continue
        tokenizer = tessella.AutoTokenizer.from_pretrained(tmp_path / "one")
        setattr(tokenizer, role, None)
        tokenizer.save_pretrained(tmp_path / role)
        again = tessella.AutoTokenizer.from_pretrained(tmp_path / role)
        assert roles(again) == {**roles(usual), role: None}
        again.save_pretrained(tmp_path / "twice")
        written = [(tmp_path / folder / "tokenizer_config.json").read_bytes() for folder in (role, "twice")]
        assert written[0] == written[1]


def test_transformers_reads_the_same_roles(tmp_path):
    transformers = pytest.importorskip("transformers")
    bert(tmp_path / "one")
    tokenizer = tessella.AutoTokenizer.from_pretrained(tmp_path / "one")
    tokenizer.pad_token = tokenizer.mask_token = None
    tokenizer.save_pretrained(tmp_path / "two")
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "two")
    assert roles(theirs) == roles(tokenizer)
    assert theirs.pad_token is None and theirs.cls_token == "[CLS]"


def test_a_null_of_the_folder_is_saved_again(tmp_path):
    of_pieces("NllbTokenizer")(tmp_path)
    settings = tmp_path / "tokenizer_config.json"
    settings.write_text(json.dumps({"tokenizer_class": "NllbTokenizer", "bos_token": None}))
    for _ in range(2):
        tokenizer = tessella.AutoTokenizer.from_pretrained(tmp_path)
        assert tokenizer.bos_token is None
        tokenizer.save_pretrained(tmp_path)
        assert json.loads(settings.read_text())["bos_token"] is None


def test_roles_keep_the_flags_of_their_tokens(tmp_path):
    from tessella.compat.transformers import CodeLlamaTokenizer

    end = AddedToken("[END]", lstrip=True, normalized=False, special=True)
    tokenizer = CodeLlamaTokenizer(tokenizer_object=tessella.Tokenizer(models.BPE()), eos_token=end)
    assert tokenizer.eos_token == "[END]"
    assert tokenizer._special_tokens_map["eos_token"] == end
    assert tokenizer._special_tokens_map["sep_token"] is None
    tokenizer.save_pretrained(tmp_path)
    again = CodeLlamaTokenizer.from_pretrained(tmp_path)
    assert again.added_tokens_decoder[again.eos_token_id] == end


def test_a_role_of_a_class_of_its_own_can_be_without_a_token(tmp_path):
    from tessella.compat.transformers import CodeLlamaTokenizer

    tokenizer = CodeLlamaTokenizer(tokenizer_object=tessella.Tokenizer(models.BPE()), middle_token=None)
    assert tokenizer.middle_token is None
    tokenizer.save_pretrained(tmp_path)
    assert CodeLlamaTokenizer.from_pretrained(tmp_path).middle_token is None


@pytest.mark.parametrize("name", ["DebertaV2Tokenizer", "XLNetTokenizer"])
def test_the_number_of_the_unknown_piece_is_saved_where_the_class_is_made_by_it(name, tmp_path):
    """transformers makes these classes anew, with the number in the settings or else one of its own."""
    transformers = pytest.importorskip("transformers")
    special = ["[CLS]", "[SEP]", "[PAD]", "[MASK]", "<sep>", "<cls>"]
    vocab = [("<s>", 0.0), ("<x>", 0.0), ("<odd>", 0.0), ("▁low", -1.0), *((text, 0.0) for text in special)]
    tokenizer = tessella.Tokenizer(models.Unigram(vocab, 2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens(special)
    made = tessella.batch.PretrainedTokenizer(
        tokenizer, tokenizer_class=name, cls_token="<cls>", sep_token="<sep>", pad_token="[PAD]"
    )
    made.save_pretrained(tmp_path)
    assert json.loads((tmp_path / "tokenizer_config.json").read_text())["unk_id"] == 2
    ours = tessella.AutoTokenizer.from_pretrained(tmp_path)("low é", add_special_tokens=False)["input_ids"]
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)("low q", add_special_tokens=False)[
        "input_ids"
    ]
    assert 2 in ours and 2 in theirs


@pytest.mark.parametrize("name", ["NllbTokenizer", "CamembertTokenizer"])
@pytest.mark.parametrize("was", [[], ["<pad>"]])
def test_no_further_special_tokens_stay_none_in_a_saved_folder(name, was, tmp_path):
    """Where the settings say nothing of them, transformers adds those of the class, and ids change."""
    transformers = pytest.importorskip("transformers")
    of_pieces(name)(tmp_path / "one")
    settings = tmp_path / "one" / "tokenizer_config.json"
    settings.write_text(
        json.dumps({"tokenizer_class": name, "extra_special_tokens": was, "mask_token": "<s>"})
    )
    tokenizer = tessella.AutoTokenizer.from_pretrained(tmp_path / "one")
    tokenizer.extra_special_tokens = []
    tokenizer.save_pretrained(tmp_path / "two")
    assert json.loads((tmp_path / "two" / "tokenizer_config.json").read_text())["extra_special_tokens"] == []
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "two")
    assert len(theirs) == len(tokenizer)
    assert theirs.all_special_tokens == tokenizer.all_special_tokens
    again = tessella.AutoTokenizer.from_pretrained(tmp_path / "two")
    assert again.all_special_tokens == tokenizer.all_special_tokens


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("CamembertTokenizer", ["<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"]),
        ("XLNetTokenizer", ["<eop>", "<eod>"]),
    ],
)
def test_further_special_tokens_of_the_class_where_the_folder_says_none(name, own, tmp_path):
    transformers = pytest.importorskip("transformers")
    roles = ["<sep>", "<cls>", "<mask>"]
    of_pieces(name, [*PIECES, *((text, -3.0) for text in [*own, *roles])])(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    ours = tessella.AutoTokenizer.from_pretrained(tmp_path)
    assert ours.extra_special_tokens == own == theirs.extra_special_tokens
    assert ours.all_special_tokens[-len(own) :] == own == theirs.all_special_tokens[-len(own) :]
    ids = [ours.convert_tokens_to_ids(token) for token in ("▁low", own[0])]
    for one in (ours, theirs):
        assert one.convert_ids_to_tokens(ids, skip_special_tokens=True) == ["▁low"]
    wanted = tessella.AutoTokenizer.from_pretrained(tmp_path, extra_special_tokens=[])
    assert wanted.extra_special_tokens == []


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("CamembertTokenizer", ["<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"]),
        ("XLNetTokenizer", ["<eop>", "<eod>"]),
        ("T5Tokenizer", ["<extra_id_0>", "<extra_id_1>"]),
        ("MBartTokenizer", ["de_DE", "en_XX"]),
    ],
)
def test_further_special_tokens_of_the_class_of_an_object(name, own):
    """Those that the tokenizer has; an object is no folder, and is given no others."""
    roles = ["<unk>", "<s>", "</s>", "<pad>", "<mask>", "<cls>", "<sep>"]
    backend = tessella.Tokenizer(
        models.WordLevel({token: id for id, token in enumerate([*roles, *own, "a"])}, "<unk>")
    )
    kind = getattr(tessella.compat.transformers, name)
    ours = kind(tokenizer_object=backend)
    assert sorted(ours.extra_special_tokens) == sorted(own) and len(ours) == len(roles) + len(own) + 1
    assert ours.decode(ours.convert_tokens_to_ids(["a", *own]), skip_special_tokens=True) == "a"
    assert kind(tokenizer_object=backend, extra_special_tokens=[]).extra_special_tokens == []
    theirs = getattr(pytest.importorskip("transformers"), name)
    library = pytest.importorskip("tokenizers")
    found = theirs(tokenizer_object=library.Tokenizer.from_str(backend.to_str())).all_special_tokens
    assert ours.all_special_tokens == [token for token in found if token in backend.get_vocab()]


@pytest.mark.parametrize(("name", "key"), [("T5Tokenizer", "extra_ids"), ("PegasusTokenizer", "offset")])
def test_a_count_of_further_tokens_beyond_all_tokens_is_no_work(name, key, tmp_path):
    of_pieces(name)(tmp_path)
    path = tmp_path / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    for count in (10**12, -5, None, "many"):
        path.write_text(json.dumps({**settings, key: count}))
        assert tessella.AutoTokenizer.from_pretrained(tmp_path).extra_special_tokens == []


@pytest.mark.parametrize(
    ("name", "language"),
    [("NllbTokenizer", "eng_Latn"), ("MBartTokenizer", "en_XX"), ("MBart50Tokenizer", "en_XX")],
)
def test_an_end_that_becomes_a_token_when_its_folder_is_loaded(name, language, tmp_path):
    """It was none when what stands round texts was made and saved, so that the unknown token stood there."""
    of_pieces(name, [*PIECES, (language, 0.0)])(tmp_path / "one")
    kind = getattr(tessella.compat.transformers, name)
    tokenizer = kind.from_pretrained(tmp_path / "one", src_lang=language)
    tokenizer.eos_token = "<eot>"
    tokenizer.save_pretrained(tmp_path / "two")
    again = kind.from_pretrained(tmp_path / "two")
    ids = again("low").input_ids
    assert again.eos_token_id == len(again) - 1 and again.eos_token_id in ids
    assert again.unk_token_id not in ids
    theirs = getattr(pytest.importorskip("transformers"), name)
    found = theirs.from_pretrained(tmp_path / "two")("low").input_ids
    # The class of NLLB numbers the first pieces anew there, whatever the file says.
    assert [id for id in found if id >= len(PIECES)] == [id for id in ids if id >= len(PIECES)]
