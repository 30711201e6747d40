"""Broken files through Python: one of our own errors, in little memory, and never the end of the process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tessella
from tessella import Tokenizer, errors

DOCUMENT: dict[str, Any] = {
    "version": "1.0",
    "truncation": {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 1},
    "padding": None,
    "added_tokens": [
        {
            "id": 6,
            "content": "<s>",
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
    ],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
    "pre_tokenizer": {
        "type": "Split",
        "pattern": {"Regex": r"\s+|\S+"},
        "behavior": "Isolated",
        "invert": False,
    },
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [6], "tokens": ["<s>"]}},
    },
    "decoder": {"type": "Fuse"},
    "model": {
        "type": "BPE",
        "unk_token": "?",
        "vocab": {"a": 0, "b": 1, "ab": 2, " ": 3, "?": 4, "x": 5},
        "merges": [["a", "b"]],
    },
}

WRONG: list[Any] = [
    None,
    True,
    0,
    -1,
    2**64,
    2**32 - 1,
    1e300,
    0.5,
    "",
    "a",
    "(",
    [],
    [None],
    {},
    {"type": "x"},
]


def work(text: str) -> bool:
    """Whether the text is a tokenizer; if so, it must work."""
    try:
        tokenizer = Tokenizer.from_str(text)
        for sample in ("", "ab a <s>", "é 你 🙂"):
            tokenizer.decode(tokenizer.encode(sample).ids)
    except errors.TessellaError as error:
        assert len(str(error)) > 8
        return False
    return True


def replaced(value: Any) -> Iterator[Any]:
    """The value with each of its parts replaced by everything that is wrong there."""
    yield from WRONG
    if isinstance(value, dict):
        for key, part in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield from ({**value, key: other} for other in replaced(part))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from ([*value[:index], other, *value[index + 1 :]] for other in replaced(part))


def test_the_document_is_valid_before_it_is_broken() -> None:
    assert work(json.dumps(DOCUMENT))


def test_wrong_types_are_refused_or_work() -> None:
    outcomes = [work(json.dumps(broken)) for broken in replaced(DOCUMENT)]
    assert len(outcomes) > 500
    assert outcomes.count(False) > len(outcomes) // 2


def test_truncated_documents_are_refused() -> None:
    text = json.dumps(DOCUMENT)
    assert not any(work(text[:length]) for length in range(0, len(text), 37))


@pytest.mark.parametrize("name", ["tokenizer.json", "x.model", "x.tiktoken", "x.gguf", "vocab.txt"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"\xff" * 100,
        b"GGUF\x03\x00\x00\x00" + b"\xff" * 40,
        b"\n\xff\xff\xff\xff\x0f",
        b"{" * 100_000,
    ],
    ids=["empty", "zero", "ones", "gguf lengths", "protobuf length", "nesting"],
)
def test_broken_files_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(errors.TessellaError):
        tessella.load(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tokenizer.json", b"", "the file is empty"),
        ("x.model", b"", "the file is empty"),
        ("x.model", b"\n\x0e", "begins with a byte 0x0A .* is it whole"),
        ("x.model", b"\n\x0e\n\x05<unk>\x15\x00\x00", "ends early"),
        ("x.gguf", b"GG", "begins with `GGUF`: is it whole"),
        ("x.gguf", b"GGUF\x03\x00", "the file ends early: 4 more bytes are announced, 2 are left"),
        ("x.tiktoken", b"IQ", "begins with a line of a token in base64"),
        ("tokenizer.json", b'{"model": {"ty', "line 1, column 15"),
    ],
)
def test_what_is_cut_is_told(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(errors.FormatError, match=message) as caught:
        tessella.load(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_told_with_the_nearest_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wordpiece.json").write_text("{}")
    for name in ("wordpiece.jsn", "wordpeice.json", str(tmp_path / "wordpiec.json")):
        with pytest.raises(FileNotFoundError, match=r"did you mean .*wordpiece\.json\?"):
            tessella.load(name)
    with pytest.raises(FileNotFoundError) as told:
        tessella.load("other.json")
    assert "mean" not in str(told.value)


CHILD = """
import sys, threading
import tessella
from tessella import errors
threading.stack_size(512 << 10)
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:"))
before = peak()
def attempt():
    for text in sys.stdin.read().split("\\0"):
        try:
            tessella.Tokenizer.from_str(text).encode("ab " * 1000)
        except errors.TessellaError:
            pass
thread = threading.Thread(target=attempt)
thread.start()
thread.join()
print((peak() - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_small_documents_cannot_ask_for_much_memory_or_stack() -> None:
    def model(**parts: Any) -> str:
        return json.dumps({**DOCUMENT, "model": {**DOCUMENT["model"], **parts}})

    def stage(name: str, value: str) -> str:
        return json.dumps({**DOCUMENT, name: "HERE"}).replace('"HERE"', value)

    chain = '{"type":"Sequence","normalizers":[' * 100_000 + "]}" * 100_000
    groups = json.dumps("(" * 100_000 + "a" + ")" * 100_000)
    documents = [
        "[" * 100_000,
        '{"a":' * 100_000,
        stage("normalizer", chain),
        stage(
            "pre_tokenizer",
            f'{{"type":"Split","pattern":{{"Regex":{groups}}},"behavior":"Isolated","invert":false}}',
        ),
        model(vocab={"a": 2**28 - 1}, merges=[]),
        model(vocab={"a": 2**22 - 1}, merges=[]),
        model(vocab={"a": 0}, merges=[["a", "a"]] * 1000),
        model(
            type="WordPiece", max_input_chars_per_word=2**63, continuing_subword_prefix="#", vocab={"a": 0}
        ),
    ]
    child = subprocess.run(
        [sys.executable, "-c", CHILD],
        input="\0".join(documents),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) < 200, f"{child.stdout.strip()} MB for documents of a megabyte at most"


def test_states_of_many_levels_are_refused() -> None:
    child = subprocess.run(
        [sys.executable, "-c", DEEP_STATE], capture_output=True, text=True, timeout=120, check=False
    )
    assert child.returncode == 0, child.stderr
    assert "windows lie in windows more than 64 times" in child.stdout


DEEP_STATE = """
from tessella import Encoding, errors
# Nine columns without a number, no text, and how many windows follow.
empty = bytes([0, 1]) * 9 + b"\\0"
state = bytes([1]) + (empty + bytes([1])) * 100_000 + empty + bytes([0])
try:
    Encoding().__setstate__(state)
except errors.FormatError as error:
    print(error)
state = bytes([1]) + (empty + bytes([1])) * 64 + empty + bytes([0])
encoding = Encoding()
encoding.__setstate__(state)
assert encoding.__getstate__() == state
"""


def test_json_that_is_nested_without_end_is_a_format_error_wherever_python_reads_it(tmp_path):
    from tessella import edit, prove, recipes
    from tessella.data.manifest import parsed
    from tessella.data.places import LocalPlace

    deep = "[" * 200_000
    tokenizer = recipes.get("gpt2").train(["low lower"] * 9, vocab_size=260)
    tokenizer.save_folder(tmp_path / "folder")
    for name in ("map.json", "x.golden.json", "folder/config.json", "manifest.json"):
        (tmp_path / name).write_text(deep)
    with open(tmp_path / "folder" / "model.safetensors", "wb") as file:
        edit.safetensors.save(file, {}, {})
    id_map = edit.pad_to_multiple(tokenizer, 64).id_map
    for read in (
        lambda: edit.IdMap.load(tmp_path / "map.json"),
        lambda: prove.Golden.load(tmp_path / "x.golden.json"),
        lambda: edit.resize_embeddings(tmp_path / "folder", id_map),
        lambda: parsed(LocalPlace(str(tmp_path)), "manifest.json"),
    ):
        with pytest.raises(errors.FormatError, match=r"JSON|id map|golden|damaged"):
            read()
    found = prove.doctor(tmp_path / "folder").findings
    assert ("json", "config.json") in [(one.code, one.where) for one in found]
