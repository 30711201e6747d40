"""What an audit says of the entries of a tokenizer, as flags that stand beside them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


#: Flags, and what each says.
FLAGS: dict[str, str] = {
    "unreachable": "no text gives it, and there is a proof",
    "open": "none of the texts that were tried gives it, which is no proof",
    "forgeable": "a special token that plain text can write",
    "double": "stands for the same bytes as another entry",
    "reserved": "nothing is meant to give it",
}

#: Of each id that has any, its flags with their reasons.
Flags = Mapping[int, list[tuple[str, str]]]


def flags(tokenizer: Tokenizer) -> Flags:
    """The flags of all entries.

    Example:
        >>> from tessella import Tokenizer, models
        >>> vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}
        >>> flags(Tokenizer(models.BPE(vocabulary, [("a", "b"), ("b", "c")])))
        {5: [('unreachable', "merge order: its own letters become 'ab' + 'c'")]}
    """
    from ..._vocabulary import entries
    from ...evaluate import audit
    from ...evaluate.auditing.entries import reserved_ids

    data = audit(tokenizer, witnesses=0).to_dict()
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for name, rows in (("unreachable", data["unreachable"]), ("open", data["not_found"])):
        for row in rows:
            found[row["id"]].append((name, f"{row['cause']}: {row['proof']}"))
    for row in data["forgeable"]:
        kept = "an option keeps it out" if row["kept_out_by_option"] else "and no option keeps it out"
        found[row["id"]].append(("forgeable", f"{FLAGS['forgeable']}; {kept}"))
    for row in data["doubles"]:
        for id in row["ids"]:
            others = ", ".join(str(other) for other in row["ids"] if other != id)
            found[id].append(("double", f"stands for the same bytes as {others}"))
    # An audit names some of them only.
    for id in reserved_ids(entries(tokenizer)):
        found[id].append(("reserved", FLAGS["reserved"]))
    return dict(found)


def summary(found: Flags) -> list[dict[str, Any]]:
    """How many entries have each flag."""
    counts = Counter(name for some in found.values() for name, _ in some)
    return [{"flag": name, "count": counts[name], "words": words} for name, words in FLAGS.items()]
