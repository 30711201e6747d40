"""Folders with a SentencePiece model: what the class in the settings makes of it, beside transformers 5.24.

The models are trained here by the SentencePiece library, the settings are written as transformers writes them.
"""

import io
import itertools
import json
import os
import random
import shutil

import pytest
import tessella
from tessella import models
from tessella.batch.piece_classes import CLASSES
from tessella.compat import transformers as names
from tessella.errors import FormatError, UnsupportedError
from tessella.processors import TemplateProcessing

sentencepiece = pytest.importorskip("sentencepiece")
transformers = pytest.importorskip("transformers")
pytest.importorskip("google.protobuf", reason="transformers reads models with it: pip install protobuf")

_DRAW = random.Random(1)
_WORDS = (
    "the low lower newest wider 東京 タワー です 2024 éx привет мир نص ﬁne ① sym don't ``quoted'' Hello A b"
)
LINES = [
    " ".join(_DRAW.choice(_WORDS.split()) + _DRAW.choice(["", "", ".", ",", "s"]) for _ in range(8))
    for _ in range(300)
]
TEXTS = [
    *["", " ", "a", " a", "a ", "Hello world", "  Hello   world  ", "the\tlow\nlower\r\nnewest", "\n\n"],
    *["``a'' don't", "東京タワーです", "ﬁne ① ＡＢ é e\u0301", "\u200b\u00ad\u2581", "▁▁ ▁a", "😀 q zzz"],
    *["<s>hi</s>", "a<mask>b", "a <mask> b", "[CLS] x [SEP]", "<unk>", "x<usr>y", " <usr> y", "<pad></s>"],
    *["\x00 \x7f", "a\u00a0b\u3000c", "ÀÉ straße İ", "en_XX x", "<extra_id_0> <extra_id_99>x", "<0x41>"],
    *["👨\u200d👩\u200d👧 x" * 3, "x" * 300, " " * 50 + "x", "a<ent>plainnew x", "plainnewx <ent> a"],
    *LINES[:10],
]
_UNK = {"normalization_rule_name": "nmt_nfkc_cf", "control_symbols": ["<ctl>"]}
_BYTES = {"byte_fallback": True, "normalization_rule_name": "identity", "vocab_size": 450}
MODELS = {
    "unigram": {"user_defined_symbols": ["<usr>"]},
    "folded": {"user_defined_symbols": ["<usr>"], **_UNK},
    "bytes": {
        "model_type": "bpe",
        **_BYTES,
        "remove_extra_whitespaces": False,
        "user_defined_symbols": ["<usr>"],
    },
    "pairs": {"model_type": "bpe"},
    "gemma": {
        **{"model_type": "bpe", **_BYTES, "pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3},
        **{"eos_piece": "<eos>", "bos_piece": "<bos>", "user_defined_symbols": ["<mask>", "\t", "\n\n"]},
    },
    "t5": {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
    "albert": {
        **{"pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1, "control_symbols": ["[CLS]", "[SEP]"]},
        **{"user_defined_symbols": ["(", ")", "[MASK]", "<usr>"]},
    },
    "deberta": {
        **{"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3, "pad_piece": "[PAD]", "bos_piece": "[CLS]"},
        **{"eos_piece": "[SEP]", "unk_piece": "[UNK]", "user_defined_symbols": ["<usr>"]},
    },
    "xlnet": {
        "control_symbols": ["<cls>", "<sep>", "<pad>", "<mask>", "<eod>"],
        "user_defined_symbols": ["<eop>", ".", "(", ")"],
    },
}


def _token(content, **flags):
    usual = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
    return {"content": content, **usual, **flags}


def _typed(content, **flags):
    return {"__type": "AddedToken", **_token(content, **flags)}


_DECODER = {
    "0": _token("<unk>", special=True),
    "200": _token("<e1>", special=True, lstrip=True),
    "201": _token("plain", special=False, normalized=True, single_word=True),
}
_FIVE = [f"<extra_id_{id}>" for id in range(5)]
_BPE, _SPIECE = "sentencepiece.bpe.model", "spiece.model"
# Class, model, settings, name of the model's file, further files.
CASES = [
    ("LlamaTokenizer", "bytes", {}),
    ("LlamaTokenizer", "bytes", {"add_bos_token": True}),
    (
        "LlamaTokenizer",
        "bytes",
        {
            **{"add_bos_token": True, "add_eos_token": True, "legacy": True, "pad_token": None},
            **{"bos_token": _typed("<s>", normalized=True), "unk_token": "<unk>"},
        },
    ),
    ("LlamaTokenizerFast", "bytes", {"add_prefix_space": False, "add_eos_token": True}),
    ("LlamaTokenizer", "pairs", {"added_tokens_decoder": _DECODER, "additional_special_tokens": ["<e1>"]}),
    ("LlamaTokenizer", "unigram", {}),
    ("LlamaTokenizer", "bytes", {"add_bos_token": True}, {"config.json": {"model_type": "mistral"}}),
    ("CodeLlamaTokenizer", "bytes", {}),
    ("GemmaTokenizer", "gemma", {"add_bos_token": True}),
    ("T5Tokenizer", "t5", {}, {}, _SPIECE),
    ("T5Tokenizer", "t5", {"extra_ids": 5, "additional_special_tokens": _FIVE}, {}, _SPIECE),
    ("T5Tokenizer", "pairs", {"extra_ids": 0}, {}, _SPIECE),
    (None, "t5", {}, {"config.json": {"model_type": "mt5"}}, _SPIECE),
    ("VideoPrismTokenizer", "t5", {}, {}, _SPIECE),
    ("AlbertTokenizer", "albert", {}, {}, _SPIECE),
    ("AlbertTokenizer", "albert", {"do_lower_case": False, "keep_accents": True}, {}, _SPIECE),
    ("AlbertTokenizer", "albert", {"add_bos_token": True}, {}, _SPIECE),
    ("FNetTokenizer", "albert", {}, {}, _SPIECE),
    ("BarthezTokenizer", "unigram", {}, {}, _BPE),
    ("BigBirdTokenizer", "unigram", {"sep_token": "[SEP]"}, {}, _SPIECE),
    ("CamembertTokenizer", "unigram", {}, {}, _BPE),
    ("DebertaV2Tokenizer", "deberta", {}, {}, "spm.model"),
    (
        "DebertaV2Tokenizer",
        "deberta",
        {"do_lower_case": True, "split_by_punct": True, "add_prefix_space": False},
        {},
        "spm.model",
    ),
    ("MBartTokenizer", "unigram", {}, {}, _BPE),
    ("MBartTokenizer", "folded", {"src_lang": "de_DE", "tgt_lang": "en_XX"}, {}, _BPE),
    ("MBart50Tokenizer", "folded", {"src_lang": "fr_XX"}, {}, _BPE),
    ("NllbTokenizer", "pairs", {}, {}, _BPE),
    (
        "NllbTokenizer",
        "pairs",
        {"src_lang": "deu_Latn", "additional_special_tokens": ["deu_Latn"], "legacy_behaviour": True},
        {},
        _BPE,
    ),
    ("SeamlessM4TTokenizer", "pairs", {}, {}, _BPE),
    ("PegasusTokenizer", "t5", {}, {}, _SPIECE),
    ("PegasusTokenizer", "t5", {"mask_token_sent": "<mask_1>", "offset": 20}, {}, _SPIECE),
    ("ReformerTokenizer", "pairs", {}, {}, _SPIECE),
    ("RemBertTokenizer", "albert", {}),
    ("XGLMTokenizer", "unigram", {"additional_special_tokens": ["<madeupword0>", "<x>"]}),
    ("XGLMTokenizer", "folded", {}),
    ("XLMRobertaTokenizer", "unigram", {}, {}, _BPE),
    ("XLMRobertaTokenizer", "folded", {"mask_token": _typed("<mask>", lstrip=True)}, {}, _BPE),
    (
        "XLMRobertaTokenizer",
        "unigram",
        {},
        {
            "special_tokens_map.json": {
                "mask_token": _token("<mask>", lstrip=True, normalized=True),
                "additional_special_tokens": ["<q>"],
            },
            "added_tokens.json": {"<mask>": 999, "new": 1000},
        },
        _BPE,
    ),
    ("XLNetTokenizer", "xlnet", {}, {}, _SPIECE),
    ("XLNetTokenizer", "xlnet", {"do_lower_case": True, "additional_special_tokens": ["<eop>"]}, {}, _SPIECE),
    ("Tipsv2Tokenizer", "bytes", {}),
    ("PreTrainedTokenizerFast", "bytes", {"add_bos_token": True}),
    ("PreTrainedTokenizerFast", "pairs", {}),
    ("SomebodysTokenizer", "unigram", {}),
    ("TokenizersBackend", "bytes", {"legacy": False, "add_eos_token": True}),
    ("SomebodysTokenizer", "gemma", {"added_tokens_decoder": {"4": _token("<person>", special=False)}}),
    (None, "gemma", {}, {"config.json": {"model_type": "omniasr"}}),
    (None, "pairs", {"legacy": None}, {"config.json": {"model_type": "somebodys"}}),
]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The models' files by name."""
    folder = tmp_path_factory.mktemp("models")
    for name, options in MODELS.items():
        writer = io.BytesIO()
        usual = {"model_type": "unigram", "vocab_size": 200, "hard_vocab_limit": False, "minloglevel": 9}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES), model_writer=writer, **{**usual, **options}
        )
        (folder / name).write_bytes(writer.getvalue())
    return folder


def write_folder(folder, trained, kind, model, settings, files=None, name="tokenizer.model"):
    folder.mkdir()
    shutil.copy(trained / model, folder / name)
    named = {} if kind is None else {"tokenizer_class": kind}
    for file, content in {"tokenizer_config.json": {**settings, **named}, **(files or {})}.items():
        (folder / file).write_text(json.dumps(content), encoding="utf-8")
    return folder


def _rows(encoding):
    return {name: [list(row) for row in rows] for name, rows in encoding.items()}


def assert_same(theirs, ours, texts, *, ends=True):
    """The same tokens, settings and ids, with and without special tokens, alone and in pairs, and back."""
    for name in (
        "special_tokens_map",
        "added_tokens_encoder",
        "vocab_size",
        "padding_side",
        "pad_token_type_id",
    ):
        assert getattr(theirs, name) == getattr(ours, name), name
    for name in (
        "model_input_names",
        "model_max_length",
        *(("add_bos_token", "add_eos_token") if ends else ()),
    ):
        assert getattr(theirs, name) == getattr(ours, name), name
    assert list(map(str, theirs.extra_special_tokens)) == list(map(str, ours.extra_special_tokens))
    assert len(theirs) == len(ours)
    for id, token in theirs.added_tokens_decoder.items():
        assert token.__getstate__() == ours.added_tokens_decoder[id].__getstate__()
    assert_same_ids(theirs, ours, texts)


def assert_same_ids(theirs, ours, texts):
    one = _rows(ours(texts))
    assert _rows(theirs(texts)) == one
    bare = {"add_special_tokens": False}
    assert theirs(texts, **bare)["input_ids"] == ours(texts, **bare)["input_ids"]
    others = [*texts[3:], *texts[:3]]
    assert _rows(theirs(texts, others)) == _rows(ours(texts, others))
    for skip in (False, True):
        options = {"skip_special_tokens": skip}
        assert theirs.batch_decode(one["input_ids"], **options) == ours.batch_decode(
            one["input_ids"], **options
        )


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}-{'-'.join(case[2])}")
def test_the_class_decides(case, trained, tmp_path):
    folder = write_folder(tmp_path / "folder", trained, *case)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    assert_same(theirs, ours, TEXTS)
    assert tessella.load(folder).encode_batch(TEXTS[5:9])[1].ids == ours(TEXTS[6])["input_ids"]

    ours.save_pretrained(tmp_path / "saved")
    assert_same(ours, tessella.AutoTokenizer.from_pretrained(tmp_path / "saved"), TEXTS, ends=False)
    for tokenizer in (theirs, ours):
        tokenizer.add_tokens(["plainnew"])
        tokenizer.add_special_tokens({"extra_special_tokens": ["<ent>"]})
    assert_same(theirs, ours, TEXTS)
    ours.save_pretrained(tmp_path / "more")
    assert_same(ours, tessella.AutoTokenizer.from_pretrained(tmp_path / "more"), TEXTS, ends=False)


def test_a_piece_of_users_is_cut_out_under_the_name_that_settings_give_it(trained, tmp_path):
    settings = {"added_tokens_decoder": {"4": _token("<person>", special=False)}}
    folder = write_folder(tmp_path / "folder", trained, "SomebodysTokenizer", "gemma", settings)
    made = [
        json.loads(library.AutoTokenizer.from_pretrained(folder).backend_tokenizer.to_str())["pre_tokenizer"]
        for library in (transformers, tessella)
    ]
    assert made[0] == made[1] and "<person>" in str(made[1])


def test_every_class_of_the_table_is_compared():
    assert {str(case[0]).removesuffix("Fast") for case in CASES} >= set(CLASSES)


@pytest.mark.parametrize(
    "case", [CASES[1], CASES[9], CASES[23], CASES[35], CASES[38]], ids=lambda case: case[0]
)
def test_transformers_reads_what_is_saved(case, trained, tmp_path):
    folder = write_folder(tmp_path / "folder", trained, *case)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    ours.add_special_tokens({"extra_special_tokens": ["<ent>"]})
    ours.save_pretrained(tmp_path / "saved")
    assert_same_ids(transformers.AutoTokenizer.from_pretrained(tmp_path / "saved"), ours, TEXTS)


@pytest.mark.skipif("TESSELLA_CORPORA" not in os.environ, reason="TESSELLA_CORPORA is not set")
@pytest.mark.parametrize(
    "case",
    {case[0]: case for case in reversed(CASES) if str(case[0]).removesuffix("Fast") in CLASSES}.values(),
    ids=lambda case: case[0],
)
def test_the_adversarial_corpus(case, trained, tmp_path):
    """Every fifth text of it; all of them with TESSELLA_ADVERSARIAL=1."""
    zstandard = pytest.importorskip("zstandard")
    path = os.path.join(os.environ["TESSELLA_CORPORA"], "adversarial.jsonl.zst")
    every = int(os.environ.get("TESSELLA_ADVERSARIAL", "5"))
    with zstandard.open(path, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in itertools.islice(lines, 0, None, every)]
    folder = write_folder(tmp_path / "folder", trained, *case)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    assert_same_ids(
        theirs, tessella.AutoTokenizer.from_pretrained(folder), [text for text in texts if len(text) < 4096]
    )


def test_a_class_asked_for_by_name_wins(trained, tmp_path):
    folder = write_folder(tmp_path / "folder", trained, None, "bytes", {"add_bos_token": True})
    ours, theirs = (module.LlamaTokenizer.from_pretrained(folder) for module in (names, transformers))
    assert_same(theirs, ours, TEXTS)
    given = {"add_eos_token": True, "add_prefix_space": False, "eos_token": "<usr>"}
    ours, theirs = (
        module.LlamaTokenizer.from_pretrained(folder, **given) for module in (names, transformers)
    )
    assert_same(theirs, ours, TEXTS)


def test_without_a_class_the_rules_are_those_of_sentencepiece(trained, tmp_path):
    folder = write_folder(tmp_path / "folder", trained, None, "bytes", {})
    library = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
    tokenizer = tessella.AutoTokenizer.from_pretrained(folder)
    assert tokenizer(TEXTS)["input_ids"] == library.encode(TEXTS)
    tokenizer.add_special_tokens({"extra_special_tokens": ["<ent>"]})
    tokenizer.add_tokens([tessella.AddedToken("plainnew", single_word=True, rstrip=True)])
    tokenizer.save_pretrained(tmp_path / "saved")
    assert sorted(os.listdir(tmp_path / "saved")) == ["tokenizer.model", "tokenizer_config.json"]
    assert_same(tokenizer, tessella.AutoTokenizer.from_pretrained(tmp_path / "saved"), TEXTS)
    assert tokenizer.tokenize("a<ent>plainnew  b") == ["▁", "<0x61>", "<ent>", "▁plainnew", "▁", "▁b"]


def test_what_cannot_be_given_is_an_error(trained, tmp_path):
    folder = write_folder(tmp_path / "one", trained, "MarianTokenizer", "unigram", {})
    with pytest.raises(UnsupportedError, match=r"MarianTokenizer.*load the \.model file itself"):
        tessella.load(folder)
    folder = write_folder(
        tmp_path / "two", trained, "X", "unigram", {"auto_map": {"AutoTokenizer": ["a.X", None]}}
    )
    with pytest.raises(UnsupportedError, match="code that comes with the model"):
        tessella.load(folder)
    folder = write_folder(tmp_path / "three", trained, "AlbertTokenizer", "unigram", {})
    with pytest.raises(
        FormatError, match=r"`\[CLS\]`, the cls_token of an AlbertTokenizer, is none of the pieces"
    ):
        tessella.load(folder)
    folder = write_folder(tmp_path / "four", trained, "T5Tokenizer", "t5", {}, {"config.json": []})
    with pytest.raises(FormatError, match=r"config\.json must hold a JSON object"):
        tessella.load(folder)


SPOKEN = {
    "MBartTokenizer": ("unigram", "fr_XX", "ro_RO", {}),
    "MBart50Tokenizer": ("folded", "fr_XX", "ro_RO", {}),
    "NllbTokenizer": (
        "pairs",
        "deu_Latn",
        "fra_Latn",
        {"additional_special_tokens": ["deu_Latn", "fra_Latn"]},
    ),
    "SeamlessM4TTokenizer": (
        "pairs",
        "__deu__",
        "__spa__",
        {"additional_special_tokens": ["__eng__", "__fra__", "__deu__", "__spa__"]},
    ),
}


def _spoken(kind, saved, trained, tmp_path):
    """A folder of a class that speaks languages, as written by hand or as transformers saves it."""
    model, _, _, settings = SPOKEN[kind]
    folder = write_folder(tmp_path / "folder", trained, kind, model, settings, {}, _BPE)
    if not saved:
        return folder
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path / "saved")
    return tmp_path / "saved"


@pytest.mark.parametrize("kind", SPOKEN)
@pytest.mark.parametrize("saved", [False, True])
def test_languages_are_put_round_texts_and_targets(kind, saved, trained, tmp_path):
    _, source, target, _ = SPOKEN[kind]
    folder = _spoken(kind, saved, trained, tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    assert (theirs.src_lang, theirs.tgt_lang) == (ours.src_lang, ours.tgt_lang)
    labelled = {"text": TEXTS[:3], "text_target": TEXTS[3:6]}
    assert _rows(theirs(**labelled)) == _rows(ours(**labelled))
    for tokenizer in (theirs, ours):
        tokenizer.src_lang = source
    assert_same_ids(theirs, ours, TEXTS)
    assert _rows(theirs(**labelled)) == _rows(ours(**labelled))
    theirs.tgt_lang = ours.tgt_lang = target
    assert _rows(theirs(**labelled)) == _rows(ours(**labelled))
    assert_same_ids(theirs, ours, TEXTS)

    given = {"src_lang": target, "tgt_lang": source}
    theirs = transformers.AutoTokenizer.from_pretrained(folder, **given)
    ours = tessella.AutoTokenizer.from_pretrained(folder, **given)
    assert_same_ids(theirs, ours, TEXTS)
    assert _rows(theirs(**labelled)) == _rows(ours(**labelled))
    ours.save_pretrained(tmp_path / "again")
    assert_same_ids(ours, tessella.AutoTokenizer.from_pretrained(tmp_path / "again"), TEXTS)


@pytest.mark.parametrize("kind", SPOKEN)
@pytest.mark.parametrize("saved", [False, True])
def test_the_language_stays_whatever_is_said_of_ends(kind, saved, trained, tmp_path):
    source = SPOKEN[kind][1]
    folder = _spoken(kind, saved, trained, tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    for name, value in (("add_bos_token", False), ("eos_token", "<unk>"), ("src_lang", source)):
        for tokenizer in (theirs, ours):
            setattr(tokenizer, name, value)
        assert_same_ids(theirs, ours, TEXTS)
    theirs.add_eos_token = True
    with pytest.warns(UserWarning, match="say nothing to a"):
        ours.add_eos_token = True
    assert_same_ids(theirs, ours, TEXTS)
    # What a caller puts round texts stays.
    own = TemplateProcessing("$A", None, [])
    ours.backend_tokenizer.post_processor = own
    ours.eos_token = "</s>"
    assert ours.backend_tokenizer.post_processor.__getstate__() == own.__getstate__()


def test_the_beginning_of_one_class_stays_where_the_end_is_asked_for(tmp_path):
    tokenizer = tessella.Tokenizer(models.WordLevel({"a": 0, "<s>": 1, "</s>": 2, "<unk>": 3}, "<unk>"))
    tokenizer.add_special_tokens(["<s>", "</s>"])
    tokenizer.post_processor = TemplateProcessing("<s> $A", None, [("<s>", 1)])
    for name, wanted in (("CodeLlamaTokenizer", [1, 0, 2]), ("LlamaTokenizer", [0, 2])):
        tokenizer.config = {"tokenizer_class": name, "bos_token": "<s>", "eos_token": "</s>"}
        tokenizer.save_folder(tmp_path / name)
        found = tessella.AutoTokenizer.from_pretrained(tmp_path / name)
        assert found("a").input_ids == [1, 0]
        found.add_eos_token = True
        assert found("a").input_ids == wanted


@pytest.mark.parametrize("kind", SPOKEN)
def test_inputs_of_the_translation_pipeline(kind, trained, tmp_path):
    _, source, target, _ = SPOKEN[kind]
    folder = _spoken(kind, False, trained, tmp_path)
    found = []
    for load in (transformers.AutoTokenizer, tessella.AutoTokenizer):
        tokenizer = load.from_pretrained(folder)
        asked = {"return_tensors": None, "src_lang": source, "tgt_lang": target}
        found.append((dict(tokenizer._build_translation_inputs(TEXTS[0], **asked)), tokenizer.src_lang))
        with pytest.raises(ValueError, match="`src_lang` and a `tgt_lang`"):
            tokenizer._build_translation_inputs(TEXTS[0], **{**asked, "tgt_lang": None})
    assert found[0] == found[1] and "forced_bos_token_id" in found[0][0]


def test_calls_of_one_class_name_languages(trained, tmp_path):
    model, _, _, settings = SPOKEN["SeamlessM4TTokenizer"]
    folder = write_folder(tmp_path / "folder", trained, "SeamlessM4TTokenizer", model, settings, {}, _BPE)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    labelled = {"text": TEXTS[:3], "text_target": TEXTS[3:6]}
    for given in ({"src_lang": "deu"}, {"tgt_lang": "__spa__"}, {"src_lang": "spa", "tgt_lang": "deu"}):
        assert _rows(theirs(**labelled, **given)) == _rows(ours(**labelled, **given))
        assert (theirs.src_lang, theirs.tgt_lang) == (ours.src_lang, ours.tgt_lang)
        assert_same_ids(theirs, ours, TEXTS)


def test_a_language_that_is_no_token_is_told(trained, tmp_path):
    folder = write_folder(tmp_path / "folder", trained, "MBartTokenizer", "unigram", {}, {}, _BPE)
    tokenizer = tessella.AutoTokenizer.from_pretrained(folder)
    with pytest.warns(UserWarning, match="`src_lang` is 'fr', which is no token"):
        tokenizer.src_lang = "fr"
    with pytest.raises(tessella.errors.ArgumentError, match="src_lang"):
        tokenizer.src_lang = None
