"""Files that are broken on purpose: the fault is named, and the mended file loads in the reference library."""

import json
import random
import time

import pytest
import tessella
from tessella import Tokenizer, decoders, models, pre_tokenizers, processors, prove
from tessella.cli import main
from tessella.errors import ArgumentError

TEXTS = ["low lower lowest", "newer wider tiles", "naïve café", "Hello world 1984"] * 20


def gpt2():
    tokenizer = tessella.recipes.get("gpt2").train(TEXTS, vocab_size=285)
    tokenizer.add_special_tokens(["<s>", "<pad>"])
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id("<pad>"), pad_token="<pad>")
    tokenizer.enable_truncation(64)
    return tokenizer


def bert():
    return tessella.recipes.get("bert-uncased").train(TEXTS, vocab_size=80)


def unigram():
    pieces = [("<unk>", 0.0), ("▁", -2.0), *((letter, -3.0) for letter in "abcdehlo"), ("▁hello", -4.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        "<s> $A", None, [("<s>", tokenizer.token_to_id("<s>"))]
    )
    return tokenizer


def fallback():
    vocab = {
        "<unk>": 0,
        **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)},
        "a": 257,
        "b": 258,
        "ab": 259,
    }
    tokenizer = Tokenizer(models.BPE(vocab, [("a", "b")], unk_token="<unk>", byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


SOURCES = {"gpt2": gpt2, "bert": bert, "unigram": unigram, "fallback": fallback}


@pytest.fixture(scope="module")
def files():
    return {name: json.loads(make().to_str()) for name, make in SOURCES.items()}


def some_token(said, draw):
    """A token that nothing needs by name."""
    named = json.dumps([said["added_tokens"], said["post_processor"]])
    unknown = said["model"].get("unk_token")
    return draw.choice(
        sorted(token for token in said["model"]["vocab"] if token not in named and token != unknown)
    )


def id_twice(said, draw):
    one, other = some_token(said, draw), some_token(said, draw)
    while one == other:
        other = some_token(said, draw)
    said["model"]["vocab"][one] = said["model"]["vocab"][other]


def id_wrong(said, draw):
    said["model"]["vocab"][some_token(said, draw)] = draw.choice([-1, "7", None, 1 << 40])


def merge_unknown(said, draw):
    said["model"]["merges"].insert(draw.randint(0, 1), draw.choice([["zq", "a"], ["a", "zq"], ["b", "b"]]))


def merge_gone(said, draw):
    merges = said["model"]["merges"]
    left, right = draw.choice(merges)
    del said["model"]["vocab"][left + right]


def merge_malformed(said, draw):
    said["model"]["merges"].append(draw.choice([["a"], ["a", "b", "c"], "abc", 7, ["a", 1]]))


def merge_twice(said, draw):
    said["model"]["merges"].append(draw.choice(said["model"]["merges"]))


def unk_missing(said, draw):
    said["model"]["unk_token"] = draw.choice(["<nope>", "[GONE]"])


def unk_id(said, draw):
    said["model"]["unk_id"] = draw.choice([99, -1, 1000])


def bytes_missing(said, draw):
    for byte in draw.sample(range(256), 3):
        said["model"]["vocab"].pop(f"<0x{byte:02X}>")


def alphabet_missing(said, draw):
    # Those of bytes that some text has.
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet()[:0xC0])
    used = {letter for merge in said["model"]["merges"] for part in merge for letter in part}
    said["model"]["vocab"].pop(draw.choice([letter for letter in alphabet if letter not in used]))


def score(said, draw):
    said["model"]["vocab"][draw.randint(1, 8)][1] = draw.choice([float("nan"), float("inf"), None])


def piece_twice(said, draw):
    said["model"]["vocab"][draw.randint(2, 4)][0] = said["model"]["vocab"][draw.randint(5, 8)][0]


def word_length(said, draw):
    said["model"]["max_input_chars_per_word"] = 0


def dropout(said, draw):
    said["model"]["dropout"] = draw.choice([0.1, 0.5])


def version(said, draw):
    said["version"] = draw.choice(["1.1", "2.0", 1])


def added_empty(said, draw):
    one = dict(said["added_tokens"][0], content="", id=draw.randint(900, 999))
    said["added_tokens"].append(one)


def added_twice(said, draw):
    one = draw.choice(said["added_tokens"])
    said["added_tokens"].append(dict(one, single_word=not one["single_word"]))


def added_id(said, draw):
    one = draw.choice([one for one in said["added_tokens"] if one["content"] in said["model"]["vocab"]])
    one["id"] += draw.randint(1, 5)


def added_order(said, draw):
    one = draw.choice([one for one in said["added_tokens"] if one["content"] not in pieces(said)])
    one["id"] += draw.randint(20, 50)


def pieces(said):
    vocab = said["model"]["vocab"]
    return vocab if isinstance(vocab, dict) else [piece for piece, _ in vocab]


def processor_id(said, draw):
    row = draw.choice(list(said["post_processor"]["special_tokens"].values()))
    row["ids"] = [row["ids"][0] + draw.randint(1, 3)]


def processor_unknown(said, draw):
    row = draw.choice(list(said["post_processor"]["special_tokens"].values()))
    row["tokens"] = ["<gone>"]


def pad_id(said, draw):
    said["padding"]["pad_id"] += draw.randint(1, 9)


def stride(said, draw):
    said["truncation"]["stride"] = said["truncation"]["max_length"] + draw.randint(0, 3)


def decoder(said, draw):
    said["decoder"] = None


#: What is broken, in which files, and what the fault is called.
BREAKS = [
    ("vocab-id-twice", id_twice, ["gpt2", "bert"]),
    ("vocab-id", id_wrong, ["gpt2", "bert"]),
    ("merge-unknown", merge_unknown, ["fallback"]),
    ("merge-unknown", merge_gone, ["gpt2"]),
    ("merge-malformed", merge_malformed, ["gpt2", "fallback"]),
    ("merge-twice", merge_twice, ["gpt2"]),
    ("unk-missing", unk_missing, ["bert", "fallback"]),
    ("unk-id", unk_id, ["unigram"]),
    ("bytes-missing", bytes_missing, ["fallback"]),
    ("alphabet-missing", alphabet_missing, ["gpt2"]),
    ("score", score, ["unigram"]),
    ("piece-twice", piece_twice, ["unigram"]),
    ("word-length", word_length, ["bert"]),
    ("dropout", dropout, ["gpt2", "fallback"]),
    ("version", version, ["gpt2", "bert", "unigram"]),
    ("added-empty", added_empty, ["gpt2", "bert", "unigram"]),
    ("added-twice", added_twice, ["gpt2", "bert"]),
    ("added-id", added_id, ["bert"]),
    ("added-order", added_order, ["gpt2", "unigram"]),
    ("processor-id", processor_id, ["bert", "unigram"]),
    ("processor-unknown", processor_unknown, ["bert", "unigram"]),
    ("pad-id", pad_id, ["gpt2"]),
    ("stride", stride, ["gpt2"]),
    ("decoder", decoder, ["gpt2", "unigram"]),
]
CASES = [(code, make, name, seed) for code, make, names in BREAKS for name in names for seed in range(6)]


def test_there_are_enough():
    assert len(CASES) >= 200


@pytest.mark.parametrize(
    ("code", "make", "name", "seed"), CASES, ids=lambda one: getattr(one, "__name__", str(one))
)
def test_a_broken_file_is_told_and_mended(code, make, name, seed, files, tmp_path):
    said = json.loads(json.dumps(files[name]))
    make(said, random.Random(seed))
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    found = prove.doctor(path)
    assert code in found.codes, str(found)
    assert not found
    others = {one.code for one in found.findings if one.severity == "error"} - {code}
    # Breaking an id breaks what rests on it.
    assert others <= {"added-id", "added-order", "refused", "processor-id", "pad-id"}, str(found)
    fault = next(one for one in found.findings if one.code == code)
    if not fault.can_be_mended:
        assert fault.advice
        return
    found.save(tmp_path / "mended.json")
    again = prove.doctor(tmp_path / "mended.json")
    assert code not in again.codes
    assert again, str(again)
    reference = pytest.importorskip("tokenizers").Tokenizer.from_file(str(tmp_path / "mended.json"))
    ours = tessella.load(tmp_path / "mended.json")
    for text in ("low lower", "hello <s> ab", "1984 é"):
        assert reference.encode(text).ids == ours.encode(text).ids
    assert reference.get_vocab() == ours.get_vocab()


def places(value, path=()):
    """All places of a file; of long lists and vocabularies the first few."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for _, (key, one) in zip(range(12), inner, strict=False):
        yield from places(one, (*path, key))


@pytest.mark.parametrize("name", SOURCES)
def test_no_value_of_another_kind_is_too_much(name, files, tmp_path):
    draw = random.Random(name)
    for path in list(places(files[name]))[1:]:
        said = json.loads(json.dumps(files[name]))
        place = said
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = draw.choice([None, -1, "x", [], {}, True, 1.5, [1], {"a": 1}, ""])
        file = tmp_path / "tokenizer.json"
        file.write_text(json.dumps(said))
        assert str(prove.doctor(file))


@pytest.mark.parametrize("name", SOURCES)
def test_healthy_files_are_healthy(name, files, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(files[name]))
    found = prove.doctor(path)
    assert found, str(found)
    assert not found.mended
    with pytest.raises(ArgumentError, match="nothing was mended"):
        found.save(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"{", "json"),
        (b'{"model": 1}', "model-missing"),
        (b'{"model": {"type": "BPF", "vocab": {}}}', "model-type"),
        (b'{"model": {"type": "BPE"}}', "vocab-missing"),
        (b"neither nor", "refused"),
    ],
)
def test_what_cannot_be_mended_is_told(content, code, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    found = prove.doctor(path)
    assert found.codes == [code]
    assert not found


def test_a_file_of_another_name_has_its_own(tmp_path):
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]], "dropout": True}
    contents = {"json": "{", "refused": json.dumps({"version": "1.0", "model": model})}
    for code, content in contents.items():
        path = tmp_path / f"{code}.json"
        path.write_text(content)
        (told,) = (one for one in prove.doctor(path).findings if one.code == code)
        assert told.where == path.name


def test_notes_do_not_count(tmp_path):
    bert().save(tmp_path / "tokenizer.json")
    found = prove.doctor(tmp_path / "tokenizer.json")
    assert found
    assert {one.code for one in found.findings} == {"lossy", "forgeable"}
    assert "[UNK]" in str(found) or "[PAD]" in str(found)


def test_a_folder_that_contradicts_itself(tmp_path):
    tokenizer = gpt2()
    tokenizer.config = {"eos_token": "<s>"}
    tokenizer.save_folder(tmp_path)
    assert prove.doctor(tmp_path)
    config = {
        "eos_token": "<s>",
        "pad_token": "<gone>",
        "added_tokens_decoder": {"7": {"content": "<s>"}},
        "chat_template": "<|user|>{{ messages }}",
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"eos_token": "<e>"}))
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": 10}))
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 5000}))
    found = prove.doctor(tmp_path)
    assert set(found.codes) >= {
        "config-token",
        "config-id",
        "map-contradicts",
        "model-size",
        "files-contradict",
        "template-token",
        "template-marks",
    }
    found.save(tmp_path / "mended")
    said = json.loads((tmp_path / "mended" / "tokenizer_config.json").read_text())
    assert said["added_tokens_decoder"] == {str(tokenizer.token_to_id("<s>")): {"content": "<s>"}}
    assert json.loads((tmp_path / "mended" / "special_tokens_map.json").read_text()) == {"eos_token": "<s>"}


def test_tokens_whose_ids_are_changed_about_are_all_kept(tmp_path):
    """The first was put in the place of the second, which was gone then."""
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
    tokenizer.add_special_tokens(["<s>", "</s>", "<pad>"])
    tokenizer.save_folder(tmp_path)
    listed = {"3": {"content": "<s>"}, "4": {"content": "</s>"}, "2": {"content": "<pad>"}, "9": []}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": listed}))
    found = prove.doctor(tmp_path)
    assert [one.code for one in found.findings].count("config-id") == 3
    found.save(tmp_path / "mended")
    said = json.loads((tmp_path / "mended" / "tokenizer_config.json").read_text())["added_tokens_decoder"]
    assert said == {"2": listed["3"], "3": listed["4"], "4": listed["2"], "9": []}


def test_an_id_that_is_told_twice_keeps_what_stands_in_its_place(tmp_path):
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
    tokenizer.add_special_tokens(["<s>", "</s>"])
    tokenizer.save_folder(tmp_path)
    right = {"content": "<s>", "lstrip": True}
    listed = {"2": right, "7": {"content": "<s>"}, "3": {"content": "<other>"}, "8": {"content": "</s>"}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": listed}))
    prove.doctor(tmp_path).save(tmp_path / "mended")
    said = json.loads((tmp_path / "mended" / "tokenizer_config.json").read_text())["added_tokens_decoder"]
    assert said == {"2": right, "3": {"content": "</s>"}}


def test_older_files_and_the_model_that_say_something_else(tmp_path):
    tokenizer = gpt2()
    tokenizer.config = {"eos_token": "<s>", "pad_token": "<pad>", "bos_token": None}
    tokenizer.save_folder(tmp_path)
    tokenizer.model.save(tmp_path)
    ids = {role: tokenizer.token_to_id(token) for role, token in (("eos", "<s>"), ("pad", "<pad>"))}
    good = {"vocab_size": 999, "eos_token_id": [7, ids["eos"]], "pad_token_id": ids["pad"], "bos_token_id": 3}
    (tmp_path / "config.json").write_text(json.dumps(good))
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<s>": ids["eos"]}))
    assert prove.doctor(tmp_path).codes == ["forgeable"]

    merges = (tmp_path / "merges.txt").read_text(encoding="utf-8").split("\n")
    merges[1:3] = reversed(merges[1:3])
    for name, content in (
        ("config.json", json.dumps({**good, "eos_token_id": 7})),
        ("added_tokens.json", json.dumps({"<s>": ids["eos"] + 1})),
        ("merges.txt", "\n".join(merges)),
        ("vocab.txt", "low\r\nlower\r\n"),
    ):
        old = (tmp_path / name).read_bytes() if (tmp_path / name).exists() else None
        (tmp_path / name).write_text(content, encoding="utf-8")
        found = [one for one in prove.doctor(tmp_path).findings if one.severity != "note"]
        code = "model-id" if name == "config.json" else "files-contradict"
        assert [(one.code, one.severity, one.where.partition(".eos")[0]) for one in found] == [
            (code, "warning", name)
        ]
        (tmp_path / name).unlink() if old is None else (tmp_path / name).write_bytes(old)
    assert prove.doctor(tmp_path).codes == ["forgeable"]
    with_words = bert()
    with_words.save_folder(tmp_path / "bert")
    with_words.model.save(tmp_path / "bert")
    assert prove.doctor(tmp_path / "bert")


@pytest.mark.parametrize(
    ("model", "code", "severity"),
    [
        (models.BPE({"a": 0, "<unk>": 1}, []), "unk-unnamed", "warning"),
        (models.BPE({"a": 0, "b": 1}, []), "unk-unnamed", "note"),
        (models.Unigram([("<unk>", 0.0), ("a", -1.0)], None), "unk-unnamed", "warning"),
        (models.Unigram([("a", -1.0)], None), "unk-unnamed", "note"),
    ],
)
def test_no_token_for_unknown_text(model, code, severity, tmp_path):
    Tokenizer(model).save(tmp_path / "tokenizer.json")
    found = prove.doctor(tmp_path / "tokenizer.json")
    assert [(one.code, one.severity) for one in found.findings] == [(code, severity)]
    if severity == "warning":
        found.save(tmp_path / "mended.json")
        mended = tessella.load(tmp_path / "mended.json")
        assert mended.encode("x").ids == [mended.token_to_id("<unk>")]
        assert not prove.doctor(tmp_path / "mended.json").findings


def test_many_faults_take_time_that_grows_with_the_file(tmp_path):
    """Of a real vocabulary in which one piece is there twice, or as many merges or ids are wrong, it took minutes."""
    names = [f"p{number}" for number in range(30_000)]
    pieces = json.loads(Tokenizer(models.Unigram([("<unk>", 0.0)], 0)).to_str())
    pieces["model"]["vocab"] += [[name, -1.0] for name in [*names, "p1"]]
    pairs = json.loads(Tokenizer(models.BPE({"a": 0}, [], unk_token="a")).to_str())
    pairs["model"]["merges"] = [[name] for name in names]
    same = json.loads(Tokenizer(models.BPE({"a": 0}, [], unk_token="a")).to_str())
    same["model"]["vocab"] |= dict.fromkeys(names, 0)
    for said, code in ((pieces, "piece-twice"), (pairs, "merge-malformed"), (same, "vocab-id-twice")):
        (tmp_path / "tokenizer.json").write_text(json.dumps(said))
        began = time.process_time()
        assert set(prove.doctor(tmp_path / "tokenizer.json").codes) == {code}
        assert time.process_time() - began < 6


def test_an_id_of_more_than_32_bits_is_none(tmp_path):
    said = json.loads(Tokenizer(models.BPE({"a": 0}, [], unk_token="a")).to_str())
    for id in (1 << 32, -1, "1"):
        said["model"]["vocab"] = {"a": 0, "b": id}
        (tmp_path / "tokenizer.json").write_text(json.dumps(said))
        found = prove.doctor(tmp_path / "tokenizer.json")
        assert found.codes == ["vocab-id"]
        found.save(tmp_path / "mended.json")
        assert tessella.load(tmp_path / "mended.json").get_vocab() == {"a": 0, "b": 1}


def test_bytes_that_no_text_has_need_no_token(tmp_path):
    """As in ModernBERT's file; and where the end of a word is marked, letters are needed with the mark and without."""
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    needed = [letter for byte, letter in enumerate(alphabet) if byte < 0xC0 or 0xC2 <= byte < 0xF5]

    def told(letters, suffix=None):
        vocab = {letter: id for id, letter in enumerate(letters)}
        # What nothing needs does not have to be there.
        tokenizer = Tokenizer(models.BPE(vocab, [], end_of_word_suffix=suffix))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
        tokenizer.decoder = decoders.ByteLevel()
        said = json.loads(tokenizer.to_str())
        said["model"]["unk_token"] = None
        (tmp_path / "tokenizer.json").write_text(json.dumps(said))
        return prove.doctor(tmp_path / "tokenizer.json").codes

    assert told(needed) == []
    assert told(needed[1:]) == told([*needed[:-1], alphabet[0xFF]]) == ["alphabet-missing"]
    ends = [f"{letter}</w>" for letter in alphabet[:0xC0]]
    assert told([*needed, *ends], "</w>") == []
    assert told([*needed, *ends[1:]], "</w>") == told([*needed[1:], *ends], "</w>") == ["alphabet-missing"]
    trained = tessella.recipes.get("clip").train(TEXTS, vocab_size=560)
    trained.save(tmp_path / "clip.json")
    assert prove.doctor(tmp_path / "clip.json")


def test_tokens_that_never_match(tmp_path):
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    tokenizer.add_tokens([tessella.AddedToken("a b", normalized=False, single_word=True)])
    tokenizer.add_tokens([tessella.AddedToken("xa bx", normalized=False)])
    tokenizer.add_special_tokens([tessella.AddedToken("a", normalized=False, single_word=False)])
    said = json.loads(tokenizer.to_str())
    said["added_tokens"].append(dict(said["added_tokens"][0], content=" b", id=9, lstrip=False))
    tokenizer.save(tmp_path / "tokenizer.json")
    found = prove.doctor(tmp_path / "tokenizer.json")
    assert "added-never" not in found.codes
    lower = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    lower.normalizer = tessella.normalizers.Replace("a", "b")
    lower.add_tokens(["aa", "bb"])
    lower.save(tmp_path / "lower.json")
    found = prove.doctor(tmp_path / "lower.json")
    assert "added-never" in found.codes


def test_other_formats(tmp_path):
    gpt2().model.save(tmp_path)
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b c\n")
    found = prove.doctor(tmp_path)
    assert found.codes == ["refused"]


def test_command(files, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.json").write_text(json.dumps(files["gpt2"]))
    assert main(["doctor", "good.json", "--no-notes"]) == 0
    assert capsys.readouterr().out == "nothing is wrong\n"
    said = json.loads(json.dumps(files["gpt2"]))
    said["model"]["dropout"] = 0.5
    (tmp_path / "bad.json").write_text(json.dumps(said))
    assert main(["doctor", "bad.json", "--mend", "mended.json"]) == 1
    out, err = capsys.readouterr()
    assert "warning: dropout ($.model.dropout)" in out and "mended.json" in err
    assert json.loads((tmp_path / "mended.json").read_text())["model"]["dropout"] is None
    assert main(["doctor", "bad.json", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["healthy"] is False


@pytest.mark.parametrize("dropout", [True, [0.1]])
def test_a_file_that_only_its_mended_form_loads_is_an_error(dropout, tmp_path):
    path = tmp_path / "tokenizer.json"
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]], "dropout": dropout}
    path.write_text(json.dumps({"version": "1.0", "model": model}))
    found = prove.doctor(path)
    assert [(one.code, one.severity) for one in found.findings if one.severity != "note"][:2] == [
        ("dropout", "warning"),
        ("refused", "error"),
    ]
    found.save(tmp_path / "mended.json")
    assert "refused" not in prove.doctor(tmp_path / "mended.json").codes


def test_half_of_a_character_is_told(tmp_path, capsys):
    """JSON can spell it, UTF-8 cannot."""
    path = tmp_path / "tokenizer.json"
    path.write_text(
        '{"version": "1.0", "model": {"type": "BPE", "vocab": {"\\ud800": 0, "b": 0}, "merges": []}}'
    )
    found = prove.doctor(path)
    assert not found and "refused" in found.codes
    assert found.to_dict()["healthy"] is False and str(found).encode("utf-8", "surrogatepass")
    for options in ([], ["--json"]):
        assert main(["doctor", str(path), *options]) == 1
        out, error = capsys.readouterr()
        assert "does not load" in out.encode("utf-8").decode() and not error
