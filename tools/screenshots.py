"""Takes the pictures of the studio's pages and of reports that the docs show, in light and in dark.

make browser && .venv/bin/python -m pip install pillow
TESSELLA_MODELS=... TESSELLA_CORPORA=... python tools/screenshots.py [NAME ...]
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import tessella
from PIL import Image
from playwright.sync_api import sync_playwright
from tessella.evaluate import audit, evaluate
from tessella.web.bounds import Bounds
from tessella.web.run import listen, server
from tessella.web.studio.app import application
from tessella.web.studio.session import Session

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.chromium import chromium
from tests.conformance import texts

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FILES = {
    "gpt2": "gpt2.json",
    "bert": "bert-uncased.json",
    "xlnet": "xlnet_base_cased.json",
    "llama2": "llama2.json",
}
#: Colours of a picture: text stays sharp, and the file is a third of what it would be.
COLOURS = 96
TEXT = "Low, lower, lowest: naïve café, 東京タワー, مرحبا بالعالم, 👩‍👩‍👧‍👦 and 3.14159.\n\tif (a == b) return   0;"


@dataclass(frozen=True)
class View:
    """A view; ``shown`` is what is there when it is drawn."""

    address: str
    shown: str
    height: int
    width: int = 1280
    before: Callable[[Any], object] = lambda page: None
    schemes: tuple[str, ...] = ("light", "dark")


def address(page: str, **state: str | list[str]) -> str:
    """The end of a view's address in the studio."""
    return f"#{page}?" + urlencode(state, doseq=True, quote_via=quote)


def point_at_lowest(page: Any) -> None:
    page.locator(".tokens .token", has_text="lowest").first.hover()
    page.locator("#details").wait_for()


def step_forward(page: Any) -> None:
    for _ in range(3):
        page.get_by_label("One step forward").click()


def open_lowest(page: Any) -> None:
    page.locator(".found td button").first.click()
    page.locator(".family .tree").first.wait_for()
    page.locator("#audited", has_text="unreachable").wait_for(timeout=120_000)


def look_at_lattice(page: Any) -> None:
    page.locator(".lattice").evaluate("one => one.closest('section, article, .story, div').scrollIntoView()")
    page.evaluate("scrollBy(0, -60)")


VIEWS = {
    "studio-playground": View(
        address("playground", t=list(FILES), text=TEXT), ".tokens .token", 760, before=point_at_lowest
    ),
    "studio-narrow": View(
        address("playground", t=["gpt2", "bert"], text=TEXT), ".tokens .token", 760, 375, schemes=("dark",)
    ),
    "studio-steps": View(
        address("steps", k="gpt2", text="unbelievably low", step="0"), ".played", 900, before=step_forward
    ),
    "studio-lattice": View(
        address("steps", k="xlnet", text="unbelievably"), ".lattice", 620, before=look_at_lattice
    ),
    "studio-train": View(
        address(
            "train", text="hug 10\npug 5\npun 12\nbun 4\nhugs 5", counted="yes", algorithm="bpe", size="10"
        ),
        ".played",
        900,
        before=lambda page: page.get_by_label("One step forward").click(),
    ),
    "studio-vocabulary": View(
        address("vocabulary", k="gpt2", q="lowest"), ".found table", 760, before=open_lowest
    ),
    "studio-diff": View(address("diff", t=["gpt2", "bert"], text=TEXT), "#totals", 700),
    "studio-report": View(
        address("report", t=["gpt2", "bert", "llama2"], c=["english", "code"]), "iframe.report", 900
    ),
    "report": View("report.html", "svg", 1100),
    "audit": View("audit.html", "svg", 900),
}


@contextmanager
def studio(session: Session) -> Iterator[str]:
    """The address of a studio for the time of a `with`."""
    bound = listen("127.0.0.1", 0)
    running = server(application(session, "token", ["127.0.0.1"]), Bounds(), extra="studio")
    thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]})
    thread.start()
    while not running.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/token/"
    finally:
        running.should_exit = True
        thread.join()
        bound.close()


def saved(picture: bytes, path: Path) -> None:
    """Writes a picture with few colours."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    print(f"{path.name}: {path.stat().st_size // 1000} kB", flush=True)


def main(wanted: list[str]) -> None:
    models, corpora = Path(os.environ["TESSELLA_MODELS"]), Path(os.environ["TESSELLA_CORPORA"])
    tokenizers = {name: tessella.load(models / file) for name, file in FILES.items()}
    known = texts.load(corpora, 400_000)
    some = {name: known[name] for name in ("english", "code")}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        if {"report", "audit"} & set(wanted):
            by_name = {name: tokenizers[name] for name in ("gpt2", "bert", "llama2")}
            evaluate(by_name, some, baseline="gpt2").save(Path(folder) / "report.html")
            audit(tokenizers["gpt2"], some["english"], name="gpt2").save(Path(folder) / "audit.html")
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        with studio(Session(tokenizers, some)) as base:
            for name in wanted:
                view = VIEWS[name]
                for scheme in view.schemes:
                    page = browser.new_page(
                        viewport={"width": view.width, "height": view.height}, color_scheme=scheme
                    )
                    root = base if view.address.startswith("#") else f"file://{folder}/"
                    page.goto(root + view.address)
                    page.locator(view.shown).first.wait_for(timeout=120_000)
                    view.before(page)
                    page.wait_for_timeout(1500)
                    dark = "-dark" if scheme == "dark" and len(view.schemes) > 1 else ""
                    saved(page.screenshot(), IMAGES / f"{name}{dark}.png")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or list(VIEWS))
