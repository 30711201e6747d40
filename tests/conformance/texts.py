"""The texts that tokenizers are compared on, from the folder that TESSELLA_CORPORA names.

A folder may hold `*.txt` or `*.txt.zst` (documents separated by blank lines), `*.jsonl` or `*.jsonl.zst` (one object a
line with a `text`), and `*.zip` with one text file per language.
"""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

#: Bytes taken of each large text.
SLICE = 5_000_000
#: Documents are cut into parts of at most about this many characters, at line ends.
PART = 8_000

_HELD = {"TESSELLA_MODELS": "tokenizer files", "TESSELLA_CORPORA": "texts"}


def folder(variable: str) -> Path | None:
    """The folder that an environment variable names, if it is set and there."""
    value = os.environ.get(variable)
    path = Path(value) if value else None
    return path if path is not None and path.is_dir() else None


def needed(variable: str) -> Path:
    """The same for a program that cannot do without: it ends with status 2 and says what to set."""
    path = folder(variable)
    if path is None:
        value = os.environ.get(variable)
        now = f"{value!r} is no folder" if value else "it is not set"
        print(f"Set {variable} to a folder of {_HELD[variable]}: {now}.", file=sys.stderr)
        raise SystemExit(2)
    return path


def read(path: Path) -> bytes:
    """A file's bytes, decompressed."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        # Here, so that tests which bring their own texts need no more than the runner.
        import zstandard

        data = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read()
    return data


def parts(text: str) -> Iterator[str]:
    """A document in parts that end at line ends."""
    while len(text) > PART:
        cut = text.rfind("\n", PART // 2, PART) + 1 or PART
        yield text[:cut]
        text = text[cut:]
    if text:
        yield text


def documents(data: bytes, limit: int | None) -> list[str]:
    """The documents of a text, at most `limit` bytes of it."""
    text = data[:limit].decode("utf-8", errors="ignore")
    return [part for document in text.split("\n\n") if document for part in parts(document)]


def load(corpora: Path, limit: int = SLICE) -> dict[str, list[str]]:
    """All texts by name of their source."""
    sources: dict[str, list[str]] = {}
    for path in sorted(corpora.iterdir()):
        name = path.name.split(".")[0]
        if ".jsonl" in path.name:
            lines = read(path).decode("utf-8").splitlines()
            sources[name] = [json.loads(line)["text"] for line in lines if line.strip()]
        elif path.name.endswith((".txt", ".txt.zst")):
            sources[name] = documents(read(path), limit)
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                for member in sorted(archive.namelist()):
                    if member.endswith(".txt"):
                        language = Path(member).stem
                        sources[f"{name}/{language}"] = documents(archive.read(member), limit)
    return sources
