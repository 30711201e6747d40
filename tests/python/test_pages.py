"""Every piece of code in the README and in `docs/` runs, and prints what the page says.

The blocks of a page run from top to bottom, in one folder and with one set of names:

- ``python``: runs; what it prints is compared with a ``text`` block that comes right after it;
- ``pycon``: a session, checked as a docstring is;
- ``console``: each line after ``$ `` runs in a shell; what follows it, up to the next ``$ ``, is what it prints.

In what is expected, a line of `...` stands for any lines and `...` in a line for any text. A comment
``<!-- not run: why -->`` before a block leaves it out.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from needed import skip_without

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^\n]+ -->\n)?(?P<indent>^ *)```(?P<kind>[a-z]+)\n(?P<code>.*?)^(?P=indent)```$",
    re.M | re.S,
)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def runnable(page: Path) -> list[re.Match[str]]:
    return [block for block in BLOCK.finditer(page.read_text(encoding="utf-8")) if not block["skip"]]


def same(wanted: str, got: str) -> bool:
    def tidy(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))

    pattern = re.escape(tidy(wanted)).replace(re.escape("..."), ".*?")
    return re.fullmatch(pattern, tidy(got), re.S) is not None


def commands(code: str) -> list[tuple[str, str]]:
    """Commands with what they print; a command goes on after a backslash at the end of its line."""
    found: list[tuple[str, str]] = []
    going_on = False
    for line in code.splitlines():
        if going_on:
            found[-1] = (f"{found[-1][0]}\n{line}", "")
        elif line.startswith("$ "):
            found.append((line[2:], ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
        going_on = line.endswith("\\") and (going_on or line.startswith("$ "))
    return found


def shell(command: str, folder: Path) -> str:
    scripts = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without(page.relative_to(ROOT).as_posix())
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    blocks = runnable(page)
    for block, after in zip(blocks, [*blocks[1:], None], strict=False):
        line = text.count("\n", 0, block.start("code")) + 1
        where = f"{page.relative_to(ROOT)}:{line}"
        code = re.sub(rf"^{block['indent']}", "", block["code"], flags=re.M)
        if block["kind"] == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)
            follows = after is not None and not text[block.end() : after.start()].strip()
            if follows and after is not None and after["kind"] == "text":
                wanted = re.sub(rf"^{after['indent']}", "", after["code"], flags=re.M)
                assert same(wanted, printed.getvalue()), f"{where} prints\n{printed.getvalue()}"
        elif block["kind"] == "pycon":
            test = doctest.DocTestParser().get_doctest(code, names, where, str(page), line)
            report = io.StringIO()
            runner = doctest.DocTestRunner(optionflags=OPTIONS)
            runner.run(test, out=report.write, clear_globs=False)
            names.update(test.globs)
            assert runner.failures == 0, report.getvalue()
        elif block["kind"] == "console":
            if shutil.which("bash") is None:
                pytest.skip("console blocks need bash")
            for command, wanted in commands(code):
                printed_text = shell(command, tmp_path)
                assert same(wanted, printed_text), f"{where}: $ {command}\nprints\n{printed_text}"


def test_pages_are_read() -> None:
    assert same("a ... c\n...\nz\n", "a b c\n1\n2\nz\n")
    assert not same("a\n", "b\n")
    assert commands("$ one \\\n  two\nout\n$ three\n") == [("one \\\n  two", "out\n"), ("three", "")]
    assert sum(block["kind"] == "python" for page in PAGES for block in runnable(page)) >= 1
