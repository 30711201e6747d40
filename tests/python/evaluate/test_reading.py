"""What is held is bounded, and nothing depends on how a corpus comes."""

import gzip
import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tessella import Tokenizer, models
from tessella.errors import ArgumentError, EncodeError, FormatError
from tessella.evaluate import Report, evaluate
from tessella.evaluate.blocks import Blocks, Histogram, _packed
from tessella.evaluate.repeated import Repeats
from tessella.evaluate.run import _Reader, _sums
from tessella.evaluate.sample import Keeper, Sample

from .conftest import TEXTS, texts


def same(one, other):
    """Reports of the same documents; what the corpora are called does not count."""
    parts = ("values", "differences", "scripts", "zipf", "tokenizers")
    return all(one.to_dict()[part] == other.to_dict()[part] for part in parts)


def test_blocks_hold_all_documents():
    rng = np.random.default_rng(1)
    for most in (2, 8, 64):
        blocks, rows = Blocks(3, most), rng.integers(0, 9, (777, 3))
        at = 0
        while at < len(rows):
            step = int(rng.integers(0, 50))
            blocks.add(rows[at : at + step])
            at += step
        sums = blocks.sums()
        assert sums.sum(axis=0).tolist() == rows.sum(axis=0).tolist()
        assert most / 2 <= len(sums) <= most
        each = blocks.each
        assert sums[1].tolist() == rows[each : 2 * each].sum(axis=0).tolist()
        assert sums[-1].tolist() == rows[(len(sums) - 1) * each :].sum(axis=0).tolist()


def test_histograms_hold_all_documents():
    rng = np.random.default_rng(2)
    for most in (1, 4, 32):
        histogram, all, documents = Histogram(50, most), [], []
        for _ in range(20):
            lengths = rng.integers(0, 30, rng.integers(1, 40))
            ids = rng.integers(0, 50, lengths.sum()).astype(np.uint32)
            histogram.add(ids, np.concatenate([[0], np.cumsum(lengths)]))
            all.append(ids)
            documents += np.split(ids, np.cumsum(lengths)[:-1])
        wanted = np.bincount(np.concatenate(all), minlength=50)
        assert histogram.total().tolist() == wanted.tolist()
        groups = histogram.groups()
        assert len(groups) <= most
        dense = [np.bincount(used, counts, minlength=50) for used, counts in groups]
        assert sum(dense).tolist() == wanted.tolist()
        # Each but the last holds as many neighbouring documents, a power of two, as few as that allows.
        each = len(documents) if most == 1 else 1 << (len(documents) // most).bit_length()
        for first, group in zip(range(0, len(documents), each), dense, strict=True):
            some = np.concatenate(documents[first : first + each])
            assert group.tolist() == np.bincount(some, minlength=50).tolist()


def test_counts_beyond_32_bits_stay_what_they_are():
    for counts in ([0, 7, 1 << 32, 0, 5], [(1 << 32) - 1, 3], [0, 0]):
        used, found = _packed(np.array(counts))
        assert dict(zip(used.tolist(), found.tolist(), strict=True)) == {
            id: count for id, count in enumerate(counts) if count
        }


def test_the_sample_is_bounded_spread_and_always_the_same():
    def keep(most, step):
        keeper = Keeper(most)
        given = [f"document {number:05} " + "x" * (number % 50) for number in range(4000)]
        for start in range(0, len(given), step):
            keeper.add(given[start : start + step])
        return keeper.sample().texts

    kept = keep(20_000, 7)
    assert kept == keep(20_000, 4000)
    assert 8_000 < sum(map(len, kept)) <= 20_000
    numbers = [int(text.split()[1]) for text in kept]
    assert numbers == sorted(numbers)
    assert 1700 < np.mean(numbers) < 2300
    assert len(keep(10**9, 100)) == 4000


def test_long_documents_are_looked_at_in_parts():
    text = "word " * 20_000 + "y" * 50_000
    keeper = Keeper(10**9)
    keeper.add([text])
    sample = keeper.sample()
    assert "".join(sample.texts) == text
    assert max(map(len, sample.texts)) <= 1 << 14
    assert all(text.startswith((" ", "word", "y")) for text in sample.texts)


def test_what_stands_where():
    sample = Sample(["a bb", "", " c 12 3"])
    assert [sample.joined[start:end] for start, end in sample.words] == ["a", "bb", "c", "12", "3"]
    assert sample.word_text.tolist() == [0, 0, 2, 2, 2]
    assert sample.per_text(sample.word_text).tolist() == [2, 0, 3]
    assert [sample.joined[start:end] for start, end in sample.numbers] == ["12", "3"]
    for blank in "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2009\u200a\u2028\u2029\u202f\u205f\u3000":
        assert len(Sample([f"a{blank}b"]).words) == 2, hex(ord(blank))
    for none in "\x1c\x1f\u200b\ufeff\U000e0020":
        assert len(Sample([f"a{none}b"]).words) == 1, hex(ord(none))


def test_files_of_all_kinds_give_the_same(tokenizers, tmp_path):
    given = [text.replace("\n", " ") or "x" for text in texts(1, 60)]
    lines = "".join(f"{text}\n" for text in given).encode()
    (tmp_path / "a.txt").write_bytes(lines)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "c.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in given))
    (tmp_path / "d.txt").write_bytes(b"|".join(text.replace("|", "/").encode() for text in given))
    measure = partial(evaluate, tokenizers["bytes"], bootstrap=20)
    wanted = measure(given)
    for name in ("a.txt", "b.txt.gz", "c.jsonl"):
        assert same(measure(tmp_path / name), wanted), name
        assert same(measure(str(tmp_path / name), num_threads=1), wanted), name
    slashes = measure([text.replace("|", "/") for text in given])
    assert same(measure(tmp_path / "d.txt", separator="|"), slashes)
    zstandard = pytest.importorskip("zstandard")
    (tmp_path / "e.txt.zst").write_bytes(zstandard.compress(lines))
    assert same(measure(tmp_path / "e.txt.zst"), wanted)
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"body": given}), tmp_path / "f.parquet")
    assert same(measure(tmp_path / "f.parquet", field="body"), wanted)
    assert same(measure({"text": text} for text in given), wanted)


def test_nothing_depends_on_portions_or_threads(tokenizers, monkeypatch):
    given = texts(2, 1000)
    wanted = evaluate(tokenizers, given, bootstrap=50, detail=5000, num_threads=1)
    monkeypatch.setattr("tessella.evaluate.corpora.CHARACTERS", 700)
    monkeypatch.setattr("tessella.evaluate.coded.PORTION", 100)
    again = evaluate(tokenizers, given, bootstrap=50, detail=5000, num_threads=3)
    assert again.to_json() == wanted.to_json()


def test_corpora_and_languages(tokenizers, tmp_path):
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.txt").write_text("".join(f"{name} {n} lower\n" for n in range(30)))
    files = [tmp_path / name / "text.txt" for name in ("one", "two", "three")]
    report = evaluate(tokenizers["bytes"], files, languages=["en", "de", "en"], bootstrap=100)
    data = report.to_dict()
    assert [one["name"] for one in data["corpora"]] == ["one/text.txt", "two/text.txt", "three/text.txt"]
    scopes = {(row["scope"], row["name"]) for row in data["values"]}
    assert ("language", "en") in scopes and ("language", "de") not in scopes
    alone = evaluate(tokenizers["bytes"], {"x": [files[0]], "y": [files[2]]}, bootstrap=100)
    english = report.value("tokenizer", "bytes_per_token", language="en")
    assert english.value == alone.value("tokenizer", "bytes_per_token").value
    german = report.value("tokenizer", "bytes_per_token", language="de")
    assert german == report.value("tokenizer", "bytes_per_token", corpus="two/text.txt")
    with pytest.raises(ArgumentError, match=r"did you mean 'two/text\.txt'"):
        report.value("tokenizer", "bytes_per_token", corpus="tow/text.txt")


def test_memory_for_many_corpora_and_large_vocabularies(tokenizers):
    def groups(number, size):
        candidates = [type("C", (), {"facts": type("F", (), {"size": size}), "name": "x"})]
        settings = type("S", (), {"detail": None})
        return _Reader(candidates, [None] * number, settings, None, 1)._groups

    for number in (1, 3, 10, 100):
        for size in (1000, 50_000, 1_000_000):
            found = groups(number, size)
            assert found == 1 or (found % 2 == 0 and 16 <= found <= 32)
            assert found == 1 or found * number * size * 12 <= 160 << 20


@pytest.mark.parametrize(
    ("given", "named", "error", "match"),
    [
        ([], {}, ArgumentError, "there is no text to look at"),
        ({}, {}, ArgumentError, "`corpora` is an empty dict"),
        (
            ["a"],
            {"baseline": "x"},
            ArgumentError,
            "`baseline` is 'x', which is no tokenizer; known are bytes",
        ),
        (["a"], {"words": "lines"}, ArgumentError, "`words` must be 'blanks' or a function"),
        (["a"], {"bootstrap": -1}, ArgumentError, "`bootstrap` must be from 0"),
        (["a"], {"bootstrap": 1.5}, TypeError, "`bootstrap` must be an int"),
        (["a"], {"confidence": 95}, ArgumentError, "`confidence` must be a number from 0.5 to below 1"),
        (["a"], {"languages": {"x": "en"}}, ArgumentError, "`languages` has 'x', which is no corpus"),
        (["a"], {"detail": "much"}, ArgumentError, "`detail` must be bytes or a text"),
        (Path("nowhere.txt"), {}, FileNotFoundError, "nowhere.txt"),
        ([b"a"], {}, TypeError, "must be str, found int"),
    ],
)
def test_what_is_wrong_is_told(tokenizers, given, named, error, match):
    with pytest.raises(error, match=match):
        evaluate(tokenizers, given, **named)


def test_what_is_wrong_in_a_file_is_told(tokenizers, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"good\nb\xffd\n")
    with pytest.raises(FormatError, match=r"bad\.txt is not UTF-8: 0xff at byte 6, line 2"):
        evaluate(tokenizers, tmp_path / "bad.txt")
    assert evaluate(tokenizers, tmp_path / "bad.txt", errors="replace", bootstrap=0).tokenizers
    twice = [tmp_path / "bad.txt", tmp_path / "bad.txt"]
    with pytest.raises(ArgumentError, match="given twice"):
        evaluate(tokenizers, twice)
    assert os.listdir(tmp_path) == ["bad.txt"]


def test_an_error_in_the_callers_iterator_comes_through(tokenizers):
    def failing():
        yield from TEXTS
        raise RuntimeError("the line is down")

    with pytest.raises(RuntimeError, match="the line is down"):
        evaluate(tokenizers, failing())


def test_flags_are_counted_in_documents_of_any_length():
    rng = np.random.default_rng(3)
    for tables, most in ((5, 5000), (3, 9), (1, 100), (4, 70_000)):
        flags = [rng.integers(0, 2, 40).astype(np.uint8) for _ in range(tables)]
        flags[0][:] = 0 if tables == 3 else 1
        lengths = np.array([most, 0, 1, most // 2, 0])
        ids = rng.integers(0, 40, lengths.sum()).astype(np.uint32)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        found = _sums(flags, ids, offsets)
        for number in range(len(lengths)):
            own = ids[offsets[number] : offsets[number + 1]]
            assert found[number].tolist() == [int(table[own].sum()) for table in flags]


@pytest.mark.parametrize("number", [19, 21, 33])
def test_any_number_of_corpora(tokenizers, number):
    """Blocks are halved, whatever share of them a corpus has."""
    given = [f"low {n}" for n in range(260)]
    report = evaluate(tokenizers["bytes"], {f"c{n}": given for n in range(number)}, bootstrap=0)
    tokens = sum(map(len, tokenizers["bytes"].encode_ids_batch(given, add_special_tokens=False).tolist()))
    assert report.value("tokenizer", "tokens").value == number * tokens
    assert report.value("tokenizer", "tokens", corpus="c0").value == tokens


def test_a_sample_is_never_empty(tokenizers):
    """Documents that are all larger than its budget."""
    for number in range(1, 12):
        keeper = Keeper(100)
        for n in range(number):
            keeper.add([f"tiles {n} " * 40])
        assert keeper.sample().texts, number
    report = evaluate(tokenizers["bytes"], ["tiles " * 400] * 3, bootstrap=0, detail=4096)
    assert report.value("tokenizer", "fertility").value > 0


def test_names_that_are_no_text(tokenizers, tmp_path):
    """A file's name may hold any bytes; a report that was hours of work is written all the same."""
    named = tmp_path / b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    try:
        named.write_text("low lower\n" * 40)
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")
    for given in (named, [named]):
        report = evaluate(tokenizers["bytes"], given, bootstrap=0)
        for ending in ("json", "html", "md"):
            report.save(tmp_path / f"report.{ending}")
        assert (
            report.value("tokenizer", "tokens").value
            == Report.load(tmp_path / "report.json").value("tokenizer", "tokens").value
        )
    assert report.to_dict()["corpora"][0]["name"] == "caf\\udce9.txt"
    for wrong in (
        {"tokenizers": {"\ud800": tokenizers["bytes"]}, "corpora": TEXTS},
        {"tokenizers": tokenizers, "corpora": {"\ud800": TEXTS}},
        {"tokenizers": tokenizers, "corpora": TEXTS, "languages": "\ud800"},
        {"tokenizers": tokenizers, "corpora": TEXTS, "parallel": {"\ud800": TEXTS, "en": TEXTS}},
    ):
        with pytest.raises(ArgumentError, match="lone surrogate"):
            evaluate(**wrong)


@pytest.mark.parametrize(
    "spans", [[(0, 12)], [(-1, 2)], [(3, 2)], ["ab"], [(1, 2, 3)], [("a", "b")]], ids=str
)
@pytest.mark.parametrize("argument", ["words", "leaves"])
def test_spans_that_lie_outside(tokenizers, argument, spans):
    """They would be counted in another document."""
    with pytest.raises((ArgumentError, TypeError), match=f"`{argument}` "):
        evaluate(tokenizers["bytes"], ["low lower"] * 3, bootstrap=0, **{argument: lambda text: spans})


def test_who_fails_is_named(tokenizers):
    lost = Tokenizer(models.Unigram([("a", -1.0)]))
    with pytest.raises(EncodeError, match="'lost': "):
        evaluate({"it": tokenizers["bytes"], "lost": lost}, ["ab"], bootstrap=0)
    for wrong, error in ((-1, ArgumentError), ("2", TypeError), (1.0, TypeError)):
        with pytest.raises(error, match="`num_threads`"):
            evaluate(lost, ["a"], num_threads=wrong)


def test_documents_without_a_character(tokenizers):
    assert evaluate(tokenizers["bytes"], [""] * 40).warnings == ["texts holds no text"]
    assert "texts has 1 document," in evaluate(tokenizers["bytes"], ["low"]).warnings[0]


def test_what_is_named_like_parquet_and_is_none(tokenizers, tmp_path):
    file = tmp_path / "rows.parquet"
    file.write_text("low lower\n" * 3)
    with pytest.raises(FormatError, match="named like a Parquet file"):
        evaluate(tokenizers["bytes"], file, bootstrap=0)
    assert (
        evaluate(tokenizers["bytes"], file, bootstrap=0, format="text").to_dict()["corpora"][0]["documents"]
        == 3
    )


@pytest.mark.parametrize("bootstrap", [0, 100])
def test_samples_of_large_and_small_corpora_are_mixed_as_the_corpora_are(tokenizers, bootstrap):
    """A sample of 4,096 characters is all of one corpus, and a hundredth of the other."""
    given = {
        "large": ["low lower " * 4 + f"{n}" for n in range(8000)],
        "small": ["zyx1234qvw\u00e9 " * 5 + f"{n}" for n in range(60)],
    }
    languages = {"large": "en", "small": "en"}
    how = {"bootstrap": bootstrap, "languages": languages}
    some, whole = (evaluate(tokenizers["pieces"], given, detail=detail, **how) for detail in (4096, "all"))
    for metric in (
        "fertility",
        "continued_words",
        "single_words",
        "digit_tokens",
        "case_edits",
        "typo_edits",
    ):
        found, wanted = (one.value("tokenizer", metric, language="en").value for one in (some, whole))
        assert found == pytest.approx(wanted, rel=0.05), metric
        assert some.value("tokenizer", metric).value == found
    counted = [
        {row["script"]: row["characters"] for row in one.to_dict()["scripts"]} for one in (some, whole)
    ]
    assert counted[0] == pytest.approx(counted[1], rel=0.05)


def test_parts_of_a_document_do_not_tell_what_others_are_like(tokenizers):
    """Words are looked at in parts of 16,384 characters; an interval needs 30 documents all the same."""
    book = "".join(f"low lower tiles {n} " for n in range(40_000))
    assert len(book) > 40 << 14
    report = evaluate(tokenizers["bytes"], [book, "low"], bootstrap=100)
    assert report.value("tokenizer", "bytes_per_token").note == "no interval from fewer than 30 documents: 2"
    assert report.value("tokenizer", "fertility").note == report.value("tokenizer", "bytes_per_token").note


def test_repeats_are_those_of_all_text():
    rng = np.random.default_rng(5)
    for most, documents in ((10**6, 400), (3000, 4000), (3000, 30_000)):
        numbers = rng.permutation(np.concatenate([np.arange(documents), np.arange(documents // 2)]))
        texts, repeats = [f"document {n}" for n in numbers], Repeats(most)
        for start in range(0, len(texts), 700):
            some = texts[start : start + 700]
            repeats.add(some, np.array([len(text) for text in some]))
        seen, again = set(), 0
        for text in texts:
            again += len(text) if text in seen else 0
            seen.add(text)
        share = again / sum(map(len, texts))
        assert repeats.is_exact == (most > documents)
        assert repeats.share() == pytest.approx(share, abs=0 if repeats.is_exact else 0.05)
        assert len(repeats._known) <= most


def test_repeats_are_found_where_a_sample_holds_one_of_two(tokenizers, monkeypatch):
    once = [f"document number {n} of many" for n in range(4000)]
    for most in (1 << 18, 2000):
        monkeypatch.setattr("tessella.evaluate.run.Repeats", partial(Repeats, most))
        report = evaluate(tokenizers["bytes"], once + once, bootstrap=0, detail=4096)
        assert any("in repeated documents" in warning for warning in report.warnings), most
        report = evaluate(tokenizers["bytes"], once, bootstrap=0, detail=4096)
        assert report.warnings == [], most
        # One document that is half of the text, whether it is among those that are remembered or not.
        for number in range(6):
            often = [text for other in once for text in (other, f"often {number}" * 3)]
            report = evaluate(tokenizers["bytes"], often, bootstrap=0, detail=4096)
            (told,) = report.warnings
            assert 40 < int(told.partition("%")[0]) < 60, (most, told)
