"""A function does one thing: none is longer than a screen or two, its docstring not counted."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = 80
# What is longer, and why it may be.
LONGER: dict[str, str] = {}


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
