"""What goes wrong is said at once, by one family of exceptions, with the name, the value and the next step."""

import importlib
import json
import subprocess
import sys
import types
import warnings

import pytest
import tessella
from tessella import (
    AddedToken,
    Encoding,
    PieceCounts,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from tessella.errors import (
    ArgumentError,
    FormatError,
    HubError,
    MissingDependencyError,
    OutOfRangeError,
    TessellaError,
    TruncationError,
)

ENCODINGS = ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]


@pytest.fixture
def hub(monkeypatch):
    """A hub that answers nothing, and remembers what it was asked for."""
    asked = []

    def hf_hub_download(name, file, **options):
        asked.append(name)
        raise RuntimeError("401 Client Error\nmany more lines")

    module = types.ModuleType("huggingface_hub")
    module.hf_hub_download = hf_hub_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return asked


@pytest.mark.parametrize(
    "name",
    [
        "tokenizer.json",
        "data/gpt2.json",
        "x.model",
        "owner/x.MODEL",
        "x.tiktoken",
        "vocab.txt",
        "x.gguf",
        "./x",
        "../x",
        "/nope/x",
        "a/b/c",
        "a\\b",
        "~/x",
        "with space",
    ],
)
def test_names_of_files_stay_here(hub, name):
    with pytest.raises(FileNotFoundError) as caught:
        tessella.load(name)
    assert caught.value.filename == name
    assert hub == []


def test_a_folder_that_is_here_is_no_owner(hub, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    with pytest.raises(FileNotFoundError):
        tessella.load("models/mine")
    with pytest.raises(FileNotFoundError):
        tessella.load(tmp_path / "mine")
    assert hub == []


@pytest.mark.parametrize("name", ENCODINGS)
def test_encodings_need_their_ranks(hub, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=rf"pass the path of {name}\.tiktoken"):
        tessella.load(name)
    assert hub == []


@pytest.mark.parametrize("name", ["owner/name", "bert-base-cased"])
def test_the_hub_fails_in_our_family(hub, name):
    with pytest.raises(HubError, match=r"401 Client Error.*the path of a file") as caught:
        tessella.load(name)
    assert isinstance(caught.value, OSError) and isinstance(caught.value, TessellaError)
    assert isinstance(caught.value.__cause__, RuntimeError) and "many more" not in str(caught.value)
    assert hub == [name]
    with pytest.raises(ArgumentError, match=r"only for \.tiktoken files"):
        tessella.load(name, pattern="x")
    assert hub == [name]


def test_no_hub_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingDependencyError, match=r"no file or folder `owner/name`.*pip install"):
        tessella.load("owner/name")


def test_options_of_ranks(words, tmp_path):
    path = tmp_path / "tokenizer.json"
    words.save(path)
    for source in (path, tmp_path):
        with pytest.raises(ArgumentError, match=r"`pattern` is only for \.tiktoken files"):
            tessella.load(source, pattern="x")
        with pytest.raises(ArgumentError, match=r"`special_tokens` is only for \.tiktoken files"):
            tessella.load(source, special_tokens={"x": 1})
    with pytest.raises(TypeError, match="must be a dict of texts and ids"):
        tessella.load(path, special_tokens=["x"])


def test_sources_that_are_none(tmp_path):
    with pytest.raises(ArgumentError, match="`source` is empty"):
        tessella.load("")
    with pytest.raises(TypeError, match="not bytes"):
        tessella.load(b"/x")
    with pytest.raises(ArgumentError, match="holds no tokenizer; looked for"):
        tessella.load(tmp_path)


def test_one_text_is_no_list_of_texts():
    for trainer in (
        trainers.BpeTrainer,
        trainers.WordPieceTrainer,
        trainers.WordLevelTrainer,
        trainers.UnigramTrainer,
    ):
        with pytest.raises(TypeError, match="special_tokens must be a List"):
            trainer(special_tokens="[UNK]")
    with pytest.raises(TypeError, match="found 5 in it"):
        trainers.BpeTrainer(special_tokens=[5])
    with pytest.raises(TypeError, match="pass a list of texts"):
        Tokenizer(models.BPE()).train_from_iterator("abc")
    with pytest.raises(FileNotFoundError):
        tessella.count_pieces("low")


def test_trainers():
    trainer = trainers.BpeTrainer(special_tokens=["a"], show_progress=False)
    trainer.special_tokens.append("x")
    assert 'AddedToken(content="x"' in repr(trainer).replace("id=0, ", "") or '"x"' in repr(trainer)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.train_from_iterator(["low"], trainer)
    assert tokenizer.token_to_id("x") == 1
    assert trainers.BpeTrainer(progress_format="jsno").progress_format == "indicatif"
    for factor in (0, 1, 2, -0.5, float("nan")):
        with pytest.raises(ArgumentError, match="shrinking_factor"):
            trainers.UnigramTrainer(shrinking_factor=factor)
    unigram = trainers.UnigramTrainer()
    with pytest.raises(ArgumentError, match="found 2"):
        unigram.shrinking_factor = 2
    with pytest.raises(OutOfRangeError, match="vocab_size"):
        unigram.vocab_size = -1


def test_the_first_token_has_two_names():
    sep, cls = ("</s>", 1), ("<s>", 0)
    for kind in (processors.RobertaProcessing, processors.BertProcessing):
        assert kind(sep=sep, cls_token=cls).cls == cls
        assert kind(sep, cls).__getstate__() == kind(sep, cls_token=cls).__getstate__()
        with pytest.raises(TypeError, match="`cls_token`"):
            kind(sep)
        with pytest.raises(TypeError, match="`cls_token`"):
            kind(sep, cls, cls_token=cls)
    module = importlib.import_module("tessella.implementations.base_tokenizer")
    assert module.BaseTokenizer is tessella.implementations.BaseTokenizer


ARGUMENTS = {
    "strategy": (lambda t: t.enable_truncation(5, strategy="x"), "Unknown `strategy`: `x`"),
    "direction": (lambda t: t.enable_truncation(5, direction="x"), "Unknown `direction`: `x`"),
    "padding": (lambda t: t.enable_padding(direction="x"), "Unknown `direction`: `x`"),
    "Encoding.pad": (lambda t: t.encode("the").pad(9, direction="x"), "Unknown `direction`: `x`"),
    "Encoding.truncate": (lambda t: t.encode("the").truncate(1, 0, "x"), "Invalid truncation direction"),
    "behavior": (lambda t: pre_tokenizers.Split("a", "x"), "Wrong value for SplitDelimiterBehavior"),
    "scheme": (lambda t: pre_tokenizers.Metaspace(prepend_scheme="x"), "unknown variant"),
    "replacement": (lambda t: decoders.Metaspace(replacement=""), "expected a string of length 1"),
    "dropout": (lambda t: models.BPE(dropout=2.0), "Dropout should be between 0 and 1"),
    "merges": (lambda t: models.BPE({"a": 0}), "must be both specified"),
    "length": (lambda t: pre_tokenizers.FixedLength(0), "at least 1"),
    "form": (lambda t: normalizers.unicode_normalizer_from_str("x"), "not a known unicode normalizer"),
    "separator": (lambda t: t.encode_files(__file__, separator=""), "must not be empty"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_one_family(words, name):
    call, message = ARGUMENTS[name]
    with pytest.raises(ArgumentError, match=message) as caught:
        call(words)
    assert isinstance(caught.value, ValueError)


NUMBERS = {
    "id": lambda t: t.id_to_token(-1),
    "pad_id": lambda t: t.enable_padding(pad_id=-1),
    "pad_type_id": lambda t: t.enable_padding(pad_type_id=-1),
    "length": lambda t: t.enable_padding(length=-1),
    "pad_to_multiple_of": lambda t: t.enable_padding(pad_to_multiple_of=-1),
    "max_length": lambda t: t.enable_truncation(-1),
    "stride": lambda t: t.enable_truncation(5, stride=-1),
    "num_threads": lambda t: t.encode_batch(["a"], num_threads=-1),
    "seed": lambda t: t.seed(-1),
    "bytes": lambda t: t.set_cache_size(-1),
    "ids[2]": lambda t: t.decode([0, 1, -1]),
    "count": lambda t: PieceCounts().add("a", -1),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_out_of_range(words, name):
    with pytest.raises(OutOfRangeError) as caught:
        NUMBERS[name](words)
    assert isinstance(caught.value, OverflowError) and isinstance(caught.value, ArgumentError)
    assert f"`{name}`" in str(caught.value) and "found -1" in str(caught.value)


def test_numbers_of_encodings(words):
    with pytest.raises(OutOfRangeError, match="`length`"):
        words.encode("the").pad(-1)
    with pytest.raises(OutOfRangeError, match="`max_length`"):
        Encoding().truncate(-1)
    words.enable_padding(length=None, pad_to_multiple_of=4)
    assert len(words.encode("the")) == 4


def test_lone_surrogates(words):
    broken = "the \ud800 fox"
    calls = (words.encode, words.encode_ids, words.count, lambda text: words.encode_batch([text]))
    for call in (*calls, lambda text: words.encode_ids_batch(["fine", text])):
        with pytest.raises(TypeError, match=r"^TextInputSequence must be str.*U\+D800 at character 4"):
            call(broken)
    with pytest.raises(TypeError, match=r"^PreTokenizedInputSequence must be .*U\+D800 at character 4"):
        words.encode(["the", broken], is_pretokenized=True)


def test_wrong_types(words):
    with pytest.raises(TypeError, match="`json` must be the str"):
        Tokenizer.from_str(4)
    with pytest.raises(TypeError, match="`buffer` must be the bytes"):
        Tokenizer.from_buffer(4)
    for merge in ("a b", "ab", 5, ("a", "b", "c")):
        with pytest.raises(TypeError, match="`merges` must hold pairs"):
            models.BPE({"a": 0, "b": 1, "ab": 2}, [merge])
    with pytest.raises(TypeError, match="`content` must be a str"):
        AddedToken(5)
    with pytest.raises(TypeError, match="found 5 in it"):
        words.add_tokens(["a", 5])


def test_stride(words):
    with pytest.raises(TruncationError, match=r"added special tokens\)$"):
        words.enable_truncation(5, stride=5)


def test_files_of_other_formats(tmp_path):
    path = tmp_path / "x.model"
    path.write_bytes(b"\x0a\x0e\x0a\x05<unk>\x15\0\0\0\0\x18\x02")
    with pytest.raises(FormatError, match=r"tessella\.load") as caught:
        Tokenizer.from_file(path)
    assert caught.value.filename == str(path)


def test_paths_are_named(words, tmp_path):
    with pytest.raises(IsADirectoryError) as caught:
        Tokenizer(models.BPE()).train([tmp_path], trainers.BpeTrainer(show_progress=False))
    assert caught.value.filename == str(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        words.save("/nope/x.json")
    assert caught.value.filename == "/nope/x.json"
    with pytest.raises(FileNotFoundError) as caught:
        words.encode_files("/nope/x.txt")
    assert caught.value.filename == "/nope/x.txt"
    with pytest.raises(FileNotFoundError) as caught:
        words.encode_files(__file__, out="/nope/x.ids")
    assert caught.value.filename == "/nope/x.ids"


@pytest.mark.parametrize("before", [0, 5, (1 << 20) - 1, (1 << 20) + 7])
def test_the_byte_that_is_not_utf8(words, tmp_path, before):
    path = tmp_path / "latin1.txt"
    text = ("é\nab" * before).encode()[:before]
    text = text[:-1] + b"x" if text.endswith(b"\xc3") else text
    path.write_bytes(text + b"\xe9\nmore")
    line = text.count(b"\n") + 1
    for separator in (None, "\n"):
        with pytest.raises(FormatError, match=f"0xe9 at byte {len(text)}, line {line};") as caught:
            words.encode_files(path, separator=separator)
        assert caught.value.filename == str(path)
    path.write_bytes(b"ab\xc3")
    with pytest.raises(FormatError, match="its end is missing"):
        words.encode_files(path)


def test_ids_that_disagree_are_told(words, tmp_path):
    description = json.loads(words.to_str())
    description["added_tokens"].append({**description["added_tokens"][0], "id": 900, "content": "[NEW]"})
    text = json.dumps(description)
    (tmp_path / "tokenizer.json").write_text(text)
    with pytest.warns(UserWarning) as caught:
        tessella.load(tmp_path / "tokenizer.json")
    for make in (Tokenizer.from_str, lambda text: Tokenizer.from_buffer(text.encode())):
        with pytest.warns(UserWarning) as again:
            make(text)
        assert [str(one.message) for one in again] == [str(one.message) for one in caught]
        assert again[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Tokenizer.from_str(words.to_str())


def test_slips_of_names(words):
    for name, meant in [("normaliser", "normalizer"), ("pretokenizer", "pre_tokenizer")]:
        with pytest.raises(AttributeError, match=f"Did you mean: '{meant}'"):
            setattr(words, name, None)

    class Mine(Tokenizer):
        normaliser: object
        pretokenizer = None

    mine = Mine(models.BPE())
    mine.normaliser = mine.pretokenizer = mine.encoder = mine.models = 1
    mine._normaliser = mine.anything = 2
    mine.normalizer = normalizers.NFC()
    assert (mine.normaliser, mine.encoder, mine.anything) == (1, 1, 2)


def test_dir_is_what_is_public():
    code = "import tessella; print(dir(tessella) == sorted(tessella.__all__))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


DOCUMENTED = ["decode", "save", "train", "train_from_iterator", "enable_padding", "enable_truncation"]
DOCUMENTED += ["from_file", "add_tokens", "encode_ids_batch", "encode_files"]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_are_there(name):
    assert ">>>" in getattr(Tokenizer, name).__doc__


def test_what_does_not_apply_is_said():
    for name in ("encode_ids", "encode_ids_batch", "count", "count_batch"):
        assert "Truncation and padding do not apply" in getattr(Tokenizer, name).__doc__
    assert "largest id plus one" in Tokenizer.get_vocab_size.__doc__
