"""Folders with a bare vocabulary, or whose class only the model's settings tell, beside the transformers library."""

import json

import pytest
import tessella
from tessella.compat import transformers as names
from tessella.errors import ArgumentError, TessellaError, UnsupportedError

WORDS = ["<s>", "<pad>", "</s>", "<unk>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<mask>"]
WORDS += ["the", "cat", "##s", "a", ",", "<", ">", "mask", "s"]
LETTERS = [chr(code) for code in range(33, 127)] + ["Ġ"]
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>", *LETTERS, "th", "the", "Ġthe"]
MERGES = "#version: 0.2\nt h\nth e\nĠ the\n"
TEXTS = ["the cats", "the <mask> , a", "<s> the</s>", "[CLS] a [SEP]", "", "a <|endoftext|>"]
ROLES = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"]

OF_WORDS = ["Bert", "DistilBert", "Electra", "MPNet", "MobileBert", "Lxmert", "SqueezeBert", "LayoutLM"]
OF_WORDS += ["ConvBert", "DPRQuestionEncoder", "DPRContextEncoder"]
OF_MERGES = ["GPT2", "Roberta", "Bart", "Longformer", "LED", "Mvp"]
MODELS_OF_WORDS = ["bert", "electra", "distilbert", "mobilebert", "lxmert", "dpr", "mpnet", "ernie"]
MODELS_OF_MERGES = ["gpt2", "roberta", "bart", "longformer", "led", "opt", "gptj"]
OTHERS_OF_WORDS = [
    "Esm",
    "BertJapanese",
    "Bertweet",
    "Phobert",
    "ProphetNet",
    "Splinter",
    "Funnel",
    "RoFormer",
]
OTHERS_OF_WORDS += ["Tapas", "Canine", "GPT2", "Llama"]


def folder_of(folder, words, *, config=None, model=None):
    folder.mkdir(exist_ok=True)
    if words:
        (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    else:
        (folder / "vocab.json").write_text(json.dumps({piece: id for id, piece in enumerate(PIECES)}))
        (folder / "merges.txt").write_text(MERGES, encoding="utf-8")
    for name, content in (("tokenizer_config.json", config), ("config.json", model)):
        if content is not None:
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def assert_same(folder):
    theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(folder)
    auto = tessella.AutoTokenizer.from_pretrained(folder)
    for text in TEXTS:
        wanted = [dict(theirs(text)), dict(theirs(text, "a the"))]
        for ours in (auto, tessella.load(folder)):
            assert [dict(ours(text)), dict(ours(text, "a the"))] == wanted, text
    for name in (*ROLES, "model_input_names", "padding_side"):
        assert getattr(auto, name) == getattr(theirs, name), name
    assert auto.get_vocab() == theirs.get_vocab()


@pytest.mark.parametrize("words", [True, False])
def test_the_class_of_the_settings(tmp_path, words):
    for name in OF_WORDS if words else OF_MERGES:
        for ending in ("Tokenizer", "TokenizerFast"):
            folder = folder_of(tmp_path / (name + ending), words, config={"tokenizer_class": name + ending})
            assert_same(folder)


@pytest.mark.parametrize("words", [True, False])
def test_the_class_of_the_model(tmp_path, words):
    for kind in MODELS_OF_WORDS if words else MODELS_OF_MERGES:
        assert_same(folder_of(tmp_path / kind, words, model={"model_type": kind}))


def test_roles_that_are_none(tmp_path):
    for role in ("pad_token", "mask_token"):
        config = {"tokenizer_class": "BertTokenizer", role: None}
        folder = folder_of(tmp_path / role, True, config=config)
        assert_same(folder)
        text = "a [PAD] [MASK]"
        theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(folder)
        assert tessella.load(folder).encode(text).ids == theirs(text)["input_ids"]


def test_roles_of_other_names(tmp_path):
    for role in ("pad_token", "mask_token", "unk_token"):
        config = {"tokenizer_class": "BertTokenizer", role: "<pad>"}
        folder = folder_of(tmp_path / role, True, config=config)
        assert_same(folder)
        text = "a <pad> [PAD] [MASK] [UNK] nothing"
        theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(folder)
        assert tessella.load(folder).encode(text).ids == theirs(text)["input_ids"]


def _mask(**flags):
    usual = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}
    return {"__type": "AddedToken", "content": "<mask>", **usual, **flags}


@pytest.mark.parametrize("name", ["RobertaTokenizer", "MPNetTokenizer"])
def test_flags_of_special_tokens(tmp_path, name):
    said = ["<mask>", _mask(), _mask(lstrip=True, rstrip=True), _mask(single_word=True), None]
    for number, mask in enumerate(said):
        config = {"tokenizer_class": name, "mask_token": mask}
        folder = folder_of(tmp_path / str(number), name == "MPNetTokenizer", config=config)
        assert_same(folder)
        old = folder_of(
            tmp_path / f"{number}-map", name == "MPNetTokenizer", config={"tokenizer_class": name}
        )
        if mask is not None:
            plain = {key: value for key, value in mask.items() if key != "__type"} if number else mask
            (old / "special_tokens_map.json").write_text(json.dumps({"mask_token": plain}))
            assert_same(old)


def test_what_other_classes_do_is_not_guessed(tmp_path):
    for name in OTHERS_OF_WORDS:
        folder = folder_of(tmp_path / name, True, config={"tokenizer_class": f"{name}Tokenizer"})
        with pytest.raises(UnsupportedError, match=f"`{name}Tokenizer`"):
            tessella.load(folder)
    for number, model in enumerate(({"model_type": "esm"}, {"tokenizer_class": "BertweetTokenizer"})):
        with pytest.raises(UnsupportedError, match=r"`(Esm|Bertweet)Tokenizer`.*tokenizer\.json"):
            tessella.load(folder_of(tmp_path / str(number), True, model=model))
    for kind in ("deberta", "whisper", "qwen2", "ctrl"):
        with pytest.raises(UnsupportedError, match="not known to do it as GPT-2"):
            tessella.load(folder_of(tmp_path / kind, False, model={"model_type": kind}))
    # The list itself says nothing of classes, nor do these names.
    assert tessella.load(tmp_path / "Esm" / "vocab.txt").encode("the").ids == [6, 10, 7]
    for name in ("PreTrainedTokenizerFast", "TokenizersBackend"):
        folder = folder_of(tmp_path / name, True, config={"tokenizer_class": name})
        assert tessella.load(folder).encode("the").ids == [6, 10, 7]


def test_a_class_is_named_before_its_files_are_read(tmp_path):
    """Their merges and words are of another kind, which says less than the class."""
    merges = ["#version: 0.2", "h i</w> 10"]
    for kind, name in (("ctrl", "CTRL"), ("xlm", "XLM"), ("blenderbot-small", "BlenderbotSmall")):
        folder = folder_of(tmp_path / kind, False, model={"model_type": kind})
        (folder / "merges.txt").write_text("\n".join(merges))
        with pytest.raises(UnsupportedError, match=f"`{name}Tokenizer` is not known to do it as GPT-2"):
            tessella.load(folder)


def test_a_folder_without_a_tokenizer_tells_its_class_and_other_files(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "wav2vec2"}))
    (tmp_path / "vocab.json").write_text("{}")
    with pytest.raises(ArgumentError, match="class `Wav2Vec2CTCTokenizer` has files of its own: save it"):
        tessella.load(tmp_path)
    (tmp_path / "config.json").unlink()
    (tmp_path / "qwen.tiktoken").write_text("")
    with pytest.raises(ArgumentError, match=r"It holds `qwen\.tiktoken`: load such a file by its path"):
        tessella.load(tmp_path)


def test_ends_that_a_vocabulary_lacks(tmp_path):
    folder = folder_of(
        tmp_path / "bert", True, config={"tokenizer_class": "BertTokenizer", "sep_token": "[E]"}
    )
    with pytest.raises(TessellaError, match=r"the sep_token `\[E\]` is not in the vocabulary"):
        tessella.load(folder)


def test_a_file_whose_class_the_model_tells(tmp_path):
    folder = folder_of(tmp_path / "bert", True, config={"do_lower_case": True}, model={"model_type": "bert"})
    backend = tessella.load(folder / "vocab.txt")
    (folder / "vocab.txt").unlink()
    backend.save(folder / "tokenizer.json")
    assert_same(folder)
    tokenizer = tessella.AutoTokenizer.from_pretrained(folder)
    assert type(tokenizer) is names.BertTokenizer
    assert tokenizer("the", "a")["token_type_ids"] == [0, 0, 0, 1, 1]
    # The copy has it in the tokenizer's own settings, and needs those of the model no more.
    tokenizer.save_pretrained(tmp_path / "saved")
    assert type(tessella.AutoTokenizer.from_pretrained(tmp_path / "saved")) is names.BertTokenizer
    tessella.load(folder).save_folder(tmp_path / "saved")
    assert_same(tmp_path / "saved")

    for model in ({}, {"model_type": "odd"}, {"model_type": ["bert"]}, {"model_type": "modernbert"}):
        (folder / "config.json").write_text(json.dumps(model))
        assert tessella.load(folder).config == {"do_lower_case": True}
        assert type(tessella.AutoTokenizer.from_pretrained(folder)) is names.PreTrainedTokenizerFast


def test_the_side_of_padding_is_that_of_the_class(tmp_path):
    folder = folder_of(tmp_path / "bert", True)
    backend = tessella.load(folder / "vocab.txt")
    backend.config = {"tokenizer_class": "LlamaTokenizer", "pad_token": "<pad>"}
    assert backend(["the", "the cats"], padding=True)["attention_mask"][0][0] == 0
    backend.config = {"tokenizer_class": "LlamaTokenizer", "pad_token": "<pad>", "padding_side": "right"}
    assert backend(["the", "the cats"], padding=True)["attention_mask"][0][0] == 1


ANGLES = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
    "sep_token": "</s>",
    "cls_token": "<s>",
}
ANGLES |= {"pad_token": "<pad>", "mask_token": "<mask>"}
# Settings, special_tokens_map.json, added_tokens.json.
OLDER = {
    "a pad token that was added": ({}, {**ANGLES, "pad_token": "<P>"}, {"<P>": len(PIECES)}),
    "further ones in the settings": (
        {"additional_special_tokens": ["<E>"]},
        {},
        {"<E>": len(PIECES), "<F>": len(PIECES) + 1},
    ),
    "further ones in the map": ({}, {**ANGLES, "additional_special_tokens": ["<E>"]}, {"<E>": len(PIECES)}),
    "the map says otherwise": ({"pad_token": "<pad>"}, {"pad_token": "<mask>"}, None),
    "the map is older": (
        {"pad_token": "<pad>", "added_tokens_decoder": {"1": {"content": "<pad>", "special": True}}},
        {"pad_token": "<mask>", "bos_token": "</s>"},
        None,
    ),
}


@pytest.mark.parametrize("case", OLDER)
@pytest.mark.parametrize("is_bare", [True, False])
def test_files_of_older_releases(tmp_path, case, is_bare):
    config, map, added = OLDER[case]
    folder = folder_of(tmp_path / "old", False, config={"tokenizer_class": "RobertaTokenizer", **config})
    if not is_bare:
        tessella.load(folder).save(folder / "tokenizer.json")
        (folder / "vocab.json").unlink()
        (folder / "merges.txt").unlink()
    (folder / "special_tokens_map.json").write_text(json.dumps(map))
    if added is not None:
        (folder / "added_tokens.json").write_text(json.dumps(added))
    assert_same(folder)
    theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(folder)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    ids = theirs("the <P> <E> <e> <F> cat")["input_ids"]
    assert ours("the <P> <E> <e> <F> cat")["input_ids"] == ids
    assert ours.decode(ids, skip_special_tokens=True) == theirs.decode(ids, skip_special_tokens=True)


def test_files_of_older_releases_do_not_outlive_what_they_said(tmp_path):
    map = {**ANGLES, "pad_token": "<P>"}
    folder = folder_of(tmp_path / "old", False, config={"tokenizer_class": "RobertaTokenizer"})
    (folder / "special_tokens_map.json").write_text(json.dumps(map))
    (folder / "added_tokens.json").write_text(json.dumps({"<P>": len(PIECES), "<E>": len(PIECES) + 1}))
    tokenizer = tessella.AutoTokenizer.from_pretrained(folder)
    assert tokenizer.pad_token == "<P>"
    tokenizer.pad_token, tokenizer.bos_token = "<mask>", None
    tokenizer.save_pretrained(folder)
    for library in (tessella, pytest.importorskip("transformers")):
        again = library.AutoTokenizer.from_pretrained(folder)
        assert (again.pad_token, again.bos_token) == ("<mask>", None)
        assert again.convert_tokens_to_ids("<E>") == len(PIECES) + 1

    smaller = tessella.edit.remove(tessella.load(folder), ["<E>"]).tokenizer
    smaller.save_folder(folder)
    for library in (tessella, pytest.importorskip("transformers")):
        assert "<E>" not in library.AutoTokenizer.from_pretrained(folder).get_vocab()


@pytest.mark.parametrize("ends", [(True, False), (False, True), (True, True), (False, False)])
def test_ends_that_settings_ask_for(tmp_path, ends):
    config = {
        "tokenizer_class": "GPT2Tokenizer",
        "bos_token": "</s>",
        "eos_token": "<s>",
        "unk_token": "</s>",
    }
    config |= {"pad_token": "<pad>", "add_bos_token": ends[0], "add_eos_token": ends[1]}
    folder = folder_of(tmp_path / "opt", False, config=config)
    assert_same(folder)
    assert tessella.load(folder).encode("a").ids[: ends[0]] == [2][: ends[0]]
    tessella.load(folder).save_folder(tmp_path / "saved")
    assert (
        tessella.load(tmp_path / "saved").encode("a", "a").ids == tessella.load(folder).encode("a", "a").ids
    )


@pytest.mark.parametrize("stated", ["LlamaTokenizer", "LlamaTokenizerFast", "BertTokenizer"])
def test_classes_that_say_nothing(tmp_path, stated):
    config = {**ANGLES, "tokenizer_class": stated}
    is_llama = stated != "BertTokenizer"
    backend = tessella.load(folder_of(tmp_path / "bare", not is_llama))
    folder = tmp_path / "whole"
    folder.mkdir()
    backend.save(folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    if not is_llama:
        (folder / "config.json").write_text(json.dumps({"model_type": "modernbert"}))
    theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(folder)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    assert type(ours) is names.PreTrainedTokenizerFast
    assert (ours.padding_side, ours.model_input_names) == (theirs.padding_side, theirs.model_input_names)
    assert dict(ours(["a the", "a"], padding=True)) == dict(theirs(["a the", "a"], padding=True))
