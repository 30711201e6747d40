"""A function does one thing: none is longer than a screen or two, its docstring not counted. A file has one idea, and so many lines."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = 80
# What is longer, and why it may be.
LONGER: dict[str, str] = {}
# Of a file, without blank lines, comments and docstrings.
LINES_OF_A_FILE = 600
LONGER_FILES = {"crates/tessella-core/src/unicode/tables.rs": "generated"}


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            doc = ast.get_docstring(node, clean=False)
            lines = node.end_lineno - node.lineno + 1
            yield node.name, lines - (len(doc.splitlines()) if doc else 0)


def rust_functions(text):
    """Functions as the formatter writes them: the closing brace stands below the first letter. Tests do not count."""
    text = text.split("\n#[cfg(test)]\nmod tests {")[0]
    head = r"^( *)(?:pub(?:\([a-z:]+\))? )?(?:const )?fn (\w+)"
    for found in re.finditer(head + r".*?(?:\n\1\}\n|;\n|\}\n)", text, re.M | re.S):
        start = found.start()
        first = text[start : text.index("\n", start)]
        end = found.end()
        if first.rstrip().endswith("{") or "\n" + found[1] + ")" in text[start:end] or first.endswith("("):
            end = text.index(f"\n{found[1]}}}\n", start) + len(found[1]) + 3
        yield found[2], text.count("\n", start, end)


def functions():
    for folder, ending, read in (("python", "py", python_functions), ("crates", "rs", rust_functions)):
        for path in sorted((ROOT / folder).rglob(f"*.{ending}")):
            name = path.relative_to(ROOT).as_posix()
            if "/tests" not in name and path.name not in ("conformance.rs", "testing.rs"):
                for function, lines in read(path.read_text(encoding="utf-8")):
                    yield f"{name}: {function}", lines


@pytest.fixture(scope="module")
def lengths():
    found = {}
    for name, lines in functions():
        found[name] = max(lines, found.get(name, 0))
    return found


def test_functions_are_found(lengths):
    assert len(lengths) > 2000
    assert lengths["crates/tessella-train/src/bpe/checkpoint.rs: load"] > 10
    assert list(python_functions('def one():\n    """Two\n\n    lines."""\n    return 1\n')) == [("one", 2)]
    assert list(rust_functions("    fn one(\n        a: u8,\n    ) -> u8 {\n        a\n    }\n")) == [
        ("one", 5)
    ]


def test_functions_are_short(lengths):
    assert {name for name, lines in lengths.items() if lines > LINES} == set(LONGER)


def python_lines(text):
    """Lines with code."""
    docs = set()
    for node in ast.walk(ast.parse(text)):
        has_docs = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if has_docs and ast.get_docstring(node, clean=False) is not None:
            docs.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(1 for number, line in lines if number not in docs and not re.match(r"\s*(#|$)", line))


def rust_lines(text):
    return sum(1 for line in text.splitlines() if not re.match(r"\s*(//|$)", line))


def test_files_are_short():
    assert python_lines('"""One."""\n\n# Two.\nthree = """\nfour"""\n') == 2
    assert rust_lines("//! One.\n\nmod two; // three\n    /// Four.\n") == 1
    found = {}
    for folder, ending, count in (
        ("python", "py", python_lines),
        ("tests", "py", python_lines),
        ("crates", "rs", rust_lines),
    ):
        for path in (ROOT / folder).rglob(f"*.{ending}"):
            found[path.relative_to(ROOT).as_posix()] = count(path.read_text(encoding="utf-8"))
    assert len(found) > 900
    assert {name for name, lines in found.items() if lines > LINES_OF_A_FILE} == set(LONGER_FILES)
