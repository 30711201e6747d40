"""What goes wrong is said at once, by one family of exceptions, with the name, the value and the next step."""

import copy
import importlib
import inspect
import json
import pickle
import subprocess
import sys
import types
import warnings
import weakref

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
from tessella.compat import tiktoken
from tessella.errors import (
    ArgumentError,
    FormatError,
    HubError,
    MissingDependencyError,
    OutOfRangeError,
    TessellaError,
    TruncationError,
)

# Not `gpt2`, which is also the name of a model on the hub.
ENCODINGS = ["r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]


@pytest.fixture
def hub(monkeypatch):
    """A hub that answers nothing, and remembers what it was asked for."""
    asked = []

    def snapshot_download(name, local_files_only, **options):
        if not local_files_only:
            asked.append(name)
        raise RuntimeError("401 Client Error\nmany more lines")

    module = types.ModuleType("huggingface_hub")
    module.snapshot_download = snapshot_download
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
def test_names_of_files_stay_here(hub, name, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
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
    with pytest.raises(HubError, match=r"401 Client Error.*the path of a local copy") as caught:
        tessella.load(name)
    assert isinstance(caught.value, OSError) and isinstance(caught.value, TessellaError)
    assert isinstance(caught.value.__cause__, RuntimeError) and "many more" not in str(caught.value)
    assert hub == [name]
    with pytest.raises(ArgumentError, match=r"only for \.tiktoken files"):
        tessella.load(name, pattern="x")
    assert hub == [name]


def test_the_tokenizer_of_a_name_is_asked_for_in_the_same_way(hub, words, tmp_path):
    """The hub's package has another way for single files, which takes half a minute to fail."""
    with pytest.raises(HubError, match=r"no tokenizer\.json of `owner/name` from the hub"):
        tessella.Tokenizer.from_pretrained("owner/name")
    assert hub == ["owner/name"]
    sys.modules["huggingface_hub"].snapshot_download = lambda name, **options: str(tmp_path)
    with pytest.raises(HubError, match="the repository holds none"):
        tessella.Tokenizer.from_pretrained("owner/name")
    words.save(tmp_path / "tokenizer.json")
    assert tessella.Tokenizer.from_pretrained("owner/name").to_str() == words.to_str()


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


def test_an_open_file_is_no_path(tmp_path):
    """`open` would read it and close it under its owner."""
    from tessella.compat import sentencepiece
    from tessella.compat.tiktoken import load
    from tessella.embeddings import load_vectors

    calls = [
        Tokenizer.from_file,
        tessella.load,
        lambda file: models.BPE.from_file(file, file),
        models.WordPiece.from_file,
        models.WordLevel.from_file,
        lambda file: Tokenizer(models.BPE()).encode_files([file]),
        lambda file: sentencepiece.SentencePieceNormalizer(model_file=file),
        load.load_tiktoken_bpe,
        lambda file: load.dump_tiktoken_bpe({b"a": 0}, file),
        lambda file: load_vectors(file, "text"),
    ]
    with open(tmp_path / "file", "w+b") as file:
        for call in calls:
            with pytest.raises(TypeError, match=r"PathLike|path"):
                call(file.fileno())
        file.write(b"still open")
        file.flush()
    assert (tmp_path / "file").read_bytes() == b"still open"


def test_one_text_is_no_list_of_texts():
    for trainer in (
        trainers.BpeTrainer,
        trainers.WordPieceTrainer,
        trainers.WordLevelTrainer,
        trainers.UnigramTrainer,
    ):
        with pytest.raises(TypeError, match="`special_tokens` must be a List"):
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


POSITIONS = {
    "token_index": ["token_to_chars", "token_to_word", "token_to_sequence"],
    "char_pos": ["char_to_token", "char_to_word"],
    "word_index": ["word_to_tokens", "word_to_chars"],
    "sequence_id": ["set_sequence_id"],
}


@pytest.mark.parametrize(
    ("argument", "method"), [(a, m) for a, methods in POSITIONS.items() for m in methods]
)
def test_positions_in_encodings(words, argument, method):
    look_up = getattr(words.encode("the fox"), method)
    for value in (-1, 1 << 64):
        with pytest.raises(OutOfRangeError, match=f"`{argument}` must be from 0 to .*found {value}\\b"):
            look_up(value)
    with pytest.raises(TypeError, match=f"`{argument}` must be an int, found str 'x'"):
        look_up("x")
    if method.startswith(("char", "word")):
        with pytest.raises(OutOfRangeError, match="`sequence_index`"):
            look_up(0, -1)
    if method != "set_sequence_id":
        assert look_up(1000) is None


WRONG_TYPES = {
    "a number": (lambda t: t.encode(123), "must be str, found int 123 for `sequence`"),
    "a pair": (lambda t: t.encode("a", 5), "found int 5 for `pair`"),
    "words": (
        lambda t: t.encode(["a"]),
        "found list ['a'] for `sequence`; for words, pass is_pretokenized=True",
    ),
    "bytes": (lambda t: t.encode(b"a"), 'decode bytes first, as in `value.decode("utf-8")`'),
    "no words": (
        lambda t: t.encode("a b", is_pretokenized=True),
        "for `sequence`; split it into words, or leave out is_pretokenized=True",
    ),
    "a word": (lambda t: t.encode(["a", 1], is_pretokenized=True), "found int 1 for `sequence[1]`"),
    "one text": (
        lambda t: t.encode_batch("abc"),
        "found str 'abc' for `input`; put it into a list, or call `encode`",
    ),
    "no batch": (lambda t: t.encode_batch(5), "expected a list of inputs, found int 5 for `input`"),
    "a row": (lambda t: t.encode_batch(["a", None]), "found None for `input[1]`; leave out what has no text"),
    "three": (lambda t: t.encode_batch([("a", "b", "c")]), "for `input[0]`; a pair has two texts"),
    "half a pair": (lambda t: t.encode_batch(["a", ("a", 5)]), "found int 5 for `input[1][1]`"),
    "a word of a row": (
        lambda t: t.encode_batch([["a"], (["a"], ["b", 4])], is_pretokenized=True),
        "found int 4 for `input[1][1][1]`",
    ),
    "ids of words": (
        lambda t: t.encode_ids(["a"]),
        "for `text`; for the ids of many texts, call `encode_ids_batch`",
    ),
    "ids of a row": (lambda t: t.encode_ids_batch(["a", 3]), "found int 3 for `texts[1]`"),
    "count": (lambda t: t.count_batch("ab"), "expected a list of texts, found str 'ab' for `texts`"),
    "text to decode": (lambda t: t.decode("x"), "found str 'x' for `ids`; text becomes ids with `encode`"),
    "one id": (lambda t: t.decode(5), "found int 5 for `ids`; put it into a list"),
    "no id": (lambda t: t.decode([1, "a"]), "an id must be an int, found str 'a' for `ids[1]`"),
    "late": (lambda t: t.decode(iter([1, 1.5])), "found float 1.5 for `ids[1]`"),
    "nested": (
        lambda t: t.decode([[1], [2]]),
        "found list [1] for `ids[0]`; for many lists of ids, call `decode_batch`",
    ),
    "flat": (
        lambda t: t.decode_batch([1, 2]),
        "found int 1 for `sequences[0]`; for the ids of one text, call `decode`",
    ),
    "an id of a row": (lambda t: t.decode_batch([[1], ["a"]]), "found str 'a' for `sequences[1][0]`"),
    "a file": (
        lambda t: Tokenizer("gpt2.json"),
        "found 'gpt2.json'; to read a file or folder, use tessella.load",
    ),
    "no model": (
        lambda t: Tokenizer(5),
        "'int' object is not an instance of 'Model'; its classes are in tessella.models",
    ),
    "a class": (
        lambda t: setattr(t, "normalizer", normalizers.NFC),
        "pass an object, `NFC(...)`, not the class",
    ),
    "tokens": (lambda t: t.add_tokens(5), "must be a List[Union[str, AddedToken]], found int 5"),
    "a step": (lambda t: t.decode_stream().step(-1), "from 0 to 4294967295, found int -1"),
    "no number": (lambda t: t.enable_truncation("a"), "`max_length` must be an int, found str 'a'"),
    "an item": (
        lambda t: t.train_from_iterator(["a", 5]),
        "str or lists of str, found int 5 for `iterator[1]`",
    ),
    "an id for a token": (
        lambda t: t.token_to_id(5),
        "expected a str, found int 5 for `token`; the token of an id is told by `id_to_token`",
    ),
    "bytes for a token": (lambda t: t.token_to_id(b"a"), "found bytes b'a' for `token`; decode bytes first"),
    "a token for an id": (
        lambda t: t.id_to_token("a"),
        "expected an int, found str 'a' for `id`; the id of a token is told by `token_to_id`",
    ),
    "of a model": (lambda t: t.model.token_to_id(5), "found int 5 for `token`; the token of an id is told"),
    "of a model too": (
        lambda t: t.model.id_to_token("a"),
        "found str 'a' for `id`; the id of a token is told",
    ),
    "a piece of a model": (lambda t: t.model.tokenize(5), "expected a str, found int 5 for `text`"),
    "a piece": (lambda t: PieceCounts().get(5), "expected a str, found int 5 for `piece`"),
    "a piece to add": (lambda t: PieceCounts().add(5), "expected a str, found int 5 for `piece`"),
    "a piece to look for": (lambda t: 5 in PieceCounts(), "expected a str, found int 5 for `piece`"),
    "a text to normalize": (lambda t: normalizers.NFC().normalize_str(5), "found int 5 for `sequence`"),
    "a text to cut": (
        lambda t: pre_tokenizers.Whitespace().pre_tokenize_str(5),
        "found int 5 for `sequence`",
    ),
    "no pieces": (lambda t: PieceCounts(5), "pairs of a piece and its count, found int 5 for `pieces`"),
    "no pair": (lambda t: PieceCounts([("a", 1), 5]), "a piece and its count, found int 5 for `pieces[1]`"),
    "a behavior": (
        lambda t: pre_tokenizers.Split(" ", 5),
        "expected one of removed, isolated, merged_with_previous, merged_with_next, contiguous, found int 5",
    ),
    "no files": (lambda t: t.train(5), "`files` must be a list of paths, found int 5"),
    "no texts": (lambda t: t.train_from_iterator(5), "`iterator` must yield texts, found int 5"),
    "no tokens": (lambda t: decoders.Fuse().decode(5), "`tokens` must be a list of tokens, not int 5"),
    "a long one": (lambda t: t.encode(["word"] * 10_000), "'word', ...]"),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_what_was_given_is_told(words, name):
    call, message = WRONG_TYPES[name]
    with pytest.raises(TypeError) as caught:
        call(words)
    assert message in str(caught.value) and len(str(caught.value)) < 400


def test_what_raises_while_it_is_walked_stays(words):
    class Odd:
        def __iter__(self):
            raise TypeError("of its own")

        def __repr__(self):
            raise ValueError("no looks")

    for call in (words.encode_batch, words.decode, words.encode_ids_batch):
        with pytest.raises(TypeError, match=r"^of its own$"):
            call(Odd())
    with pytest.raises(TypeError, match=r"found Odd <Odd instance at .*> for `sequence`"):
        words.encode(Odd())


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
    for again in (copy.deepcopy(mine), copy.copy(mine)):
        assert again.anything == 2 and again.normalizer is not None


def test_unknown_attributes_are_refused(words):
    for name, advice in [
        ("pad_token", "PretrainedTokenizer"),
        ("padding_side", "enable_padding"),
        ("truncate", "enable_truncation"),
        ("_cache", "anything in a subclass of your own"),
    ]:
        with pytest.raises(AttributeError, match=f"no attribute '{name}'.*{advice}"):
            setattr(words, name, "x")
    words.config, words.chat_template = {"a": 1}, "{{ messages }}"
    words.encode_special_tokens = True
    again = pickle.loads(pickle.dumps(words))
    assert (again.config, again.chat_template, again.encode_special_tokens) == (
        {"a": 1},
        "{{ messages }}",
        True,
    )
    assert copy.deepcopy(words).config == {"a": 1} and weakref.ref(words)() is words


NEAR = {
    "trainer": (lambda: trainers.BpeTrainer(vocab_sise=5), TypeError, "vocab_size"),
    "an option set": (lambda: setattr(trainers.UnigramTrainer(), "vocab_sise", 5), AttributeError, "vocab_size"),
    "model": (lambda: models.BPE(unk_tokn="a"), TypeError, "unk_token"),
    "pre-tokenizer": (lambda: pre_tokenizers.ByteLevel(prefix_space=True), TypeError, "add_prefix_space"),
    "recipe": (lambda: tessella.recipes.get("gpt3"), ArgumentError, "gpt2"),
    "recipe's option": (
        lambda: tessella.recipes.get("gpt2").train([], min_freqency=2), TypeError, "min_frequency"
    ),
    "encoding": (lambda: tiktoken.get_encoding("cl100k"), ValueError, "cl100k_base"),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
def test_near_names_are_told(name):
    call, kind, meant = NEAR[name]
    with pytest.raises(kind, match=f"(?i)did you mean:? '{meant}'"):
        call()
    with pytest.raises(TypeError) as caught:
        models.BPE(zzz=1)
    assert "mean" not in str(caught.value)
    assert "vocab_size" in inspect.signature(trainers.BpeTrainer).parameters


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


def test_chat_templates_say_that_jinja_is_missing(words, monkeypatch):
    pytest.importorskip("jinja2")
    tokenizer = tessella.batch.PretrainedTokenizer(words, chat_template="{{ messages | length }} of them")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingDependencyError, match=r"chat templates need jinja2: pip install"):
        tokenizer.apply_chat_template([{"role": "user", "content": "x"}], tokenize=False)
