"""Entries that are only steps on the way to others: merge residues.

BPE learns `tokeniz` before `tokenization`, and afterwards hardly ever gives it. For each entry, R is the
share of its uses in which it comes out itself: emitted / (emitted + used as a step of what came out). An
entry with a low R has a row in every embedding that is hardly ever trained.

How often an entry is a step needs no second look at the text: ``growth.steps`` follows the merges back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._chance import settled
from ..blocks import Histogram
from ..corpora import portions
from ..growth import merged, steps
from ..merges import merges_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from ... import Tokenizer
    from ..._corpus import Texts
    from ..._vocabulary import Entries

    Whole = npt.NDArray[np.int64]


#: Uses below which nothing is said about an entry, the R of a residue, and the rows that are told.
LEAST, LOW, MOST = 20, 0.05, 200


def emitted(
    tokenizer: Tokenizer, texts: Texts, size: int, num_threads: int | None = None
) -> tuple[Whole, int]:
    """How often each id comes out where nothing is drawn by chance, and bytes that were read."""
    tokenizer = settled(tokenizer)
    counts, read = Histogram(size, 1), 0
    for some in portions(texts):
        ragged = tokenizer.encode_ids_batch(some, add_special_tokens=False, num_threads=num_threads)
        counts.add(ragged.ids, ragged.offsets)
        read += sum(len(text.encode()) for text in some)
    return counts.total(), read


def residues(tokenizer: Tokenizer, entries: Entries, counts: Whole, read: int) -> dict[str, Any] | None:
    """Entries with a low R, the most used first."""
    merges = merges_of(tokenizer)
    if merges is None:
        return None
    used = steps(merges, merged(tokenizer, counts))
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
