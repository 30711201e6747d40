"""One reader of texts: whoever reads files reads the same texts from them, and refuses the same."""

import gzip
import io
import json
import sys
from random import Random

import pytest
import tessella
from tessella import Tokenizer, models, pre_tokenizers
from tessella._files import stream_texts
from tessella._texts import Reading
from tessella.cli import main
from tessella.counting import read_texts
from tessella.errors import ArgumentError, FormatError

TEXTS = ["the fox\njumps", "fox", "", "the é 東京", "x"]


@pytest.fixture
def words():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_tokens(["the", "fox", "jumps", "é", "東京", "{", "text", "body"])
    return tokenizer


def rows(field="text"):
    return "".join(json.dumps({"id": n, field: text}) + "\n" for n, text in enumerate(TEXTS)).encode()


def zstandard(content):
    zstd = pytest.importorskip("zstandard")
    return zstd.compress(content)


@pytest.fixture(params=["jsonl", "json", "jsonl.gz", "ndjson.zst", "parquet"])
def corpus(request, tmp_path):
    """A file with a text in each row."""
    path = tmp_path / f"corpus.{request.param}"
    if request.param == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"text": TEXTS, "id": range(len(TEXTS))}), path)
        return path
    packed = {".gz": gzip.compress, ".zst": zstandard}.get(path.suffix, bytes)
    path.write_bytes(packed(rows()))
    return path


def test_rows_are_read_alike(words, corpus, tmp_path, capfd):
    """Once `encode_files` encoded the syntax of JSON, where `count_pieces` read the texts."""
    assert list(read_texts(corpus)) == TEXTS
    expected = words.encode_ids_batch(TEXTS)
    assert words.encode_files(corpus) == expected
    assert words.encode_files([str(corpus)], "\n", out=tmp_path / "ids") == expected
    # Of files that are text the separator is asked for as well.
    (tmp_path / "more.txt").write_text("fox|the", encoding="utf-8")
    both = words.encode_files([corpus, tmp_path / "more.txt"], "|")
    assert both == words.encode_ids_batch([*TEXTS, "fox", "the"])
    words.save(tmp_path / "words.json")
    assert main(["encode", str(tmp_path / "words.json"), str(corpus), "-f", "count"]) == 0
    assert capfd.readouterr().out.split() == [str(len(ids)) for ids in expected]
    counted = tessella.count_pieces(corpus, words)
    assert counted.items() == tessella.count_pieces(iter(TEXTS), words).items()


def test_an_option_that_no_file_heeds_is_told(words, tmp_path, recwarn):
    """JSON lines under another name were read as text, whatever the field was called."""
    (tmp_path / "a.jsonl2").write_bytes(rows("content"))
    (tmp_path / "b.jsonl").write_bytes(rows("content"))
    with pytest.warns(
        UserWarning, match=r"`field` is 'content', but .*a\.jsonl2 is read as text.*format='jsonl'"
    ):
        tessella.count_pieces(tmp_path / "a.jsonl2", words, field="content")
    with pytest.warns(UserWarning, match=r"`separator` is '\|', but .*b\.jsonl is read as JSON lines"):
        words.encode_files(tmp_path / "b.jsonl", "|", field="content")
    recwarn.clear()
    heeded = tessella.count_pieces(tmp_path / "a.jsonl2", words, field="content", format="jsonl")
    assert heeded.items() == tessella.count_pieces(iter(TEXTS), words).items()
    words.encode_files([tmp_path / "b.jsonl", tmp_path / "a.jsonl2"], "|", field="content")
    words.encode_files(tmp_path / "b.jsonl", "\n", field="content")
    assert not recwarn.list


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard])
def test_text_files_are_cut_as_asked(words, tmp_path, pack):
    path = tmp_path / "a.txt"
    content = "the fox\r\nfox<s>the\n<s>é"
    path.write_bytes(pack(content.encode()))
    assert words.encode_files(path) == words.encode_ids_batch([content])
    for separator in ("\n", "\r\n", "<s>", "x", "nowhere"):
        # Files from Windows have lines, too.
        texts = content.splitlines() if separator == "\n" else content.split(separator)
        assert words.encode_files(path, separator) == words.encode_ids_batch(texts)
        assert list(read_texts(path, separator=separator)) == texts
        counted = tessella.count_pieces(path, words, separator=separator)
        assert counted.items() == tessella.count_pieces(iter(texts), words).items()
    assert list(read_texts(path)) == content.splitlines(keepends=True)


def random_line(random):
    """Something like a JSON line: some are none, some hold no text."""
    strings = [
        '"a"',
        '""',
        r'"\n\t\"\\\/\b"',
        r'"\u00e9\ud83e\udde9"',
        '"día 東京"',
        r'"\ud83e"',
        r'"\udde9\ud83e"',
        '"\t"',
        '"\\x"',
    ]
    values = [
        *strings,
        "1",
        "-0.5e3",
        "1" * 400,
        "01",
        "NaN",
        "null",
        "true",
        "[]",
        '[1, {"text": []}]',
        "{}",
        "[1,]",
        "",
        "'a'",
    ]
    spaces = [*[""] * 20, *[" ", " \t", "\r"] * 4, "\u00a0"]
    entries = []
    for _ in range(random.choice([0, 1, 1, 2, 2, 3])):
        key = random.choice(['"text"', '"text"', r'"t\u0065xt"', '"id"', '""', "text"])
        value = random.choice(strings if random.random() < 0.8 else values)
        entries.append(random.choice(spaces).join(["", key, ":", value, ""]))
    inner = ",".join(entries) + random.choice([""] * 12 + [",", "}", "\ufeff"])
    return random.choice(spaces) + "{" + inner + "}" + random.choice(spaces)


def test_lines_are_read_as_by_the_json_of_python():
    """Where both take a line they find one text; what only Python takes is told from what is no JSON."""
    random = Random(3)
    lines = [random_line(random) for _ in range(4000)]
    reading = stream_texts("a.jsonl", io.BytesIO("\n".join(lines).encode()), Reading(), len(lines))
    found = [text for some in reading for text in some]
    refused = {line for line, _, _ in reading.skipped()}
    expected = []
    for number, line in enumerate(lines, 1):
        try:
            pairs = json.loads(line, object_pairs_hook=list)
            text = dict(pairs)["text"]
        except (ValueError, KeyError):
            assert number in refused, line
            continue
        if number not in refused:
            expected += [] if text is None else [text]
            continue
        # JSON has no such numbers, half of a pair is no character, and whatever is under the key must be a text.
        is_half = any("\ud800" <= char <= "\udfff" for char in json.dumps(pairs, ensure_ascii=False))
        is_none = any(key == "text" and not isinstance(value, str | None) for key, value in pairs)
        assert is_half or is_none or "NaN" in line or "1" * 400 in line, line
    assert found == expected
    assert len(found) > 300 < len(refused)


def test_options_and_errors_are_those_of_all(words, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(rows("body"))
    expected = words.encode_ids_batch(TEXTS)
    assert words.encode_files(path, field="body") == expected
    as_text = words.encode_files(path, "\n", format="text")
    assert as_text == words.encode_ids_batch(path.read_text(encoding="utf-8").splitlines())
    for read in (lambda **how: words.encode_files(path, **how), lambda **how: list(read_texts(path, **how))):
        with pytest.raises(FormatError, match=r"no `text`, it has `id`, `body`.*rows.jsonl, line 1"):
            read()
        with pytest.raises(ArgumentError, match="`format` must be 'auto', 'text' or 'jsonl', found 'csv'"):
            read(format="csv")
        with pytest.raises(ArgumentError, match="`errors` must be 'strict' or 'replace', found 'ignore'"):
            read(errors="ignore")
        with pytest.raises(TypeError, match="`field` must be a str"):
            read(field=0)
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"the \xff fox")
    assert words.encode_files(bad, errors="replace") == words.encode_ids_batch(["the \ufffd fox"])
    with pytest.raises(FormatError, match="0xff at byte 4, line 1") as caught:
        words.encode_files(bad)
    assert caught.value.filename == str(bad)
    with pytest.raises(IsADirectoryError, match="folders are not walked"):
        words.encode_files(tmp_path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_read_like_a_file(words, tmp_path, monkeypatch, capfd, pack):
    words.save(tmp_path / "words.json")
    content = b"the fox\r\nfox\n\nthe"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(content))))
    assert main(["encode", str(tmp_path / "words.json"), "-f", "tokens"]) == 0
    assert capfd.readouterr().out == "the│fox\nfox\n\nthe\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(content))))
    command = ["encode", str(tmp_path / "words.json"), "-", "-f", "count", "--separator", r"\n\n"]
    assert main(command) == 0
    assert capfd.readouterr().out == "3\n1\n"


class StandardInput:
    def __init__(self, raw):
        self.buffer = io.BufferedReader(raw)

    def isatty(self):
        return False


class Interrupting(io.RawIOBase):
    """A stream whose reader presses Ctrl-C."""

    def readable(self):
        return True

    def readinto(self, buffer):
        raise KeyboardInterrupt


def test_what_a_stream_raises_comes_out(words, tmp_path, monkeypatch):
    words.save(tmp_path / "words.json")
    monkeypatch.setattr(sys, "stdin", StandardInput(Interrupting()))
    assert main(["encode", str(tmp_path / "words.json")]) == 130
