"""The audit of files that are in use, against exhaustive search.

The suite looks at the three smallest files and some entries of each. ``TESSELLA_AUDIT=all`` looks at all files, every
unreachable entry of up to six bytes; ``-s`` shows the table.
"""

import os
import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from tessella import Tokenizer, load
from tessella._vocabulary import entries
from tessella.errors import ArgumentError
from tessella.evaluate import audit

from .exhaustive import way_to

ALL = os.environ.get("TESSELLA_AUDIT") == "all"
FOLDER = os.environ.get("TESSELLA_MODELS")
#: Bytes of entries that are searched for exhaustively; entries of each cause that the suite takes.
LONGEST, SOME = 6, 3
#: Texts that show an entry to be reachable.
SAMPLED = 1000


def files() -> list[Path]:
    if not FOLDER:
        return []
    found = [path for path in Path(FOLDER).iterdir() if path.suffix in (".json", ".model", ".tiktoken")]
    return sorted(found) if ALL else sorted(found, key=lambda path: path.stat().st_size)[:3]


def opened(path: Path) -> Tokenizer:
    try:
        return load(path)
    except ArgumentError:
        # A table of ranks says nothing about how text is cut.
        return load(path, pattern="cl100k_base")


@pytest.mark.skipif(not FOLDER, reason="TESSELLA_MODELS names no folder of tokenizer files")
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_what_is_unreachable_and_what_is_not(path):
    tokenizer = opened(path)
    found, known = audit(tokenizer, name=path.name, witnesses=SAMPLED), entries(tokenizer)
    data = found.to_dict()
    assert data["reachable"] + len(found.unreachable) + len(found.not_found) == data["judged"] > 0
    assert len(found.witnesses) == min(SAMPLED, data["reachable"])
    for row in found.witnesses:
        assert row["id"] in tokenizer.encode(row["text"], add_special_tokens=False).ids, row
    by_cause = defaultdict(list)
    for row in found.unreachable:
        if len(known.bytes[row["id"]] or b"") <= LONGEST:
            by_cause[row["cause"]].append(row)
    for rows in by_cause.values():
        for row in rows if ALL else random.Random(1).sample(rows, min(SOME, len(rows))):
            assert way_to(tokenizer, known, row, ALL) is None, row
    proven = Counter(row["cause"] for row in found.unreachable)
    open = Counter(row["cause"] for row in found.not_found)
    short = sum(map(len, by_cause.values()))
    print(
        f"\n{path.name}: {data['judged']:,} judged, {data['reachable']:,} reachable, {len(found.witnesses):,}",
        end=" ",
    )
    print(f"texts tried, unreachable {dict(proven)} ({short} short ones searched), open {dict(open)}")
