"""Importing stays light, and what is missing is told."""

import subprocess
import sys

import pytest


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_nothing_is_imported_before_it_is_used():
    code = (
        "import sys, tessella, tessella.web, tessella.web.serve.app, tessella.web.studio.app\n"
        "from tessella.cli.command import find, names\n"
        "[find(name).parser() for name in names()]\n"
        "print(*sys.modules)"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"starlette", "uvicorn", "prometheus_client", "anyio", "h11", "pyarrow", "jinja2"}


@pytest.mark.parametrize(
    ("missing", "command"),
    [
        ("starlette", "serve"),
        ("uvicorn", "serve"),
        ("prometheus_client", "serve"),
        ("starlette", "studio"),
        ("uvicorn", "studio"),
    ],
)
def test_a_missing_package_is_told(missing, command, tmp_path):
    path = tmp_path / "tiny.json"
    code = (
        f"import sys\nsys.modules[{missing!r}] = None\n"
        "import tessella\nfrom tessella import Tokenizer, models\nfrom tessella.cli import main\n"
        f"Tokenizer(models.WordLevel({{'a': 0}}, 'a')).save({str(path)!r})\n"
        f"sys.exit(main([{command!r}, {str(path)!r}, '--port', '0']))"
    )
    done = run(code)
    assert done.returncode == 1 and f"needs {missing}" in done.stderr and f"'.[{command}]'" in done.stderr
    assert "Traceback" not in done.stderr
