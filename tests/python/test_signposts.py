"""The files that the pages for contributors send people to are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Where the paths of the table of rules begin.
ROOTS = (ROOT / "crates" / "tessella-core" / "src", ROOT / "python" / "tessella", ROOT)
# A path in backticks: it has a slash or ends as code does, and no blank or placeholder.
PATH = re.compile(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:rs|py|pyi))`")
FOLDERS = ("benchmarks", "crates", "docs", "fuzz", "python", "requirements", "tests", "tools")


def named(text):
    return [path for path in PATH.findall(text) if "NAME" not in path]


@pytest.fixture(scope="module")
def ends():
    """All that may be said of a file or folder of the tree: its path, or the end of it."""
    found = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            parts = path.relative_to(ROOT).parts
            found.update("/".join(parts[start:]) for start in range(len(parts)))
    return found | set(FOLDERS)


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_path_that_is_told_leads_somewhere(page, ends):
    told = named((ROOT / page).read_text(encoding="utf-8"))
    # The site is built when it is asked for.
    lost = {path for path in told if path.rstrip("/") not in ends} - {"build/site"}
    assert len(told) >= 40 and not lost


def test_which_file_decides():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Which file decides\n")[2].partition("\n## ")[0]
    rows = [row.split(" | ")[1] for row in table.splitlines() if " | " in row and "| **" not in row][1:]
    assert len(rows) >= 25
    assert [row for row in rows if not named(row)] == []
    lost = [one for one in named(" ".join(rows)) if not any((root / one).exists() for root in ROOTS)]
    assert lost == []


def test_the_hops_of_journeys_are_there():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    journeys = page.partition("### Five journeys\n")[2].partition("\n###")[0]
    hops = re.findall(r"`([\w./]+\.(?:rs|py))` \(((?:`\w+`(?:, |\)|;))+)", journeys)
    told = [(path, name) for path, names in hops for name in re.findall(r"`(\w+)`", names)]
    assert len(told) >= 20
    lost = set(told)
    for path in (one for folder in ("crates", "python") for one in (ROOT / folder).rglob("*.*")):
        for file, name in [hop for hop in lost if path.as_posix().endswith(f"/{hop[0]}")]:
            if re.search(rf"\b(?:fn|def) {name}\b", path.read_text(encoding="utf-8")):
                lost.discard((file, name))
    assert not lost


def test_adding_a_component():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    how = page.partition("## Adding a normalizer")[2].partition("\n## ")[0]
    full = [one for one in named(how) if one.startswith(("crates/", "python/", "tests/", "docs/"))]
    assert len(full) >= 10
    assert [one for one in full if not (ROOT / one).exists()] == []
