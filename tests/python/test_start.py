"""A package whose compiled module is missing says so, and what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import tessella


def tried(where: Path) -> str:
    """The last line of importing the package from there."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(where)!r}); import tessella"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1, done.stderr
    return done.stderr.splitlines()[-1]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A copy of the package without its compiled module."""
    left_out = shutil.ignore_patterns("_tessella.*", "__pycache__")
    shutil.copytree(os.path.dirname(tessella.__file__), tmp_path / "tessella", ignore=left_out)
    return tmp_path


def test_a_tree_that_was_not_built(bare: Path) -> None:
    said = tried(bare)
    assert said.startswith("ImportError: the compiled module of tessella is missing")
    assert sys.implementation.cache_tag in said and "there is none in" in said and "make build" in said


def test_a_tree_that_was_built_for_another_python(bare: Path) -> None:
    for name in ("_tessella.cpython-39-x86_64-linux-gnu.so", "_tessella.pyi"):
        (bare / "tessella" / name).touch()
    said = tried(bare)
    assert "has _tessella.cpython-39-x86_64-linux-gnu.so; with this Python" in said


def test_a_zip_file(bare: Path) -> None:
    archive = bare / "all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in (bare / "tessella").rglob("*.py"):
            packed.write(path, path.relative_to(bare))
    assert "in a zip file" in tried(archive)


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    link, circle = tmp_path / "link.json", tmp_path / "circle.json"
    link.symlink_to("gone.json")
    circle.symlink_to("circle.json")
    with pytest.raises(FileNotFoundError, match=r"it is a link to .*gone\.json: ") as found:
        tessella.load(link)
    assert "did you mean" not in str(found.value)
    with pytest.raises(OSError, match="symbolic links"):
        tessella.load(circle)
