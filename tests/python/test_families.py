"""Published models with the stages of other tokenizers around them: the reference library's ids, by the ways that much text takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tessella

from benchmarks import families
from tests.conformance import texts

tokenizers = pytest.importorskip("tokenizers")

MODELS, CORPORA = texts.folder("TESSELLA_MODELS"), texts.folder("TESSELLA_CORPORA")
pytestmark = pytest.mark.skipif(
    MODELS is None or CORPORA is None, reason="TESSELLA_MODELS and TESSELLA_CORPORA name no folders"
)
DEFINITION = Path(families.__file__).parent / "definitions" / "families.json"
CASES = json.loads(DEFINITION.read_text(encoding="utf-8"))["parts"][0]["cases"]
#: Bytes of each language.
FEW = 2000


@pytest.fixture(scope="module")
def parts() -> list[str]:
    assert CORPORA is not None
    found = [text for source in texts.load(CORPORA, FEW).values() for text in source if len(text) <= FEW]
    return [*found, *(text + "\n" for text in found[::7]), *("\n  " + text for text in found[::11])]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_ids_are_those_of_the_library(
    case: dict[str, str], parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MODELS is not None
    maps = MODELS / case["maps"] if "maps" in case else None
    if not (MODELS / case["file"]).exists() or not (maps is None or maps.exists()):
        pytest.skip(f"{case['file']} is not in the folder")
    monkeypatch.setenv("TESSELLA_LANES", "at-once")
    file = families.write(MODELS / case["file"], case["family"], tmp_path, maps)
    ours = tessella.Tokenizer.from_file(str(file))
    theirs = tokenizers.Tokenizer.from_file(str(file))
    expected = theirs.encode_batch_fast(parts, add_special_tokens=False)
    found = ours.encode_ids_batch(parts, add_special_tokens=False)
    for text, ids, encoding in zip(parts, found, expected, strict=True):
        assert ids.tolist() == encoding.ids, text
