"""Every conversion that is offered, over real files and texts: no difference, or a refusal that shows what it is about.

A few files and texts are tried with the suite; ``TESSELLA_ALL_CONVERSIONS=1`` tries all, and prints the table.
"""

import json
import os
import re
import warnings
from pathlib import Path

import pytest
import tessella
from tessella._formats import WRITABLE
from tessella._gguf import spells_no_specials
from tessella.counting import read_texts
from tessella.errors import TessellaError

MODELS, CORPORA = (Path(os.environ.get(name, "")) for name in ("TESSELLA_MODELS", "TESSELLA_CORPORA"))
ALL = bool(os.environ.get("TESSELLA_ALL_CONVERSIONS"))
pytestmark = pytest.mark.skipif(
    not (os.environ.get("TESSELLA_MODELS") and os.environ.get("TESSELLA_CORPORA")),
    reason="TESSELLA_MODELS and TESSELLA_CORPORA name no folders of files and texts",
)
FEW = ("gpt2.json", "llama2.model", "bert-uncased.json")
NAMES = {
    "json": "x.json",
    "tekken": "tekken.json",
    "tiktoken": "x.tiktoken",
    "model": "x.model",
    "gguf": "x.gguf",
    "snapshot": "x.snapshot",
    "txt": "vocab.txt",
    "folder": "folder/",
}
#: Cuts of tables that do not name theirs, and where their special tokens begin.
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
TABLES = {
    "llama3.tiktoken": {
        "pattern": LLAMA3,
        "special_tokens": {"<|begin_of_text|>": 128000, "<|end_of_text|>": 128001},
    }
}


def sources():
    found = sorted(path.name for path in MODELS.glob("*") if path.suffix in (".json", ".model", ".tiktoken"))
    return found if ALL else [name for name in found if name in FEW]


def texts():
    """Texts of some hundred kilobytes for each corpus, cut at ends of lines, and short hostile ones."""
    size = 300_000 if ALL else 20_000
    found = []
    for path in sorted(CORPORA.glob("*.txt.zst")):
        lines, length = [], 0
        for text in read_texts(path):
            lines.append(text)
            length += len(text)
            if length > size:
                break
        found += ["\n".join(lines[at : at + 10]) for at in range(0, len(lines), 10)]
    for path in CORPORA.glob("*.jsonl.zst"):
        for number, text in enumerate(read_texts(path)):
            if number >= size // 100:
                break
            found.append(text[:2000])
    return found


def test_the_table_of_names_is_complete():
    assert sorted(NAMES) == sorted(WRITABLE)


@pytest.mark.parametrize("name", sources() if MODELS.is_dir() and str(MODELS) != "." else [])
def test_conversions(tmp_path, capsys, name):
    tokenizer = tessella.load(MODELS / name, **TABLES.get(name, {}))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    corpus = texts()
    expected = tokenizer.encode_ids_batch(corpus)
    row = {}
    for format, made in NAMES.items():
        target = f"{tmp_path}/{made}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tokenizer.save(target, format=format)
            except TessellaError as refused:
                # It names what stands in the way, and nothing is there.
                assert len(str(refused)) > 40 and not os.path.exists(target.rstrip("/"))
                row[format] = "refused: " + str(refused)[:140]
                continue
            again = tessella.load(target)
        again.encode_special_tokens = format == "gguf" and spells_no_specials(tokenizer)
        found = again.encode_ids_batch(corpus)
        different = [
            text for text, ids, other in zip(corpus, expected, found, strict=True) if list(ids) != list(other)
        ]
        row[format] = f"{len(corpus) - len(different)} of {len(corpus)}"
        assert not different, f"{name} as {format}: {min(different, key=len)[:80]!r}"
    assert any(said.endswith(f"{len(corpus)} of {len(corpus)}") for said in row.values())
    if ALL:
        with capsys.disabled():
            print("", *(f"{name:24} {format:9} {said}" for format, said in row.items()), sep="\n")


@pytest.mark.parametrize("name", sources() if MODELS.is_dir() and str(MODELS) != "." else [])
def test_llama_cpp_reads_what_is_written(tmp_path, capsys, name):
    """llama.cpp itself: the same ids, or what it gives for the text of the refusal is what that says."""
    llama_cpp = pytest.importorskip("llama_cpp")
    tokenizer = tessella.load(MODELS / name, **TABLES.get(name, {}))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    path, refusal = tmp_path / "x.gguf", ""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            tokenizer.save(path)
        except TessellaError as refused:
            refusal = str(refused)
            try:
                tokenizer.save(path, allow_differences=True)
            except TessellaError as structural:
                pytest.skip(str(structural))
    model = llama_cpp.Llama(model_path=str(path), vocab_only=True, verbose=False)
    special = not spells_no_specials(tokenizer)

    def theirs(text):
        return list(model.tokenize(text.encode(), add_bos=True, special=special))

    corpus = texts()
    # What is read from the file is what llama.cpp makes of it, allowed differences and all.
    again = tessella.load(path)
    again.encode_special_tokens = not special
    for text, ids in zip(corpus, again.encode_ids_batch(corpus), strict=True):
        assert list(ids) == theirs(text), f"{name}: {text[:80]!r}"
    expected = tokenizer.encode_ids_batch(corpus)
    different = [text for text, ids in zip(corpus, expected, strict=True) if list(ids) != theirs(text)]
    if refusal:
        shown = next(str(one.message) for one in told if "as allowed" in str(one.message))
        text = json.loads(re.search(r'the text (".*?") would', shown)[1].replace("\\x", "\\u00"))
        assert f"would give {theirs(text)} in llama.cpp, not {tokenizer.encode(text).ids}" in shown
    else:
        assert not different, f"{name}: {min(different, key=len)[:80]!r}"
    if ALL:
        with capsys.disabled():
            kind = f"refused: {refusal}" if refusal else "written"
            print(f"{name:24} llama.cpp {len(corpus) - len(different)} of {len(corpus)}, {kind}")
