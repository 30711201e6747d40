"""Golden files as tests: each ``NAME.golden.json`` that pytest meets is one.

``pytest -p tessella.prove.pytest_plugin`` switches it on, or ``pytest_plugins =
["tessella.prove.pytest_plugin"]`` in a ``conftest.py``. A file says where its tokenizer is; ``tessella
verify TOKENIZER --record FILE`` writes one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._optional import needed
from .golden import ENDING

if TYPE_CHECKING:
    # What pytest hands over and takes is its own affair: it need not be installed.
    from typing import Any as _File
    from typing import Any as _Item
else:
    pytest = needed("pytest", "compare", "the pytest plug-in")
    _File, _Item = pytest.File, pytest.Item


class GoldenFailure(Exception):
    """A tokenizer gives something else than its golden file."""


class GoldenItem(_Item):  # type: ignore[misc]
    """One golden file."""

    def runtest(self) -> None:
        """Loads the tokenizer and checks it."""
        from ..loading import load
        from .golden import Golden

        golden = Golden.load(self.path)
        if golden.tokenizer is None:
            raise GoldenFailure(f"{self.path} does not say where its tokenizer is")
        done = golden.check(load(os.path.join(self.path.parent, golden.tokenizer)))
        if not done:
            raise GoldenFailure(str(done))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The texts that differ, without a traceback."""
        if isinstance(excinfo.value, GoldenFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """What pytest calls it."""
        return self.path, 0, f"golden: {self.path.name}"


class GoldenFile(_File):  # type: ignore[misc]
    """Where a golden file is collected."""

    def collect(self) -> Any:
        """The file is one test."""
        yield GoldenItem.from_parent(self, name="golden")


def pytest_collect_file(parent: Any, file_path: Path) -> Any:
    """Takes files of this name."""
    return GoldenFile.from_parent(parent, path=file_path) if file_path.name.endswith(ENDING) else None
