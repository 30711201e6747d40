"""Snapshots: what is loaded is what was saved in every respect, and what does not fit is refused."""

import copy
import os
import pickle
import random
import struct
import warnings
import zlib
from pathlib import Path

import pytest
import tessella
from tessella import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from tessella.errors import FormatError, TessellaError, UnsupportedError

TEXTS = [
    "",
    " ",
    "The quick brown fox, the 12345 foxes's  \n\n den.\r\n",
    "naïve café Ελληνικά русский العربية 東京都 한국어 🧩👩‍💻 é",
    "the theing <s>a</s> in a\tthing" * 9,
    "x" * 300,
]
COLUMNS = [
    "ids",
    "tokens",
    "offsets",
    "word_ids",
    "type_ids",
    "attention_mask",
    "special_tokens_mask",
    "sequence_ids",
]
MODELS = Path(os.environ.get("TESSELLA_MODELS", ""))
CL100K = r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""


class Upper:
    """A component of a user's own."""

    def normalize(self, text):
        text.uppercase()


def trained(trainer, model, **stages):
    tokenizer = Tokenizer(model)
    for name, stage in stages.items():
        setattr(tokenizer, name, stage)
    tokenizer.train_from_iterator([text + " the foxes thing" for text in TEXTS] * 3, trainer)
    return tokenizer


def by_ranks(tmp_path, bpe):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bpe.save(tmp_path / "ranks.tiktoken")
    return tessella.load(
        tmp_path / "ranks.tiktoken", pattern=CL100K, special_tokens={"<s>": 500, "</s>": 500}
    )


def kinds(tmp_path, words, bpe):
    """Tokenizers of every model, with everything that a description may hold."""
    words.enable_truncation(7, stride=2)
    words.enable_padding(pad_id=2, pad_token="<unk>", pad_to_multiple_of=4)
    yield "words", words
    bpe.add_tokens([AddedToken("thing", single_word=True, lstrip=True), "fox"])
    bpe.add_special_tokens(["<s>", "</s>"])
    yield "bytes", bpe
    yield "ranks", by_ranks(tmp_path, bpe_of_bytes())
    yield (
        "affixes",
        trained(
            trainers.BpeTrainer(
                vocab_size=180, continuing_subword_prefix="##", end_of_word_suffix="</w>", show_progress=False
            ),
            models.BPE(unk_token="<unk>", continuing_subword_prefix="##", end_of_word_suffix="</w>"),
            normalizer=normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase()]),
            pre_tokenizer=pre_tokenizers.Sequence(
                [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.CharDelimiterSplit("e")]
            ),
        ),
    )
    fallback = trained(
        trainers.BpeTrainer(vocab_size=400, show_progress=False),
        models.BPE(),
        pre_tokenizer=pre_tokenizers.Split(tessella.Regex(r"\w+|\W"), "isolated"),
    )
    yield "an automaton of its own", fallback
    yield "wordpiece", of_words()
    yield (
        "unigram",
        trained(
            trainers.UnigramTrainer(
                vocab_size=160, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
            ),
            models.Unigram(),
            pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="first"),
            decoder=decoders.Metaspace(prepend_scheme="first"),
        ),
    )
    yield "units", of_units()
    yield "nothing", Tokenizer(models.BPE())


def bpe_of_bytes():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    return tokenizer


def of_words():
    return trained(
        trainers.WordPieceTrainer(vocab_size=240, special_tokens=["[UNK]"], show_progress=False),
        models.WordPiece(unk_token="[UNK]"),
        normalizer=normalizers.BertNormalizer(),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
        decoder=decoders.WordPiece(),
    )


def of_units():
    """The stages of Llama 2: nothing splits a text, so long ones are cut where no merge crosses."""
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁thequickbrownfxsaig"]
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), ("i", "n"), ("in", "g"), ("f", "o"), ("▁", "fo")]
    tokens += [left + right for left, right in merges]
    vocab = {token: id for id, token in enumerate(dict.fromkeys(tokens))}
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


def told(act):
    """What comes of it, or what is wrong with it."""
    try:
        return act()
    except TessellaError as error:
        return str(error)


def assert_same(one, two, name="", texts=TEXTS):
    assert one.fingerprint() == two.fingerprint(), name
    assert told(one.to_str) == told(two.to_str)
    assert one.get_vocab() == two.get_vocab()
    assert one.explain_plan() == two.explain_plan()
    assert pickle.dumps(one) == pickle.dumps(two)
    for text in texts:
        a, b = told(lambda text=text: one.encode(text, text)), told(lambda text=text: two.encode(text, text))
        if isinstance(a, str):
            assert a == b
            continue
        for column in COLUMNS:
            assert getattr(a, column) == getattr(b, column), (column, text)
        ids = one.encode_ids(text).tolist()
        assert ids == two.encode_ids(text).tolist()
        assert one.decode(ids) == two.decode(ids)
        assert one.decode(a.ids, skip_special_tokens=False) == two.decode(b.ids, skip_special_tokens=False)
        assert str(one.explain(text[:40])) == str(two.explain(text[:40]))


def test_all_is_as_it_was(tmp_path, words, bpe):
    for number, (name, tokenizer) in enumerate(kinds(tmp_path, words, bpe)):
        path = tmp_path / f"{number}.snapshot"
        tokenizer.save_snapshot(path)
        loaded = tessella.load(path)
        assert_same(tokenizer, loaded, name)
        for again in (copy.copy(loaded), copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
            assert_same(tokenizer, again, name, TEXTS[2:4])
        # Saving what was loaded gives the same file.
        loaded.save(tmp_path / "again.snapshot")
        assert (tmp_path / "again.snapshot").read_bytes() == path.read_bytes()
        # Both change alike.
        for one in (tokenizer, loaded):
            one.add_tokens(["quick", AddedToken("東京", normalized=True)])
            one.normalizer = normalizers.Lowercase()
            one.post_processor = None
        assert_same(tokenizer, loaded)


def test_both_engines_give_the_same(tmp_path, monkeypatch):
    tokenizer = by_ranks(tmp_path, bpe_of_bytes())
    tokenizer.save_snapshot(tmp_path / "x.snapshot")
    expected = [tokenizer.encode_ids(text).tolist() for text in TEXTS]
    for engine in ("off", "at-once"):
        monkeypatch.setenv("TESSELLA_LANES", engine)
        loaded = tessella.load(tmp_path / "x.snapshot")
        assert [ids.tolist() for ids in loaded.encode_ids_batch(TEXTS * 50, num_threads=2)] == expected * 50


def test_what_stands_beside_goes_along(tmp_path, words):
    words.config = {"model_max_length": 12, "x": ["é", None]}
    words.chat_template = "{{ messages }}"
    words.save_folder(tmp_path / "folder")
    (tmp_path / "folder" / "special_tokens_map.json").write_text('{"unk_token": "<unk>"}')
    folder = tessella.load(tmp_path / "folder")
    folder.save_snapshot(tmp_path / "x.snapshot")
    loaded = tessella.load(tmp_path / "x.snapshot")
    assert loaded.config == folder.config
    assert loaded.chat_template == words.chat_template
    assert loaded._special_tokens_map == folder._special_tokens_map
    folder.save_folder(tmp_path / "one")
    loaded.save_folder(tmp_path / "two")
    names = sorted(os.listdir(tmp_path / "one"))
    assert names == sorted(os.listdir(tmp_path / "two")) and len(names) == 4
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_components_of_users_are_asked_for(tmp_path, words):
    words.normalizer = normalizers.Normalizer.custom(Upper())
    path = tmp_path / "x.snapshot"
    words.save_snapshot(path)
    with pytest.raises(TessellaError, match="allow_custom"):
        tessella.load(path)
    name = f"{Upper.__module__}:Upper"
    assert tessella.load(path, allow_custom=[name]).encode("é").ids == words.encode("é").ids
    words.normalizer = normalizers.Normalizer.custom(type("Local", (), {"normalize": Upper.normalize})())
    with pytest.raises(UnsupportedError):
        words.save_snapshot(tmp_path / "y.snapshot")
    assert not (tmp_path / "y.snapshot").exists()


def test_another_may_take_its_place(tmp_path, bpe, words):
    path = tmp_path / "x.snapshot"
    bpe.save_snapshot(path)
    loaded = tessella.load(path)
    words.save_snapshot(path)
    assert_same(bpe, loaded)
    path.unlink()
    if hasattr(os, "fork"):
        child = os.fork()
        if not child:
            os._exit(loaded.encode_ids(TEXTS[2]).tolist() != bpe.encode_ids(TEXTS[2]).tolist())
        assert os.waitpid(child, 0)[1] == 0


def summed(content):
    """The content with sums that fit."""
    content[20:24] = struct.pack("<I", zlib.crc32(content[64:]))
    content[60:64] = struct.pack("<I", zlib.crc32(content[:60]))
    return content


@pytest.mark.parametrize(("kind", "step"), [("words", 97), ("bpe", 97 * 41)])
def test_damage_is_found(tmp_path, request, kind, step):
    path = tmp_path / "x.snapshot"
    request.getfixturevalue(kind).save_snapshot(path)
    whole = path.read_bytes()
    hurt = tmp_path / "hurt.snapshot"
    places = [*range(64), *range(64, len(whole), step), len(whole) - 1]
    for place in places:
        content = bytearray(whole)
        content[place] ^= 1 << place % 8
        hurt.write_bytes(content)
        with pytest.raises(FormatError):
            tessella.load(hurt)
    for length in [*range(1, 200, 7), *range(200, len(whole), 10 * step), len(whole) - 1]:
        hurt.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            tessella.load(hurt)
    hurt.write_bytes(whole + bytes(64))
    with pytest.raises(FormatError, match="goes on behind its end"):
        tessella.load(hurt)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (8, struct.pack("<I", 99), r"layout 99.*write it again"),
        (32, b"0.0.7\0\0\0", r"written by Tessella 0\.0\.7"),
        (12, None, "another order of bytes"),
        (24, struct.pack("<Q", 1 << 40), "cut off"),
        (16, struct.pack("<I", 1 << 30), "list of tables"),
        (16, struct.pack("<I", 3), "do not fit together"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, bpe, place, value, message):
    path = tmp_path / "x.snapshot"
    bpe.save_snapshot(path)
    content = bytearray(path.read_bytes())
    value = value or content[place : place + 4][::-1]
    content[place : place + len(value)] = value
    path.write_bytes(summed(content))
    with pytest.raises(FormatError, match=message) as error:
        tessella.load(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("kind", ["ranks", "units", "words"])
def test_tables_that_were_made_up_do_no_harm(tmp_path, kind):
    """With sums that fit, anything may be in them: it is refused, or gives some tokens."""
    path = tmp_path / "x.snapshot"
    tokenizer = {"ranks": lambda: by_ranks(tmp_path, bpe_of_bytes()), "units": of_units, "words": of_words}[
        kind
    ]()
    tokenizer.save_snapshot(path)
    whole = path.read_bytes()
    (count,) = struct.unpack_from("<I", whole, 16)
    arrays = [struct.unpack_from("=4Q", whole, 64 + 32 * number) for number in range(count)]
    chance = random.Random(3)
    loaded = 0
    for _ in range(200):
        content = bytearray(whole)
        start, length, *_ = chance.choice([array for array in arrays if array[1]])
        for _ in range(chance.choice([1, 1, 1, 5])):
            place = start + chance.randrange(length)
            content[place] = chance.choice([0, 1, 255, content[place] ^ 1, chance.randrange(256)])
        path.write_bytes(summed(content))
        try:
            tokenizer = tessella.load(path)
            loaded += 1
            for text in TEXTS:
                tokenizer.decode(tokenizer.encode_ids(text).tolist())
                tokenizer.encode(text)
            tokenizer.get_vocab()
            tokenizer.to_str()
        except TessellaError:
            pass
    assert loaded > 20, "all were refused: nothing was tried"


def test_other_files_are_no_snapshots(tmp_path):
    path = tmp_path / "x.snapshot"
    path.write_bytes(b"\x89TSNAP\n\n" + bytes(100))
    with pytest.raises(FormatError, match="Its name says that it begins with"):
        tessella.load(path)
    with pytest.raises(FileNotFoundError):
        tessella.load(tmp_path / "y.snapshot")
    with pytest.raises(FileNotFoundError) as error:
        Tokenizer(models.BPE()).save_snapshot(tmp_path / "none" / "x.snapshot")
    assert error.value.filename == str(tmp_path / "none" / "x.snapshot")


@pytest.mark.skipif(not os.environ.get("TESSELLA_MODELS"), reason="TESSELLA_MODELS names no folder")
@pytest.mark.parametrize(
    "name",
    ["gpt2.json", "cl100k_base.tiktoken", "bert-uncased.json", "llama2.json", "xlnet_base_cased.model"],
)
def test_models_in_use(tmp_path, name):
    if not (MODELS / name).exists():
        pytest.skip(f"TESSELLA_MODELS has no {name}")
    tokenizer = tessella.load(MODELS / name)
    tokenizer.save_snapshot(tmp_path / "x.snapshot")
    loaded = tessella.load(tmp_path / "x.snapshot")
    assert tokenizer.fingerprint() == loaded.fingerprint()
    assert tokenizer.explain_plan() == loaded.explain_plan()
    assert tokenizer.get_vocab() == loaded.get_vocab()
    for text in [*TEXTS, " ".join(TEXTS) * 20]:
        one, two = tokenizer.encode(text), loaded.encode(text)
        assert all(getattr(one, column) == getattr(two, column) for column in COLUMNS)
        assert tokenizer.decode(one.ids) == loaded.decode(two.ids)
