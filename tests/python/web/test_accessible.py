"""What axe-core finds in the studio's pages and in reports: nothing that is serious.

`make browser` brings axe-core, its driver and a Chromium; skipped where one of them is missing.
"""

import pytest
from tessella.evaluate import audit, evaluate

from .conftest import CORPUS
from .test_browser import DRAWN, HOSTILE, address, browser, opened, studio

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")

__all__ = ["browser", "opened", "studio"]

#: What makes a page hard or impossible to use for somebody.
SERIOUS = ("serious", "critical")


def found(page, *rules):
    """Violations that are serious, each with the element and the rule's own words."""
    # Reports stand in frames without scripts, and are looked at by themselves.
    options = {"iframes": False, "resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    told = axe.Axe().run(page, options=options).response["violations"]
    return [
        (one["id"], node["html"], node["failureSummary"])
        for one in told
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("page", DRAWN)
def test_pages_of_the_studio(opened, page):
    shown = opened(address(page, text=f"low lower {HOSTILE}", counted="no", size="60"))
    shown.locator(DRAWN[page]).first.wait_for()
    if page == "vocabulary":
        shown.locator(".found td button").first.click()
        shown.locator(".family .tree, .family dl").first.wait_for()
    assert found(shown) == []
    if page in ("playground", "vocabulary"):
        # The others have no colours that these two lack.
        shown.emulate_media(color_scheme="dark")
        assert found(shown, "color-contrast") == []


@pytest.fixture(scope="module")
def pages(tokenizers, tmp_path_factory):
    """A report and an audit with all that they can have."""
    folder = tmp_path_factory.mktemp("pages")
    lines = [f"{line} {number}" for number, line in enumerate(CORPUS)]
    parallel = {"en": ["low tiles", "a number"] * 20, "de": ["niedrige Kacheln", "eine Zahl"] * 20}
    report = evaluate(
        {name: tokenizers[name] for name in ("bpe", "unigram")},
        {"one": lines, "two": lines[::2]},
        languages={"one": "en", "two": "de"},
        parallel=parallel,
        gold={"lowest": ["low", "est"]},
        bootstrap=100,
    )
    report.save(folder / "report.html")
    audit(tokenizers["bpe"], lines).save(folder / "audit.html")
    return folder


@pytest.mark.parametrize("name", ["report", "audit"])
def test_reports(browser, pages, name):
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto((pages / f"{name}.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert found(page) == []
    page.emulate_media(color_scheme="dark")
    assert found(page, "color-contrast") == []
    context.close()
