"""What commands give: `encode` and `decode`, `inspect` and `explain`, `compare`, `convert`."""

import gzip
import io
import json
import os
import re
from pathlib import Path

import pytest
import tessella
from at_the_shell import run
from tessella.cli import main
from tessella.compat import sentencepiece


def test_encode_and_decode_are_inverse(trained, corpus):
    ids, _ = run("encode", "tokenizer.json", "corpus.txt")
    assert ids == Path("corpus.ids").read_text()
    text, _ = run("decode", "tokenizer.json", input=ids.encode())
    assert text == "".join(corpus)
    Path("corpus.txt.gz").write_bytes(gzip.compress(Path("corpus.txt").read_bytes()))
    run("encode", "tokenizer.json", "corpus.txt.gz", "-o", "packed.ids")
    assert Path("packed.ids").read_text() == ids
    rows, _ = run("encode", "tokenizer.json", "corpus.txt", "--format", "jsonl")
    first = json.loads(rows.splitlines()[0])
    encoding = trained.encode(corpus[0].rstrip("\n"))
    assert first == {
        "ids": encoding.ids,
        "tokens": encoding.tokens,
        "offsets": [list(pair) for pair in encoding.offsets],
    }
    assert run("decode", "tokenizer.json", input=rows.encode())[0] == text
    counts, _ = run("encode", "tokenizer.json", "-t", "low lower", "-t", "", "--format", "count")
    assert counts == "2\n0\n"
    # Carriage returns belong to the line's end; the rest of a line is left alone.
    assert run("encode", "tokenizer.json", "-f", "tokens", input=b"low\r\n lower \n")[0] == "low\nĠlower│Ġ\n"
    assert (
        run("decode", "tokenizer.json", "--json", "--ids", ids.split("\n")[0])[0]
        == json.dumps(corpus[0].rstrip("\n"), ensure_ascii=False) + "\n"
    )


def test_every_format_has_the_ids_of_whole_texts(trained, capsys):
    """A file that asks for truncation and padding asks those who call `encode`."""
    trained.enable_truncation(2)
    trained.enable_padding(length=6)
    trained.save("cut.json")
    texts = ["low lower lowest newer", "low"]
    expected = trained.encode_ids_batch(texts).tolist()
    given = [part for text in texts for part in ("--text", text)]
    for form, read in (
        ("ids", lambda line: list(map(int, line.split()))),
        ("jsonl", lambda line: json.loads(line)["ids"]),
        ("tokens", lambda line: [trained.token_to_id(token) for token in line.split("│")]),
    ):
        assert main(["encode", "cut.json", *given, "--format", form]) == 0
        assert [read(line) for line in capsys.readouterr().out.splitlines()] == expected, form


def test_threads_are_those_of_every_output(trained, capsys):
    for form in ("ids", "tokens", "jsonl", "count"):
        command = ["encode", "tokenizer.json", "corpus.txt", "-f", form, "--threads"]
        outputs = set()
        for threads in ("1", "3"):
            assert main([*command, threads, "-o", f"out{threads}"]) == 0
            outputs.add(Path(f"out{threads}").read_bytes())
        assert len(outputs) == 1
        assert main([*command, "-1"]) == 1
        assert "`num_threads` must be from 0" in capsys.readouterr().err


def test_rows_without_a_text_have_no_line_and_that_is_told(trained, corpus):
    rows = [{"text": corpus[0]}, {"text": None}, {"text": corpus[1]}, {"text": None}]
    Path("rows.jsonl").write_text("\n\n".join(map(json.dumps, rows)) + "\n\n")
    expected, _ = run("encode", "tokenizer.json", "-t", corpus[0], "-t", corpus[1])
    told = "2 rows hold null instead of a text and have no line in the output"
    assert run("encode", "tokenizer.json", "rows.jsonl") == (expected, f"{told}\n")
    piped = Path("rows.jsonl").read_bytes()
    assert run("encode", "tokenizer.json", "--input", "jsonl", input=piped) == (expected, f"{told}\n")
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = {"text": [row["text"] for row in rows[:3]]}
    parquet.write_table(pyarrow.table(table, pyarrow.schema([("text", pyarrow.string())])), "rows.parquet")
    told = "1 row holds null instead of a text and has no line in the output"
    assert run("encode", "tokenizer.json", "rows.parquet") == (expected, f"{told}\n")
    assert run("encode", "tokenizer.json", "corpus.txt")[1] == ""


def test_texts_of_json_lines_keep_their_line_ends(trained):
    texts = ["low\n", "low\r\n\n", "", "low"]
    rows = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    Path("rows.jsonl").write_bytes(rows)
    tokenizer = tessella.load("tokenizer.json")
    expected = "".join(" ".join(map(str, tokenizer.encode(text).ids)) + "\n" for text in texts)
    assert run("encode", "tokenizer.json", "rows.jsonl")[0] == expected
    # A mark of the byte order is not JSON, and many programs write one.
    marked = b"\xef\xbb\xbf" + rows
    assert run("encode", "tokenizer.json", "--input", "jsonl", input=marked)[0] == expected
    Path("lines.txt").write_bytes(b"low\r\nlow")
    both = run("encode", "tokenizer.json", "lines.txt", "rows.jsonl")[0]
    assert both == 2 * expected.splitlines(keepends=True)[-1] + expected


@pytest.mark.parametrize("value", ["5", '["low"]', "{}", "true"])
def test_texts_of_json_lines_are_strings(trained, value):
    row = f'{{"text": {value}}}\n'.encode()
    Path("rows.jsonl").write_bytes(row)
    for error in (
        run("encode", "tokenizer.json", "rows.jsonl", status=1)[1],
        run("encode", "tokenizer.json", "--input", "jsonl", input=row, status=1)[1],
    ):
        assert "line 1" in error and "`text`" in error


def test_json_that_is_nested_too_deeply_is_an_error(trained):
    deep = b"[" * 100_000
    assert "line 1" in run("decode", "tokenizer.json", input=deep, status=1)[1]
    assert "line 1" in run("encode", "tokenizer.json", "--input", "jsonl", input=deep, status=1)[1]


def test_what_is_known_of_a_token(trained, capsys):
    def known(*arguments):
        assert main(["inspect", *arguments]) == 0
        return capsys.readouterr().out

    out = known("tokenizer.json", "--token", "Ġlowest", "--token", "<|endoftext|>")
    merge = json.loads(Path("tokenizer.json").read_text())["model"]["merges"].index(["Ġlow", "est"])
    for line in (r"text +` lowest`", r"bytes +20 6c 6f 77 65 73 74", r"type +model", r"type +special"):
        assert re.search(rf"^{line}$", out, re.MULTILINE), line
    assert f"`Ġlow` + `est`, rank {merge} of " in out
    assert "merging begins with it" in known("tokenizer.json", "--token", "l")
    out = known("other.json", "--token", "##r")
    assert re.search(r"^text +`r`$", out, re.MULTILINE) and "bytes  72" in out
    unigram = tessella.Tokenizer(tessella.models.Unigram([("<unk>", 0.0), ("▁a", -1.5)], 0))
    unigram.decoder = tessella.decoders.Metaspace()
    unigram.save("unigram.json")
    out = known("unigram.json", "--id", "1")
    assert re.search(r"^score +-1.5 ", out, re.MULTILINE) and "bytes  20 61" in out
    model = io.BytesIO()
    sentences = [line.strip() for line in Path("corpus.txt").read_text(encoding="utf-8").splitlines()]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=model, vocab_size=60, hard_vocab_limit=False
    )
    Path("own.model").write_bytes(model.getvalue())
    out = known("own.model", "--id", "1", "--id", "40")
    score = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).get_score(40)
    assert re.search(r"^piece +control$", out, re.MULTILINE) and f"{score:.6g}" in out


def test_a_text_is_followed_as_encode_leads_it(trained, capsys):
    """Added tokens are no text to the stages, and a file's padding is no part of the way."""
    trained.normalizer = tessella.normalizers.Lowercase()
    trained.add_special_tokens(["[MASK]"])
    trained.enable_padding(length=30)
    trained.save("masked.json")
    assert main(["inspect", "masked.json", "--text", "LOW[MASK] lower"]) == 0
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert told["normalized"] == "`low[MASK] lower`"
    assert told["pieces"] == "low│[MASK]│Ġlower" == told["tokens"]


def test_explain_tells_every_text(trained):
    out, _ = run("explain", "tokenizer.json", "--text", "lower", "--text", "low")
    assert out.count("model BPE") == 2 and "rank" in out and "\x1b" not in out
    out, _ = run("explain", "tokenizer.json", "--json", input=b"low lower\nlowest\n")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["ids"] for row in rows] == [trained.encode(text).ids for text in ("low lower", "lowest")]
    run("explain", "tokenizer.json", "--text", "<b>", "--html", "-o", "page.html")
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>") and "&lt;" in page and "<b>" not in page
    plan, _ = run("explain", "tokenizer.json", "--plan")
    assert plan.splitlines()[0].split() == ["stage", "engine", "why"] and "model" in plan
    steps = json.loads(run("explain", "tokenizer.json", "--plan", "--json")[0])
    assert len(steps) == len(trained.explain_plan())
    for wrong, told in (
        (["--n-best", "0"], "--n-best must be 1 or more"),
        (["--plan", "--text", "a"], "leave texts"),
    ):
        assert told in run("explain", "tokenizer.json", *wrong, status=1)[1]
    _, err = run("explain", "tokenizer.json", input=b"", status=1)
    assert "the input is empty" in err


def test_compare_measures(trained, corpus):
    out, _ = run("compare", "tokenizer.json", "other.json", "corpus.txt", "--json")
    first, second = json.loads(out)
    size = sum(len(line.rstrip("\n").encode()) for line in corpus)
    assert first["bytes"] == second["bytes"] == size
    tokens = sum(len(trained.encode(line.rstrip("\n"), add_special_tokens=False)) for line in corpus)
    assert first["tokens"] == tokens and first["vocab"] == 350 and first["unknown"] == 0
    assert first["words"] == sum(len(line.split()) for line in corpus)
    out, _ = run("compare", "tokenizer.json", "other.json", "corpus.txt")
    assert "cut alike" in out


def test_words_are_compared_to_the_byte(trained, tmp_path, capsys):
    """A character of two tokens and one of a single token are cut differently, though both are one stretch."""
    bytes = tessella.recipes.get("gpt2").train(["low"], vocab_size=258)
    bytes.save("bytes.json")
    letters = tessella.Tokenizer(tessella.models.BPE({"é": 0, "a": 1, " ": 2}, []))
    letters.save("letters.json")
    Path("words.txt").write_text("a é aé a\n", encoding="utf-8")
    assert main(["compare", "bytes.json", "letters.json", "words.txt"]) == 0
    out = capsys.readouterr().out
    assert "cut alike: 50.0% of the words" in out
    assert re.search(r"1 +é│‥ +é\n", out) and re.search(r"1 +a│é│‥ +a│é\n", out)


def test_convert_gives_the_same_tokenizer(trained):
    _, err = run("convert", "tokenizer.json", "new/folder", "--format", "folder", status=1)
    assert "new: no such folder" in err and not Path("new").exists()
    Path("new").mkdir()
    out, _ = run("convert", "tokenizer.json", "new/folder", "--format", "folder")
    assert "350 tokens, same ids on" in out
    assert tessella.load("new/folder").get_vocab() == trained.get_vocab()
    _, err = run("convert", "tokenizer.json", "ranks.tiktoken")
    assert "ranks.tiktoken.json" in err
    Path("empty").mkdir()
    _, err = run("convert", "other.json", "empty/ranks.tiktoken", status=1)
    assert "error:" in err and os.listdir("empty") == []


def test_convert_again_and_again_into_a_folder(trained):
    """The files of the folder are replaced, also those of folders in it."""
    source = tessella.load("tokenizer.json")
    source.chat_template = "{{ messages }}"
    source._chat_templates = (("tool_use", "{{ tools }}"),)
    source.save_folder("source")
    Path("target").mkdir()
    Path("target/notes.txt").write_text("mine")
    for _ in range(3):
        run("convert", "source", "target", "--format", "folder")
        found = {str(path.relative_to("target")) for path in Path("target").rglob("*") if path.is_file()}
        expected = {str(path.relative_to("source")) for path in Path("source").rglob("*") if path.is_file()}
        assert found == {*expected, "notes.txt"}
    assert any("additional_chat_templates" in name for name in found)
    assert tessella.load("target").get_vocab() == trained.get_vocab()
