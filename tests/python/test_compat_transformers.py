"""The face of the transformers library, and tokenizers of this one inside that one."""

import copy
import json
import os
import pickle
import tempfile

import pytest
import tessella
from tessella import Tokenizer, models, pre_tokenizers, processors
from tessella.compat import transformers as names

from tests.conformance import texts

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

TEXT = "hello there, my naïve friend! 123"
TEXTS = [TEXT, "short", "a much longer text that goes on and on, does it not?"]
CHAT = [{"role": "user", "content": "hi there"}, {"role": "assistant", "content": "yes sir"}]
TEMPLATE = (
    "{% for m in messages %}[{{ m.role }}] {% if m.role == 'assistant' %}{% generation %}{{ m.content }}"
    "{% endgeneration %}{% else %}{{ m.content }}{% endif %};{% endfor %}"
)


def plain(value):
    """A result without its classes."""
    data = getattr(value, "data", value)
    if isinstance(data, dict):
        return {key: plain(one) for key, one in data.items()}
    return data.tolist() if hasattr(data, "tolist") else data


def saved(tokenizer):
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        files = sorted(os.listdir(folder))
        with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as file:
            written = json.load(file)
        again = type(tokenizer).from_pretrained(folder)
        return files, written, plain(again(TEXT)), again.special_tokens_map


def trained(tokenizer):
    made = tokenizer.train_new_from_iterator(
        [TEXTS * 5], 300, new_special_tokens=["<new>", tokenizers.AddedToken("<n2>")]
    )
    return made.get_vocab(), plain(made(TEXTS)), made.all_special_tokens


def with_tokens(tokenizer):
    count = tokenizer.add_tokens(["foo", tokenizers.AddedToken("bar", single_word=True)])
    return count, tokenizer.tokenize("foo bar foobar"), tokenizer.added_tokens_encoder


def with_special_tokens(tokenizer):
    count = tokenizer.add_special_tokens(
        {"bos_token": "<bos>", "extra_special_tokens": ["<x>", tokenizers.AddedToken("<y>", lstrip=True)]}
    )
    ids = tokenizer("a <x>  <y> <bos>")["input_ids"]
    return count, ids, tokenizer.all_special_ids, tokenizer.decode(ids, skip_special_tokens=True)


def with_ends(tokenizer):
    tokenizer.add_special_tokens({"bos_token": "<bos>", "eos_token": "<eos>"})
    tokenizer.add_bos_token = tokenizer.add_eos_token = True
    return plain(tokenizer(TEXT, "b", return_token_type_ids=True))


def with_stages(tokenizer):
    backend = tokenizer.backend_tokenizer
    backend.normalizer = tokenizers.normalizers.Lowercase()
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.Whitespace(), tokenizers.pre_tokenizers.ByteLevel(use_regex=False)]
    )
    backend.post_processor = tokenizers.processors.TemplateProcessing(single="$A:0", pair="$A:0 $B:1")
    backend.decoder = tokenizers.decoders.ByteLevel()
    written = json.loads(backend.to_str())
    return plain(tokenizer("Hello World", "A", return_token_type_ids=True)), written["pre_tokenizer"]


def backend_trained(tokenizer):
    backend = tokenizer.backend_tokenizer
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=280,
        special_tokens=["<a>", tokenizers.AddedToken("<b>")],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(TEXTS * 5, trainer=trainer)
    return backend.get_vocab(False), backend.encode("<a> hello there", add_special_tokens=False).ids


def chatted(tokenizer):
    tokenizer.chat_template = TEMPLATE
    return plain(tokenizer.apply_chat_template(CHAT, return_assistant_tokens_mask=True))


def looked_up(tokenizer):
    batch = tokenizer(TEXT, "second")
    return (
        [batch.char_to_token(char) for char in range(20)],
        [batch.token_to_chars(token) for token in range(8)],
        [batch.word_to_tokens(word) for word in range(4)],
        [batch.token_to_word(token) for token in range(8)],
        [batch.char_to_word(char, sequence_index=1) for char in range(3)],
        batch.sequence_ids(),
        batch.word_ids(),
        batch.tokens(),
    )


OPERATIONS = {
    "call": lambda t: plain(t(TEXT)),
    "pair": lambda t: plain(t(TEXT, "b c", return_token_type_ids=True)),
    "batch": lambda t: plain(t(TEXTS)),
    "longest": lambda t: plain(t(TEXTS, padding=True)),
    "left": lambda t: plain(t(TEXTS, padding=True, padding_side="left", pad_to_multiple_of=8)),
    "max_length": lambda t: plain(t(TEXTS, padding="max_length", max_length=20, truncation=True)),
    "truncation": lambda t: plain(t(TEXTS, TEXTS, truncation="only_first", max_length=40)),
    "windows": lambda t: plain(
        t(TEXTS, truncation=True, max_length=7, stride=2, return_overflowing_tokens=True, return_length=True)
    ),
    "offsets": lambda t: plain(t(TEXTS, return_offsets_mapping=True, return_special_tokens_mask=True)),
    "arrays": lambda t: plain(t(TEXTS, padding=True, return_tensors="np")),
    "words": lambda t: plain(t(["Hello", "big", "world"], is_split_into_words=True)),
    "look-ups": looked_up,
    "encode": lambda t: t.encode(TEXT, TEXT),
    "no special tokens": lambda t: t.encode(TEXT, add_special_tokens=False),
    "special tokens as text": lambda t: t.encode("<|end|> hi", split_special_tokens=True),
    "decode": lambda t: t.decode(t(TEXT)["input_ids"]),
    "decode without special": lambda t: t.decode(t(TEXT)["input_ids"], skip_special_tokens=True),
    "batch_decode": lambda t: t.batch_decode(t(TEXTS)["input_ids"]),
    "tokenize": lambda t: t.tokenize(TEXT, add_special_tokens=True),
    "ids to tokens": lambda t: t.convert_ids_to_tokens(t(TEXT)["input_ids"], skip_special_tokens=True),
    "tokens to ids": lambda t: t.convert_tokens_to_ids(["the", "zzzzz", "<|end|>"]),
    "tokens to text": lambda t: t.convert_tokens_to_string(t.tokenize(TEXT)),
    "sizes": lambda t: (len(t), t.vocab_size, t.num_special_tokens_to_add(True), t.is_fast),
    "vocabulary": lambda t: (t.get_vocab(), t.get_added_vocab(), t.all_special_ids),
    "added": lambda t: {id: repr(token) for id, token in t.added_tokens_decoder.items()},
    "repr": repr,
    "pad": lambda t: plain(t.pad([t("a"), t("a b c")])),
    "add tokens": with_tokens,
    "add special tokens": with_special_tokens,
    "ends": with_ends,
    "other library's stages": with_stages,
    "other library's trainer": backend_trained,
    "save and reload": saved,
    "train anew": trained,
    "deep copy": lambda t: plain(copy.deepcopy(t)(TEXT)),
    "pickle": lambda t: plain(pickle.loads(pickle.dumps(t))(TEXT)),
    "chat": chatted,
    "json": lambda t: json.loads(t.backend_tokenizer.to_str()),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A byte-level tokenizer with special tokens, as both libraries read it."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tessella.decoders.ByteLevel()
    trainer = tessella.trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<|end|>", "<pad>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(TEXTS * 3, trainer)
    backend.post_processor = processors.TemplateProcessing("<|end|> $A", "<|end|> $A $B:1", [("<|end|>", 0)])
    path = tmp_path_factory.mktemp("inside") / "tokenizer.json"
    backend.save(path)
    return path


def inside(kind, path, **settings):
    return transformers.PreTrainedTokenizerFast(tokenizer_object=kind.from_file(str(path)), **settings)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_inside_the_transformers_library(file, operation):
    settings = {"pad_token": "<pad>", "eos_token": "<|end|>"}
    ours = inside(tessella.Tokenizer, file, **settings)
    assert type(ours.backend_tokenizer).__module__.startswith("tessella")
    expected = OPERATIONS[operation](inside(tokenizers.Tokenizer, file, **settings))
    assert OPERATIONS[operation](ours) == expected


@pytest.mark.parametrize("name", ["bert-uncased.json", "gpt2.json", "llama2.json", "xlnet_base_cased.json"])
def test_real_tokenizers_inside(name):
    folder = texts.folder("TESSELLA_MODELS")
    if folder is None or not (folder / name).exists():
        pytest.skip("TESSELLA_MODELS names no folder with this file")
    # Training is left out: the reference's own trainers for these order ties by the hash.
    left_out = {"train anew", "other library's trainer", "save and reload", "pickle", "json", "vocabulary"}
    settings = {"pad_token": "<|pad|>"}
    ours = inside(tessella.Tokenizer, folder / name, **settings)
    theirs = inside(tokenizers.Tokenizer, folder / name, **settings)
    for operation in OPERATIONS:
        if operation not in left_out:
            assert OPERATIONS[operation](ours) == OPERATIONS[operation](theirs), operation


def test_the_same_folders(file, tmp_path):
    settings = {"pad_token": "<pad>", "eos_token": "<|end|>", "model_max_length": 12}
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=str(file), **settings)
    theirs.chat_template = TEMPLATE
    theirs.add_special_tokens({"extra_special_tokens": ["<x>"]})
    theirs.save_pretrained(tmp_path / "theirs")
    ours = names.AutoTokenizer.from_pretrained(tmp_path / "theirs")
    ours.save_pretrained(tmp_path / "ours")
    back = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path / "ours")
    for one in (ours, back):
        assert one.special_tokens_map == theirs.special_tokens_map
        assert one.chat_template == TEMPLATE
        assert one.model_max_length == 12
        assert plain(one([*TEXTS, "<x>"], truncation=True, padding=True)) == plain(
            theirs([*TEXTS, "<x>"], truncation=True, padding=True)
        )
        assert chatted(one) == chatted(theirs)


def test_training_gives_the_same(file):
    ours = names.PreTrainedTokenizerFast(tokenizer_file=file, eos_token="<|end|>")
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=str(file), eos_token="<|end|>")
    options = {"special_tokens_map": {"<|end|>": "<|stop|>"}, "show_progress": False}
    mine = ours.train_new_from_iterator([TEXTS * 5], 300, **options)
    real = theirs.train_new_from_iterator([TEXTS * 5], 300, **options)
    assert mine.get_vocab() == real.get_vocab()
    assert plain(mine(TEXTS)) == plain(real(TEXTS))
    assert mine.eos_token == real.eos_token == "<|stop|>"


def test_training_keeps_the_added_tokens_of_a_folder(tmp_path):
    """Those that are not special come behind what was learned, and all are matched as before."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.normalizer = tessella.normalizers.NFC()
    tokenizer.add_special_tokens(["<|end|>", tessella.AddedToken("<s>", normalized=True)])
    tokenizer.add_tokens([tessella.AddedToken("<think>", rstrip=True), "</think>"])
    tokenizer.save(tmp_path / "tokenizer.json")
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    mine, real = (
        library.AutoTokenizer.from_pretrained(tmp_path).train_new_from_iterator(
            [TEXTS * 5], 300, show_progress=False
        )
        for library in (names, transformers)
    )
    assert mine.get_vocab() == real.get_vocab()
    assert len(mine) == 302
    flags = {id: repr(token) for id, token in real.added_tokens_decoder.items()}
    assert {id: repr(token) for id, token in mine.added_tokens_decoder.items()} == flags
    assert plain(mine("<s><think>  hello</think>")) == plain(real("<s><think>  hello</think>"))


def test_whole_words_of_bytes_are_trained_anew(tmp_path):
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    path = str(tmp_path / "words.json")
    tokenizer.save(path)
    trained = [
        library.PreTrainedTokenizerFast(tokenizer_file=path, unk_token="[UNK]").train_new_from_iterator(
            [TEXTS * 5], 30, show_progress=False
        )
        for library in (names, transformers)
    ]
    assert trained[0].get_vocab() == trained[1].get_vocab()


def test_named_classes():
    backend = Tokenizer(models.WordLevel({"[PAD]": 0, "[UNK]": 1, "a": 2}, "[UNK]"))
    made = names.BertTokenizerFast(tokenizer_object=backend)
    assert type(made).__name__ == "BertTokenizer"
    assert isinstance(made, names.PreTrainedTokenizerFast)
    assert (made.pad_token_id, made.cls_token) == (0, "[CLS]")
    assert list(made("a")) == ["input_ids", "token_type_ids", "attention_mask"]
    assert pickle.loads(pickle.dumps(made))("a").data == made("a").data
    assert names.GPT2TokenizerFast is names.GPT2TokenizerFast
    assert names.LlamaTokenizer(tokenizer_object=backend).padding_side == "left"
    with pytest.raises(AttributeError, match="AutoTokenizer for all others"):
        _ = names.NobodyTokenizer


@pytest.mark.parametrize(
    "name", [name for name in dir(names) if name.endswith("Tokenizer") and name != "AutoTokenizer"]
)
def test_classes_have_the_tokens_of_the_originals(name):
    original = getattr(transformers, name, None)
    if original is None:
        pytest.skip(f"the installed transformers library has no {name}")
    try:
        real = original()
    except Exception:
        pytest.skip(f"{name} cannot be made without files")
    mine = getattr(names, name)(tokenizer_object=Tokenizer(models.BPE()))
    assert mine.special_tokens_map == real.special_tokens_map
    assert mine.padding_side == real.padding_side
    assert set(mine.model_input_names) == set(real.model_input_names)
