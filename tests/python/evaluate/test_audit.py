"""What an audit calls unreachable never comes out, and what it calls reachable does: tried by brute force."""

import itertools
import json
import random
import struct

import numpy as np
import pytest
from tessella import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tessella._vocabulary import entries
from tessella.errors import ArgumentError, FormatError, OutOfRangeError
from tessella.evaluate import Audit, audit
from tessella.evaluate.auditing.proof import Prover
from tessella.evaluate.auditing.witness import completions, is_utf8_inside
from tessella.evaluate.growth import growth, steps
from tessella.evaluate.merges import merges_of

#: All texts of up to so many letters are tried.
LONGEST = 7


def everything(letters, longest=LONGEST):
    for size in range(1, longest + 1):
        for some in itertools.product(letters, repeat=size):
            yield "".join(some)


def given_by(tokenizer, texts):
    return set(tokenizer.encode_ids_batch(list(texts), add_special_tokens=False).ids.tolist())


def judged(tokenizer, letters, longest=LONGEST):
    """The audit against all short texts."""
    found = audit(tokenizer)
    possible = given_by(tokenizer, everything(letters, longest))
    names = tokenizer.get_vocab()
    for row in found.unreachable:
        assert row["id"] not in possible, row
        assert row["proof"]
    data = found.to_dict()
    for row in data["witnesses"]:
        assert row["id"] in tokenizer.encode_ids(row["text"], False), row
    assert data["reachable"] + len(found.unreachable) + len(found.not_found) == data["judged"]
    # Whatever short texts give is reachable, or at least not said to be impossible.
    impossible = {row["id"] for row in found.unreachable}
    assert not impossible & possible
    return found, {token for token, id in names.items() if id not in possible}


@pytest.mark.parametrize("seed", range(12))
def test_random_merges(seed):
    """Entries are made by merges of any order, so that many are never made."""
    rng = random.Random(seed)
    vocabulary = {"a": 0, "b": 1, "c": 2}
    merges = []
    while len(vocabulary) < 16:
        left, right = rng.choices(list(vocabulary), k=2)
        if len(left + right) <= 5 and (left, right) not in merges:
            merges.append((left, right))
            vocabulary.setdefault(left + right, len(vocabulary))
    rng.shuffle(merges)
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    found, missing = judged(tokenizer, "abc", 7)
    # Nothing that all texts of up to seven letters lack is left without a proof here: letters have no context.
    assert {row["token"] for row in found.unreachable} <= missing
    assert {row["token"] for row in found.not_found} == set() or missing


def test_what_merges_never_make_is_what_no_text_gives():
    seen = 0
    for seed in range(6):
        rng = random.Random(seed)
        vocabulary, merges = {"a": 0, "b": 1}, []
        while len(vocabulary) < 10:
            left, right = rng.choices(list(vocabulary), k=2)
            if len(left + right) <= 4 and left + right not in vocabulary:
                merges.append((left, right))
                vocabulary[left + right] = len(vocabulary)
        rng.shuffle(merges)
        found, missing = judged(Tokenizer(models.BPE(vocabulary, merges)), "ab", 10)
        assert {row["token"] for row in found.unreachable} == missing
        assert not found.not_found
        seen += len(missing)
    assert seen > 5


@pytest.mark.parametrize("seed", range(8))
def test_random_scores(seed):
    rng = random.Random(seed)
    tokens = {"".join(rng.choices("ab", k=rng.randint(2, 5))) for _ in range(14)}
    vocabulary = [("<unk>", 0.0), ("a", -2.0), ("b", -2.5)]
    vocabulary += [(token, -rng.uniform(1, 2.2 * len(token))) for token in sorted(tokens)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    found, missing = judged(tokenizer, "ab", 10)
    assert {row["token"] for row in found.unreachable} == missing - {"<unk>"}


@pytest.mark.parametrize("seed", range(8))
def test_random_pieces(seed):
    """WordPiece: entries that go on a word, after others that are always longer."""
    rng = random.Random(seed)
    vocabulary = {"[UNK]": 0, "a": 1, "b": 2, "##a": 3}
    for _ in range(14):
        token = rng.choice(["", "##"]) + "".join(rng.choices("ab", k=rng.randint(1, 3)))
        vocabulary.setdefault(token, len(vocabulary))
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    found, missing = judged(tokenizer, "ab", 10)
    assert {row["token"] for row in found.unreachable} <= missing
    assert {row["cause"] for row in found.unreachable} <= {"longer match"}


def test_every_cause_is_told():
    alphabet = {one: id for id, one in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    vocabulary = dict(alphabet)
    for token in ("Ġt", "th", "he", "the", "aĠb", "b1", "<x", "<x>"):
        vocabulary[token] = len(vocabulary)
    merges = [
        ("Ġ", "t"),
        ("t", "h"),
        ("h", "e"),
        ("th", "e"),
        ("a", "Ġ"),
        ("b", "1"),
        ("<", "x"),
        ("<x", ">"),
    ]
    vocabulary["aĠ"] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<x>", "[reserved_7]"])
    tokenizer.add_tokens([AddedToken("low", normalized=False)])
    found = audit(tokenizer, name="made")
    data = found.to_dict()
    causes = {row["token"]: (row["cause"], True) for row in found.unreachable}
    causes |= {row["token"]: (row["cause"], False) for row in found.not_found}
    assert causes["aĠb"] == ("merge order", True)
    assert causes["aĠ"] == ("splitter", False)
    assert causes["b1"] == ("splitter", False)
    assert causes[next(one for one, id in alphabet.items() if entries(tokenizer).bytes[id] == b"\xff")] == (
        "no text", True,
    )  # fmt: skip
    assert "th" not in causes and "the" not in causes
    assert [row["token"] for row in data["forgeable"]] == ["<x>", "[reserved_7]"]
    assert all(row["kept_out_by_option"] for row in data["forgeable"])
    assert [row["token"] for row in data["reserved"]["some"]] == ["[reserved_7]"]
    assert data["parts_of_characters"]["entries"] == 128
    assert data["composition"]["kinds"] == {"text": 264, "special": 2, "added": 1}
    assert sum(data["composition"]["scripts"].values()) == 264


def test_normalisers_and_splitters_are_told():
    vocabulary = {"[UNK]": 0, "a": 1, "B": 2, "a!": 3, "##!": 4, "!": 5, "é": 6}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    found = audit(tokenizer)
    assert {row["token"]: row["cause"] for row in found.unreachable} == {"a!": "splitter", "##!": "splitter"}
    assert {row["token"]: row["cause"] for row in found.not_found} == {"B": "normaliser", "é": "normaliser"}


def falls_back(letters):
    vocabulary = [("<unk>", 0.0), *((one, -1.0) for one in letters), ("▁", -1.0)]
    vocabulary += [(f"<0x{byte:02X}>", -9.0) for byte in range(256)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def test_bytes_without_a_character_to_spell():
    # What the name of a byte consists of has better entries.
    letters = "<>x0123456789ABCDEF"
    found = audit(falls_back("a" + letters))
    assert {row["token"] for row in found.unreachable} == {
        "<0x61>", "<0xC0>", "<0xC1>", *(f"<0x{byte:02X}>" for byte in range(0xF5, 0x100)),
        *(f"<0x{ord(one):02X}>" for one in letters),
    }  # fmt: skip
    # A blank becomes a mark before the model sees it, which is no proof that nothing else becomes a blank.
    assert [row["token"] for row in found.not_found] == ["<0x20>"]


def test_names_of_bytes_are_entries_too():
    tokenizer = falls_back("a")
    found = audit(tokenizer, witnesses=1000)
    assert found.unreachable == found.not_found == []
    texts = {row["token"]: row["text"] for row in found.witnesses}
    assert texts["<0x61>"] == "<0x61>" in tokenizer.encode("<0x61>").tokens


def test_witnesses_are_spread_over_the_vocabulary():
    vocabulary = {chr(0x4E00 + number): number for number in range(150)}
    found = audit(Tokenizer(models.WordLevel({**vocabulary, "?": 150}, "?")), witnesses=100)
    assert [row["id"] for row in found.witnesses] == [number * 150 // 100 for number in range(100)]
    for wrong, error in ((-1, OutOfRangeError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="witnesses"):
            audit(falls_back("a"), witnesses=wrong)


def test_parts_of_characters_are_completed():
    text = "aé東👩b"
    spelled = text.encode()
    for start in range(len(spelled)):
        for end in range(start + 1, len(spelled) + 1):
            part = spelled[start:end]
            made = list(itertools.islice(completions(part), 50))
            assert made and all(part in one.encode() for one in made)
    for wrong in (
        b"\xff",
        b"\xc3a",
        b"a\x80",
        b"\xe0\x80\x80",
        b"\xed\xa0\x80",
        b"\x80" * 4,
        b"\xf4\x90\x80\x80",
    ):
        assert not is_utf8_inside(wrong), wrong


def test_bytes_that_are_only_decoded_are_no_proof():
    """Whether letters stand for bytes is told by the stages before the model; a decoder changes no text."""
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer = Tokenizer(models.BPE({letter: id for id, letter in enumerate(sorted(alphabet))}, []))
    tokenizer.decoder = decoders.ByteLevel()
    letter = sorted(alphabet)[-1]
    for spells in (
        lambda: setattr(tokenizer, "normalizer", normalizers.ByteLevel()),
        lambda: setattr(tokenizer, "pre_tokenizer", pre_tokenizers.ByteLevel(use_regex=False)),
    ):
        tokenizer.normalizer = tokenizer.pre_tokenizer = None
        assert tokenizer.encode(letter).tokens == [letter]
        assert audit(tokenizer).to_dict()["unreachable"] == []
        spells()
        lost = [row["proof"] for row in audit(tokenizer).to_dict()["unreachable"]]
        assert len(lost) == 13 and all("stand in no UTF-8" in proof for proof in lost)


def test_marks_of_blanks_in_a_text_are_letters():
    """An entry whose blanks a splitter cuts at comes out where a text has its marks themselves."""
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁a▁b", -1.0), ("a", -3.0)], 0))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.Metaspace()
    assert tokenizer.encode("▁a▁b").tokens == ["▁a▁b"]
    assert [row["token"] for row in audit(tokenizer).to_dict()["unreachable"]] == []


def test_models_that_refuse_what_they_do_not_know():
    """Texts around an entry may have letters that nothing stands for."""
    pieces = [("ab", -1.0), ("a", -2.0), ("b", -2.0), ("bb", -9.0)]
    found = audit(Tokenizer(models.Unigram(pieces))).to_dict()
    assert [row["text"] for row in found["witnesses"]] == ["ab", "a", "b"]
    assert [row["token"] for row in found["unreachable"]] == ["bb"]
    words = Tokenizer(models.WordLevel({"a": 0, "b c": 1}, "<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.add_special_tokens(["<x>"])
    found = audit(words).to_dict()
    assert found["reachable"] == 1 and found["forgeable"][0]["kept_out_by_option"]
    assert [row["token"] for row in found["unreachable"]] == ["b c"]


def test_doubles():
    vocabulary = {"<unk>": 0, "a": 1, "▁a": 2, " a": 3}
    tokenizer = Tokenizer(models.Unigram([(token, -1.0) for token in vocabulary], unk_id=0))
    tokenizer.decoder = decoders.Metaspace()
    assert [row["ids"] for row in audit(tokenizer).to_dict()["doubles"]] == [[2, 3]]
    pieces = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##a": 2}, unk_token="[UNK]"))
    assert audit(pieces).to_dict()["doubles"] == []


def test_steps_are_those_of_the_merges():
    """Against merging by hand, with a count of every symbol that was made on the way."""
    vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "abcab": 5}
    merges = [("a", "b"), ("ab", "c"), ("abc", "ab")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    counts = np.zeros(6, dtype=np.int64)
    counts[[5, 4, 3, 2]] = [10, 3, 1, 7]
    # Each `abcab` took an `abc` and an `ab`, each `abc` an `ab` and a `c`, each `ab` an `a` and a `b`.
    assert steps(merges_of(tokenizer), counts).tolist() == [24, 24, 13, 23, 10, 0]
    found = audit(tokenizer, ["abcab"] * 30 + ["c"] * 9).to_dict()["residues"]
    assert [(row["token"], row["emitted"], row["steps"]) for row in found["some"]] == [
        ("ab", 0, 60),
        ("abc", 0, 30),
    ]
    assert found["tokens"] == 39 and found["bytes"] == 159
    assert audit(Tokenizer(models.WordLevel({"a": 0, "?": 1}, "?")), ["a"]).to_dict()["residues"] is None


def counted_by_hand(tokenizer, vocabulary, merges, prefix, suffix, words):
    """How often each id came out, and how often it was joined with another, by merging word by word."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    counts, used = (np.zeros(len(vocabulary), dtype=np.int64) for _ in range(2))
    for word in words:
        parts = [prefix * (at > 0) + one + suffix * (at == len(word) - 1) for at, one in enumerate(word)]
        while found := [(ranks[p], at) for at, p in enumerate(itertools.pairwise(parts)) if p in ranks]:
            at = min(found)[1]
            used[[vocabulary[parts[at]]]] += 1
            used[[vocabulary[parts[at + 1]]]] += 1
            parts[at : at + 2] = [parts[at] + parts[at + 1].removeprefix(prefix)]
        assert [vocabulary[part] for part in parts] == tokenizer.encode(word).ids
        counts += np.bincount([vocabulary[part] for part in parts], minlength=len(vocabulary))
    return counts, used


@pytest.mark.parametrize("prefix, suffix", [("", ""), ("##", ""), ("", "</w>")])
def test_steps_where_several_merges_make_one_entry(prefix, suffix):
    """Not the first of them need have its turn. The curve of sizes goes by the same."""
    rng, doubled, curves = random.Random(7), 0, 0
    for _ in range(150):
        letters = list(
            dict.fromkeys([*"abc", *(prefix + one for one in "abc"), *(one + suffix for one in "abc")])
        )
        vocabulary, merges = {one: id for id, one in enumerate(letters)}, []
        for _ in range(rng.randint(20, 90)):
            left, right = rng.choices(list(vocabulary), k=2)
            joined = left + right.removeprefix(prefix)
            fits = right.startswith(prefix) and not (suffix and left.endswith(suffix))
            if fits and (left, right) not in merges and len(joined) < 9:
                merges.append((left, right))
                vocabulary.setdefault(joined, len(vocabulary))
        if rng.random() < 0.5:
            merges.sort(key=lambda pair: len("".join(pair)))
        marks = {"continuing_subword_prefix": prefix or None, "end_of_word_suffix": suffix or None}
        tokenizer = Tokenizer(models.BPE(vocabulary, merges, **marks))
        words = ["".join(rng.choices("abc", k=rng.randint(1, 12))) for _ in range(30)]
        counts, used = counted_by_hand(tokenizer, vocabulary, merges, prefix, suffix, words)
        assert steps(merges_of(tokenizer), counts).tolist() == used.tolist(), merges
        doubled += len(merges_of(tokenizer)) < len(merges)
        curve = growth(tokenizer, counts, 1000)
        if curve is None:
            continue
        own = merges_of(tokenizer, ordered=True)
        for size, value in curve["points"]:
            done = size - (len(vocabulary) - len(own))
            smaller = merges[: own[done].rank] if done < len(own) else merges
            some = Tokenizer(models.BPE(vocabulary, smaller, **marks))
            assert value == pytest.approx(1000 / sum(len(some.encode(word)) for word in words))
        curves += 1
    assert doubled > 20 and curves > 5


def test_added_tokens_are_not_made_by_merges():
    """One with the text of an entry is cut out of the text: its uses are no uses of the parts."""
    vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("a", "b"), ("ab", "c")]))
    tokenizer.add_tokens(["abc"])
    found = audit(tokenizer, ["abc"] * 30 + ["ab"] * 30).to_dict()["residues"]
    assert found["some"] == [] and found["judged"] == 1
    curve = growth(tokenizer, np.array([0, 0, 0, 30, 30]), 150)
    assert curve["points"][0][1] == 150 / (30 + 60)


def safetensors(path, name, array, kind):
    data = array.tobytes()
    header = {name: {"dtype": kind, "shape": list(array.shape), "data_offsets": [0, len(data)]}}
    text = json.dumps({"__metadata__": {"a": "b"}, **header}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def test_rows_that_look_untrained(tokenizers, tmp_path):
    tokenizer = tokenizers["bytes"]
    rng = np.random.default_rng(1)
    size = tokenizer.get_vocab_size()
    rows = rng.normal(0, 1, (size + 8, 24)).astype(np.float32)
    known = [row["id"] for row in audit(tokenizer).unreachable]
    hidden = [300, 310, 320]
    rows[[*known, *hidden, *range(size, size + 8)]] = 0.3 + rng.normal(0, 0.01, (len(known) + 11, 24))
    np.save(tmp_path / "rows.npy", rows)
    found = audit(tokenizer, embeddings=tmp_path / "rows.npy").to_dict()["undertrained"]
    assert (found["by"], found["references"], found["rows"]) == ("cosine", len(known) + 8, size + 8)
    assert sorted(row["id"] for row in found["candidates"][:3]) == hidden
    assert found["candidates"][2]["cosine"] > 0.9 > 0.8 > found["candidates"][3]["cosine"]
    safetensors(tmp_path / "a.safetensors", "model.embed_tokens.weight", rows, "F32")
    again = audit(tokenizer, embeddings=tmp_path / "a.safetensors").to_dict()["undertrained"]
    assert again == found
    half = (rows.view(np.uint32) >> 16).astype(np.uint16)
    safetensors(tmp_path / "b.safetensors", "x", half, "BF16")
    brief = audit(tokenizer, embeddings=tmp_path / "b.safetensors", tensor="x").to_dict()["undertrained"]
    assert sorted(row["id"] for row in brief["candidates"][:3]) == hidden


def test_matrices_that_cannot_be_used(tokenizers, tmp_path):
    tokenizer = tokenizers["bytes"]

    def refused(error, match, **named):
        with pytest.raises(error, match=match):
            audit(tokenizer, **named)

    np.save(tmp_path / "small.npy", np.zeros((5, 4)))
    refused(ArgumentError, r"small\.npy has 5 rows", embeddings=tmp_path / "small.npy")
    np.save(tmp_path / "whole.npy", np.zeros((500, 4), dtype=np.int32))
    refused(FormatError, "expected rows of floats", embeddings=tmp_path / "whole.npy")
    np.save(tmp_path / "nan.npy", np.full((500, 4), np.nan))
    refused(ArgumentError, r"nan\.npy holds numbers that are not finite", embeddings=tmp_path / "nan.npy")
    (tmp_path / "x.bin").write_bytes(b"\xff" * 100)
    refused(FormatError, "neither a .npy nor a safetensors file", embeddings=tmp_path / "x.bin")
    safetensors(tmp_path / "a.safetensors", "x", np.zeros((500, 4), dtype=np.float32), "F32")
    refused(ArgumentError, "no matrix `y`; it has x", embeddings=tmp_path / "a.safetensors", tensor="y")
    cut = (tmp_path / "a.safetensors").read_bytes()[:-9]
    (tmp_path / "cut.safetensors").write_bytes(cut)
    refused(FormatError, "does not fit its shape", embeddings=tmp_path / "cut.safetensors")
    refused(FileNotFoundError, "none.npy", embeddings=tmp_path / "none.npy")


def test_forms(tokenizers, tmp_path):
    found = audit(tokenizers["bytes"], ["low lower"] * 30, name="b|`<x>`")
    found.save(tmp_path / "audit.json")
    again = Audit.load(tmp_path / "audit.json")
    assert again.to_dict() == found.to_dict()
    text = again.to_markdown()
    assert text.startswith("# Audit of b\\|\\`\\<x\\>\\`\n")
    assert "Merge residues" in text and "Unreachable, proven: 13" in text
    assert repr(found) == "Audit(b|`<x>`; 330 entries, 13 unreachable)"


@pytest.mark.parametrize("splitter", [None, pre_tokenizers.Whitespace(), pre_tokenizers.BertPreTokenizer()])
def test_the_mark_of_what_goes_on_a_word_is_no_text(splitter):
    """A splitter that cuts `#` from `b` does not keep `##b` from coming out, of `ab`."""
    merges = [("##b", "##c"), ("a", "##bc")]
    vocabulary = {"a": 0, "##b": 1, "##c": 2, "##bc": 3, "abc": 4, "b": 5}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, continuing_subword_prefix="##"))
    if splitter is not None:
        tokenizer.pre_tokenizer = splitter
    found = audit(tokenizer)
    assert not found.unreachable and found.to_dict()["reachable"] == 6
    assert entries(tokenizer).bytes == [b"a", b"b", b"c", b"bc", b"abc", b"b"]
    # A text may have the mark itself.
    pieces = {"[UNK]": 0, "##b": 1, "##bb": 2, "[UNK]b": 3, "[UNK]bb": 4, "##bbb": 5, "[UNK]bbb": 6}
    assert not audit(Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))).unreachable


def test_residues_are_counted_without_chance():
    vocabulary = {token: id for id, token in enumerate(["a", "b", "ab", "abab"])}
    merges = [("a", "b"), ("ab", "ab")]
    plain, drawn = (Tokenizer(models.BPE(vocabulary, merges, dropout=rate)) for rate in (None, 0.5))
    wanted, found = (audit(one, ["abab" * 5] * 40).to_dict()["residues"] for one in (plain, drawn))
    assert found == wanted and [row["token"] for row in found["some"]] == ["ab"]


def test_a_worse_score_is_no_proof_where_ways_are_sampled():
    pieces = [("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -9.0)]
    plain, drawn = (Tokenizer(models.Unigram(pieces, unk_id=0, alpha=alpha)) for alpha in (None, 1.0))
    assert [row["token"] for row in audit(plain).unreachable] == ["ab"]
    assert not audit(drawn).unreachable and any("ab" in drawn.encode("ab" * 99).tokens for _ in range(500))


def test_what_goes_on_a_word_is_not_held_against_all_entries():
    class Counting(dict):
        looked = 0

        def __iter__(self):
            for key in super().__iter__():
                Counting.looked += 1
                yield key

    vocabulary = {"[UNK]": 0} | {f"##{number}": number for number in range(1, 500)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    prover = Prover(tokenizer, entries(tokenizer), {})
    prover._state["vocab"] = Counting(vocabulary)
    for id in range(1, 500):
        assert not prover.reason(id, 1).is_proven
    assert Counting.looked < 2000
