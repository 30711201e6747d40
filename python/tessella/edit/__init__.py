"""Change a tokenizer, and keep what can be kept.

Every edit is a function: it takes a tokenizer, leaves it as it is, and gives an ``Edited`` that unpacks as
the new tokenizer and an ``IdMap``. The map says what became of every id, and carries files of ids, labels
and a model's embeddings along. ``Edited.dry_run`` tells what an edit does to a corpus before anything is
written.

Example:
    >>> from tessella import Tokenizer, edit, models
    >>> old = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "c": 3}, [("a", "b")]))
    >>> tokenizer, id_map = edit.remove(old, ["ab"])
    >>> tokenizer.encode("abc").ids, id_map.apply(old.encode("abc").ids, removed="decompose")
    ([0, 1, 2], [0, 1, 2])
"""

from .edited import Change, Edited, Effect
from .extending import extend
from .id_map import IdMap
from .merging import Conflict, Merged, merge
from .order import compact, pad_to_multiple, reorder
from .pruning import Residue, prune, residues
from .removing import remove
from .specials import replace_special
from .splitting import Resplit, change_splitter
from .weights import Resized, resize_embeddings

__all__ = [
    "Change",
    "Conflict",
    "Edited",
    "Effect",
    "IdMap",
    "Merged",
    "Residue",
    "Resized",
    "Resplit",
    "change_splitter",
    "compact",
    "extend",
    "merge",
    "pad_to_multiple",
    "prune",
    "remove",
    "reorder",
    "replace_special",
    "residues",
    "resize_embeddings",
]
