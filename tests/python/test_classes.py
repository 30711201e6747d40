"""Arguments of a model's class: what `from_pretrained` is told changes the pipeline as the class says."""

import warnings

import pytest
import tessella
from tessella import pre_tokenizers
from tessella.compat import transformers as names
from tessella.errors import ArgumentError

transformers = pytest.importorskip("transformers")

TEXTS = ["Hello wörld", " Hello  world", "a", "", "日本 a b"]
_LETTERS = sorted({*"Helowrdabö日本 hé", "▁"} - {" "})
BRACKETS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = [*BRACKETS, "hello", "world", "Hello", "wörld", "a", "b", "日", "本", "日本", "h", "##ello"]
BYTES = {char: id for id, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
ANGLES = [
    "<s>",
    "</s>",
    "<unk>",
    "<pad>",
    "<mask>",
    "<sep>",
    "<cls>",
    "<|endoftext|>",
    "<|startoftext|>",
    "<|padding|>",
]


def _bytes(end=""):
    vocab = {char + end: id for char, id in BYTES.items()} if end else {}
    for token in (*BYTES, "He", "Ġa", "Hel", "Ġw", *BRACKETS, *ANGLES):
        vocab.setdefault(token, len(vocab))
    return {"vocab": vocab, "merges": [("H", "e"), ("He", "l"), ("Ġ", "a"), ("Ġ", "w")]}


def _scores():
    words = ["▁hello", "▁Hello", "▁world", "▁a", "lo", "▁W"]
    first = ["<pad>", "<unk>", "</s>", "<s>"]
    rest = [token for token in (*ANGLES, *BRACKETS) if token not in first]
    return {
        "vocab": [(token, -float(place)) for place, token in enumerate([*first, *rest, *words, *_LETTERS])]
    }


PIECE = {"vocab": {token: id for id, token in enumerate(PIECES)}}
KINDS = {
    "BertTokenizer": PIECE,
    "DistilBertTokenizer": PIECE,
    "MPNetTokenizer": {"vocab": {token: id for id, token in enumerate([*PIECES, *ANGLES])}},
    "GPT2Tokenizer": _bytes(),
    "GPTNeoXTokenizer": _bytes(),
    "RobertaTokenizer": _bytes(),
    "Qwen2Tokenizer": _bytes(),
    "CLIPTokenizer": _bytes("</w>"),
    "XLNetTokenizer": {**_scores(), "unk_id": 1},
    "AlbertTokenizer": _scores(),
    "XLMRobertaTokenizer": _scores(),
    "CamembertTokenizer": _scores(),
    "DebertaV2Tokenizer": {**_scores(), "unk_id": 1},
    "T5Tokenizer": {**_scores(), "extra_ids": 0},
}
ARGUMENTS = [
    {},
    {"do_lower_case": False},
    {"do_lower_case": True},
    {"strip_accents": False},
    {"strip_accents": True},
    {"tokenize_chinese_chars": False},
    {"keep_accents": True},
    {"add_prefix_space": True},
    {"add_prefix_space": False},
    {"unk_token": "a"},
    {"cls_token": "a"},
    {"sep_token": "a"},
    {"bos_token": "a"},
    {"eos_token": "a"},
    {"add_bos_token": True, "bos_token": "a"},
    {"add_eos_token": True, "eos_token": "a"},
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder of each class, written by the transformers library."""
    made = {}
    for name, parts in KINDS.items():
        kind = getattr(transformers, name, None)
        if kind is not None:
            made[name] = tmp_path_factory.mktemp(name)
            kind(**parts).save_pretrained(made[name])
    return made


def _seen(tokenizer):
    pair = tokenizer("a", "b", return_token_type_ids=True)
    ids = [tokenizer(text)["input_ids"] for text in TEXTS]
    decoded = [tokenizer.decode(row) for row in ids]
    return ids, decoded, pair["input_ids"], pair["token_type_ids"], tokenizer.special_tokens_map


@pytest.mark.parametrize("name", KINDS)
def test_arguments_do_what_the_class_says(folders, name):
    if name not in folders:
        pytest.skip(f"the installed transformers library has no {name}")
    for arguments in ARGUMENTS:
        theirs = getattr(transformers, name).from_pretrained(folders[name], **arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for mine in (tessella.AutoTokenizer, getattr(names, name)):
                ours = mine.from_pretrained(folders[name], **arguments)
                assert _seen(ours) == _seen(theirs), (name, arguments, mine)


def test_changed_pipelines_are_saved(folders, tmp_path):
    first = tessella.AutoTokenizer.from_pretrained(
        folders["BertTokenizer"], do_lower_case=False, cls_token="a"
    )
    first.save_pretrained(tmp_path)
    again = tessella.AutoTokenizer.from_pretrained(tmp_path)
    assert _seen(again) == _seen(first)
    assert again.tokenize("Hello") == ["Hello"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("GPT2Tokenizer", {"do_lower_case": True}),
        ("BertTokenizer", {"keep_accents": True}),
        ("BertTokenizer", {"add_bos_token": True}),
    ],
)
def test_arguments_that_say_nothing_warn(folders, name, arguments):
    with pytest.warns(UserWarning, match=next(iter(arguments))):
        made = tessella.AutoTokenizer.from_pretrained(folders[name], **arguments)
    assert made("a").data == tessella.AutoTokenizer.from_pretrained(folders[name])("a").data


def test_classes_from_a_vocabulary(tmp_path):
    vocab = PIECE["vocab"]
    theirs = transformers.BertTokenizer(vocab=vocab, do_lower_case=False)
    file = tmp_path / "vocab.txt"
    file.write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    for arguments in ({"vocab": vocab}, {"vocab": str(file)}, {"vocab_file": file}):
        assert _seen(names.BertTokenizerFast(do_lower_case=False, **arguments)) == _seen(theirs)
    assert _seen(names.BertTokenizer(vocab, do_lower_case=False)) == _seen(theirs)
    parts = _bytes()
    ours, theirs = names.GPT2Tokenizer(**parts), transformers.GPT2Tokenizer(**parts)
    assert ours("Hel a w")["input_ids"] == theirs("Hel a w")["input_ids"]
    assert _seen(names.RobertaTokenizer(**parts)) == _seen(transformers.RobertaTokenizer(**parts))
    with pytest.raises(ArgumentError, match="from_pretrained"):
        names.T5Tokenizer(vocab=[("a", 0.0)])
    with pytest.raises(TypeError, match="by their names"):
        names.BertTokenizer(vocab, None, True)


def test_classes_have_their_defaults_as_attributes():
    assert names.LlamaTokenizer.padding_side == "left"
    assert names.BertTokenizer.model_input_names == ["input_ids", "token_type_ids", "attention_mask"]
    assert names.PreTrainedTokenizerFast.padding_side == "right"
