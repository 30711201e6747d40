"""Entries that are only steps on the way to others: merge residues.

BPE learns `tokeniz` before `tokenization`, and afterwards hardly ever gives it. For each entry, R is the
share of its uses in which it comes out itself: emitted / (emitted + used as a step of what came out). An
entry with a low R has a row in every embedding that is hardly ever trained.

How often an entry is a step needs no second look at the text: every entry is made by one last merge, so its
uses are passed on to the two parts of that merge, from long entries to short ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._vocabulary import model_state
from ..blocks import Histogram
from ..corpora import portions

if TYPE_CHECKING:
    import numpy.typing as npt

    from ... import Tokenizer
    from ..._corpus import Texts
    from ..._vocabulary import Entries

    Whole = npt.NDArray[np.int64]

__all__ = ["emitted", "residues", "steps"]

#: Uses below which nothing is said about an entry, the R of a residue, and the rows that are told.
LEAST, LOW, MOST = 20, 0.05, 200


def emitted(
    tokenizer: Tokenizer, texts: Texts, size: int, num_threads: int | None = None
) -> tuple[Whole, int]:
    """How often each id comes out, and bytes that were read."""
    counts, read = Histogram(size, 1), 0
    for some in portions(texts):
        ragged = tokenizer.encode_ids_batch(some, add_special_tokens=False, num_threads=num_threads)
        counts.add(ragged.ids, ragged.offsets)
        read += sum(len(text.encode()) for text in some)
    return counts.total(), read


def steps(tokenizer: Tokenizer, counts: Whole) -> Whole | None:
    """How often each entry was a step on the way to what came out; ``None`` where there are no merges."""
    state = model_state(tokenizer)
    if state.get("type") != "BPE":
        return None
    vocabulary, prefix = state["vocab"], state.get("continuing_subword_prefix") or ""
    made: dict[int, tuple[int, int]] = {}
    for one in state["merges"]:
        left, right = one.split(" ", 1) if isinstance(one, str) else one
        joined = vocabulary.get(left + right.removeprefix(prefix))
        if joined is not None:
            # The first merge that makes it is the one that has its turn.
            made.setdefault(joined, (vocabulary[left], vocabulary[right]))
    length = {id: len(token) for token, id in vocabulary.items()}
    used: Whole = np.zeros(len(counts), dtype=np.int64)
    for id in sorted(made, key=lambda id: -length[id]):
        uses = int(counts[id] + used[id])
        if uses:
            left, right = made[id]
            used[left] += uses
            used[right] += uses
    return used


def residues(tokenizer: Tokenizer, entries: Entries, counts: Whole, read: int) -> dict[str, Any] | None:
    """Entries with a low R, the most used first."""
    used = steps(tokenizer, counts)
    if used is None:
        return None
    uses = counts + used
    share = counts / np.maximum(uses, 1)
    text = np.array(
        [kind == "text" and len(entries.bytes[id] or b"") > 1 for id, kind in enumerate(entries.kinds)]
    )
    low = np.flatnonzero(text & (uses >= LEAST) & (share < LOW))
    rows = [
        {
            "id": int(id),
            "token": entries.tokens[id],
            "emitted": int(counts[id]),
            "steps": int(used[id]),
            "share": float(share[id]),
        }
        for id in low[np.argsort(-uses[low], kind="stable")][:MOST].tolist()
    ]
    return {
        "bytes": read,
        "tokens": int(counts.sum()),
        "judged": int((text & (uses >= LEAST)).sum()),
        "entries": len(low),
        "never_emitted": int((text & (counts == 0)).sum()),
        "some": rows,
    }
