"""The files that the pages for contributors send people to are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORE = ROOT / "crates" / "tessella-core" / "src"
# A path in backticks: it has a slash or ends as code does, and no blank or placeholder.
PATH = re.compile(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:rs|py|pyi))`")


def named(text):
    return [path for path in PATH.findall(text) if "NAME" not in path]


def test_which_file_decides():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Which file decides\n")[2].partition("\n## ")[0]
    rows = [row.split(" | ")[1] for row in table.splitlines() if " | " in row][1:]
    assert len(rows) >= 10
    assert [row for row in rows if not named(row)] == []
    assert [
        one for one in named(" ".join(rows)) if not (CORE / one).exists() and not (ROOT / one).exists()
    ] == []


def test_adding_a_component():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    how = page.partition("## Adding a normalizer")[2].partition("\n## ")[0]
    full = [one for one in named(how) if one.startswith(("crates/", "python/", "tests/", "docs/"))]
    assert len(full) >= 10
    assert [one for one in full if not (ROOT / one).exists()] == []
