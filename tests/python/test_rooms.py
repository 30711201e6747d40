"""Rooms keep to themselves: what they export, what they import, and what they load."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
import tessella

ROOMS = ["reference", "words", "tasks", "embeddings", "edit", "evaluate", "data", "prove"]
PACKAGE = Path(tessella.__file__).parent
# What is asked for only when it is used.
OPTIONAL = {"gensim", "seqeval", "torch", "sklearn", "nltk", "regex", "pyarrow", "fsspec", "ray"}


def imports(path):
    """Modules that a file imports, relative ones with their dots."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            dots = "." * node.level
            if node.module is None:
                yield from (dots + alias.name for alias in node.names)
            else:
                yield dots + node.module


@pytest.mark.parametrize("room", ROOMS)
def test_all_is_sorted_and_there(room):
    module = importlib.import_module(f"tessella.{room}")
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_use_the_public_names_and_not_each_other(room):
    for path in (PACKAGE / room).rglob("*.py"):
        inner = "." * (len(path.relative_to(PACKAGE).parts) - 1)
        for name in imports(path):
            outside = name.removeprefix(f".{inner}") if name.startswith(f".{inner}") else None
            if outside is not None:
                assert outside.split(".")[0] not in {*ROOMS, "_tessella"}, path
            elif not name.startswith("."):
                assert name.split(".")[0] in {*sys.stdlib_module_names, "numpy"}, path
                assert room != "reference" or name != "numpy", path
    if room == "reference":
        outer = {
            name for path in (PACKAGE / room).glob("*.py") for name in imports(path) if name.startswith("..")
        }
        assert outer <= {"..errors"}


def test_files_of_the_reference_are_short():
    for path in (PACKAGE / "reference").glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 200, path


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_load_nothing_optional(room):
    code = f"import sys, tessella.{room}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not OPTIONAL & {name.split(".")[0] for name in done.stdout.split()}
