"""The page of a report: whole, self-contained, and safe whatever texts and names hold."""

import random
import re
import xml.etree.ElementTree
from html.parser import HTMLParser

import pytest
from tessella import Tokenizer, models
from tessella.evaluate import audit, drawing, evaluate
from tessella.evaluate.page import POLICY

HOSTILE = [
    '<img src=x onerror="alert(1)"></style></title><script>alert(2)</script>',
    "&lt;b&gt; \" ' ` </svg> <!-- ]]> javascript:alert(3)",
    "\x00\x1b[2J\u202eabc\u0301\u0301 مرحبا שלום 👩‍👩‍👧\ufeff",
]
VOID = {"meta", "link", "br", "img", "path", "rect", "circle"}


class Reader(HTMLParser):
    """Checks that what is opened is closed, and notes all tags, attributes and texts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts = [], set(), [], []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text)


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


@pytest.fixture(scope="module")
def pages(tokenizers):
    rng = random.Random(3)
    texts = [" ".join([*rng.choices(HOSTILE, k=4), str(rng.randint(0, 9999999))]) for _ in range(40)]
    both = {HOSTILE[0]: tokenizers["bytes"], HOSTILE[2]: tokenizers["pieces"], "c": tokenizers["unigram"]}
    report = evaluate(
        both, {HOSTILE[1]: texts, HOSTILE[2]: texts[:9]}, languages=[HOSTILE[0], "en"], bootstrap=50
    )
    spiteful = Tokenizer(models.BPE({**{one: id for id, one in enumerate(HOSTILE)}, "a": 3}, []))
    spiteful.add_special_tokens([HOSTILE[0] + "!"])
    return {
        "evaluation": report.to_html(),
        "audit": audit(spiteful, ["a"] * 5, name=HOSTILE[0]).to_html(),
        "bytes": audit(tokenizers["bytes"], texts).to_html(),
        "without": evaluate(tokenizers["bytes"], ["a"], bootstrap=0).to_html(),
    }


@pytest.mark.parametrize("name", ["evaluation", "audit", "bytes", "without"])
def test_a_page_is_whole_and_asks_nobody(pages, name):
    page = pages[name]
    reader = read(page)
    assert page.startswith("<!DOCTYPE html>")
    assert not reader.tags & {
        "script",
        "img",
        "iframe",
        "object",
        "embed",
        "link",
        "form",
        "a",
        "base",
        "image",
    }
    for key, value in reader.attributes:
        assert not key.startswith("on") and key not in ("src", "href", "xlink:href", "srcset", "action"), key
        assert "url(" not in (value or "")
    assert not re.search(r"https?:|@import|url\(", page)
    assert ("content", POLICY) in reader.attributes
    # What a browser would obey or hide is spelled out.
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufeff]", page)


def test_what_strangers_wrote_is_text(pages):
    shown = "".join(read(pages["evaluation"]).texts)
    assert "<script>alert(2)</script>" in shown
    assert "\\x00\\x1b[2J\\u202eabc" in shown
    assert "مرحبا" in shown
    assert "<img src=x" in "".join(read(pages["audit"]).texts)


def test_every_plot_is_xml_with_a_title_and_a_description(pages):
    for page in pages.values():
        drawn = re.findall(r"<svg.*?</svg>", page, re.S)
        assert drawn
        for one in drawn:
            root = xml.etree.ElementTree.fromstring(one)
            assert root.find("title").text and root.find("desc").text
            assert root.get("role") == "img"
            for number in re.findall(r'(?:\b[xy]|width|height|cx|cy)="([^"]*)"', one):
                assert float(number) >= 0, one[:200]
    assert pages["evaluation"].count("<svg") > 12


def test_plots_of_little():
    for made in (
        drawing.bars("t", []),
        drawing.bars("t", [("a", None, None, None), ("b", 0.0, None, None)], True),
        drawing.heat("t", ["a"], [("b", [None]), ("c", [1.0])]),
        drawing.heat("t", [], []),
        drawing.lines("t", [("a", [[1, 5]])], "x", "y", log=(True, True)),
        drawing.lines("t", [("a", [[1, 5], [3, 5]]), ("b", [])], "x", "y", marks=[(0, 3), (0, 9)]),
        drawing.lines("t", [("a", [[1, 1e-9], [1e9, 7]])], "x", "y", log=(True, True)),
    ):
        xml.etree.ElementTree.fromstring(made)
        assert "nan" not in made and "inf" not in made
    assert drawing.lines("t", [("a", [])], "x", "y") == ""


def test_bars_are_as_long_as_their_values():
    made = drawing.bars("t", [("a", 4.0, 3.0, 5.0), ("b", 2.0, None, None)])
    widths = [float(one) for one in re.findall(r'width="([\d.]+)"', made)]
    assert widths == [pytest.approx(240), pytest.approx(120)]
    assert "a: 4 (3 to 5)" in made
