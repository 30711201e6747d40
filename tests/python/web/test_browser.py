"""The studio's pages in a real Chromium; skipped where there is none.

`make browser` brings what they need: the package playwright, and a Chromium, which may be the system's or that of
`playwright install chromium`.
"""

import re
from urllib.parse import quote

import pytest
from tessella import Tokenizer
from tessella.web.studio.app import application
from tessella.web.studio.session import Session

from tests.chromium import chromium

from .conftest import CORPUS, Running, tour_links
from .test_studio import CHAT

playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")

# A busy machine may take its time.
playwright.expect.set_options(timeout=30_000)

HOSTILE = (
    '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u0301\u0301 مرحبا שלום 👩‍👩‍👧‍👦 '
    "a\x00b \u202eevil\u202c </textarea>"
)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        try:
            found = driver.chromium.launch(
                executable_path=chromium(),
                args=["--no-sandbox"],
            )
        except playwright.Error as error:
            pytest.skip(f"no Chromium starts: {str(error).splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture(scope="module")
def studio(tokenizers):
    able = Tokenizer.from_str(tokenizers["bpe"].to_str())
    able.chat_template = CHAT
    session = Session({**tokenizers, "able": able}, {"made": CORPUS})
    with Running(application(session, "token", ["127.0.0.1"])) as client:
        yield f"http://127.0.0.1:{client.port}/token/"


@pytest.fixture
def opened(browser, studio):
    """Opens a view; at the end nothing may have been complained of, and nobody else asked."""
    contexts, wrong = [], []

    def opens(view, width=1440, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda told: wrong.append(told.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: (
                asked.url.startswith((studio.removesuffix("token/"), "data:", "blob:"))
                or wrong.append(asked.url)
            ),
        )
        page.goto(studio + view)
        page.locator("h1").wait_for()
        return page

    yield opens
    for context in contexts:
        context.close()
    assert wrong == []


def address(page, **state):
    text = quote(state.pop("text", ""))
    return f"#{page}?text={text}" + "".join(f"&{key}={value}" for key, value in state.items())


# What each page shows when it has drawn a view.
#: What is there when a page is drawn. (The conversation below the cards has tokens too.)
DRAWN = {
    "playground": ".cards .tokens .token",
    "steps": ".story",
    "train": ".played",
    "vocabulary": ".found table",
    "diff": "#totals",
    "report": "iframe.report",
}


@pytest.mark.parametrize("page", DRAWN)
def test_pages_draw_hostile_text_as_text(opened, page):
    shown = opened(address(page, text=HOSTILE, counted="no", size="60"))
    for width, scheme in ((1440, "light"), (375, "dark")):
        shown.set_viewport_size({"width": width, "height": 900})
        shown.emulate_media(color_scheme=scheme)
        shown.locator(DRAWN[page]).first.wait_for()
        assert shown.evaluate("window.hit") is None
        assert shown.locator("main img").count() == 0
        wide = shown.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, "the page is wider than the window"
        dark = shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 28)"
        assert dark == (scheme == "dark")


@pytest.mark.parametrize("broken", ["x", "-7", "1e9", "1.5", "", "%ff"])
def test_addresses_that_are_broken_are_drawn(opened, broken):
    """Anything may stand in an address: of another version, cut off, or typed by hand."""
    for page, names in {
        "steps": ("piece", "step", "way", "best"),
        "train": ("step",),
        "vocabulary": ("first",),
        "playground": ("context", "price"),
    }.items():
        state = dict.fromkeys((*names, "k", "t", "own~", "__proto__"), broken)
        shown = opened(address(page, text="low? lower", size="60", counted="no", **state))
        shown.locator(DRAWN[page]).first.wait_for()
        assert not any(one.is_visible() and one.inner_text() for one in shown.locator("p.error").all())
    if broken == "x":
        for page in ("constructor", "__proto__", "nowhere"):
            opened(f"#{page}").locator(DRAWN["playground"]).first.wait_for()
        # Some programs write question marks out when they hand an address on.
        asked = opened("#steps?text=low?lower")
        asked.locator(DRAWN["steps"]).first.wait_for()
        assert asked.locator("#text").input_value() == "low?lower"


def test_tokens_follow_what_is_typed(opened, tokenizers):
    page = opened("#playground?t=bpe&t=wordpiece")
    page.locator("#text").fill("lower 👩‍👩‍👧‍👦")
    for place, name in enumerate(("bpe", "wordpiece")):
        many = len(tokenizers[name].encode("lower 👩‍👩‍👧‍👦"))
        playwright.expect(page.locator(".card h2").nth(place)).to_contain_text(f"{name} {many} tokens")
    page.get_by_label("special tokens").uncheck()
    many = len(tokenizers["wordpiece"].encode("lower 👩‍👩‍👧‍👦", add_special_tokens=False))
    playwright.expect(page.locator(".card h2").nth(1)).to_contain_text(f"{many} tokens")
    # What is drawn is the text itself.
    assert page.locator(".block").first.inner_text().startswith("lower")
    page.locator("#add").click()
    playwright.expect(page.locator(".card")).to_have_count(3)
    page.get_by_label("Context, in tokens").fill("10")
    playwright.expect(page.locator(".context").first).to_contain_text("% of 10")
    # The address holds it all.
    page.wait_for_timeout(500)
    again = opened(page.url.partition("/token/")[2])
    assert again.locator("#text").input_value() == "lower 👩‍👩‍👧‍👦"
    playwright.expect(again.locator(".card")).to_have_count(3)


def test_tokens_are_reached_with_the_keyboard(opened, tokenizers):
    page = opened("#playground?t=bpe&text=lower%20tiles")
    page.locator(".cards .tokens .token").first.wait_for()
    page.locator(".cards .tokens").first.focus()
    page.keyboard.press("ArrowRight")
    id = tokenizers["bpe"].encode("lower tiles").ids[0]
    playwright.expect(page.locator("#details")).to_contain_text(f"{id}")
    page.keyboard.press("End")
    playwright.expect(page.locator("#details")).to_contain_text(
        f"{tokenizers['bpe'].encode('lower tiles').ids[-1]}"
    )
    page.keyboard.press("Escape")
    playwright.expect(page.locator("#details")).to_be_hidden()


def test_merges_are_played(opened, tokenizers):
    explained = tokenizers["bpe"].explain("lower").sequences[0].pieces[0].derivation
    page = opened("#steps?k=bpe&text=lower&step=0")
    chips = page.locator(".played .chips.big .chip")
    playwright.expect(chips).to_have_text(list(explained.symbols))
    for merge in explained.merges:
        page.get_by_label("One step forward").click()
        playwright.expect(chips).to_have_text(list(merge.symbols))
    page.get_by_label("One step back").click()
    playwright.expect(chips).to_have_text(list(explained.merges[-2].symbols))
    # Pointing at a token marks the characters that it stands for.
    page.locator(".stage .chip[data-start='1']").first.hover()
    assert page.locator(".aligned").count() > 1


def test_a_lattice_is_drawn(opened, tokenizers):
    lattice = tokenizers["unigram"].explain("lowest", n_best=5).sequences[0].pieces[0].derivation
    page = opened("#steps?k=unigram&text=lowest")
    page.locator(".lattice").wait_for()
    assert page.locator(".lattice .edge").count() == len(lattice.edges)
    assert page.locator(".lattice .edge.best").count() == len(lattice.paths[0].tokens)
    ways = page.locator(".paths .way")
    assert ways.count() == len(lattice.paths)
    if len(lattice.paths) > 1:
        ways.nth(1).click()
        playwright.expect(page.locator(".lattice .edge.best")).to_have_count(len(lattice.paths[1].tokens))


def test_a_training_is_watched_and_used(opened):
    page = opened("#train")
    page.locator("#example").select_option("hug")
    playwright.expect(page.locator(".player output")).to_have_text("1 of 3")
    playwright.expect(page.locator(".lead")).to_contain_text("u + g → ug — 20 times")
    page.get_by_label("One step forward").click()
    playwright.expect(page.locator(".lead")).to_contain_text("u + n → un — 16 times")
    with page.expect_download() as saved:
        page.locator("#save").click()
    assert saved.value.suggested_filename == "tokenizer.json"
    name = re.search(r"Learned: (bpe [\d ]+?),", page.locator(".note").inner_text())[1]
    page.get_by_role("link", name="Playground").click()
    playwright.expect(page.locator("h1")).to_have_text("Playground")
    # What the page before had still to say does not change the address any more.
    page.wait_for_timeout(600)
    assert "#playground" in page.url
    assert name in page.locator("select").first.inner_text()


def test_a_vocabulary_is_searched(opened):
    page = opened("#vocabulary?k=bpe")
    page.locator("#query").fill("lower")
    row = page.locator(".found td button", has_text="Ġlower")
    row.click()
    playwright.expect(page.locator(".family h2")).to_contain_text("Ġlower")
    assert page.locator(".family .tree li").count() > 3
    page.locator(".family .tree button").nth(1).click()
    playwright.expect(page.locator(".family h2")).not_to_contain_text("Ġlower")


def test_differences_are_told(opened, tokenizers):
    page = opened("#diff?t=bpe&t=wordpiece&text=lower%20tiles%20lower")
    counts = [
        len(tokenizers[name].encode("lower tiles lower", add_special_tokens=False))
        for name in ("bpe", "wordpiece")
    ]
    playwright.expect(page.locator("#totals")).to_contain_text(
        f"bpe: {counts[0]} tokens. wordpiece: {counts[1]} tokens"
    )


def test_a_view_is_saved_as_one_file(opened, browser, tmp_path):
    page = opened(address("playground", text=HOSTILE, t="bpe"))
    page.locator(".cards .tokens .token").first.wait_for()
    with page.expect_download() as saved:
        page.locator("#export").click()
    path = tmp_path / "view.html"
    saved.value.save_as(path)
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text and "default-src 'none'" in text
    context = browser.new_context()
    alone = context.new_page()
    asked = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(path.as_uri())
    assert alone.locator(".token").count() == page.locator(".token").count()
    assert alone.locator("pre.text").first.inner_text().startswith("<img src=x")
    assert asked == [path.as_uri()] and alone.evaluate("window.hit") is None
    context.close()


def test_long_texts_draw_what_is_in_view(opened):
    page = opened("#playground?t=bpe")
    page.locator(".cards .tokens .token").first.wait_for()
    page.evaluate(
        "const box = document.getElementById('text'); box.value = 'low lower lowest tiles\\n'.repeat(9000);"
        "box.dispatchEvent(new Event('input'))"
    )
    playwright.expect(page.locator(".card .counts")).to_contain_text("207,000 characters", timeout=30_000)
    tokens = page.locator(".cards .tokens").first
    assert tokens.locator(".block").count() > 100
    assert tokens.locator(".token").count() < 5000
    # What is drawn may be higher than was thought, so that the end moves on.
    page.wait_for_function(
        "() => { const box = document.querySelector('.cards .tokens'); box.scrollTop = box.scrollHeight;"
        "return box.lastElementChild.querySelector('.token') }"
    )


def test_a_report_is_the_library_s_own_page(opened, tmp_path):
    page = opened("#report?t=bpe&t=wordpiece&c=made", scheme="dark")
    report = page.frame_locator("iframe.report")
    playwright.expect(report.locator("h1")).to_contain_text("bpe, wordpiece")
    playwright.expect(report.locator("svg").first).to_be_visible()
    # The frame follows the colours of the studio, and is as high as what it holds.
    assert (
        report.locator("body").evaluate("body => getComputedStyle(body).backgroundColor") == "rgb(22, 25, 29)"
    )
    page.wait_for_function("document.querySelector('iframe.report').offsetHeight > 1500")
    with page.expect_download() as saved:
        page.locator("#export").click()
    saved.value.save_as(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    page.get_by_role("checkbox", name="wordpiece").uncheck()
    page.locator("#measure").click()
    playwright.expect(report.locator("h1")).not_to_contain_text("wordpiece")


def test_a_conversation_shows_what_counts(opened):
    page = opened("#playground?t=bpe&ck=able")
    counted = page.locator(".conversation .token.inloss")
    playwright.expect(counted.first).to_be_visible()
    assert "".join(counted.all_inner_texts()).replace("·", " ").strip() == "Lower than the others."
    page.get_by_label("Message 2", exact=True).fill("lowest")
    playwright.expect(page.locator(".conversation .tokens")).to_contain_text("lowest")
    page.locator("#say").click()
    playwright.expect(page.locator(".message")).to_have_count(3)
    page.get_by_label("Remove message 3").click()
    playwright.expect(page.locator(".message")).to_have_count(2)


def test_the_audit_stands_in_the_vocabulary(opened):
    page = opened("#vocabulary?k=bpe")
    playwright.expect(page.locator("#audited")).to_contain_text("13 unreachable")
    page.get_by_label("Only").select_option("unreachable")
    playwright.expect(page.locator(".found .flag.unreachable")).to_have_count(13)
    page.locator(".found td button").first.click()
    playwright.expect(page.locator(".family dl")).to_contain_text("stand in no UTF-8")


def test_links_of_the_tour_open_through_the_door(opened):
    page = opened("#playground?t=bpe")
    page.locator(".cards .tokens .token").first.wait_for()
    door = page.url.partition("/token/")[0] + "/"
    for number, address in enumerate(tour_links()):
        view = address.partition("#")[2]
        if number:
            page.evaluate(
                "view => { document.getElementById('main').replaceChildren(); location.hash = view }", view
            )
        else:
            page.goto(f"{door}#{view}")
            page.wait_for_url(re.compile("/token/#"))
        page.locator(DRAWN[view.partition("?")[0]]).first.wait_for()
        assert page.locator(".error").all_inner_texts().count("") == page.locator(".error").count()
