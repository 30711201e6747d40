"""The site leads to every page, and its API pages name every public module."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest
import tessella

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

#: Shown with what they belong to: the package's own page, those of commands, and the demonstration.
ELSEWHERE = {"web", "cli", "demo", "compat", "tessella"}


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


def shown_on_pages():
    return {
        name
        for page in (DOCS / "api").glob("*.md")
        for name in re.findall(r"^::: ([\w.]+)", page.read_text(encoding="utf-8"), re.M)
    }


def rooms():
    """The public modules that the API pages show; all that is public is in one of them."""
    named = [importlib.import_module("tessella")]
    for name in sorted(shown_on_pages()):
        try:
            named.append(importlib.import_module(name))
        except ImportError:
            continue  # a class or a function
    return named


def described_names():
    """Constants and names of types with a comment ``#:`` above them, which the site shows."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "python" / "tessella").rglob("*.py"))
    return {name for text in texts for name in re.findall(r"^ *#: .*\n *(\w+)(?:: .*)? = ", text, re.M)}


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.__name__)
def test_every_public_name_is_in_the_reference(room):
    shown, described = shown_on_pages(), described_names()
    elsewhere = [other for other in rooms() if other is not tessella]
    for name in room.__all__:
        thing = getattr(room, name)
        if name.startswith("__") or isinstance(thing, ModuleType):
            continue
        if room is tessella:
            there = f"tessella.{name}" in shown or any(
                getattr(other, name, None) is thing and name in other.__all__ for other in elsewhere
            )
            assert there, f"docs/api shows tessella.{name} nowhere"
        # What has no docstring is left out of the site.
        own = (
            vars(thing).get("__doc__")
            if inspect.isclass(thing)
            else inspect.getdoc(thing)
            if callable(thing)
            else None
        )
        assert own or name in described, f"{room.__name__}.{name} has no docstring"


def public_members(cls):
    """Methods and properties that a class has of its own."""
    for name, member in vars(cls).items():
        if not name.startswith("_") and (
            callable(member) or isinstance(member, (property, classmethod, staticmethod))
        ):
            yield name, member


def test_every_public_method_has_a_docstring():
    bare = [
        f"{room.__name__}.{cls}.{name}"
        for room in rooms()
        for cls in room.__all__
        if inspect.isclass(getattr(room, cls))
        for name, member in public_members(getattr(room, cls))
        if not inspect.getdoc(member)
    ]
    assert bare == []


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.__name__)
def test_no_public_name_is_also_the_name_of_a_module_beside_it(room):
    """The reference, and whoever writes ``import a.b``, would get the module in place of the function."""
    modules = {module.name for module in pkgutil.iter_modules(getattr(room, "__path__", ()))}
    hidden = [
        name for name in room.__all__ if name in modules and not isinstance(getattr(room, name), ModuleType)
    ]
    assert not hidden
