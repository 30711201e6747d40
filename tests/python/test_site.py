"""The site leads to every page, and its API pages name every public module."""

import pkgutil
import re
from pathlib import Path

import tessella

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

#: Shown with what they belong to: the package's own page, the command line's page, and the demonstration.
ELSEWHERE = {"cli", "demo", "compat", "tessella"}


def test_every_page_is_in_the_navigation_once():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    named = re.findall(r"[\w./-]+\.md", navigation)
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert len(named) == len(set(named))
    assert set(named) == pages


def test_every_public_module_has_a_place_in_the_reference():
    shown = {
        name
        for page in (DOCS / "api").glob("*.md")
        for name in re.findall(r"^::: tessella\.(\w+)", page.read_text(encoding="utf-8"), re.M)
    }
    modules = {module.name for module in pkgutil.iter_modules(tessella.__path__) if module.name[0] != "_"}
    assert modules - ELSEWHERE <= shown
