"""Optional packages that examples need: where one is missing, what shows it is skipped and says so."""

import pytest

#: By module of the package, or page of the documentation.
NEEDED = {
    "tessella.embeddings.training": "gensim",
    "tessella.tasks.scoring": "seqeval",
    "docs/embeddings.md": "gensim",
    "docs/tasks.md": "seqeval",
    "docs/tour/9-embeddings.md": "gensim",
}


def skip_without(name: str) -> None:
    """Skips the test of a module or a page whose package is missing."""
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
