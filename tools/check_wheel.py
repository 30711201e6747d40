"""Install the package from a folder of wheels, or from a source distribution, and test what was installed.

    python tools/check_wheel.py [--demo-only] DIST [TEST...]

The package goes into a fresh environment of the Python that runs this, and so does what `requirements/wheel.txt`
names; the tests lie in the clone, the package does not. With `--demo-only` nothing of the clone is needed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WHERE = "import tessella, sys; print(tessella.__file__, tessella.__version__, sys.version)"


def run(*command: str | Path, cwd: Path) -> None:
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    # A clone's own package must not stand in for the installed one.
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    subprocess.run(words, cwd=cwd, env=environment, check=True)


def offered(dist: Path) -> list[str]:
    """How pip is told what to install: the wheel of the folder that fits, else the sources."""
    if list(dist.glob("tessella-*.whl")):
        return ["--no-index", "--no-deps", "--find-links", str(dist), "tessella"]
    sources = sorted(dist.glob("tessella-*.tar.gz"))
    if len(sources) != 1:
        raise SystemExit(
            f"{dist} holds no wheel and {len(sources)} source distributions of tessella; one was expected"
        )
    return ["--no-deps", str(sources[0])]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--demo-only", action="store_true", help="run the demonstration, not the tests")
    parser.add_argument("dist", type=Path, help="the folder")
    parser.add_argument("tests", nargs="*", default=["tests/python"], help="what pytest runs, from the clone")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="tessella-installed-") as made:
        folder = Path(made)
        venv.create(folder / "venv", with_pip=True)
        scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        python = scripts / ("python.exe" if os.name == "nt" else "python")
        pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
        run(*pip, *offered(options.dist.resolve()), cwd=folder)
        run(*pip, "numpy>=1.24", cwd=folder)
        run(python, "-c", WHERE, cwd=folder)
        run(scripts / "tessella", "--version", cwd=folder)
        run(python, "-m", "tessella.demo", cwd=folder)
        if not options.demo_only:
            run(*pip, "-r", ROOT / "requirements" / "wheel.txt", cwd=folder)
            workers = str(min(os.cpu_count() or 1, 4))
            tests = ("-q", "-n", workers, "--dist", "worksteal", "-p", "no:cacheprovider", *options.tests)
            run(python, "-m", "pytest", *tests, cwd=ROOT)
    print(f"{options.dist}: installed and tested with Python {sys.version.split()[0]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
