"""The code in the pages about calling, migrating and explaining runs as it stands there."""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


@pytest.mark.parametrize("page", ["calling", "migrating", "explain"])
def test_page(page):
    if page == "calling":
        pytest.importorskip("jinja2")
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": page}
    printed, count = "", 0
    for kind, block in BLOCK.findall(text):
        if kind == "python":
            line = text[: text.index(block)].count("\n") + 1
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * (line - 1) + block, f"{page}.md", "exec"), names)
            printed, count = out.getvalue(), count + 1
        elif kind == "text":
            assert printed == block
    assert count >= 3
